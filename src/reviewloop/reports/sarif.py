"""The SARIF 2.1.0 format for code scanning, with rules, suppressions and fingerprints."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, Unit, by_file
from reviewloop.reports.json import dumps, number
from reviewloop.reports.phrases import left_out, with_hint
from reviewloop.reports.report import Reviewed, ReviewReport, RuleInfo, Silencer, Suppressed
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
    findings = [located for file in by_file(report) for located in (*file.findings, *file.suppressed)]
    rules = {rule.id: rule for rule in report.rules}
    for located in findings:
        rules.setdefault(located.label, _criterion_rule(located))
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
        "artifacts": [{"location": _file_uri(path), "roles": ["analysisTarget"]} for path in report.paths],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [
            _result(located, rule_indexes[located.label], file_indexes.get(located.anchor)) for located in findings
        ],
        "properties": {"reviews": [_review(reviewed) for reviewed in report.artifacts]},
    }


def _criterion_rule(located: Located) -> RuleInfo:
    """A rule that stands for a criterion, because an agent's finding has no rule."""
    return RuleInfo(
        id=located.label,
        name=located.label,
        severity=Severity.IMPORTANT,
        summary=f"Reviewers' findings under “{located.label}”",
        criterion=located.finding.criterion,
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
    notifications = [
        *(("error", left_out(text)) for text in report.left_out),
        *(("warning", text) for text in report.warnings),
        *(("note", text) for text in report.notes),
    ]
    return {
        "executionSuccessful": bool(report.artifacts) and not report.is_incomplete,
        "toolExecutionNotifications": [{"level": level, "message": {"text": text}} for level, text in notifications],
    }


def _result(located: Located, rule_index: int, file_index: int | None) -> dict[str, Any]:
    finding = located.finding
    location: dict[str, Any] = {"physicalLocation": _physical_location(located, file_index)}
    if finding.place.section:
        location["logicalLocations"] = [{"name": finding.place.section}]
    return {
        "ruleId": located.label,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "rank": _RANKS[finding.severity],
        "message": {"text": with_hint(finding)},
        "locations": [location],
        "partialFingerprints": {"reviewloop/v1": located.fingerprint},
        # SARIF requires this on all results of a run, or on none.
        "suppressions": _suppressions(located.suppressed),
        "properties": {
            "severity": finding.severity,
            "criterion": finding.criterion,
            "standing": finding.standing,
            "reviewers": list(finding.by),
        },
    }


def _physical_location(located: Located, file_index: int | None) -> dict[str, Any]:
    file = _file_uri(located.anchor)
    if file_index is not None:
        file["index"] = file_index
    # GitHub ignores results without a line.
    region = located.region_in(Unit.CODE_UNITS) or Region(line=1, end_line=1)
    columns = {"startColumn": region.column, "endColumn": region.end_column}
    return {
        "artifactLocation": file,
        "region": {
            "startLine": region.line,
            "endLine": region.end_line,
            **{name: column for name, column in columns.items() if column is not None},
        },
    }


def _file_uri(path: str) -> dict[str, Any]:
    """The file as a URI: relative to the project root, or `file://` for an absolute path."""
    uri = quote(path.encode("utf-8", "replace"), safe="/")
    if path.startswith("/"):
        return {"uri": f"file://{uri}"}
    if _DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{uri[4:]}"}
    return {"uri": uri, "uriBaseId": ROOT}


def _suppressions(suppressed: Suppressed | None) -> list[dict[str, Any]]:
    if suppressed is None:
        return []
    kind = "inSource" if suppressed.by is Silencer.INLINE else "external"
    return [{"kind": kind, "status": "accepted", "justification": suppressed.reason}]


def _review(reviewed: Reviewed) -> dict[str, Any]:
    return {
        "artifact": reviewed.artifact.name,
        "kind": reviewed.artifact.kind,
        "verdict": reviewed.verdict,
        "total": number(reviewed.total),
        "scores": {name: number(score) for name, score in reviewed.scores.items()},
        "unjudged": list(reviewed.unjudged),
    }
