"""Hides secrets in the lines of a configuration file: values under `env`, keys, tokens, and passwords in URLs."""

from __future__ import annotations

import re
from collections.abc import Iterable

import yaml

_NAMES = r"env|environment|headers|authorization|[\w-]{0,40}(?:key|token|secret|password|passwd|credentials?)"
_SECRET_KEY = re.compile(_NAMES, re.IGNORECASE)
# In a file that cannot be parsed, the word alone counts.
_SECRET_WORD = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_NAMES})(?![A-Za-z0-9_])", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/@]+(?=@)")
_ORDINARY_LINE = re.compile(r"\s*(?:-\s+)?[a-z][a-z0-9_]*:(?:\s|$)|\s*#")


def secret_nodes(root: yaml.Node | None) -> tuple[yaml.ScalarNode, ...]:
    """The values under secret keys, also through aliases. Each node is visited at most twice."""
    found: list[yaml.ScalarNode] = []
    seen: set[tuple[int, bool]] = set()
    waiting = [(root, False)] if root else []
    while waiting:
        node, secret = waiting.pop()
        if (id(node), secret) in seen:
            continue
        seen.add((id(node), secret))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                named = isinstance(key, yaml.ScalarNode) and _SECRET_KEY.fullmatch(key.value) is not None
                # `{KEY:value}` without a space is a key without a value.
                empty = isinstance(value, yaml.ScalarNode) and not value.value
                waiting += [(key, secret and empty), (value, secret or named)]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(item, secret) for item in node.value]
        elif secret and isinstance(node, yaml.ScalarNode):
            found.append(node)
    return tuple(found)


def mask(lines: Iterable[str], secrets: Iterable[yaml.ScalarNode]) -> tuple[str, ...]:
    """The lines of a parsed file with stars in place of secrets, so that columns stay the same."""
    masked = [list(line) for line in lines]
    for secret in secrets:
        first, last = secret.start_mark, secret.end_mark
        for number in range(first.line, min(last.line + 1, len(masked))):
            line = masked[number]
            start = first.column if number == first.line else 0
            end = last.column if number == last.line else len(line)
            line[start:end] = _stars("".join(line[start:end]))
    return tuple(_without_passwords("".join(line)) for line in masked)


def mask_unparsed(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines of a file that cannot be parsed, with stars in place of everything that may be a secret.

    A secret ends at the next line that is not indented deeper and looks like a setting in lower case.
    """
    masked: list[str] = []
    region: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if region is not None and indent <= region and _ORDINARY_LINE.match(line):
            region = None
        if region is not None:
            masked.append(_stars(line))
        elif found := _SECRET_WORD.search(line):
            region = indent
            masked.append(line[: found.end()] + _stars(line[found.end() :]))
        else:
            masked.append(_without_passwords(line))
    return tuple(masked)


def _stars(text: str) -> str:
    return re.sub(r"\S", "*", text)


def _without_passwords(line: str) -> str:
    return _URL_PASSWORD.sub(lambda match: "*" * len(match[0]), line)
