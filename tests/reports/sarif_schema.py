import json
from pathlib import Path

from jsonschema import Draft7Validator

_SCHEMA = Path(__file__).parent / "data" / "sarif-schema-2.1.0.json"
VALIDATOR = Draft7Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


def problems(log):
    """What the official schema has against a SARIF log."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in VALIDATOR.iter_errors(log)]
