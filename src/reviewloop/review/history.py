"""A session, folded from its events. There is no other state: resuming is folding and asking again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from reviewloop.review.calls import Call
from reviewloop.review.copying import changed
from reviewloop.review.events import (
    Added,
    Answered,
    Asked,
    Authored,
    AuthorFailed,
    Blocked,
    Checked,
    Commissioned,
    Conflicted,
    Contested,
    Discarded,
    Dismissed,
    Escalated,
    Event,
    Feedback,
    Iterated,
    MalformedAnswer,
    Passed,
    Payload,
    Rejected,
    Resumed,
    Revised,
    Ruled,
    Settled,
    Started,
    Tampered,
    Unanswered,
    Warned,
)
from reviewloop.review.events.sessions import Stopped
from reviewloop.review.outcome import Answer, Judgment, Outcome
from reviewloop.review.policy import Policy, Seat
from reviewloop.review.record import IterationRecord, Result
from reviewloop.review.review import Failure, Malformed, Review, Usage, Verdict


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

    def then(self, payload: Payload, time: datetime) -> History:
        """This history and one more event."""
        changes = _fold(self, payload, time)
        windows = _clocked(changes.get("windows", self.windows), payload, self.updated_at, time)
        return changed(self, **(changes | {"updated_at": time, "seq": self.seq + 1, "windows": windows}))


def next_attempt(iteration: Iteration, seat: Seat, policy: Policy) -> int | None:
    """The number of the next call to a reviewer; None if it has answered, failed, or had its retries."""
    attempts = iteration.attempts(seat.name)
    if not attempts:
        return 1
    again = isinstance(attempts[-1].result, Malformed) and len(attempts) <= policy.retry_on_malformed
    return len(attempts) + 1 if again else None


def call_key(iteration: int, seat: str) -> str:
    return f"{iteration}/{seat}"


def begin(started: Started, time: datetime) -> History:
    return History(started=started, started_at=time, updated_at=time, policy=started.policy)


def fold(events: Iterable[Event]) -> History | None:
    """The history of a session's events; None if there are none."""
    history: History | None = None
    for event in events:
        if history is None:
            assert isinstance(event.payload, Started), "a session's first event is its start"
            history = begin(event.payload, event.time)
        else:
            history = history.then(event.payload, event.time)
    return history


def _clocked(windows: tuple[Window, ...], payload: Payload, before: datetime, now: datetime) -> tuple[Window, ...]:
    """Count the time in which somebody worked: not the time until somebody came back."""
    if isinstance(payload, Resumed | Dismissed | Added):
        return windows
    last = windows[-1]
    seconds = max(0.0, (now - before).total_seconds())
    return (*windows[:-1], changed(last, active_seconds=last.active_seconds + seconds))


def _fold(history: History, payload: Payload, time: datetime) -> dict[str, Any]:
    """What an event changes, by field."""
    match payload:
        case Checked():
            return {"iterations": (*history.iterations, Iteration(window=history.window.number, checked=payload))}
        case Passed():
            return {"outcome": payload.outcome, "because": payload.because, "digest": payload.digest}
        case Blocked():
            return {"outcome": Outcome.BLOCKED, "because": payload.reason, "stopped": payload}
        case Escalated():
            return {"outcome": Outcome.ESCALATED, "because": payload.reason, "stopped": payload}
        case Rejected():
            return {"outcome": Outcome.REJECTED, "because": payload.because}
        case Warned():
            return {"warnings": payload.warnings}
        case Resumed():
            return _resumed(history, payload)
        case Dismissed():
            return {"dismissed": (*history.dismissed, payload)}
        case Added():
            return {"added": (*history.added, payload)}
        case Tampered():
            return {"tampered": (*history.tampered, payload)}
        case Started():
            return {}
        case _:
            return _at_work(history, payload, time)


def _resumed(history: History, payload: Resumed) -> dict[str, Any]:
    policy = payload.policy or history.policy
    if payload.action is Answer.CONTINUE and history.outcome is None:
        return {"policy": policy}
    window = Window(number=history.window.number + 1, opened=payload)
    windows = (*history.windows, window)
    return {"policy": policy, "windows": windows, "outcome": None, "stopped": None, "because": "", "warnings": ()}


def _at_work(history: History, payload: Payload, time: datetime) -> dict[str, Any]:
    """What belongs to the work on the first version, or to an iteration."""
    match payload:
        case Commissioned():
            return {"writings": _commissioned(history, payload)}
        case Authored(iteration=0) | AuthorFailed(iteration=0) | Revised(iteration=0) | Conflicted(iteration=0):
            return {"writings": (*history.writings[:-1], _in_writing(history.writings[-1], payload))}
        case _:
            return {"iterations": (*history.iterations[:-1], _in_round(history.iterations[-1], payload, time))}


def _commissioned(history: History, payload: Commissioned) -> tuple[Writing, ...]:
    if current := history.writing:
        return (*history.writings[:-1], changed(current, call=payload.call))
    return (*history.writings, Writing(window=history.window.number, call=payload.call))


def _in_writing(writing: Writing, payload: Authored | AuthorFailed | Revised | Conflicted) -> Writing:
    match payload:
        case Authored():
            return changed(writing, authored=payload)
        case AuthorFailed():
            return changed(writing, failures=(*writing.failures, payload))
        case Revised():
            return changed(writing, revised=payload)
        case Conflicted():
            return changed(writing, conflict=payload)


def _in_round(iteration: Iteration, payload: Payload, time: datetime) -> Iteration:
    match payload:
        case Asked():
            return changed(iteration, asked=payload.calls)
        case Answered() | MalformedAnswer() | Unanswered():
            return changed(iteration, ended=(*iteration.ended, _ended(payload)))
        case Iterated():
            return changed(iteration, conclusion=payload, concluded_at=time)
        case Feedback():
            return changed(iteration, feedback=payload)
        case Authored():
            return changed(iteration, works=(*iteration.works, payload))
        case AuthorFailed():
            return changed(iteration, author_failures=(*iteration.author_failures, payload))
        case Revised():
            return changed(iteration, revised=payload)
        case Conflicted():
            return changed(iteration, conflict=payload)
        case Discarded():
            return changed(iteration, discarded=payload)
        case Contested() | Ruled() | Settled():
            return _disputed(iteration, payload)
        case _:
            return iteration


def _disputed(iteration: Iteration, payload: Contested | Ruled | Settled) -> Iteration:
    match payload:
        case Contested():
            return changed(iteration, contested=(*iteration.contested, payload))
        case Ruled():
            return changed(iteration, ruled=(*iteration.ruled, payload))
        case Settled():
            return changed(iteration, settled=(*iteration.settled, payload))


def _ended(payload: Answered | MalformedAnswer | Unanswered) -> Ended:
    match payload:
        case Answered(call=call, review=review, text=text, usage=usage, model=model):
            return Ended(call=call, result=review, text=text, usage=usage, model=model)
        case MalformedAnswer(call=call, problem=problem, raw_output=text, usage=usage):
            return Ended(call=call, result=problem, text=text, usage=usage)
        case Unanswered(call=call, failure=failure, usage=usage):
            return Ended(call=call, result=failure, usage=usage)
