"""Figures over many sessions: accuracy, cost, and advice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from reviewloop.core.panel.calibration import PastDecision, answers
from reviewloop.core.panel.speculation import speculation
from reviewloop.core.session.history import History
from reviewloop.core.statistics.agreement import Agreement, agreement
from reviewloop.core.statistics.analytics import Accuracy, ReviewEntry, common
from reviewloop.core.statistics.calibration_backtest import Line, table
from reviewloop.core.statistics.contribution import Contribution, contributions
from reviewloop.core.statistics.finding_outcomes import Label, finding_outcomes
from reviewloop.core.statistics.stated_confidence import Bucket, Claim, buckets
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.review import Stage, Usage, Verdict

ENOUGH = 10
"""The least number of reviews, or of labelled findings, for advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedSession:
    """A session with its analytics entries, its panel's decisions, and its reviewers' stated confidence."""

    session: str
    history: History
    entries: tuple[ReviewEntry, ...]
    service: str
    decisions: tuple[PastDecision, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """The accuracy and cost of one model. `alone` counts its true findings that no other model of its stage raised."""

    name: str
    reviews: int
    accuracy: Accuracy
    alone: int
    usage: Usage

    @property
    def precision(self) -> Rate:
        right = self.accuracy.true_positive
        return Rate(hits=right, tries=right + self.accuracy.false_positive)

    @property
    def recall(self) -> Rate:
        right = self.accuracy.true_positive
        return Rate(hits=right, tries=right + self.accuracy.missed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    name: str
    sessions: int
    passed: Rate
    reviews: int
    fixes: float
    right: Rate
    usage: Usage
    issues: tuple[str, ...] = ()

    @property
    def cost_per_accepted(self) -> float | None:
        cost = self.usage.cost_usd
        return cost / self.passed.hits if cost is not None and self.passed.hits else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFigures:
    """The findings of one offline rule: how many, in how many sessions, and how many were fixed or dismissed."""

    name: str
    found: int
    sessions: int
    fixed: int
    dismissed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Seconds saved and lost by asking both stages at once; `discarded` is the cost of the wasted calls."""

    saved: float = 0.0
    waited: float = 0.0
    discarded: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    whole: Group
    outcomes: Counter[str]
    to_pass: Counter[int]
    convergence: Counter[str]
    flips: Rate
    speculation: Speculation
    saved_tokens: int
    overrides: Rate
    models: tuple[ModelFigures, ...]
    agreement: tuple[Agreement, ...]
    contributions: tuple[Contribution, ...]
    calibration: tuple[Line, ...]
    stated: tuple[Bucket, ...]
    services: tuple[Group, ...]
    kinds: tuple[Group, ...]
    rules: tuple[RuleFigures, ...]
    advice: tuple[str, ...]


def figures(sessions: Sequence[ReviewedSession]) -> Figures:
    entries = [entry for session in sessions for entry in session.entries]
    histories = [session.history for session in sessions]
    reviewed = [iteration for history in histories for iteration in history.iterations if iteration.is_reviewed]
    models, services = _models(sessions), _groups(sessions, lambda session: session.service)
    whole = _group("all", sessions)
    human = [entry for entry in entries if entry.auto_decision == "present_to_human"]
    return Figures(
        whole=whole,
        outcomes=Counter(str(history.outcome or "running") for history in histories),
        to_pass=Counter(
            sum(iteration.is_reviewed for iteration in history.iterations)
            for history in histories
            if history.outcome in PASSING
        ),
        convergence=Counter(
            str(iteration.conclusion.convergence)
            for iteration in reviewed
            if iteration.conclusion and iteration.conclusion.convergence
        ),
        flips=_flips(histories),
        speculation=_speculation(histories),
        saved_tokens=sum(call.sent.saved_tokens for iteration in reviewed for call in iteration.asked if call.sent),
        overrides=Rate(hits=sum(1 for entry in human if entry.human_override), tries=len(human)),
        models=models,
        agreement=agreement(histories),
        contributions=contributions(histories),
        calibration=table(answers(past for session in sessions for past in session.decisions)),
        stated=buckets([claim for session in sessions for claim in session.claims]),
        services=services,
        kinds=_groups(sessions, lambda session: str(session.history.started.kind)),
        rules=_rules(histories),
        advice=_advice(whole, models, services),
    )


def _models(sessions: Sequence[ReviewedSession]) -> tuple[ModelFigures, ...]:
    accuracy: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    usage: defaultdict[str, Usage] = defaultdict(Usage)
    reviews: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for session in sessions:
        for entry in session.entries:
            for model, counted in entry.accuracy.items():
                accuracy[model] += counted
                reviews[model] += 1
        for iteration in session.history.iterations:
            for ended in iteration.ended:
                usage[ended.agent] += ended.usage
            if iteration.is_reviewed:
                alone.update(
                    outcome.finding.by[0]
                    for outcome in finding_outcomes(session.history, iteration)
                    if outcome.first_time and outcome.label is Label.TRUE_POSITIVE and len(outcome.finding.by) == 1
                )
    return tuple(
        ModelFigures(name=name, reviews=reviews[name], accuracy=accuracy[name], alone=alone[name], usage=usage[name])
        for name in sorted(reviews)
    )


def _flips(histories: Iterable[History]) -> Rate:
    """How often a reviewer changed its verdict on the same text."""
    last: dict[tuple[str, str, str], Verdict] = {}
    hits = tries = 0
    for history in histories:
        for iteration in history.iterations:
            for ended in iteration.ended:
                if ended.review:
                    key = (iteration.checked.digest, ended.agent, str(ended.call.stage))
                    tries += key in last
                    hits += last.get(key, ended.review.verdict) is not ended.review.verdict
                    last[key] = ended.review.verdict
    return Rate(hits=hits, tries=tries)


def _speculation(histories: Iterable[History]) -> Speculation:
    saved = waited = 0.0
    discarded = Usage()
    for history in histories:
        first = next(iter(history.iterations), None)
        if first is None or not any(ended.call.stage is Stage.QUALITY for ended in first.ended):
            continue
        if first.discarded:
            waited += first.discarded.waited
            discarded += first.discarded.usage
        elif history.policy.speculative_quality:
            saved += speculation(first).saved
    return Speculation(saved=saved, waited=waited, discarded=discarded)


def _groups(sessions: Sequence[ReviewedSession], key: Callable[[ReviewedSession], str]) -> tuple[Group, ...]:
    by_name: defaultdict[str, list[ReviewedSession]] = defaultdict(list)
    for session in sessions:
        by_name[key(session)].append(session)
    return tuple(_group(name, members) for name, members in sorted(by_name.items()))


def _group(name: str, sessions: Sequence[ReviewedSession]) -> Group:
    ended = [session for session in sessions if session.history.outcome]
    labels = Counter(
        outcome.label
        for session in sessions
        for iteration in session.history.iterations
        if iteration.is_reviewed
        for outcome in finding_outcomes(session.history, iteration)
        if outcome.first_time
    )
    right = labels[Label.TRUE_POSITIVE]
    fixes = sum(1 for session in sessions for iteration in session.history.iterations if iteration.revised)
    issues: Counter[str] = Counter()
    for session in sessions:
        issues.update(issue for entry in session.entries for issue in entry.issues)
    return Group(
        name=name,
        sessions=len(sessions),
        passed=Rate(hits=sum(session.history.outcome in PASSING for session in ended), tries=len(ended)),
        reviews=sum(len(session.entries) for session in sessions),
        fixes=fixes / len(sessions) if sessions else 0.0,
        right=Rate(hits=right, tries=right + labels[Label.FALSE_POSITIVE]),
        usage=sum((session.history.usage for session in sessions), Usage()),
        issues=tuple(common(issues)),
    )


def _rules(histories: Iterable[History]) -> tuple[RuleFigures, ...]:
    found: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    fixed: Counter[str] = Counter()
    dismissed: Counter[str] = Counter()
    for history in histories:
        facts = [
            {(fact.rule or "", fact.place.section, fact.issue) for fact in i.checked.facts} for i in history.iterations
        ]
        all_facts = set[tuple[str, str | None, str]]().union(*facts)
        found.update(rule for rule, *_ in all_facts)
        sessions.update({rule for rule, *_ in all_facts})
        fixed.update(rule for rule, *_ in all_facts - (facts[-1] if facts else set()))
        dismissed.update(event.finding.rule for event in history.dismissed if event.finding.rule)
    return tuple(
        RuleFigures(name=name, found=number, sessions=sessions[name], fixed=fixed[name], dismissed=dismissed[name])
        for name, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    )


def _advice(whole: Group, models: Sequence[ModelFigures], services: Sequence[Group]) -> tuple[str, ...]:
    """Advice from the figures, each line with its evidence. Too few reviews give no advice."""
    lines: list[str] = []
    for model in models:
        precision = model.precision
        if precision.tries >= ENOUGH and precision.high < 0.5:
            lines.append(
                f"consider dropping {model.name}: {precision.tries - precision.hits} of its {precision.tries} settled "
                f"findings were false positives (precision at most {precision.high:.0%})"
            )
    if whole.sessions >= ENOUGH and whole.fixes > 1:
        lines.append(
            f"loosen the reviewers' criteria, or give authors clearer specs: {whole.fixes:.1f} fixes per session on "
            f"average ({whole.sessions} sessions)"
        )
    lines += [
        f"add to the CLAUDE.md of {service.name}: {'; '.join(service.issues)} (each found at least twice in "
        f"{service.reviews} reviews)"
        for service in services
        if service.reviews >= ENOUGH and service.issues
    ]
    return tuple(lines)
