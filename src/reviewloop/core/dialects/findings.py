"""`findings`: a verdict and a list of findings, each with its severity and place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.dialects.items import (
    CONFIDENCE_SCHEMA,
    OPTIONAL_FIELDS,
    PLACE_SCHEMA,
    SEVERITIES,
    asked_for,
    confidence_of,
    finding_of,
    severity_of,
    text_of,
)
from reviewloop.core.dialects.statements import read_object
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

name = "findings"

_VERDICTS = {"pass": Verdict.PASS, "fail": Verdict.NEEDS_REVISION}


def schema(rubric: Rubric, *, confidence: bool = False) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["verdict", "findings"],
        "properties": {
            "verdict": {"enum": list(_VERDICTS)},
            "findings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["severity", "description"],
                    "properties": {
                        "id": {"type": "string"},
                        "severity": {"enum": [str(severity) for severity in Severity]},
                        "section": {"type": "string"},
                        "description": {"type": "string", "minLength": 1},
                        "suggestion": {"type": "string"},
                        **PLACE_SCHEMA,
                        "criterion": {"enum": list(rubric.names)},
                    },
                },
            },
            "receipt": {"type": "string"},
        }
        | (CONFIDENCE_SCHEMA if confidence else {}),
    }


def instructions(rubric: Rubric, *, confidence: bool = False) -> str:
    return f"""\
Answer with one JSON object and nothing after it:

{{
  "verdict": "pass" | "fail",
  "findings": [
    {{"severity": "critical" | "important" | "minor" | "info",
     "criterion": {" | ".join(f'"{criterion}"' for criterion in rubric.names)},
     "file": "<path>", "line": <number>, "section": "<heading>",
     "description": "<the problem>", "suggestion": "<the change>", "quote": "<the words, copied exactly>"}}
  ]
}}

Severities: critical, nothing may be built on the work as it is; important, must be fixed first; minor, should be fixed
but need not delay the work; info, for information only. With `fail`, report at least one critical or important finding.
Without findings, the list is empty.
{OPTIONAL_FIELDS}{asked_for(confidence)}"""


def parse(answer: Answer, rubric: Rubric) -> Review | Malformed:
    return read_object(answer, lambda value: validate(value, rubric, answer), key="verdict", rubric=rubric)


def validate(value: Mapping[str, Any], rubric: Rubric, answer: Answer) -> Review | Malformed:
    verdict = value.get("verdict")
    if not isinstance(verdict, str) or verdict not in _VERDICTS:
        return Malformed(field="verdict", message=f"must be 'pass' or 'fail', got {verdict!r:.60}")
    items = value.get("findings")
    if not isinstance(items, list):
        return Malformed(field="findings", message="missing required findings array")
    if verdict == "fail" and not items:
        return Malformed(field="findings", message="findings required when verdict is 'fail'")
    findings: list[Finding] = []
    for index, item in enumerate(cast("list[Any]", items)):
        finding = _finding(item, index)
        if isinstance(finding, Malformed):
            return finding
        findings.append(finding)
    return Review(
        verdict=_VERDICTS[verdict],
        findings=tuple(findings),
        judged=rubric.names,
        summary=text_of(value.get("summary")),
        confidence=confidence_of(value, answer),
    )


def _finding(item: object, index: int) -> Finding | Malformed:
    if not isinstance(item, dict):
        return Malformed(field=f"findings[{index}]", message="must be an object")
    given = cast("dict[str, Any]", item)
    severity = severity_of(given.get("severity"))
    if severity is None:
        message = f"{SEVERITIES}, got {given.get('severity')!r:.60}"
        return Malformed(field=f"findings[{index}].severity", message=message)
    description = text_of(given.get("description"))
    if not description:
        return Malformed(field=f"findings[{index}].description", message="description is required")
    return finding_of(given, issue=description, severity=severity)
