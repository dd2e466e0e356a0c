"""Recorded reviews as test cases for a candidate reviewer, scored by what is known about them now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reviewloop.core.judging.judge import failure_text
from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import Label, finding_outcomes, missed
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.review import Review, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The first review of a session, and what became known about it later.

    `confirmed` are the true findings, and `found` says of each whether the recorded reviewers raised it. `alarms` are
    their false findings. `good` is whether the text deserved a pass; None if that is unknown.
    """

    session: str
    history: History
    iteration: Iteration
    verdict: Verdict
    good: bool | None
    confirmed: tuple[Finding, ...]
    found: tuple[bool, ...]
    alarms: tuple[Finding, ...]
    usage: Usage

    @property
    def name(self) -> str:
        return self.history.feature


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """A case, and the candidate's review of the same text. `unheard` says why there is no `verdict`.

    `found` and `repeated` say of each confirmed finding and each false alarm whether the candidate raised it. `new` are
    findings that no reviewer raised before; whether they are right is unknown.
    """

    case: Case
    verdict: Verdict | None
    found: tuple[bool, ...] = ()
    repeated: tuple[bool, ...] = ()
    new: tuple[Finding, ...] = ()
    usage: Usage = field(default_factory=Usage)
    unheard: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The same questions, answered by the candidate and by the recorded reviewers."""

    both: int = 0
    only_candidate: int = 0
    only_recorded: int = 0
    neither: int = 0

    @property
    def candidate(self) -> Rate:
        return Rate(hits=self.both + self.only_candidate, tries=self._all)

    @property
    def recorded(self) -> Rate:
        return Rate(hits=self.both + self.only_recorded, tries=self._all)

    @property
    def better(self) -> Rate:
        """How often the candidate is right where the two differ. An interval around one half shows no difference."""
        return Rate(hits=self.only_candidate, tries=self.only_candidate + self.only_recorded)

    @property
    def _all(self) -> int:
        return self.both + self.only_candidate + self.only_recorded + self.neither


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The candidate against the record, over the cases with a verdict of the candidate."""

    cases: int
    heard: int
    same_verdict: Rate
    right_verdict: Paired
    confirmed: Paired
    alarms: Rate
    new: int
    usage: Usage
    recorded_usage: Usage


def case_of(session: str, history: History, against: str | None = None) -> Case | None:
    """The case of a session; None without a review. With `against`, only that reviewer's answers count as recorded."""
    iteration = next((past for past in history.iterations if past.is_reviewed), None)
    if iteration is None or history.outcome is None:
        return None
    assert iteration.conclusion is not None
    mine = [ended for ended in iteration.ended if against in (None, ended.agent)]
    reviews = [ended.result for ended in mine if isinstance(ended.result, Review)]
    if not reviews:
        return None
    outcomes = finding_outcomes(history, iteration)
    right = [outcome.finding for outcome in outcomes if outcome.label is Label.TRUE_POSITIVE]
    unseen = missed(history, iteration)
    passes = all(review.verdict is Verdict.PASS for review in reviews)
    return Case(
        session=session,
        history=history,
        iteration=iteration,
        verdict=iteration.conclusion.verdict
        if against is None
        else (Verdict.PASS if passes else Verdict.NEEDS_REVISION),
        good=_good(history, iteration, bool(right or unseen)),
        confirmed=(*right, *unseen),
        found=(*(against is None or against in finding.by for finding in right), *(False for _ in unseen)),
        alarms=tuple(
            outcome.finding
            for outcome in outcomes
            if outcome.label is Label.FALSE_POSITIVE and (against is None or against in outcome.finding.by)
        ),
        usage=sum((ended.usage for ended in mine), Usage()),
    )


def retried(case: Case, replay: History) -> Retried:
    """Compare the candidate's answers with the case."""
    iteration = replay.iterations[0]
    reviews = [ended.result for ended in iteration.ended if isinstance(ended.result, Review)]
    usage = sum((ended.usage for ended in iteration.ended), Usage())
    conclusion = iteration.conclusion
    if conclusion is None or conclusion.verdict is Verdict.INCONCLUSIVE:
        failures = [failure_text(ended) for ended in iteration.ended if not isinstance(ended.result, Review)]
        return Retried(case=case, verdict=None, usage=usage, unheard="; ".join(failures) or replay.because)
    raised = [finding for review in reviews for finding in review.findings if finding.rule is None]
    same = find_repeats(raised, [*case.confirmed, *case.alarms])
    met = {id(finding) for finding in same.values()}
    return Retried(
        case=case,
        verdict=conclusion.verdict,
        found=tuple(id(finding) in met for finding in case.confirmed),
        repeated=tuple(id(finding) in met for finding in case.alarms),
        new=tuple(finding for number, finding in enumerate(raised) if number not in same),
        usage=usage,
    )


def comparison(tried: Sequence[Retried]) -> Comparison:
    heard = [replay for replay in tried if replay.verdict]
    judged = [replay for replay in heard if replay.case.good is not None]
    return Comparison(
        cases=len(tried),
        heard=len(heard),
        same_verdict=Rate(hits=sum(replay.verdict is replay.case.verdict for replay in heard), tries=len(heard)),
        right_verdict=_paired(
            (_is_right(replay.verdict, replay.case), _is_right(replay.case.verdict, replay.case)) for replay in judged
        ),
        confirmed=_paired(pair for replay in heard for pair in zip(replay.found, replay.case.found, strict=True)),
        alarms=Rate(
            hits=sum(sum(replay.repeated) for replay in heard), tries=sum(len(replay.repeated) for replay in heard)
        ),
        new=sum(len(replay.new) for replay in heard),
        usage=sum((replay.usage for replay in tried), Usage()),
        recorded_usage=sum((replay.case.usage for replay in tried), Usage()),
    )


def _good(history: History, iteration: Iteration, lacking: bool) -> bool | None:
    if lacking:
        return False
    shipped = history.iterations[-1].checked.digest == iteration.checked.digest
    return True if history.outcome in PASSING and shipped else None


def _is_right(verdict: Verdict | None, case: Case) -> bool:
    return (verdict is Verdict.PASS) is case.good


def _paired(pairs: Iterable[tuple[bool, bool]]) -> Paired:
    """Count pairs of the candidate's and the recorded answer."""
    found = list(pairs)
    return Paired(
        both=found.count((True, True)),
        only_candidate=found.count((True, False)),
        only_recorded=found.count((False, True)),
        neither=found.count((False, False)),
    )
