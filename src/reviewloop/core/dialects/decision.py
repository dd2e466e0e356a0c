"""`decision`: GO or NO_GO, with feedback and up to four quality checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.dialects.items import CONFIDENCE_SCHEMA, asked_for, confidence_of, text_of
from reviewloop.core.dialects.statements import read_object
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import QUALITY_CHECKS, Rubric

name = "decision"


def schema(rubric: Rubric, *, confidence: bool = False) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["decision", "feedback", "quality_checks"],
        "properties": {
            "decision": {"enum": ["GO", "NO_GO"]},
            "feedback": {"type": "string"},
            "quality_checks": {
                "type": "object",
                "properties": {check: {"type": "boolean"} for check in QUALITY_CHECKS.names},
                "required": list(QUALITY_CHECKS.names),
                "additionalProperties": False,
            },
            "receipt": {"type": "string"},
        }
        | (CONFIDENCE_SCHEMA if confidence else {}),
    }


def instructions(rubric: Rubric, *, confidence: bool = False) -> str:
    checks = ",\n    ".join(f'"{check}": true | false' for check in QUALITY_CHECKS.names)
    return f"""\
Answer with one JSON object and nothing after it:

{{
  "decision": "GO" | "NO_GO",
  "feedback": "<the changes that are needed, point by point; for GO, the reasons>",
  "quality_checks": {{
    {checks}
  }}
}}

With NO_GO, give feedback that the coder can act on. A GO needs all four checks; a GO with a failed check counts as
NO_GO.{asked_for(confidence)}"""


def parse(answer: Answer, rubric: Rubric) -> Review | Malformed:
    return read_object(answer, lambda value: validate(value, rubric, answer), key="decision", rubric=rubric)


def validate(value: Mapping[str, Any], rubric: Rubric, answer: Answer) -> Review | Malformed:
    decision = value.get("decision")
    if decision not in ("GO", "NO_GO"):
        return Malformed(field="decision", message=f"must be 'GO' or 'NO_GO', got {decision!r:.60}")
    feedback = value.get("feedback")
    if feedback is not None and not isinstance(feedback, str):
        return Malformed(field="feedback", message="must be a string")
    if decision == "NO_GO" and not text_of(feedback):
        return Malformed(field="feedback", message="feedback required when decision is 'NO_GO'")
    checks: Any = value.get("quality_checks") or {}
    if not isinstance(checks, dict):
        return Malformed(field="quality_checks", message="must be an object")
    given = cast("dict[str, Any]", checks)
    given = {name: passed for name, passed in given.items() if name in QUALITY_CHECKS.names or isinstance(passed, bool)}
    for check, passed in given.items():
        if not isinstance(passed, bool):
            return Malformed(field=f"quality_checks.{check:.60}", message=f"must be true or false, got {passed!r:.60}")
    failed = tuple(check for check, passed in given.items() if not passed)
    missing = [check for check in QUALITY_CHECKS.names if check not in given]
    if decision == "GO" and missing and not failed:
        message = f"GO needs every check, and {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        return Malformed(field="quality_checks", message=message)
    go = decision == "GO" and not failed
    return Review(
        verdict=Verdict.PASS if go else Verdict.NEEDS_REVISION,
        checks=given,
        findings=() if go else _findings(text_of(feedback) if decision == "NO_GO" else "", failed),
        judged=rubric.names,
        summary=text_of(feedback),
        confidence=confidence_of(value, answer),
    )


def _findings(feedback: str, failed: tuple[str, ...]) -> tuple[Finding, ...]:
    stated = (Finding(issue=feedback, severity=Severity.IMPORTANT),) if feedback else ()
    checks = tuple(
        Finding(issue=f"quality check failed: {check}", severity=Severity.IMPORTANT, criterion=check)
        for check in failed
    )
    return stated + checks
