"""Sets single keys in the front matter of other people's files and changes no other byte."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.views.markdown_tables import Broken

_SCALAR = r"""(?:"[^"\r]*"|'[^'\r]*'|[^\s#"'|>&*!\[{](?:[^\r#]*[^\s#])?)?"""
_REST = r"(?:[ \t]+#[^\r]*)?[ \t]*\r?"


def with_keys(text: str, values: Mapping[str, str]) -> str:
    """The text with these keys set: in their existing lines, or in new lines at the end of the front matter.

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
