"""Figures over many sessions: who is right how often, what it costs, and what to change."""

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
from reviewloop.core.statistics.finding_outcomes import Label, fates, is_reviewed
from reviewloop.core.statistics.stated_confidence import Bucket, Claim, buckets
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.review import Review, Stage, Usage, Verdict

ENOUGH = 10
"""Reviews, or labelled findings, below which nothing is advised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A session with its entries, its panel's decisions, and how sure its reviewers said they were."""

    session: str
    history: History
    entries: tuple[ReviewEntry, ...]
    service: str
    decisions: tuple[PastDecision, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """How good one model is, and what it costs. `alone` is what no other model of its stage saw, and was right."""

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
    """Sessions that have something in common: a service, or a kind of artifact."""

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
        return _each(self.usage.cost_usd, self.passed.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFigures:
    """How often an offline rule found something, in how many sessions, and what became of it."""

    name: str
    found: int
    sessions: int
    fixed: int
    dismissed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """What asking both stages at once gained and cost, in seconds; `discarded` is what was paid in vain."""

    saved: float = 0.0
    waited: float = 0.0
    discarded: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything there is to say about some sessions."""

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


def figures(told: Sequence[Told]) -> Figures:
    entries = [entry for one in told for entry in one.entries]
    histories = [one.history for one in told]
    reviewed = [one for history in histories for one in history.iterations if is_reviewed(one)]
    models, services = _models(told), _groups(told, lambda one: one.service)
    whole = _group("all", told)
    human = [entry for entry in entries if entry.auto_decision == "present_to_human"]
    return Figures(
        whole=whole,
        outcomes=Counter(str(history.outcome or "running") for history in histories),
        to_pass=Counter(
            sum(1 for one in history.iterations if is_reviewed(one))
            for history in histories
            if history.outcome in PASSING
        ),
        convergence=Counter(
            str(one.conclusion.convergence) for one in reviewed if one.conclusion and one.conclusion.convergence
        ),
        flips=_flips(histories),
        speculation=_speculation(histories),
        saved_tokens=sum(call.sent.saved_tokens for one in reviewed for call in one.asked if call.sent),
        overrides=Rate(hits=sum(1 for one in human if one.human_override), tries=len(human)),
        models=models,
        agreement=agreement(histories),
        contributions=contributions(histories),
        calibration=table(answers(past for one in told for past in one.decisions)),
        stated=buckets([claim for one in told for claim in one.claims]),
        services=services,
        kinds=_groups(told, lambda one: str(one.history.started.kind)),
        rules=_rules(histories),
        advice=_advice(whole, models, services),
    )


def _models(told: Sequence[Told]) -> tuple[ModelFigures, ...]:
    accuracy: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    usage: defaultdict[str, Usage] = defaultdict(Usage)
    reviews: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for one in told:
        for entry in one.entries:
            for model, counted in entry.accuracy.items():
                accuracy[model] += counted
                reviews[model] += 1
        for iteration in one.history.iterations:
            for ended in iteration.ended:
                usage[ended.call.agent] += ended.usage
            if is_reviewed(iteration):
                alone.update(
                    fate.finding.by[0]
                    for fate in fates(one.history, iteration)
                    if fate.first_time and fate.label is Label.TRUE_POSITIVE and len(fate.finding.by) == 1
                )
    return tuple(
        ModelFigures(name=name, reviews=reviews[name], accuracy=accuracy[name], alone=alone[name], usage=usage[name])
        for name in sorted(reviews)
    )


def _flips(histories: Iterable[History]) -> Rate:
    """How often a reviewer that saw the same text again came to another verdict."""
    said: dict[tuple[str, str, str], Verdict] = {}
    hits = tries = 0
    for history in histories:
        for iteration in history.iterations:
            for ended in iteration.ended:
                if not isinstance(ended.result, Review) or ended.result.verdict is Verdict.INCONCLUSIVE:
                    continue
                key = (iteration.checked.digest, ended.call.agent, str(ended.call.stage))
                tries += key in said
                hits += said.get(key, ended.result.verdict) is not ended.result.verdict
                said[key] = ended.result.verdict
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


def _groups(told: Sequence[Told], key: Callable[[Told], str]) -> tuple[Group, ...]:
    by_name: defaultdict[str, list[Told]] = defaultdict(list)
    for one in told:
        by_name[key(one)].append(one)
    return tuple(_group(name, some) for name, some in sorted(by_name.items()))


def _group(name: str, told: Sequence[Told]) -> Group:
    over = [one for one in told if one.history.outcome]
    labels = Counter(
        fate.label
        for one in told
        for iteration in one.history.iterations
        if is_reviewed(iteration)
        for fate in fates(one.history, iteration)
        if fate.first_time
    )
    right = labels[Label.TRUE_POSITIVE]
    fixes = sum(1 for one in told for iteration in one.history.iterations if iteration.revised)
    issues: Counter[str] = Counter()
    for one in told:
        issues.update(issue for entry in one.entries for issue in entry.issues)
    return Group(
        name=name,
        sessions=len(told),
        passed=Rate(hits=sum(one.history.outcome in PASSING for one in over), tries=len(over)),
        reviews=sum(len(one.entries) for one in told),
        fixes=fixes / len(told) if told else 0.0,
        right=Rate(hits=right, tries=right + labels[Label.FALSE_POSITIVE]),
        usage=sum((one.history.usage for one in told), Usage()),
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
        everything = set[tuple[str, str | None, str]]().union(*facts)
        found.update(rule for rule, *_ in everything)
        sessions.update({rule for rule, *_ in everything})
        fixed.update(rule for rule, *_ in everything - (facts[-1] if facts else set()))
        dismissed.update(one.finding.rule for one in history.dismissed if one.finding.rule)
    return tuple(
        RuleFigures(name=name, found=number, sessions=sessions[name], fixed=fixed[name], dismissed=dismissed[name])
        for name, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    )


def _advice(whole: Group, models: Sequence[ModelFigures], services: Sequence[Group]) -> tuple[str, ...]:
    """What the figures call for, each line with its evidence; nothing from too few reviews."""
    lines: list[str] = []
    for one in models:
        settled = one.precision
        if settled.tries >= ENOUGH and settled.high < 0.5:
            lines.append(
                f"consider dropping {one.name}: {settled.tries - settled.hits} of its {settled.tries} findings that "
                f"were settled were false positives (precision at most {settled.high:.2f})"
            )
    if whole.sessions >= ENOUGH and whole.fixes > 1:
        lines.append(
            f"the reviewers may be too strict, or authors need clearer specs: {whole.fixes:.1f} fixes a session on "
            f"average, over {whole.sessions} sessions"
        )
    lines += [
        f"tell whoever works on {one.name} in its CLAUDE.md: {'; '.join(one.issues)} (each came up at least twice in "
        f"{one.reviews} reviews)"
        for one in services
        if one.reviews >= ENOUGH and one.issues
    ]
    return tuple(lines)


def _each(total: float | None, number: int) -> float | None:
    return total / number if total is not None and number else None
