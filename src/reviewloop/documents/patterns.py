"""Regular expressions that are compiled on first use, because a review needs only a few of them.

Patterns that every document needs use `re.compile` instead, which is slightly faster.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that behaves like the result of `re.compile`."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


class _Lazy:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called once per method of the pattern; later calls find the attribute."""
        attribute = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, attribute)
        return attribute
