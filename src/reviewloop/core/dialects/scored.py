"""`scored`: a verdict, a score for every criterion, and feedback by section."""

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
    is_number,
    severity_of,
    text_of,
)
from reviewloop.core.dialects.statements import read_object
from reviewloop.core.dialects.verdict_words import fold
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

name = "scored"


def schema(rubric: Rubric, *, confidence: bool = False) -> dict[str, Any]:
    texts = {field: {"type": "string", "minLength": 1} for field in ("section", "issue", "suggestion")}
    return {
        "type": "object",
        "required": ["verdict", "score", "feedback"],
        "properties": {
            "verdict": {"enum": ["pass", "needs_revision"]},
            "score": {
                "type": "object",
                "required": list(rubric.names),
                "properties": {name: {"type": "number", "minimum": 0, "maximum": 100} for name in rubric.names},
            },
            "feedback": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": list(texts),
                    "properties": texts | {"severity": {"enum": [str(level) for level in Severity]}} | PLACE_SCHEMA,
                },
            },
            "receipt": {"type": "string"},
        }
        | (CONFIDENCE_SCHEMA if confidence else {}),
    }


def instructions(rubric: Rubric, *, confidence: bool = False) -> str:
    scores = ", ".join(f'"{criterion}": <0-100>' for criterion in rubric.names)
    return f"""\
Answer with one JSON object and nothing after it:

{{
  "verdict": "pass" | "needs_revision",
  "score": {{{scores}}},
  "feedback": [
    {{"section": "<heading>", "issue": "<the problem>", "suggestion": "<what to write instead>",
     "severity": "critical" | "important" | "minor"}}
  ]
}}

Score every criterion. With `needs_revision`, give at least one item of feedback. Fill in `section`, `issue` and
`suggestion` of every item. A pass with a score below its minimum counts as a fail.
{OPTIONAL_FIELDS}{asked_for(confidence)}"""


def parse(answer: Answer, rubric: Rubric) -> Review | Malformed:
    return read_object(answer, lambda value: validate(value, rubric, answer), key="verdict", rubric=rubric)


def validate(value: Mapping[str, Any], rubric: Rubric, answer: Answer) -> Review | Malformed:
    verdict = value.get("verdict")
    if verdict not in ("pass", "needs_revision"):
        return Malformed(field="verdict", message=f"must be 'pass' or 'needs_revision', got {verdict!r:.60}")
    scores = _scores(value.get("score"), rubric)
    if isinstance(scores, Malformed):
        return scores
    feedback: Any = [] if value.get("feedback") is None else value["feedback"]
    if not isinstance(feedback, list):
        return Malformed(field="feedback", message="must be an array")
    if verdict == "needs_revision" and not feedback:
        return Malformed(field="feedback", message="feedback array required when verdict is 'needs_revision'")
    usual = Severity.IMPORTANT if verdict == "needs_revision" else Severity.MINOR
    findings: list[Finding] = []
    for index, item in enumerate(cast("list[Any]", feedback)):
        finding = _finding(item, index, usual)
        if isinstance(finding, Malformed):
            return finding
        findings.append(finding)
    return Review(
        verdict=Verdict(verdict),
        scores=scores,
        findings=tuple(findings),
        judged=rubric.names,
        summary=text_of(value.get("summary")),
        confidence=confidence_of(value, answer),
    )


def _scores(value: object, rubric: Rubric) -> dict[str, float] | Malformed:
    if not isinstance(value, dict):
        return Malformed(field="score", message="missing required score object")
    given = cast("dict[str, Any]", value)
    spelled: dict[str, str] = {}
    for name in given:
        if (other := spelled.setdefault(fold(name), name)) != name:
            return Malformed(field=f"score.{name:.60}", message=f"the criterion is scored twice, as `{other:.60}` too")
    for name in rubric.names:
        field = f"score.{name}"
        if name not in given:
            return Malformed(field=field, message="missing required criterion score")
        if not is_number(given[name]):
            return Malformed(field=field, message=f"must be a number, got {given[name]!r:.60}")
        if not 0 <= given[name] <= 100:
            return Malformed(field=field, message=f"score must be 0-100, got {given[name]!r:.60}")
    return {name: given[name] for name in rubric.names}


def _finding(item: object, index: int, usual: Severity) -> Finding | Malformed:
    if not isinstance(item, dict):
        return Malformed(field=f"feedback[{index}]", message="must be an object")
    given = cast("dict[str, Any]", item)
    for field in ("section", "issue", "suggestion"):
        if not text_of(given.get(field)):
            return Malformed(field=f"feedback[{index}].{field}", message=f"{field} is required")
    stated = given.get("severity")
    severity = usual if stated is None else severity_of(stated)
    if severity is None:
        return Malformed(field=f"feedback[{index}].severity", message=f"{SEVERITIES}, got {stated!r:.60}")
    return finding_of(given, issue=text_of(given["issue"]), severity=severity)
