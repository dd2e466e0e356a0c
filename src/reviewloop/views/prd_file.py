"""Writes a feature's state to the front matter of its PRD and changes no other key."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from reviewloop.core.session.events import Event
from reviewloop.core.session.feature_status import is_of_specs, status_of
from reviewloop.core.session.history import History
from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.text import rfc3339
from reviewloop.views.atomic_files import replace_text
from reviewloop.views.markdown_tables import Broken
from reviewloop.views.write_lock import write_lock

ITERATIONS = ("spec_review_iterations", "review_iterations")
STARTED = ("feature_started_at", "started_at")
"""Two tools use different keys for the same value: an existing key is kept, else the first is added."""


_SCALAR = r"""(?:"[^"\r]*"|'[^'\r]*'|[^\s#"'|>&*!\[{](?:[^\r#]*[^\s#])?)?"""
_REST = r"(?:[ \t]+#[^\r]*)?[ \t]*\r?"


class PrdFile:
    """Updates a PRD's front matter from the session of its specs, then of its tasks."""

    label: ClassVar[str] = "the PRD's front matter"

    def __init__(self, root: Path, lock: Path) -> None:
        self._root = root
        self._lock = lock

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session, events
        commission = history.started.commission
        if commission is None or not commission.feature or not history.started.prd_path:
            return
        with write_lock(self._lock):
            self._update(history)

    def _update(self, history: History) -> None:
        path = Path(os.path.realpath(self._root / history.started.prd_path))
        try:
            old = path.read_bytes().decode("utf-8")
            new = with_keys(old, _values(old, history))
        except (Broken, UnicodeDecodeError) as error:
            raise OSError(f"{history.started.prd_path} was not changed: {error}") from error
        if new != old:
            replace_text(path, new)


def _values(text: str, history: History) -> dict[str, str]:
    values = {"feature_status": str(status_of(history))}
    if not is_of_specs(history):
        return values
    front = read_frontmatter([line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")])
    existing: Mapping[str, Any] = front.values if front else {}
    started = next((key for key in STARTED if key in existing), STARTED[0])
    iterations = next((key for key in ITERATIONS if key in existing), ITERATIONS[0])
    if not existing.get(started):
        values[started] = rfc3339(history.started_at)
    reviews = [iteration for iteration in history.iterations if iteration.asked_reviewers]
    reviewed = [iteration.concluded_at for iteration in reviews if iteration.concluded_at]
    values[iterations] = str(len(reviewed))
    if reviewed:
        values["last_spec_review"] = rfc3339(reviewed[-1])
    return values


def with_keys(text: str, values: Mapping[str, str]) -> str:
    """The text with these keys set in its front matter: in their existing lines, or in new lines at its end.

    Args:
        text: The file's text with its original line ends.
        values: Plain words, numbers and times by key.

    Raises:
        Broken: The front matter is missing, or setting the keys would change other values.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text.removeprefix("\ufeff").split("\n")
    front = read_frontmatter([line.rstrip("\r") for line in lines])
    if front is None or front.broken:
        raise Broken(f"line 1: its front matter is {'broken' if front else 'missing'}")
    new = list(lines)
    added: list[str] = []
    for key, value in values.items():
        at = front.lines.get(key)
        if at is None:
            added.append(f"{key}: {value}" + ("\r" if lines[0].endswith("\r") else ""))
        else:
            new[at - 1] = _replaced(lines[at - 1], key, value, at)
    new[front.end - 1 : front.end - 1] = added
    _check(new, dict(front.values) | {key: _loaded(key, value) for key, value in values.items()})
    return mark + "\n".join(new)


def _replaced(line: str, key: str, value: str, number: int) -> str:
    match = re.fullmatch(rf"(?P<head>{re.escape(key)}[ \t]*:[ \t]*){_SCALAR}(?P<tail>{_REST})", line)
    if match is None:
        raise Broken(f"line {number}: the value of `{key}` is not a plain one")
    space = "" if match["head"].endswith((" ", "\t")) else " "
    return f"{match['head']}{space}{value}{match['tail']}"


def _check(lines: list[str], expected: Mapping[str, Any]) -> None:
    after = read_frontmatter([line.rstrip("\r") for line in lines])
    if after is None or after.broken or dict(after.values) != dict(expected):
        raise Broken("line 1: keys cannot be added to this front matter")


def _loaded(key: str, value: str) -> Any:
    alone = read_frontmatter(["---", f"{key}: {value}", "---"])
    return alone.values[key] if alone else None
