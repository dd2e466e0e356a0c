"""Patterns that are compiled when they are first used: a review of one document needs a few of the many.

Those that every document needs are better compiled at once, because that makes them a little faster.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazily(source: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, as `re.compile` gives it."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


class _Lazy:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Asked once for each of the pattern's methods, which then is an attribute."""
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found
