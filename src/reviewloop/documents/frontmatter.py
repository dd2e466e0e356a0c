"""Reads the YAML front matter at the top of a file. Broken YAML is recorded, not raised."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, cast

from reviewloop.documents.model import Frontmatter
from reviewloop.documents.patterns import lazy_re

MAX_LINES = 500
_KEY = lazy_re(r"^([A-Za-z_][\w .-]{0,60}?)\s*:(?:\s|$)")


def read_frontmatter(lines: Sequence[str]) -> Frontmatter | None:
    end = _end(lines)
    if end is None:
        return None
    body = lines[1 : end - 1]
    places: dict[str, int] = {}
    for number, line in enumerate(body, 2):
        if match := _KEY.match(line):
            places.setdefault(match[1], number)
    values, broken = _load("\n".join(body))
    if not places and not values:
        return None
    return Frontmatter(values=values, lines=places, end=end, broken=broken)


def _end(lines: Sequence[str]) -> int | None:
    if not lines or lines[0].rstrip() != "---":
        return None
    for number, line in enumerate(lines[1:MAX_LINES], 2):
        if line.rstrip() in ("---", "..."):
            return number
    return None


_PLAIN = lazy_re(r"^(?P<key>[A-Za-z][A-Za-z0-9_]*): (?P<value>\S.*)$")
_WORDS = lazy_re(r"[A-Za-z][A-Za-z0-9_]*(?:[ /.-][A-Za-z0-9_]+)*")
_NUMBER = lazy_re(r"0|[1-9][0-9]{0,9}")
_DATE = lazy_re(r"(\d{4})-(\d\d)-(\d\d)")
_SPECIAL = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def plain_values(text: str) -> dict[str, Any] | None:
    """Read simple front matter (words, integers, dates) without importing YAML; None if it needs a YAML parser."""
    values: dict[str, Any] = {}
    for line in text.split("\n"):
        match = _PLAIN.match(line)
        if match is None or match["key"].lower() in _SPECIAL or match["key"] in values:
            return None
        value = match["value"]
        if _NUMBER.fullmatch(value):
            values[match["key"]] = int(value)
        elif day := _DATE.fullmatch(value):
            try:
                values[match["key"]] = date(int(day[1]), int(day[2]), int(day[3]))
            except ValueError:
                return None
        elif _WORDS.fullmatch(value) and value.lower() not in _SPECIAL:
            values[match["key"]] = value
        else:
            return None
    return values


def _load(text: str) -> tuple[dict[str, Any], str | None]:
    plain = plain_values(text)
    return (plain, None) if plain is not None else _load_yaml(text)


def _load_yaml(text: str) -> tuple[dict[str, Any], str | None]:
    import yaml

    try:
        loaded = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both loaders are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return {}, str(error).splitlines()[0] if str(error) else type(error).__name__
    if loaded is None:
        return {}, None
    if not isinstance(loaded, dict):
        return {}, "expected `key: value` lines"
    return {str(key): value for key, value in cast("dict[Any, Any]", loaded).items()}, None
