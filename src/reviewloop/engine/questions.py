"""Builds the question for each reviewer. Parts that reviewers share are built once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from reviewloop.core.dialects import DIALECTS
from reviewloop.core.judging.contest import latest_contests
from reviewloop.core.judging.finding_status import answered_findings, dismiss, earlier_findings
from reviewloop.core.judging.independence import stand_ins, why_not_review
from reviewloop.core.loop.steps import Due
from reviewloop.core.prompts.reviewer import ReviewBrief, review_prompt
from reviewloop.core.prompts.section_cache import Excerpt, Seen, cache_key, excerpt, last_seen, sent
from reviewloop.core.session.history import History, call_key
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.calls import Call
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Receipt, Seat
from reviewloop.core.types.rubric import Rubric
from reviewloop.engine.calls import time_limit
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session
from reviewloop.ports import Job, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call to a reviewer, and the job for its agent."""

    call: Call
    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """The excerpt for reviewers who last saw a given text."""

    seen: Seen
    earlier: tuple[Finding, ...]
    excerpt: Excerpt | None


def questions(
    session: Session, due: Sequence[Due], artifact: Artifact, before: History | None, context: SessionContext
) -> list[Question]:
    """Build a question for every due reviewer. `before` is the previous session on the same document."""
    builder = _Questions(session, artifact, before, context)
    return [builder.to(seat) for seat in due]


class _Questions:
    """The questions of one iteration, and the parts that they share."""

    def __init__(self, session: Session, artifact: Artifact, before: History | None, context: SessionContext) -> None:
        history, iteration = session.history, session.history.current
        assert iteration is not None
        self._session = session.id
        self._iteration = iteration
        self._artifact = artifact
        self._history = history
        self._before = before
        self._context = context
        self._facts = tuple(fact for fact in dismiss(iteration.checked.facts, history) if not fact.suppressed)
        self._earlier = earlier_findings(history)
        self._answered = answered_findings(history)
        # Ids are those of one session, so findings of the one before are told without theirs.
        past = earlier_findings(before) if before else ()
        self._earlier_and_before = self._earlier + tuple(replace(finding, id="") for finding in past)
        self._dismissed = tuple(dismissal.finding for dismissal in history.dismissed)
        self._contests = latest_contests(history)
        self._stand_ins = stand_ins(iteration)
        self._cuts: list[_Cut] = []
        self._prompts: list[tuple[ReviewBrief, str]] = []

    def to(self, due: Due) -> Question:
        policy, seat = self._history.policy, due.seat
        whole = self._brief(due)
        reviewer = self._reviewer_key(due)
        brief = self._without_known(whole, reviewer) if policy.cache else whole
        prompt = self._prompt(brief)
        spared = len(self._prompt(whole)) - len(prompt) if brief.excerpt else 0
        call = Call(
            key=call_key(self._iteration.number, seat.name),
            agent=seat.agent,
            attempt=due.attempt,
            stage=seat.stage,
            marker=brief.marker,
            prompt_chars=len(prompt),
            sent=sent(reviewer, brief.excerpt, spared),
        )
        limit = time_limit(self._history)
        job = Job(
            key=f"{self._session}/{call.key}/{due.attempt}",
            agent=seat.agent,
            role=Role.REVIEW,
            prompt=prompt,
            session=self._session,
            iteration=self._iteration.number,
            artifact=self._artifact,
            rubric=brief.rubric,
            stage=seat.stage,
            protected=self._context.protected,
            timeout=limit.seconds,
            budget=limit.budget,
            answer_schema=_schema(policy.dialect, brief.rubric, policy.asks_confidence),
            facts=self._facts,
            marker=brief.marker,
            # Built on demand, because prompts take most of the memory when many sessions run at once.
            whole_prompt=partial(review_prompt, whole) if brief.excerpt else None,
            barred=partial(self._barred, seat),
            feature=self._history.feature,
        )
        return Question(call=call, job=job)

    def _barred(self, seat: Seat, agent: str) -> str | None:
        """Why an agent may not stand in for a reviewer. One that may takes the place, so that it is not taken twice."""
        why = why_not_review(agent, seat, self._history, self._stand_ins)
        if why is None:
            self._stand_ins[agent] = seat.agent
        return why

    def _brief(self, due: Due) -> ReviewBrief:
        history, policy, briefing = self._history, self._history.policy, self._context.briefing
        return ReviewBrief(
            artifact=self._artifact,
            rubric=policy.rubric_of(due.seat),
            dialect=policy.dialect,
            marker=self._context.clock.marker(),
            iteration=history.review_number(),
            max_iterations=history.max_reviews,
            stage=due.seat.stage,
            facts=self._facts,
            earlier=self._earlier,
            answered=self._answered,
            dismissed=self._dismissed,
            notes=history.notes,
            standards=briefing.standards,
            memory=briefing.memory_of(due.seat.stage),
            task=briefing.task,
            acceptance_criteria=briefing.acceptance_criteria,
            verified=self._iteration.checked.verified,
            receipt_required=policy.receipt is Receipt.REQUIRED,
            confidence_asked=policy.asks_confidence,
            problem=due.problem,
            contests=self._contests,
        )

    def _reviewer_key(self, due: Due) -> str:
        policy, briefing = self._history.policy, self._context.briefing
        return cache_key(
            agent=self._context.identity(due.seat.agent),
            rubric=policy.rubric_of(due.seat),
            dialect=policy.dialect,
            artifact=self._artifact,
            stage=due.seat.stage,
            context=(briefing.standards, *briefing.acceptance_criteria, *filter(None, [briefing.task])),
        )

    def _without_known(self, brief: ReviewBrief, reviewer: str) -> ReviewBrief:
        """Reduce the question to the text that this reviewer has not seen in this session or the previous one."""
        seen, earlier = last_seen(self._history, reviewer), self._earlier
        if seen is None and self._before and (seen := last_seen(self._before, reviewer)):
            earlier = self._earlier_and_before
        if seen is None:
            return brief
        part = self._excerpt(seen, earlier)
        return replace(brief, excerpt=replace(part, scores=seen.scores), earlier=earlier) if part else brief

    def _excerpt(self, seen: Seen, earlier: tuple[Finding, ...]) -> Excerpt | None:
        for cut in self._cuts:
            if cut.seen.sections is seen.sections and cut.earlier is earlier:
                return cut.excerpt
        cut = _Cut(seen=seen, earlier=earlier, excerpt=excerpt(self._artifact, seen, earlier))
        self._cuts.append(cut)
        return cut.excerpt

    def _prompt(self, brief: ReviewBrief) -> str:
        """Return the prompt. If another reviewer gets the same question, reuse its prompt with another marker."""
        for other, prompt in self._prompts:
            if replace(other, marker=brief.marker) == brief:
                return prompt.replace(other.marker, brief.marker)
        prompt = review_prompt(brief)
        self._prompts.append((brief, prompt))
        return prompt


@lru_cache(maxsize=64)  # every call needs one
def _schema(dialect: str, rubric: Rubric, confidence: bool) -> Mapping[str, Any] | None:
    return DIALECTS[dialect].schema(rubric, confidence=confidence)
