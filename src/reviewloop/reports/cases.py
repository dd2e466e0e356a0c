"""A candidate reviewer's answers to stored cases, as tables and as one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewloop.core.statistics.cases import Comparison, Paired, Retried
from reviewloop.core.types.review import Verdict
from reviewloop.reports.rates import dollars, percent, percent_range, rate_object
from reviewloop.reports.tables import Table


def replay_tables(candidate: str, tried: Sequence[Retried], compared: Comparison) -> list[Table]:
    return [_compared(candidate, compared), _cases(tried), _unanswered(tried)]


def replay_object(candidate: str, tried: Sequence[Retried], compared: Comparison) -> dict[str, Any]:
    return {
        "candidate": candidate,
        "cases": [_case_object(retried) for retried in tried],
        "heard": compared.heard,
        "same_verdict": rate_object(compared.same_verdict),
        "right_verdict": _paired_object(compared.right_verdict),
        "confirmed_findings": _paired_object(compared.confirmed),
        "repeated_false_alarms": rate_object(compared.alarms),
        "new_findings": compared.new,
        "usage": {"candidate": asdict(compared.usage), "recorded": asdict(compared.recorded_usage)},
    }


def _compared(candidate: str, compared: Comparison) -> Table:
    now, recorded = compared.usage, compared.recorded_usage
    return Table(
        title=f"{candidate} compared with the record: {compared.heard} of {compared.cases} cases answered",
        columns=("", candidate, "on record", "candidate better where they differ"),
        rows=(
            _paired_row("correct verdict", compared.right_verdict),
            _paired_row("confirmed findings found", compared.confirmed),
            ("false positives repeated", percent(compared.alarms), str(compared.alarms.tries), ""),
            ("same verdict", percent(compared.same_verdict), "", ""),
            ("new findings, not checked", str(compared.new), "", ""),
            ("time", f"{now.seconds:.1f} s", f"{recorded.seconds:.1f} s", ""),
            ("cost", dollars(now.cost_usd), dollars(recorded.cost_usd), ""),
            ("tokens", f"{now.tokens:,}", f"{recorded.tokens:,}", ""),
        ),
    )


def _paired_row(name: str, paired: Paired) -> tuple[str, ...]:
    return (name, percent(paired.candidate), percent(paired.recorded), percent_range(paired.better))


def _cases(tried: Sequence[Retried]) -> Table:
    return Table(
        title="cases",
        columns=("case", "session", "on record", "now", "expected", "confirmed found", "false positives", "new"),
        rows=tuple(
            (
                retried.case.name,
                retried.case.session,
                _word(retried.case.verdict),
                _word(retried.verdict),
                _expected(retried),
                f"{sum(retried.found)} of {len(retried.case.confirmed)} (was {sum(retried.case.found)})",
                f"{sum(retried.repeated)} of {len(retried.case.alarms)}",
                str(len(retried.new)),
            )
            for retried in tried
        ),
    )


def _unanswered(tried: Sequence[Retried]) -> Table:
    rows = tuple((retried.case.name, retried.unheard) for retried in tried if retried.verdict is None)
    return Table(title="no answer", columns=("case", "reason"), rows=rows)


def _case_object(retried: Retried) -> dict[str, Any]:
    case = retried.case
    found = retried.found or [None] * len(case.found)
    repeated = retried.repeated or [None] * len(case.alarms)
    return {
        "case": case.name,
        "session": case.session,
        "recorded_verdict": case.verdict,
        "verdict": retried.verdict,
        "good": case.good,
        "unheard": retried.unheard or None,
        "confirmed": [
            {"issue": finding.issue, "recorded": then, "candidate": now}
            for finding, then, now in zip(case.confirmed, case.found, found, strict=True)
        ],
        "false_alarms": [
            {"issue": finding.issue, "candidate": now} for finding, now in zip(case.alarms, repeated, strict=True)
        ],
        "new": [finding.issue for finding in retried.new],
        "usage": {"candidate": asdict(retried.usage), "recorded": asdict(case.usage)},
    }


def _paired_object(paired: Paired) -> dict[str, Any]:
    rates = {"candidate": paired.candidate, "recorded": paired.recorded, "better": paired.better}
    return asdict(paired) | {name: rate_object(rate) for name, rate in rates.items()}


def _expected(retried: Retried) -> str:
    if retried.case.good is None:
        return "unknown"
    return _word(Verdict.PASS if retried.case.good else Verdict.NEEDS_REVISION)


def _word(verdict: Verdict | None) -> str:
    return str(verdict or "no answer").replace("_", " ")
