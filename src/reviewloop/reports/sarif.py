"""For code scanning: SARIF 2.1.0, with rules, suppressions and fingerprints."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, Unit, by_file
from reviewloop.reports.json import dumps, number
from reviewloop.reports.phrases import left_out
from reviewloop.reports.report import Reviewed, ReviewReport, RuleInfo, Silencer
from reviewloop.reports.safe_text import well_formed
from reviewloop.reports.text_range import Region

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.IMPORTANT: "warning",
    Severity.MINOR: "note",
    Severity.INFO: "note",
}
_DRIVE = re.compile(r"[A-Za-z]:/")
_URI = "/:?#[]@!$&'()*+,;=%~"
_RANKS = {Severity.CRITICAL: 95, Severity.IMPORTANT: 65, Severity.MINOR: 35, Severity.INFO: 5}


def render(report: ReviewReport) -> str:
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}, indent=2)


def _run(report: ReviewReport) -> dict[str, Any]:
    located = [one for file in by_file(report) for one in (*file.findings, *file.suppressed)]
    rules = {rule.id: rule for rule in report.rules}
    for one in located:
        rules.setdefault(one.label, _unlisted(one))
    rule_indexes = {name: index for index, name in enumerate(rules)}
    file_indexes = {path: index for index, path in enumerate(report.paths)}
    return {
        "tool": {
            "driver": {
                "name": "Reviewloop",
                **({"version": report.tool_version} if report.tool_version else {}),
                "rules": [_rule(rule) for rule in rules.values()],
            }
        },
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the project that was reviewed."}}},
        "artifacts": [{"location": _place(path), "roles": ["analysisTarget"]} for path in report.paths],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [_result(one, rule_indexes[one.label], file_indexes.get(one.anchor)) for one in located],
        "properties": {"reviews": [_review(one) for one in report.artifacts]},
    }


def _unlisted(one: Located) -> RuleInfo:
    """What a model judged has no rule; its criterion stands in for one."""
    return RuleInfo(
        id=one.label,
        name=one.label,
        severity=Severity.IMPORTANT,
        summary=f"Findings of reviewers under “{one.label}”",
        criterion=one.finding.criterion,
    )


def _rule(rule: RuleInfo) -> dict[str, Any]:
    online = rule.docs.startswith(("https://", "http://"))
    help_text = rule.description or rule.summary
    if rule.docs and not online:
        help_text = f"{help_text}\n\nSee {rule.docs}"
    return {
        "id": rule.id,
        **({"name": rule.name} if rule.name != rule.id else {}),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.description or rule.summary},
        "help": {"text": help_text},
        **({"helpUri": quote(well_formed(rule.docs), safe=_URI)} if online else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "rank": _RANKS[rule.severity]},
        "properties": {"tags": [rule.criterion] if rule.criterion else []},
    }


def _invocation(report: ReviewReport) -> dict[str, Any]:
    told = [
        *(("error", left_out(text)) for text in report.left_out),
        *(("warning", text) for text in report.warnings),
        *(("note", text) for text in report.notes),
    ]
    return {
        "executionSuccessful": bool(report.artifacts) and not report.is_incomplete,
        "toolExecutionNotifications": [{"level": level, "message": {"text": text}} for level, text in told],
    }


def _result(one: Located, rule_index: int, file_index: int | None) -> dict[str, Any]:
    finding = one.finding
    location: dict[str, Any] = {"physicalLocation": _physical(one, file_index)}
    if finding.place.section:
        location["logicalLocations"] = [{"name": finding.place.section}]
    return {
        "ruleId": one.label,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "rank": _RANKS[finding.severity],
        "message": {"text": f"{finding.issue}\n\nhint: {finding.suggestion}" if finding.suggestion else finding.issue},
        "locations": [location],
        "partialFingerprints": {"reviewloop/v1": one.fingerprint},
        # The standard wants it on all results of a run or on none.
        "suppressions": _suppressions(one),
        "properties": {
            "severity": finding.severity,
            "criterion": finding.criterion,
            "standing": finding.standing,
            "reviewers": list(finding.by),
        },
    }


def _physical(one: Located, file_index: int | None) -> dict[str, Any]:
    place = _place(one.anchor)
    if file_index is not None:
        place["index"] = file_index
    # GitHub shows no result without a line.
    region = one.region_in(Unit.CODE_UNITS) or Region(line=1, end_line=1)
    columns = {"startColumn": region.column, "endColumn": region.end_column}
    return {
        "artifactLocation": place,
        "region": {
            "startLine": region.line,
            "endLine": region.end_line,
            **{name: column for name, column in columns.items() if column is not None},
        },
    }


def _place(path: str) -> dict[str, Any]:
    """A file as a URI: relative to the root, or with a scheme of its own if the path is absolute."""
    uri = quote(path.encode("utf-8", "replace"), safe="/")
    if path.startswith("/"):
        return {"uri": f"file://{uri}"}
    if _DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{uri[4:]}"}
    return {"uri": uri, "uriBaseId": ROOT}


def _suppressions(one: Located) -> list[dict[str, Any]]:
    if one.suppressed is None:
        return []
    in_source = one.suppressed.by is Silencer.INLINE
    return [
        {
            "kind": "inSource" if in_source else "external",
            "status": "accepted",
            "justification": one.suppressed.reason,
        }
    ]


def _review(one: Reviewed) -> dict[str, Any]:
    return {
        "artifact": one.artifact.name,
        "kind": one.artifact.kind,
        "verdict": one.verdict,
        "total": number(one.total),
        "scores": {name: number(score) for name, score in one.scores.items()},
        "unjudged": list(one.unjudged),
    }
