"""What a candidate says of stored cases, as tables and as one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewloop.core.statistics.cases import Comparison, Paired, Retried
from reviewloop.core.types.review import Usage, Verdict
from reviewloop.reports.rates import rate, said
from reviewloop.reports.tables import Table


def replay_tables(candidate: str, tried: Sequence[Retried], compared: Comparison) -> list[Table]:
    return [_compared(candidate, compared), _cases(tried), _unheard(tried)]


def replay_object(candidate: str, tried: Sequence[Retried], compared: Comparison) -> dict[str, Any]:
    return {
        "candidate": candidate,
        "cases": [_case_object(one) for one in tried],
        "heard": compared.heard,
        "same_verdict": rate(compared.same_verdict),
        "right_verdict": _paired_object(compared.right_verdict),
        "confirmed_findings": _paired_object(compared.confirmed),
        "repeated_false_alarms": rate(compared.alarms),
        "new_findings": compared.new,
        "usage": {"candidate": asdict(compared.usage), "recorded": asdict(compared.recorded_usage)},
    }


def _compared(candidate: str, compared: Comparison) -> Table:
    right, confirmed = compared.right_verdict, compared.confirmed
    return Table(
        title=f"{candidate} against the record, {compared.heard} of {compared.cases} cases answered",
        columns=("", candidate, "on record", "where they differ, better"),
        rows=(
            ("verdict right", said(right.candidate), said(right.recorded), said(right.better)),
            ("confirmed findings found", said(confirmed.candidate), said(confirmed.recorded), said(confirmed.better)),
            ("false alarms raised", said(compared.alarms), str(compared.alarms.tries), ""),
            ("same verdict", said(compared.same_verdict), "", ""),
            ("findings nobody has judged", str(compared.new), "", ""),
            ("time", f"{compared.usage.seconds:.1f} s", f"{compared.recorded_usage.seconds:.1f} s", ""),
            ("cost", _dollars(compared.usage), _dollars(compared.recorded_usage), ""),
            ("tokens", f"{compared.usage.tokens:,}", f"{compared.recorded_usage.tokens:,}", ""),
        ),
    )


def _cases(tried: Sequence[Retried]) -> Table:
    return Table(
        title="cases",
        columns=("case", "session", "on record", "now", "should be", "confirmed found", "alarms repeated", "new"),
        rows=tuple(
            (
                one.case.name,
                one.case.session,
                _word(one.case.verdict),
                _word(one.verdict),
                _should_be(one),
                f"{sum(one.found)} of {len(one.case.confirmed)} (was {sum(one.case.found)})",
                f"{sum(one.repeated)} of {len(one.case.alarms)}",
                str(len(one.new)),
            )
            for one in tried
        ),
    )


def _unheard(tried: Sequence[Retried]) -> Table:
    rows = tuple((one.case.name, one.unheard) for one in tried if one.verdict is None)
    return Table(title="no answer", columns=("case", "why"), rows=rows)


def _case_object(one: Retried) -> dict[str, Any]:
    case = one.case
    return {
        "case": case.name,
        "session": case.session,
        "recorded_verdict": case.verdict,
        "verdict": one.verdict,
        "good": case.good,
        "unheard": one.unheard or None,
        "confirmed": [
            {"issue": finding.issue, "recorded": then, "candidate": now}
            for finding, then, now in zip(
                case.confirmed, case.found, one.found or [None] * len(case.found), strict=True
            )
        ],
        "false_alarms": [
            {"issue": finding.issue, "candidate": now}
            for finding, now in zip(case.alarms, one.repeated or [None] * len(case.alarms), strict=True)
        ],
        "new": [finding.issue for finding in one.new],
        "usage": {"candidate": asdict(one.usage), "recorded": asdict(case.usage)},
    }


def _paired_object(one: Paired) -> dict[str, Any]:
    return asdict(one) | {"candidate": rate(one.candidate), "recorded": rate(one.recorded), "better": rate(one.better)}


def _should_be(one: Retried) -> str:
    if one.case.good is None:
        return "nobody knows"
    return _word(Verdict.PASS if one.case.good else Verdict.NEEDS_REVISION)


def _word(verdict: Verdict | None) -> str:
    return str(verdict or "no answer").replace("_", " ")


def _dollars(usage: Usage) -> str:
    return "-" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
