"""Where tests kill a run: at every point, or at a sample of them that is always the same."""

from __future__ import annotations

import os

EVERY_POINT = bool(os.environ.get("ALL_KILLS"))
"""Whether to kill at every point there is (`./scripts/test --all-kills`), and not at a sample of them."""


FEW = 10


def points(appends: int, *calls: str, start: int = 1, sample: int = 0) -> list[str]:
    """Where to kill a run: in the middle of these calls, and right before or right after an append.

    Unless every point is wanted, or there are few, these are before the first append, after the last, and every fifth
    side in between, which is once a "before" and once an "after". Each list of points has its own `sample`, 0 to 4.
    """
    sides = [f"{side}:{number}" for number in range(start, appends + 1) for side in ("before", "after")]
    if not EVERY_POINT and len(sides) > FEW:
        sides = [sides[0], *sides[1 + sample : -1 : 5], sides[-1]]
    return [*sides, *(f"call:{call}" for call in calls)]
