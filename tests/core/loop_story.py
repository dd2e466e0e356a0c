"""A session told step by step, without a runner: for tests of the pure core."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from reviewloop.core.loop.endings import ending, iterated
from reviewloop.core.loop.next_step import next_step
from reviewloop.core.loop.steps import BringBack, Check, Conclude, Finish, Revise
from reviewloop.core.session.events import (
    Answered,
    Authored,
    Checked,
    MalformedAnswer,
    Payload,
    Revised,
    Started,
)
from reviewloop.core.session.fold import after, begin
from reviewloop.core.session.history import History, call_key
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Malformed, Review, Usage, Verdict
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.core.types.sections import Section

NOW = datetime(2026, 1, 1, tzinfo=UTC)
REVIEWER = Seat(agent="reviewer")
POLICY = Policy(seats=(REVIEWER,), author="author")
GOOD = dict.fromkeys(FOUR_CRITERIA.names, 90.0)


class Story:
    """A session told step by step, without a runner."""

    def __init__(self, policy: Policy = POLICY) -> None:
        self.policy = policy
        started = Started(feature="f", prd_path="", specs_path="", kind="spec", profile="spec-gate", policy=policy)
        self.history: History = begin(started, NOW)

    @property
    def step(self) -> Any:
        return next_step(self.history, self.policy)

    def then(self, payload: Payload, seconds: float = 1) -> Story:
        self.history = after(self.history, payload, self.history.updated_at + timedelta(seconds=seconds))
        return self

    def check(
        self, digest: str = "", facts: tuple[Finding, ...] = (), sections: tuple[Section, ...] = (), size: int = 100
    ) -> Story:
        step = self.step
        assert isinstance(step, Check)
        return self.then(
            Checked(
                iteration=step.number, digest=digest or f"d{step.number}", size=size, facts=facts, sections=sections
            )
        )

    def call(self, seat: Seat = REVIEWER, attempt: int = 1) -> Call:
        current = self.history.current
        assert current
        return Call(key=call_key(current.number, seat.name), agent=seat.agent, attempt=attempt)

    @property
    def number(self) -> int:
        return len(self.history.iterations)

    def answer(
        self, *findings: Finding, verdict: Verdict | None = None, seat: Seat = REVIEWER, **changes: Any
    ) -> Story:
        verdict = verdict or (Verdict.NEEDS_REVISION if findings else Verdict.PASS)
        review = Review(verdict=verdict, findings=findings, scores=GOOD, judged=FOUR_CRITERIA.names)
        review = replace(review, **changes)
        usage = Usage(input_tokens=100, output_tokens=10, cost_usd=0.5)
        return self.then(Answered(iteration=self.number, call=self.call(seat), text="", review=review, usage=usage))

    def malformed(self, attempt: int) -> Story:
        problem = Malformed(field="root", message="no JSON")
        call = self.call(attempt=attempt)
        return self.then(
            MalformedAnswer(
                feature="f", raw_output="?", parse_error="x", retry_number=attempt, iteration=self.number, call=call,
                problem=problem,
            )
        )  # fmt: skip

    def conclude(self) -> Story:
        step = self.step
        assert isinstance(step, Conclude), step
        return self.then(iterated(step.judgement, self.history))

    def revise(self) -> Story:
        assert isinstance(self.step, Revise), self.step
        call = Call(key=call_key(self.number, "author:author"), agent="author", attempt=1)
        change = FileChange(path="f.md", before="a", after="b")
        self.then(Authored(iteration=self.number, call=call, text="", changes=(change,)))
        assert isinstance(self.step, BringBack)
        return self.then(Revised(iteration=self.number, paths=("f.md",)))

    def finish(self) -> Story:
        step = self.step
        assert isinstance(step, Finish), step
        for payload in ending(self.history, step):
            self.then(payload)
        return self


def issue(text: str, severity: Severity = Severity.IMPORTANT, **place: Any) -> Finding:
    return Finding(issue=text, severity=severity, place=Place(**place))
