"""For programs: one JSON object with everything that is known. Its keys are documented in docs/reports.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

from reviewloop.reports.finding_places import Located, by_file
from reviewloop.reports.phrases import SEVERITIES
from reviewloop.reports.report import Judgement, Reviewed, ReviewReport, RuleInfo
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
            "artifacts": [_artifact(one) for one in report.artifacts],
            "findings": [finding_object(one) for file in files for one in file.findings],
            "suppressed": [finding_object(one) for file in files for one in file.suppressed],
            "left_out": list(report.left_out),
            "warnings": list(report.warnings),
            "notes": list(report.notes),
            "rules": [_rule(rule) for rule in report.rules],
        }
    )


def _spread(value: Mapping[str, object]) -> str:
    """An object with a line for each key, and for each entry of its lists."""
    pairs = (f"  {_text(key)}: {_lines(inner)}" for key, inner in value.items())
    return "{\n" + ",\n".join(pairs) + "\n}\n"


def _lines(value: object) -> str:
    entries = cast("list[object]", value) if isinstance(value, list) else []
    lines = ",\n".join(f"    {_text(entry)}" for entry in entries)
    return f"[\n{lines}\n  ]" if entries else _text(cast("object", value))


def dumps(value: object, *, indent: int | None = None) -> str:
    """JSON in ASCII, so that no terminal or code page can spoil it; lone surrogates are replaced."""
    return f"{_text(value, indent)}\n"


_COMPACT = json.JSONEncoder(allow_nan=False)


def _text(value: object, indent: int | None = None) -> str:
    encoder = json.JSONEncoder(allow_nan=False, indent=indent) if indent else _COMPACT
    text = encoder.encode(value)
    # half a character, or a whole one written as two halves
    return encoder.encode(_clean(value)) if "\\ud" in text else text


def number(value: float | None) -> float | None:
    """Rounded, without a needless `.0`; what JSON cannot say is null."""
    if value is None or isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded


def finding_object(one: Located) -> dict[str, Any]:
    finding, region = one.finding, one.region
    return {
        "file": one.path,
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
        "source": one.source,
        "by": list(finding.by),
        "standing": finding.standing,
        "category": finding.category,
        "verified": finding.verified,
        "fingerprint": one.fingerprint,
        "suppressed": {"by": one.suppressed.by, "reason": one.suppressed.reason} if one.suppressed else None,
    }


def _artifact(one: Reviewed) -> dict[str, Any]:
    return {
        "name": one.artifact.name,
        "kind": one.artifact.kind,
        "digest": one.artifact.digest,
        "files": [{"path": file.path, "digest": file.digest} for file in one.artifact.files],
        "verdict": one.verdict,
        "total": number(one.total),
        "criteria": [_judgement(judgement) for judgement in one.judgements],
        "unjudged": list(one.unjudged),
    }


def _judgement(judgement: Judgement) -> dict[str, Any]:
    return {
        "name": judgement.criterion,
        "met": judgement.met,
        "score": number(judgement.score),
        "min_score": number(judgement.needs),
        "weight": number(judgement.weight),
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
