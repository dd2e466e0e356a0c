"""Makes text from documents, agents and file names safe to print."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_JOINERS = "\u200c\u200d"
# Build servers execute `::error::` at the start of a line, and `##[error]` anywhere in a line.
_LEADING_COMMAND = re.compile(r"^([^\S\n]*:)(?=:)", re.MULTILINE)
_INNER_COMMAND = re.compile(r"#(?=#\w*\[)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TAB = "    "


def printable(text: str) -> str:
    """The text without anything that a terminal or a build server would act on.

    Control, escape, bidirectional and invisible characters, newlines included, become `<U+202E>`. Tabs become four
    spaces.
    """
    if not text.isprintable():
        text = "".join(_shown(text, at) for at in range(len(text)))
    return _INNER_COMMAND.sub("# ", text)


def without_commands(text: str) -> str:
    """The lines without commands that a build server would execute when they appear in its log."""
    return _INNER_COMMAND.sub("# ", _LEADING_COMMAND.sub(r"\1 ", text))


def one_line(text: str) -> str:
    """The text on one line, safe to print."""
    return without_commands(printable(_SPACES.sub(" ", text).strip()))


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters; cut text ends in an ellipsis."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def well_formed(text: str) -> str:
    """The text without lone surrogates, which no encoding can carry."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _shown(text: str, at: int) -> str:
    char = text[at]
    if char == "\t":
        return _TAB
    if char.isprintable() or unicodedata.category(char) in ("Zs", "Co", "Cn"):
        return char
    if char in _JOINERS and _between_letters(text, at):
        return char
    return f"<U+{ord(char):04X}>"


def _between_letters(text: str, at: int) -> bool:
    """Persian, Hindi and many emoji need joiners; between ASCII characters a joiner only hides something."""
    return 0 < at < len(text) - 1 and not text[at - 1].isascii() and not text[at + 1].isascii()
