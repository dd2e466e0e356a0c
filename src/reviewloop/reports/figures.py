"""The figures of `reviewloop stats`, as tables and as one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from reviewloop.core.statistics.stats import Figures, Group
from reviewloop.core.types.review import Usage
from reviewloop.reports.calibration import bucket_object, line_object, lines_table, stated_table
from reviewloop.reports.phrases import plural
from reviewloop.reports.rates import dollars, percent, rate_object, spent
from reviewloop.reports.tables import Table

_EMPTY = {
    "model": "No agent has reviewed anything yet. Ask one: reviewloop run FILE --reviewer AGENT",
    "rule": "The offline rules found nothing in these sessions.",
}


def tables(figures: Figures, by: str | None = None) -> list[Table]:
    """All tables, or only the one for `by`: model, service, kind or rule."""
    if not figures.whole.sessions:
        hint = "Start one with: reviewloop run FILE. With --since, choose an earlier date."
        return [Table(title="no sessions on record", columns=(), rows=(), empty=hint)]
    groups = {
        "model": _models(figures),
        "service": _groups("services", figures.services),
        "kind": _groups("kinds", figures.kinds),
        "rule": _rules(figures),
    }
    if by:
        return [replace(groups[by], empty=_EMPTY.get(by, ""))]
    reviews_to_pass = Counter({plural(number, "review"): count for number, count in sorted(figures.to_pass.items())})
    return [
        _overview(figures),
        _counted("outcomes", figures.outcomes),
        _counted("reviews to pass", reviews_to_pass),
        _counted("convergence", figures.convergence),
        groups["model"],
        _agreement(figures),
        _contributions(figures),
        lines_table(figures.calibration),
        stated_table(figures.stated),
        groups["service"],
        Table(title="advice", columns=("recommendation",), rows=tuple((line,) for line in figures.advice)),
    ]


def figures_object(figures: Figures) -> dict[str, Any]:
    """All figures, with the 95% interval of each rate."""
    return {
        "overview": _group_object(figures.whole)
        | {
            "flips": rate_object(figures.flips),
            "overrides": rate_object(figures.overrides),
            "speculation": {
                "saved_seconds": figures.speculation.saved,
                "waited_seconds": figures.speculation.waited,
                "discarded": asdict(figures.speculation.discarded),
            },
            "cache_saved_tokens": figures.saved_tokens,
        },
        "outcomes": dict(figures.outcomes),
        "reviews_to_pass": {str(number): count for number, count in sorted(figures.to_pass.items())},
        "convergence": dict(figures.convergence),
        "models": [
            {
                "name": model.name,
                "reviews": model.reviews,
                **asdict(model.accuracy),
                "alone": model.alone,
                "precision": rate_object(model.precision),
                "recall": rate_object(model.recall),
                "usage": asdict(model.usage),
            }
            for model in figures.models
        ],
        "agreement": [
            {
                "models": [pair.first, pair.second],
                "verdicts": rate_object(pair.verdicts),
                "findings": rate_object(pair.findings),
            }
            for pair in figures.agreement
        ],
        "contributions": [
            {
                "name": model.name,
                "reviews": model.reviews,
                "alone": rate_object(model.alone),
                "false_alarms_alone": model.alarms,
                "usage": asdict(model.usage),
                "cost_per_finding_alone": model.cost_each,
                "seconds_per_finding_alone": model.seconds_each,
            }
            for model in figures.contributions
        ],
        "calibration": {
            "decisions": [line_object(line) for line in figures.calibration],
            "stated": [bucket_object(bucket) for bucket in figures.stated],
        },
        "services": [_group_object(group) for group in figures.services],
        "kinds": [_group_object(group) for group in figures.kinds],
        "rules": [asdict(rule) for rule in figures.rules],
        "advice": list(figures.advice),
    }


def _overview(figures: Figures) -> Table:
    whole, speculation = figures.whole, figures.speculation
    rows = (
        ("sessions", str(whole.sessions)),
        ("reviews", str(whole.reviews)),
        ("passed", percent(whole.passed)),
        ("fixes per session", f"{whole.fixes:.2f}"),
        ("true findings", percent(whole.right)),
        ("decisions a person overruled", percent(figures.overrides)),
        ("verdict flips on the same text", percent(figures.flips)),
        ("usage", spent(whole.usage)),
        ("cost per accepted artifact", dollars(whole.cost_per_accepted)),
        ("time saved by asking both stages at once", f"{speculation.saved:.1f} s"),
        ("time lost", f"{speculation.waited:.1f} s"),
        ("wasted calls", spent(speculation.discarded)),
        ("tokens saved by the section cache", f"{figures.saved_tokens:,}"),
    )
    return Table(title="overview", columns=("figure", "value"), rows=rows)


def _counted(title: str, counts: Counter[str]) -> Table:
    highest = max(counts.values(), default=1)
    return Table(
        title=title,
        columns=(title, "count"),
        rows=tuple((name.replace("_", " "), str(number)) for name, number in counts.items()),
        shares=tuple(number / highest for number in counts.values()),
    )


def _models(figures: Figures) -> Table:
    judged = ("true findings", "false positives", "missed", "unique true findings")
    return Table(
        title="models",
        columns=("model", "reviews", *judged, "precision", "recall", "usage"),
        rows=tuple(
            (
                model.name,
                str(model.reviews),
                *map(str, (model.accuracy.true_positive, model.accuracy.false_positive, model.accuracy.missed)),
                str(model.alone),
                percent(model.precision),
                percent(model.recall),
                spent(model.usage),
            )
            for model in figures.models
        ),
        shares=tuple(model.precision.value or 0.0 for model in figures.models),
    )


def _agreement(figures: Figures) -> Table:
    return Table(
        title="agreement",
        columns=("models", "same verdict", "findings in common"),
        rows=tuple(
            (f"{pair.first}, {pair.second}", percent(pair.verdicts), percent(pair.findings))
            for pair in figures.agreement
        ),
        shares=tuple(pair.verdicts.value or 0.0 for pair in figures.agreement),
    )


def _contributions(figures: Figures) -> Table:
    return Table(
        title="what each model adds to the others",
        columns=("model", "reviews", "unique true findings", "unique false positives", "usage", "usage per unique"),
        rows=tuple(
            (
                model.name,
                str(model.reviews),
                percent(model.alone),
                str(model.alarms),
                spent(model.usage),
                "-"
                if model.seconds_each is None
                else spent(Usage(seconds=model.seconds_each, cost_usd=model.cost_each)),
            )
            for model in figures.contributions
        ),
        shares=tuple(model.alone.value or 0.0 for model in figures.contributions),
    )


def _groups(title: str, groups: Sequence[Group]) -> Table:
    rates = ("passed", "fixes per session", "true findings", "cost per accepted")
    return Table(
        title=title,
        columns=("name", "sessions", "reviews", *rates, "common issues"),
        rows=tuple(
            (
                group.name,
                str(group.sessions),
                str(group.reviews),
                percent(group.passed),
                f"{group.fixes:.2f}",
                percent(group.right),
                dollars(group.cost_per_accepted),
                "; ".join(group.issues) or "-",
            )
            for group in groups
        ),
    )


def _rules(figures: Figures) -> Table:
    highest = max((rule.found for rule in figures.rules), default=1)
    return Table(
        title="rules",
        columns=("rule", "findings", "sessions", "fixed", "dismissed"),
        rows=tuple(
            (rule.name, str(rule.found), str(rule.sessions), str(rule.fixed), str(rule.dismissed))
            for rule in figures.rules
        ),
        shares=tuple(rule.found / highest for rule in figures.rules),
    )


def _group_object(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "sessions": group.sessions,
        "reviews": group.reviews,
        "passed": rate_object(group.passed),
        "fixes_per_session": round(group.fixes, 4),
        "right": rate_object(group.right),
        "usage": asdict(group.usage),
        "cost_per_accepted": group.cost_per_accepted,
        "common_issues": list(group.issues),
    }
