"""Names that a shell completes: sessions, agents, tasks and rules.

A shell asks at every press of a key. So nothing here imports the configuration's schema, the ledger or the rules, each
of which takes longer than the answer; files are only looked at, and what cannot be read has no names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import reviewloop
from reviewloop.config.discover import HIDDEN_FILE, PROJECT_FILE, project_root, user_file

_LEDGER = ".reviewloop/reviewloop.db"
_MODELS = ("haiku", "sonnet", "opus")
_SESSIONS = 200
_LARGEST = 256 * 1024
_RULE = re.compile(r'^@rule\(\s*(?:"([A-Z]+\d+)"|([A-Z_]+)),\s*"([a-z0-9-]+)"', re.MULTILINE)
_CONSTANT = re.compile(r'^([A-Z_]+) = "([A-Z]+\d+)"$', re.MULTILINE)


def session_names(cwd: Path, environment: Mapping[str, str], config_file: str | None = None) -> list[str]:
    """The names of the newest sessions, the one worked on last first."""
    import sqlite3

    settings = _settings(cwd, environment, config_file, about="ledger")
    ledger = environment.get("REVIEWLOOP_LEDGER") or next(
        (found["ledger"] for found in settings if "ledger" in found), _LEDGER
    )
    path = project_root(cwd) / Path(str(ledger)).expanduser()
    if not path.is_file():
        return []
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2)
    try:
        rows = connection.execute(
            "SELECT feature FROM sessions ORDER BY position DESC LIMIT ?", (_SESSIONS,)
        ).fetchall()
    finally:
        connection.close()
    names = dict.fromkeys(str(json.loads(feature)) for (feature,) in rows)
    return [name for name in names if not name.startswith("@")]  # the memory's own record is not a session


def agent_names(cwd: Path, environment: Mapping[str, str], config_file: str | None = None) -> list[str]:
    """The agents of the configuration, the offline rules, and the models of a panel."""
    found: dict[str, None] = {}
    panel = environment.get("REVIEWLOOP_PROFILE") == "panel"
    for settings in _settings(cwd, environment, config_file):
        found |= dict.fromkeys(_keys(settings.get("agents")))
        panel = panel or settings.get("profile") == "panel"
    return [*found, *(name for name in ("static", *(_MODELS if panel else ())) if name not in found)]


def task_names(cwd: Path, environment: Mapping[str, str], config_file: str | None = None) -> list[str]:
    """The tasks of the workflow."""
    return [name for found in _settings(cwd, environment, config_file) for name in _keys(found.get("tasks"))]


def rule_names() -> dict[str, str]:
    """The offline rules, from their id to their name, read from the text of their modules."""
    folder = Path(reviewloop.__file__).parent / "rules"
    text = "\n".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    constants = dict(_CONSTANT.findall(text))
    found = {written or constants[constant]: name for written, constant, name in _RULE.findall(text)}
    return dict(sorted(found.items()))


def _settings(
    cwd: Path, environment: Mapping[str, str], config_file: str | None, about: str = ""
) -> Iterator[Mapping[str, Any]]:
    """What the project's file says, then the user's. A file that does not name what it is about is not even parsed."""
    root = project_root(cwd)
    project = [cwd / config_file] if config_file else [root / PROJECT_FILE, root / HIDDEN_FILE]
    files = [next((file for file in project if file.is_file()), None), user_file(environment)]
    for file in files:
        if file is None or not file.is_file():
            continue
        with file.open("rb") as opened:
            text = opened.read(_LARGEST)
        if about.encode() in text:
            yield _parsed(text)


def _parsed(text: bytes) -> Mapping[str, Any]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    value: Any = yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader, in C where there is one
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _keys(value: Any) -> list[str]:
    return [key for key in cast("Mapping[Any, Any]", value) if isinstance(key, str)] if isinstance(value, dict) else []
