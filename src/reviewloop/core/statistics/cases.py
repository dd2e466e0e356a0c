"""Recorded reviews as cases: what is known of a text by now, what was said then, and what somebody else says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reviewloop.core.judging.judge import why
from reviewloop.core.judging.ratchet import known
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import Label, fates, is_reviewed, missed
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.review import Review, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The first review of a session, and what came out about it later.

    `confirmed` was right, whoever saw it; `found` says of each whether the reviewers on record did. `alarms` are the
    false ones they raised. `good` is whether the text could pass as it was; None if nobody knows.
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
    """A case, and what the candidate says of the same text. Without a `verdict` it said nothing, and `unheard` why.

    `found` and `repeated` say of each confirmed finding and each false alarm whether the candidate has it. `new` is
    what nobody raised before: nobody knows what to make of it.
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
    """The same things looked at by both."""

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
        """Of what they differ on, where the candidate has it. An interval around one half says nothing yet."""
        return Rate(hits=self.only_candidate, tries=self.only_candidate + self.only_recorded)

    @property
    def _all(self) -> int:
        return self.both + self.only_candidate + self.only_recorded + self.neither


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The candidate against the record, over the cases in which it was heard."""

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
    """The case a session makes, or None. With `against`, only what that reviewer said counts as recorded."""
    iteration = next((one for one in history.iterations if is_reviewed(one)), None)
    if iteration is None or history.outcome is None:
        return None
    assert iteration.conclusion is not None
    mine = [ended for ended in iteration.ended if against in (None, ended.call.agent)]
    reviews = [ended.result for ended in mine if isinstance(ended.result, Review)]
    if not reviews:
        return None
    told = fates(history, iteration)
    right = [one.finding for one in told if one.label is Label.TRUE_POSITIVE]
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
        found=(*(against is None or against in one.by for one in right), *(False for _ in unseen)),
        alarms=tuple(
            one.finding
            for one in told
            if one.label is Label.FALSE_POSITIVE and (against is None or against in one.finding.by)
        ),
        usage=sum((ended.usage for ended in mine), Usage()),
    )


def retried(case: Case, replay: History) -> Retried:
    """What the candidate's answers come to, held against the case."""
    look = replay.iterations[0]
    reviews = [e.result for e in look.ended if isinstance(e.result, Review)]
    usage = sum((ended.usage for ended in look.ended), Usage())
    heard = look.conclusion and look.conclusion.verdict is not Verdict.INCONCLUSIVE
    if not heard or not look.conclusion:
        said = [why(ended) for ended in look.ended if not isinstance(ended.result, Review)]
        return Retried(case=case, verdict=None, usage=usage, unheard="; ".join(said) or replay.because)
    raised = [finding for review in reviews for finding in review.findings if finding.rule is None]
    same = known(raised, [*case.confirmed, *case.alarms])
    met = {id(finding) for finding in same.values()}
    return Retried(
        case=case,
        verdict=look.conclusion.verdict,
        found=tuple(id(one) in met for one in case.confirmed),
        repeated=tuple(id(one) in met for one in case.alarms),
        new=tuple(one for number, one in enumerate(raised) if number not in same),
        usage=usage,
    )


def comparison(tried: Sequence[Retried]) -> Comparison:
    heard = [one for one in tried if one.verdict]
    judged = [one for one in heard if one.case.good is not None]
    return Comparison(
        cases=len(tried),
        heard=len(heard),
        same_verdict=Rate(hits=sum(one.verdict is one.case.verdict for one in heard), tries=len(heard)),
        right_verdict=_paired(
            (_is_right(one.verdict, one.case), _is_right(one.case.verdict, one.case)) for one in judged
        ),
        confirmed=_paired(pair for one in heard for pair in zip(one.found, one.case.found, strict=True)),
        alarms=Rate(hits=sum(sum(one.repeated) for one in heard), tries=sum(len(one.repeated) for one in heard)),
        new=sum(len(one.new) for one in heard),
        usage=sum((one.usage for one in tried), Usage()),
        recorded_usage=sum((one.case.usage for one in tried), Usage()),
    )


def _good(history: History, iteration: Iteration, lacking: bool) -> bool | None:
    if lacking:
        return False
    shipped = history.iterations[-1].checked.digest == iteration.checked.digest
    return True if history.outcome in PASSING and shipped else None


def _is_right(verdict: Verdict | None, case: Case) -> bool:
    return (verdict is Verdict.PASS) is case.good


def _paired(pairs: Iterable[tuple[bool, bool]]) -> Paired:
    """Pairs of whether the candidate has it, and whether it is on record."""
    found = list(pairs)
    return Paired(
        both=found.count((True, True)),
        only_candidate=found.count((True, False)),
        only_recorded=found.count((False, True)),
        neither=found.count((False, False)),
    )
