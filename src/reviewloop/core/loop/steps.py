"""What the loop may do next: one type for each kind of step."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.author_routing import Turn
from reviewloop.core.panel.stages import StagePair
from reviewloop.core.session.events import Authored, Contested, Iterated
from reviewloop.core.types.decision import Decision
from reviewloop.core.types.outcome import PASSING, Outcome, Reason
from reviewloop.core.types.policy import Seat
from reviewloop.core.types.review import Malformed
from reviewloop.core.types.task import Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Ask the author for the first version of what is to be reviewed."""

    commission: Commission
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Read the artifact and run the offline rules: an iteration begins."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A reviewer who has to be asked; `problem` says what was wrong with its last answer."""

    seat: Seat
    attempt: int
    problem: Malformed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask these reviewers, all at once."""

    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Ask the tie-break, once, which of these pairs are the same."""

    pairs: tuple[StagePair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude:
    """Everybody has answered: put down what it comes to."""

    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise:
    """Ask an author to address its part of the conclusion's findings."""

    conclusion: Iterated
    turn: Turn
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Ask somebody independent about a finding that an author contests."""

    contest: Contested
    arbiter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BringBack:
    """Put what the author did into the user's tree."""

    authored: Authored


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The loop ends here."""

    outcome: Outcome
    because: str
    reason: Reason | None = None
    warnings: tuple[str, ...] = ()
    decision: Decision | None = None

    @property
    def passes(self) -> bool:
        return self.outcome in PASSING


Step = Write | Check | Ask | Settle | Conclude | Revise | BringBack | Rule | Finish
