"""Patterns that rarely match. A cheap search for required keywords comes before the regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from reviewloop.documents.model import Document

# Letters that `re.IGNORECASE` matches with an ASCII letter, but `lower` does not map to one.
_ASCII_ALIKE = str.maketrans("\u0130\u0131\u017f\u212a", "iisk")


class KeywordPattern:
    """A pattern, compiled on first use. Every match contains at least one of the lower-case keywords."""

    def __init__(self, pattern: str, keywords: Iterable[str], *, flags: int = re.IGNORECASE) -> None:
        self._source = pattern
        self._flags = flags
        self._keywords = tuple(keywords)
        self._pattern: re.Pattern[str] | None = None

    def may_match(self, text: str) -> bool:
        """Whether a text from `lowered` contains one of the keywords."""
        for keyword in self._keywords:  # noqa: SIM110 - twice as fast as `any`, and called for every document
            if keyword in text:
                return True
        return False

    @property
    def pattern(self) -> re.Pattern[str]:
        if self._pattern is None:
            self._pattern = re.compile(self._source, self._flags)
        return self._pattern


def lowered(text: str) -> str:
    """The text in lower case, with look-alikes of ASCII letters replaced as `re.IGNORECASE` treats them."""
    return text.lower() if text.isascii() else text.translate(_ASCII_ALIKE).lower()


@lru_cache(maxsize=32)
def lowered_text(document: Document) -> str:
    return lowered(document.text)
