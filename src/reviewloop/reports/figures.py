"""The figures of `reviewloop stats` as tables, and as one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewloop.core.statistics.stats import Figures, Group
from reviewloop.core.types.review import Usage
from reviewloop.reports.calibration import bucket_object, line_object, lines_table, stated_table
from reviewloop.reports.rates import rate, said
from reviewloop.reports.tables import Table

BY = ("model", "service", "kind", "rule")


def tables(found: Figures, by: str | None = None) -> list[Table]:
    """All tables, or the one that `by` asks for."""
    every = {
        "model": _models(found),
        "service": _groups("services", found.services),
        "kind": _groups("kinds", found.kinds),
        "rule": _rules(found),
    }
    if by:
        return [every[by]]
    iterations = Counter({_times(number): count for number, count in sorted(found.to_pass.items())})
    return [
        _overview(found),
        _counted("outcomes", found.outcomes),
        _counted("reviews to pass", iterations),
        _counted("convergence", found.convergence),
        every["model"],
        _agreement(found),
        _contributions(found),
        lines_table(found.calibration),
        stated_table(found.stated),
        every["service"],
        Table(title="advice", columns=("what the figures call for",), rows=tuple((line,) for line in found.advice)),
    ]


def figures_object(found: Figures) -> dict[str, Any]:
    """Everything, for programs; rates with their interval."""
    return {
        "overview": _group_object(found.whole)
        | {
            "flips": rate(found.flips),
            "overrides": rate(found.overrides),
            "speculation": {
                "saved_seconds": found.speculation.saved,
                "waited_seconds": found.speculation.waited,
                "discarded": asdict(found.speculation.discarded),
            },
            "cache_saved_tokens": found.saved_tokens,
        },
        "outcomes": dict(found.outcomes),
        "reviews_to_pass": {str(number): count for number, count in sorted(found.to_pass.items())},
        "convergence": dict(found.convergence),
        "models": [
            {
                "name": one.name,
                "reviews": one.reviews,
                **asdict(one.accuracy),
                "alone": one.alone,
                "precision": rate(one.precision),
                "recall": rate(one.recall),
                "usage": asdict(one.usage),
            }
            for one in found.models
        ],
        "agreement": [
            {"models": [one.first, one.second], "verdicts": rate(one.verdicts), "findings": rate(one.findings)}
            for one in found.agreement
        ],
        "contributions": [
            {
                "name": one.name,
                "reviews": one.reviews,
                "alone": rate(one.alone),
                "false_alarms_alone": one.alarms,
                "usage": asdict(one.usage),
                "cost_per_finding_alone": one.cost_each,
                "seconds_per_finding_alone": one.seconds_each,
            }
            for one in found.contributions
        ],
        "calibration": {
            "decisions": [line_object(one) for one in found.calibration],
            "stated": [bucket_object(one) for one in found.stated],
        },
        "services": [_group_object(one) for one in found.services],
        "kinds": [_group_object(one) for one in found.kinds],
        "rules": [asdict(one) for one in found.rules],
        "advice": list(found.advice),
    }


def _overview(found: Figures) -> Table:
    whole, spent = found.whole, found.speculation
    rows = [
        ("sessions", str(whole.sessions)),
        ("reviews", str(whole.reviews)),
        ("passed", said(whole.passed)),
        ("fixes a session", f"{whole.fixes:.2f}"),
        ("findings that were right", said(whole.right)),
        ("a person overruled the engine", said(found.overrides)),
        ("verdict flips on the same text", said(found.flips)),
        ("spent", _spent(whole.usage)),
        ("cost per accepted artifact", _dollars(whole.cost_per_accepted)),
        ("saved by asking both stages at once", f"{spent.saved:.1f} s"),
        ("lost by it", f"{spent.waited:.1f} s of waiting; paid in vain: {_spent(spent.discarded)}"),
        ("tokens saved by the section cache", f"{found.saved_tokens:,}"),
    ]
    return Table(title="overview", columns=("figure", "value"), rows=tuple(rows))


def _counted(title: str, counts: Counter[str]) -> Table:
    total = max(counts.values(), default=1)
    return Table(
        title=title,
        columns=(title, "number"),
        rows=tuple((name.replace("_", " "), str(number)) for name, number in counts.items()),
        shares=tuple(number / total for number in counts.values()),
    )


def _models(found: Figures) -> Table:
    columns = ("model", "reviews", "right", "wrong", "missed", "alone right", "precision", "recall", "spent")
    return Table(
        title="models",
        columns=columns,
        rows=tuple(
            (
                one.name,
                str(one.reviews),
                str(one.accuracy.true_positive),
                str(one.accuracy.false_positive),
                str(one.accuracy.missed),
                str(one.alone),
                said(one.precision),
                said(one.recall),
                _spent(one.usage),
            )
            for one in found.models
        ),
        shares=tuple(one.precision.value or 0.0 for one in found.models),
    )


def _agreement(found: Figures) -> Table:
    return Table(
        title="agreement",
        columns=("models", "same verdict", "findings in common"),
        rows=tuple((f"{one.first}, {one.second}", said(one.verdicts), said(one.findings)) for one in found.agreement),
        shares=tuple(one.verdicts.value or 0.0 for one in found.agreement),
    )


def _contributions(found: Figures) -> Table:
    return Table(
        title="what each reviewer adds to the others",
        columns=(
            "model",
            "reviews",
            "only it was right",
            "false alarms only it raised",
            "spent",
            "for each such finding",
        ),
        rows=tuple(
            (
                one.name,
                str(one.reviews),
                said(one.alone),
                str(one.alarms),
                _spent(one.usage),
                "-" if one.seconds_each is None else _each(one.seconds_each, one.cost_each),
            )
            for one in found.contributions
        ),
        shares=tuple(one.alone.value or 0.0 for one in found.contributions),
    )


def _groups(title: str, groups: Sequence[Group]) -> Table:
    return Table(
        title=title,
        columns=(
            "name",
            "sessions",
            "reviews",
            "passed",
            "fixes a session",
            "right",
            "cost per accepted",
            "common issues",
        ),
        rows=tuple(
            (
                one.name,
                str(one.sessions),
                str(one.reviews),
                said(one.passed),
                f"{one.fixes:.2f}",
                said(one.right),
                _dollars(one.cost_per_accepted),
                "; ".join(one.issues) or "-",
            )
            for one in groups
        ),
    )


def _rules(found: Figures) -> Table:
    most = max((one.found for one in found.rules), default=1)
    return Table(
        title="rules",
        columns=("rule", "findings", "sessions", "fixed", "dismissed"),
        rows=tuple(
            (one.name, str(one.found), str(one.sessions), str(one.fixed), str(one.dismissed)) for one in found.rules
        ),
        shares=tuple(one.found / most for one in found.rules),
    )


def _group_object(one: Group) -> dict[str, Any]:
    return {
        "name": one.name,
        "sessions": one.sessions,
        "reviews": one.reviews,
        "passed": rate(one.passed),
        "fixes_per_session": round(one.fixes, 4),
        "right": rate(one.right),
        "usage": asdict(one.usage),
        "cost_per_accepted": one.cost_per_accepted,
        "common_issues": list(one.issues),
    }


def _times(number: int) -> str:
    return "1 review" if number == 1 else f"{number} reviews"


def _dollars(value: float | None) -> str:
    return "-" if value is None else f"${value:.4f}"


def _each(seconds: float, cost: float | None) -> str:
    return f"{seconds:.1f} s" + (f", {_dollars(cost)}" if cost is not None else "")


def _spent(usage: Usage) -> str:
    tokens = f", {usage.tokens:,} tokens" if usage.tokens else ""
    return f"{usage.seconds:.1f} s{tokens}" + (f", {_dollars(usage.cost_usd)}" if usage.cost_usd is not None else "")
