"""A configuration error as plain text: the place, the line, a caret and a hint."""

from __future__ import annotations

import unicodedata

from reviewloop.errors import ConfigError

_WINDOW = 100


def render(error: ConfigError) -> str:
    """The error as lines of text, without colours or anything else that a terminal would act on."""
    head = f"{error.where}: {error.message}" if error.where else error.message
    lines = [f"error: {harmless(head)}"]
    if error.line is not None and error.source is not None:
        lines += _excerpt(error.line, error.source, (error.column or 1) - 1, error.width)
    if error.hint:
        lines.append(f"hint: {harmless(error.hint)}")
    return "\n".join(lines)


def harmless(text: str) -> str:
    """The text with every unprintable character replaced."""
    return "".join(char if char.isprintable() else " " if char == "\t" else "\ufffd" for char in text)


def _excerpt(line: int, source: str, start: int, width: int) -> list[str]:
    text = harmless(source).rstrip()
    start = min(start, len(text))
    end = max(start + 1, min(start + width, len(text)))
    if len(text) > _WINDOW:
        cut = max(0, min(start - _WINDOW // 4, len(text) - _WINDOW))
        text = ("…" if cut else "") + text[cut : cut + _WINDOW] + ("…" if cut + _WINDOW < len(text) else "")
        shift = (1 if cut else 0) - cut
        start, end = start + shift, max(start + shift + 1, min(end + shift, len(text)))
    gutter = f"  {line} "
    carets = "^" * max(1, _columns(text[start:end]))
    return [
        f"{gutter}| {text}".rstrip(),
        f"{' ' * len(gutter)}| {' ' * _columns(text[:start])}{carets}",
    ]


def _columns(text: str) -> int:
    """The text's width in terminal columns."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
