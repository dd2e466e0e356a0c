"""The baseline: findings that are known and do not count."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from reviewloop.core.types.finding import Finding
from reviewloop.errors import UsageError
from reviewloop.rules import fingerprint

BASELINE = ".reviewloop/baseline.json"


def load_baseline(root: Path, named: Path | None = None) -> frozenset[str]:
    """The fingerprints in a project's baseline, or in the file that was named; none if there is no baseline."""
    path = named or root / BASELINE
    if not path.is_file():
        if named:
            raise UsageError(f"there is no baseline {path}", hint="write one with --write-baseline")
        return frozenset()
    try:
        return frozenset(json.loads(path.read_text(encoding="utf-8"))["fingerprints"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a baseline: {error}", hint="write a new one with --write-baseline") from error


def write_baseline(root: Path, findings: Iterable[Finding], named: Path | None = None) -> Path:
    """Make these findings known from now on."""
    from reviewloop.views.atomic_files import replace_json

    path = named or root / BASELINE
    if path.exists() and path.suffix != ".json":
        raise UsageError(f"{path} is not a baseline", hint="name a .json file, so that nothing else is overwritten")
    try:
        replace_json(path, {"version": 1, "fingerprints": sorted({fingerprint(finding) for finding in findings})})
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return path
