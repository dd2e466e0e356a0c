"""The trend of the loop: converging, on a plateau, oscillating or growing."""

from __future__ import annotations

from collections.abc import Sequence

from reviewloop.core.judging.ratchet import Revision
from reviewloop.core.types.finding import Standing
from reviewloop.core.types.outcome import Convergence

GROWTH = 1.2
"""A document that grows by more than this factor while new findings appear counts as growing."""


def convergence(now: Revision, earlier: Sequence[Revision]) -> Convergence | None:
    """Compare this iteration with the earlier ones; None for the first."""
    if not earlier:
        return None
    blocking = now.blocking
    if any(revision.digest == now.digest for revision in earlier[:-1]) and earlier[-1].digest != now.digest:
        return Convergence.OSCILLATING
    if any(finding.standing is Standing.REGRESSION for finding in blocking):
        return Convergence.OSCILLATING
    if len(blocking) < len(earlier[-1].blocking):
        return Convergence.CONVERGING
    if now.size > GROWTH * earlier[0].size and any(f.standing is Standing.NEW for f in blocking):
        return Convergence.GROWING
    return Convergence.PLATEAU if blocking else Convergence.CONVERGING
