"""Reviewloop's pure core, to be driven by any engine: prompts, parsing, judging and `next_step`, and nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime

from reviewloop.core.dialects import Answer, parse
from reviewloop.core.loop.endings import ending, iterated
from reviewloop.core.loop.next_step import next_step
from reviewloop.core.loop.steps import Ask, BringBack, Check, Conclude, Finish, Revise
from reviewloop.core.prompts.author import AuthorBrief, author_prompt
from reviewloop.core.prompts.reviewer import ReviewBrief, review_prompt
from reviewloop.core.session.events import Answered, Authored, Checked, Payload, Revised, Started
from reviewloop.core.session.fold import after, begin
from reviewloop.core.session.history import call_key
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.calls import Call
from reviewloop.core.types.outcome import Outcome
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review
from reviewloop.core.types.sections import sections_of


class PureLoop:
    """One session in memory. `step` says whom to ask; `heard` and `revised` take what they said."""

    def __init__(self, text: str, reviewers: Iterable[str]) -> None:
        self._policy = Policy(seats=tuple(Seat(agent=name) for name in reviewers), author="author")
        started = Started(
            feature="bench", prd_path="", specs_path="spec.md", kind="spec", profile="spec-gate", policy=self._policy
        )
        self._history = begin(started, datetime.now(UTC))
        self._artifact = _artifact(text)

    @property
    def passed(self) -> bool:
        return self._history.outcome is Outcome.PASSED

    @property
    def text(self) -> str:
        return self._artifact.files[0].text

    @property
    def iteration(self) -> int:
        return len(self._history.iterations)

    def step(self) -> Ask | Revise | None:
        """Do all that needs nobody else; None when the loop has ended."""
        while self._history.outcome is None:
            match next_step(self._history, self._policy):
                case Check(number=number):
                    artifact = self._artifact
                    sections = sections_of(artifact)
                    self._note(Checked(iteration=number, digest=artifact.digest, size=artifact.size, sections=sections))
                case Conclude(judgement=judgement):
                    self._note(iterated(judgement, self._history))
                case BringBack():
                    self._note(Revised(iteration=self.iteration, paths=self._artifact.paths))
                case Finish() as finish:
                    for payload in ending(self._history, finish):
                        self._note(payload)
                case Ask() | Revise() as step:
                    return step
        return None

    def prompts(self, ask: Ask) -> list[str]:
        concluded = [one.conclusion for one in self._history.iterations if one.conclusion]
        earlier = concluded[-1].findings if concluded else ()
        return [
            review_prompt(
                ReviewBrief(
                    artifact=self._artifact,
                    rubric=self._policy.rubric_of(due.seat),
                    dialect=self._policy.dialect,
                    marker=secrets.token_hex(8),
                    earlier=earlier,
                )
            )
            for due in ask.due
        ]

    def heard(self, ask: Ask, answers: Iterable[str]) -> None:
        for due, text in zip(ask.due, answers, strict=True):
            review = parse(self._policy.dialect, Answer(text=text, sources=[self.text]), self._policy.rubric)
            assert isinstance(review, Review)
            call = Call(key=call_key(self.iteration, due.seat.name), agent=due.seat.agent, attempt=1)
            self._note(Answered(iteration=self.iteration, call=call, text=text, review=review))

    def author_prompt(self, step: Revise) -> str:
        findings = step.conclusion.findings
        marker = secrets.token_hex(8)
        return author_prompt(AuthorBrief(artifact=self._artifact, marker=marker, findings=findings, edits_files=False))

    def revised(self, text: str) -> None:
        self._artifact = _artifact(text)
        call = Call(key=call_key(self.iteration, "author:author"), agent="author", attempt=1)
        self._note(Authored(iteration=self.iteration, call=call, text="done", changes=()))

    def _note(self, payload: Payload) -> None:
        self._history = after(self._history, payload, datetime.now(UTC))


def _artifact(text: str) -> Artifact:
    return Artifact(kind=Kind.SPEC, name="spec", files=(SourceFile(path="spec.md", text=text),))
