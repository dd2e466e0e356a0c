"""A session so far: its iterations, their answers and fixes, and how it ended. `fold` builds it from events."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    UndoBegun,
    Undone,
)
from reviewloop.core.session.events.session import Stopped
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.calls import Call
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.iteration_record import IterationRecord, Result
from reviewloop.core.types.outcome import Answer, Judge, Judgment, Outcome
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Failure, Malformed, Review, Stage, Usage, Verdict
from reviewloop.text import count

TIE_BREAK = "tie-break"
RULING = "ruling"
EXHAUSTED = "max iterations exhausted with needs_revision verdict"
_FAILED_TASK = re.compile(r"Task .+? failed review after \d+ fix attempts\. Remaining issues: ", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A finished call: a review, a malformed answer, or no answer."""

    call: Call
    result: Review | Malformed | Failure
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    answered_by: str | None = None

    @property
    def agent(self) -> str:
        """The agent that really answered: the fallback, if it was asked instead."""
        return self.answered_by or self.call.agent

    @property
    def review(self) -> Review | None:
        """The review, if it has a verdict."""
        result = self.result
        return result if isinstance(result, Review) and result.verdict is not Verdict.INCONCLUSIVE else None

    @property
    def heard(self) -> Review | None:
        """The review, or the no that a malformed answer clearly says."""
        return self.result.refusal if isinstance(self.result, Malformed) else self.review


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One iteration: the text that was read, the calls to reviewers, their answers, the conclusion and the fix."""

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
    def other_facts(self) -> tuple[Finding, ...]:
        """The rule findings that are not among the conclusion's findings."""
        concluded = self.conclusion.findings if self.conclusion else ()
        known = {(finding.rule, finding.place, finding.issue) for finding in concluded}
        return tuple(fact for fact in self.checked.facts if (fact.rule, fact.place, fact.issue) not in known)

    @property
    def authored(self) -> Authored | None:
        """The last author's work, which includes the work of the authors before it."""
        return self.works[-1] if self.works else None

    @property
    def is_unchanged(self) -> bool:
        """Whether all authors of this fix are done, and none of them changed the artifact or contested a finding."""
        return self.revised is not None and not (self.authored and self.authored.changes) and not self.contested

    @property
    def usage(self) -> Usage:
        spent = [ended.usage for ended in self.ended] + [failed.usage for failed in self.author_failures]
        spent += [event.usage for event in (*self.settled, *self.works, *self.ruled)]
        return sum(spent, Usage())

    @property
    def asked_reviewers(self) -> bool:
        """Whether reviewers were asked. Not if the static gate closed, or a person's answer stands in for a review."""
        return bool(self.asked or self.ended)

    @property
    def is_reviewed(self) -> bool:
        """Whether it is concluded with a review. If the static gate closed, reviewers could find nothing."""
        return self.conclusion is not None and any(
            isinstance(ended.result, Review) or ended.heard for ended in self.ended
        )

    @property
    def judge(self) -> Judge | None:
        """Who concluded it; None before that."""
        if self.conclusion is None:
            return None
        if self.conclusion.by_person or self.ended:
            return Judge.PERSON if self.conclusion.by_person else Judge.REVIEWERS
        facts = {(fact.rule, fact.issue) for fact in self.checked.facts}  # older records have no `by_person`
        by_rules = all((finding.rule, finding.issue) in facts for finding in self.conclusion.findings)
        return Judge.RULES if by_rules else Judge.PERSON

    @property
    def is_judged(self) -> bool:
        """Whether reviewers or rules concluded it. A person who sends the same text back judges nothing anew."""
        return self.judge in (Judge.REVIEWERS, Judge.RULES)

    @property
    def counted(self) -> tuple[Ended, ...]:
        """The calls that were not discarded."""
        gone = self.discarded.keys if self.discarded else ()
        return tuple(ended for ended in self.ended if ended.call.key not in gone)

    def heard_in(self, stage: Stage | None) -> bool:
        """Whether a review of this stage counts: it was given, and not discarded."""
        return any(
            ended.call.stage is stage and (isinstance(ended.result, Review) or ended.heard) for ended in self.counted
        )

    @property
    def seats_asked(self) -> int:
        """How many reviewers were asked; a second attempt is the same reviewer."""
        return len({call.key for call in self.asked} | {ended.call.key for ended in self.ended})

    def attempts(self, seat: str) -> tuple[Ended, ...]:
        return tuple(ended for ended in self.ended if ended.call.key == call_key(self.number, seat))

    def final(self, seat: str) -> Ended | None:
        """The attempt of a seat that counts: the last one, or if it is no review, the last one that was heard."""
        attempts = self.attempts(seat)
        if not attempts or attempts[-1].review:
            return attempts[-1] if attempts else None
        return next((ended for ended in reversed(attempts) if ended.heard), attempts[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Work on the first version, before any review: the last call to the author, and its result."""

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
    """Iterations under one set of caps. A person's answer opens a new window."""

    number: int
    opened: Resumed | None = None
    active_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
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
    undo: UndoBegun | None = None
    """An undo that is on record and not yet done."""
    undone: Undone | None = None
    outcome_before_undo: Outcome | None = None

    @property
    def feature(self) -> str:
        return self.started.feature

    @property
    def explanation(self) -> str:
        """Why the session ended or stopped, for people. `because` keeps the fixed texts that other tools read."""
        is_fixed = self.because == EXHAUSTED or _FAILED_TASK.match(self.because)
        return still_failing(self) if is_fixed else self.because

    @property
    def window(self) -> Window:
        return self.windows[-1]

    @property
    def current(self) -> Iteration | None:
        """The current iteration of this window; None before the first."""
        return self.iterations[-1] if self.iterations and self.iterations[-1].window == self.window.number else None

    @property
    def writing(self) -> Writing | None:
        """This window's work on the first version; None before it begins."""
        return self.writings[-1] if self.writings and self.writings[-1].window == self.window.number else None

    @property
    def is_written(self) -> bool:
        """Whether there is something to review."""
        commission = self.started.commission
        if commission is None or commission.is_written:
            return True
        opened = self.window.opened
        if opened is not None and opened.action.takes_what_is_there:
            return True
        return any(
            writing.revised and writing.authored and (writing.authored.changes or not commission.needs_change)
            for writing in self.writings
        )

    @property
    def in_window(self) -> tuple[Iteration, ...]:
        """The iterations of this window."""
        return tuple(iteration for iteration in self.iterations if iteration.window == self.window.number)

    @property
    def reviews(self) -> int:
        """How many reviews there were. This is what `max_iterations` limits in each window."""
        return sum(iteration.asked_reviewers for iteration in self.iterations)

    @property
    def reviews_in_window(self) -> int:
        return sum(iteration.asked_reviewers for iteration in self.in_window)

    @property
    def fixes_in_window(self) -> int:
        return sum(iteration.revised is not None for iteration in self.in_window)

    def review_number(self, number: int | None = None) -> int:
        """The number of a review in its window; of the review to come, if the iteration is none."""
        current = self.iterations[-1] if self.iterations else None
        named = next((one for one in self.iterations if one.number == number), current)
        if named is None:
            return 1
        before = (past for past in self.iterations if past.window == named.window and past.number < named.number)
        return sum(past.asked_reviewers for past in before) + 1

    @property
    def max_fixes(self) -> int:
        """How many fixes this window may have. A person who sends work back gets at least one."""
        opened = self.window.opened
        return max(self.policy.max_fix_iterations, int(opened is not None and opened.action is Answer.RETRY))

    @property
    def max_reviews(self) -> int:
        """How many reviews this window may have: one after each fix, and one before unless a person's answer was it."""
        first = next(iter(self.in_window), None)
        spared = first is not None and first.conclusion is not None and first.conclusion.by_person
        return self.max_fixes + (0 if spared else 1)

    @property
    def contested(self) -> tuple[Contested, ...]:
        return tuple(contest for iteration in self.iterations for contest in iteration.contested)

    @property
    def ruled(self) -> tuple[Ruled, ...]:
        return tuple(ruled for iteration in self.iterations for ruled in iteration.ruled)

    @property
    def withdrawn(self) -> tuple[Ruled, ...]:
        """The rulings that withdrew a contested finding."""
        return tuple(ruled for ruled in self.ruled if ruled.ruling is Judgment.WITHDRAWN)

    @property
    def notes(self) -> tuple[str, ...]:
        """People's notes to the author and the reviewers, oldest first."""
        return tuple(window.opened.note for window in self.windows if window.opened and window.opened.note)

    @property
    def usage(self) -> Usage:
        return sum((work.usage for work in (*self.writings, *self.iterations)), Usage())

    def spent(self) -> Usage:
        """The usage of this window so far. Seconds count only while the session was at work."""
        mine = (work.usage for work in (*self.writings, *self.iterations) if work.window == self.window.number)
        return replace(sum(mine, Usage()), seconds=self.window.active_seconds)

    @property
    def fixes(self) -> int:
        """How many fixes came back from the authors."""
        return sum(1 for iteration in self.iterations if iteration.revised)

    @property
    def files(self) -> tuple[str, ...]:
        """The files under review: those the session was started with, or those of the change that was read last."""
        read = tuple(file.path for file in self.iterations[-1].checked.files) if self.iterations else ()
        return self.started.paths or (read[1:] or read if self.started.kind == Kind.CHANGE else read)

    @property
    def records(self) -> tuple[IterationRecord, ...]:
        """The iterations that reviewers or rules judged, in the format that other tools read."""
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
            if iteration.conclusion and iteration.concluded_at and iteration.is_judged
        )

    @property
    def malformed(self) -> tuple[str, ...]:
        """Every malformed answer, one line each."""
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
    """The number of the next call to a reviewer; None if it has answered, failed, or used its retries."""
    attempts = iteration.attempts(seat.name)
    if not attempts:
        return 1
    again = isinstance(attempts[-1].result, Malformed) and len(attempts) <= policy.retry_on_malformed
    return len(attempts) + 1 if again else None


def call_key(iteration: int, seat: str) -> str:
    return f"{iteration}/{seat}"


def is_arbitration(call: Call) -> bool:
    """Whether the call asks about findings, and not for a review."""
    return call.key.partition("/")[2].startswith((f"{TIE_BREAK}:", f"{RULING}:"))


def failed_task(task: str, fixes: int, issues: Sequence[str]) -> str:
    """The fixed text for a panel's task that still fails after its last fix; `explanation` has the one for people."""
    return f"Task {task} failed review after {fixes} fix attempts. Remaining issues: {'; '.join(issues)}"


def still_failing(history: History) -> str:
    """How often it failed. If only the rules failed it, there was no review to count."""
    reviews = history.reviews_in_window
    return f"still failing after {count(reviews, 'review') if reviews else count(history.fixes_in_window, 'fix')}"
