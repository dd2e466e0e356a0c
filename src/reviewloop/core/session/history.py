"""A session so far: its iterations, what was said and done in them, how it ended. `folding` makes it from events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from reviewloop.core.session.events import (
    Added,
    Authored,
    AuthorFailed,
    Checked,
    Conflicted,
    Contested,
    Discarded,
    Dismissed,
    Feedback,
    Iterated,
    Resumed,
    Revised,
    Ruled,
    Settled,
    Started,
    Tampered,
)
from reviewloop.core.session.events.session import Stopped
from reviewloop.core.types.calls import Call
from reviewloop.core.types.iteration_record import IterationRecord, Result
from reviewloop.core.types.outcome import Judgment, Outcome
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Failure, Malformed, Review, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A call that is over: a review, an answer that is none, or no answer."""

    call: Call
    result: Review | Malformed | Failure
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One iteration: what was read, who said what, what came of it."""

    window: int
    checked: Checked
    asked: tuple[Call, ...] = ()
    ended: tuple[Ended, ...] = ()
    conclusion: Iterated | None = None
    concluded_at: datetime | None = None
    feedback: Feedback | None = None
    works: tuple[Authored, ...] = ()
    author_failures: tuple[AuthorFailed, ...] = ()
    revised: Revised | None = None
    conflict: Conflicted | None = None
    discarded: Discarded | None = None
    settled: tuple[Settled, ...] = ()
    contested: tuple[Contested, ...] = ()
    ruled: tuple[Ruled, ...] = ()

    @property
    def number(self) -> int:
        return self.checked.iteration

    @property
    def authored(self) -> Authored | None:
        """The last author's work, which has that of the authors before it in it."""
        return self.works[-1] if self.works else None

    @property
    def usage(self) -> Usage:
        spent = [ended.usage for ended in self.ended] + [failed.usage for failed in self.author_failures]
        spent += [one.usage for one in (*self.settled, *self.works, *self.ruled)]
        return sum(spent, Usage())

    def attempts(self, seat: str) -> tuple[Ended, ...]:
        return tuple(ended for ended in self.ended if ended.call.key == call_key(self.number, seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Work on the first version, before any review: who was asked last, and what came of it."""

    window: int
    call: Call
    authored: Authored | None = None
    failures: tuple[AuthorFailed, ...] = ()
    revised: Revised | None = None
    conflict: Conflicted | None = None

    @property
    def usage(self) -> Usage:
        spent = sum((failed.usage for failed in self.failures), Usage())
        return spent + self.authored.usage if self.authored else spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A run of iterations under one set of caps. A person's answer opens a new one."""

    number: int
    opened: Resumed | None = None
    active_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that happened in a session so far."""

    started: Started
    started_at: datetime
    updated_at: datetime
    policy: Policy
    windows: tuple[Window, ...] = (Window(number=1),)
    writings: tuple[Writing, ...] = ()
    iterations: tuple[Iteration, ...] = ()
    dismissed: tuple[Dismissed, ...] = ()
    added: tuple[Added, ...] = ()
    tampered: tuple[Tampered, ...] = ()
    warnings: tuple[str, ...] = ()
    stopped: Stopped | None = None
    outcome: Outcome | None = None
    because: str = ""
    digest: str = ""
    seq: int = 1

    @property
    def feature(self) -> str:
        return self.started.feature

    @property
    def window(self) -> Window:
        return self.windows[-1]

    @property
    def current(self) -> Iteration | None:
        """The iteration this window is in; None before its first."""
        return self.iterations[-1] if self.iterations and self.iterations[-1].window == self.window.number else None

    @property
    def writing(self) -> Writing | None:
        """The work on the first version that this window is in; None before it begins."""
        return self.writings[-1] if self.writings and self.writings[-1].window == self.window.number else None

    @property
    def is_written(self) -> bool:
        """Whether there is something to review."""
        commission = self.started.commission
        if commission is None or commission.is_written:
            return True
        opened = self.window.opened
        return any(one.revised for one in self.writings) or (opened is not None and opened.action.takes_what_is_there)

    @property
    def reviews_in_window(self) -> int:
        return sum(1 for iteration in self.iterations if iteration.window == self.window.number)

    @property
    def contested(self) -> tuple[Contested, ...]:
        return tuple(one for iteration in self.iterations for one in iteration.contested)

    @property
    def ruled(self) -> tuple[Ruled, ...]:
        return tuple(one for iteration in self.iterations for one in iteration.ruled)

    @property
    def withdrawn(self) -> tuple[Ruled, ...]:
        """The findings that somebody independent says are none."""
        return tuple(one for one in self.ruled if one.ruling is Judgment.WITHDRAWN)

    @property
    def notes(self) -> tuple[str, ...]:
        """What people told the author and the reviewers, oldest first."""
        return tuple(window.opened.note for window in self.windows if window.opened and window.opened.note)

    @property
    def usage(self) -> Usage:
        return sum((one.usage for one in (*self.writings, *self.iterations)), Usage())

    def spent(self) -> Usage:
        """What this window used so far; seconds are those in which somebody worked."""
        mine = (one.usage for one in (*self.writings, *self.iterations) if one.window == self.window.number)
        return replace(sum(mine, Usage()), seconds=self.window.active_seconds)

    @property
    def records(self) -> tuple[IterationRecord, ...]:
        """The iterations as other tools read them."""
        return tuple(
            IterationRecord(
                iteration=iteration.number,
                result=Result(
                    verdict=iteration.conclusion.verdict,
                    score=iteration.conclusion.scores,
                    feedback=iteration.conclusion.feedback,
                ),
                timestamp=iteration.concluded_at,
            )
            for iteration in self.iterations
            if iteration.conclusion and iteration.concluded_at
        )

    @property
    def malformed(self) -> tuple[str, ...]:
        """Every answer that was none, in one line each."""
        return tuple(
            f"{ended.call.key} attempt {ended.call.attempt}: {ended.result}"
            for iteration in self.iterations
            for ended in iteration.ended
            if isinstance(ended.result, Malformed)
        )

    @property
    def verdict(self) -> Verdict | None:
        concluded = [iteration.conclusion for iteration in self.iterations if iteration.conclusion]
        return concluded[-1].verdict if concluded else None


def next_attempt(iteration: Iteration, seat: Seat, policy: Policy) -> int | None:
    """The number of the next call to a reviewer; None if it has answered, failed, or had its retries."""
    attempts = iteration.attempts(seat.name)
    if not attempts:
        return 1
    again = isinstance(attempts[-1].result, Malformed) and len(attempts) <= policy.retry_on_malformed
    return len(attempts) + 1 if again else None


def call_key(iteration: int, seat: str) -> str:
    return f"{iteration}/{seat}"
