"""The steps of the loop, one type for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.author_routing import Turn
from reviewloop.core.panel.stages import StagePair
from reviewloop.core.session.events import Authored, Contested, Iterated, UndoBegun
from reviewloop.core.types.decision import Decision
from reviewloop.core.types.outcome import PASSING, Outcome, Reason
from reviewloop.core.types.policy import Seat
from reviewloop.core.types.review import Malformed
from reviewloop.core.types.task import Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Ask the author for the first version."""

    commission: Commission
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Begin an iteration: read the artifact and run the offline rules."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A reviewer to ask; `problem` says what was wrong with its last answer."""

    seat: Seat
    attempt: int
    problem: Malformed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Ask the tie-break agent, once, which of these pairs are the same finding."""

    pairs: tuple[StagePair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude:
    """Record the verdict on this iteration."""

    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise:
    """Ask an author to fix its share of the findings."""

    conclusion: Iterated
    turn: Turn
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Ask an arbiter to rule on a contested finding."""

    contest: Contested
    arbiter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BringBack:
    """Copy the author's changes into the user's tree."""

    authored: Authored


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Finish an undo that is on record: put back what the authors changed."""

    undo: UndoBegun


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    outcome: Outcome
    because: str
    reason: Reason | None = None
    warnings: tuple[str, ...] = ()
    decision: Decision | None = None

    @property
    def passes(self) -> bool:
        return self.outcome in PASSING


Step = Write | Check | Ask | Settle | Conclude | Revise | BringBack | Rule | Restore | Finish
