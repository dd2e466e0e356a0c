"""The JSON format: one object with the whole report. Its keys are documented in docs/reports.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

from reviewloop.reports.finding_places import Located, by_file
from reviewloop.reports.phrases import SEVERITIES
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, RuleInfo
from reviewloop.reports.safe_text import well_formed

VERSION = 1


def render(report: ReviewReport) -> str:
    files = by_file(report)
    severities = [finding.severity for finding in report.findings]
    return _spread(
        {
            "version": VERSION,
            "tool": {"name": "reviewloop", "version": report.tool_version},
            "verdict": report.verdict,
            "elapsed": number(report.elapsed),
            "reviewers": list(report.reviewers),
            "summary": {
                "files": len(report.paths),
                "findings": len(severities),
                **{severity: severities.count(severity) for severity in SEVERITIES},
                "suppressed": len(report.suppressed),
            },
            "artifacts": [_artifact(reviewed) for reviewed in report.artifacts],
            "findings": [finding_object(located) for file in files for located in file.findings],
            "suppressed": [finding_object(located) for file in files for located in file.suppressed],
            "left_out": list(report.left_out),
            "warnings": list(report.warnings),
            "notes": list(report.notes),
            "rules": [_rule(rule) for rule in report.rules],
        }
    )


def _spread(value: Mapping[str, object]) -> str:
    """An object with one line per key, and one line per entry of a list."""
    pairs = (f"  {_text(key)}: {_lines(inner)}" for key, inner in value.items())
    return "{\n" + ",\n".join(pairs) + "\n}\n"


def _lines(value: object) -> str:
    entries = cast("list[object]", value) if isinstance(value, list) else []
    lines = ",\n".join(f"    {_text(entry)}" for entry in entries)
    return f"[\n{lines}\n  ]" if entries else _text(cast("object", value))


def dumps(value: object, *, indent: int | None = None) -> str:
    """JSON in ASCII, which every terminal and code page can show; lone surrogates are replaced."""
    return f"{_text(value, indent)}\n"


_COMPACT = json.JSONEncoder(allow_nan=False)


def _text(value: object, indent: int | None = None) -> str:
    encoder = json.JSONEncoder(allow_nan=False, indent=indent) if indent else _COMPACT
    text = encoder.encode(value)
    # A lone surrogate, or a character written as a surrogate pair.
    return encoder.encode(_clean(value)) if "\\ud" in text else text


def number(value: float | None) -> float | None:
    """Rounded to 3 decimals, without a trailing `.0`; null for infinity and NaN, which JSON lacks."""
    if value is None or isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded


def finding_object(located: Located) -> dict[str, Any]:
    finding, region, suppressed = located.finding, located.region, located.suppressed
    return {
        "file": located.path,
        "line": region.line if region else None,
        "column": region.column if region else None,
        "end_line": region.end_line if region else None,
        "end_column": region.end_column if region else None,
        "section": finding.place.section,
        "severity": finding.severity,
        "rule": finding.rule,
        "criterion": finding.criterion,
        "issue": finding.issue,
        "suggestion": finding.suggestion,
        "quote": finding.quote,
        "source": located.source,
        "by": list(finding.by),
        "standing": finding.standing,
        "category": finding.category,
        "verified": finding.verified,
        "fingerprint": located.fingerprint,
        "suppressed": {"by": suppressed.by, "reason": suppressed.reason} if suppressed else None,
    }


def _artifact(reviewed: Reviewed) -> dict[str, Any]:
    return {
        "name": reviewed.artifact.name,
        "kind": reviewed.artifact.kind,
        "digest": reviewed.artifact.digest,
        "files": [{"path": file.path, "digest": file.digest} for file in reviewed.artifact.files],
        "verdict": reviewed.verdict,
        "total": number(reviewed.total),
        "criteria": [_criterion(result) for result in reviewed.criteria],
        "unjudged": list(reviewed.unjudged),
    }


def _criterion(result: CriterionResult) -> dict[str, Any]:
    return {
        "name": result.criterion,
        "met": result.met,
        "score": number(result.score),
        "min_score": number(result.needs),
        "weight": number(result.weight),
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "severity": rule.severity,
        "criterion": rule.criterion,
        "summary": rule.summary,
        "description": rule.description,
        "docs": rule.docs,
    }


def _clean(value: object) -> object:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return {well_formed(key): _clean(inner) for key, inner in pairs.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in cast("list[object]", value)]
    return value
