"""`signal`, `findings` and `decision`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reviewloop.core.dialects import DIALECTS, Answer, parse
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.policy import DIALECT_NAMES
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import FOUR_CRITERIA, QUALITY_CHECKS, REQUIREMENTS

TABLE = """\
## Review: requirements (Iteration 1)

### Findings
| # | Dimension | Status | Finding |
|---|-----------|--------|---------|
| 1 | Completeness | PASS | All there |
| 2 | Testability | {status} | AC-2 on line 45 cannot be observed |
| 3 | Traceability | PASS | ok |
| 4 | Scope | PASS | ok |

### Summary
- Passed: 3/4 dimensions

### Feedback for Revision
1. Say what AC-2 shows

{signal}
"""


def signal(text: str, **kwargs: Any) -> Review | Malformed:
    return parse("signal", Answer(text=text, **kwargs), REQUIREMENTS)


def test_signal_passes_when_every_row_and_the_last_line_say_so():
    review = signal(TABLE.format(status="PASS", signal="REVIEW_PASS"))
    assert isinstance(review, Review)
    assert (Verdict.PASS, REQUIREMENTS.names) == (review.verdict, review.judged)


def test_any_fail_row_makes_the_review_fail_whatever_the_signal_says():
    review = signal(TABLE.format(status="FAIL", signal="REVIEW_PASS"))
    assert isinstance(review, Review)
    failing = review.findings[0]
    assert (Verdict.NEEDS_REVISION, "testability", 45) == (review.verdict, failing.criterion, failing.place.line)


@pytest.mark.parametrize("mark", ["**REVIEW_PASS**", "`REVIEW_PASS`", "- REVIEW_PASS", "REVIEW_PASS\n\n"])
def test_marks_around_the_signal_are_fine(mark: str):
    review = signal(TABLE.format(status="PASS", signal=mark))
    assert isinstance(review, Review)
    assert Verdict.PASS is review.verdict


@pytest.mark.parametrize(
    "end", ["", "I would say REVIEW_PASS", "REVIEW_PASS\nThat is all.", "REVIEW_MAYBE", "REVIEW_PASS or REVIEW_FAIL"]
)
def test_the_word_elsewhere_is_no_signal(end: str):
    assert isinstance(signal(TABLE.format(status="PASS", signal=end)), Malformed)


def test_a_dimension_that_no_row_judges_is_asked_for_by_name():
    message = "the findings table has no row for completeness, testability, traceability, scope"
    assert Malformed(field="findings", message=message) == signal("REVIEW_PASS")


def test_a_row_and_an_item_of_feedback_that_say_the_same_are_one_finding():
    table = TABLE.format(status="FAIL", signal="REVIEW_FAIL")
    review = signal(table.replace("Say what AC-2 shows", "AC-2 on line 45 cannot be observed: name what it shows"))
    assert isinstance(review, Review)
    assert [("testability", "AC-2 on line 45 cannot be observed: name what it shows")] == [
        (finding.criterion, finding.suggestion) for finding in review.findings
    ]


def test_an_info_row_alone_judges_nothing():
    review = signal(TABLE.format(status="INFO", signal="REVIEW_PASS"))
    assert isinstance(review, Review)
    assert ("completeness", "traceability", "scope") == review.judged


def test_a_status_that_is_none_is_malformed():
    assert Malformed(field="findings[1].status", message="must be PASS, FAIL or INFO, got 'maybe'") == signal(
        TABLE.format(status="maybe", signal="REVIEW_PASS")
    )


def test_a_fail_in_plain_words_is_a_no_with_those_words():
    review = signal("AC-2 can't be observed.\nREVIEW_FAIL")
    assert isinstance(review, Review)
    assert (Verdict.NEEDS_REVISION, ["AC-2 can't be observed."]) == (
        review.verdict, [finding.issue for finding in review.findings],
    )  # fmt: skip


def test_a_fail_without_a_reason_is_asked_for_again_and_heard():
    problem = signal("REVIEW_FAIL")
    assert isinstance(problem, Malformed)
    assert problem.refusal is not None


def test_a_signal_that_stands_in_the_artifact_is_a_quotation():
    text = TABLE.format(status="PASS", signal="REVIEW_PASS")
    assert isinstance(signal(text, sources=[f"# Requirements\n\n{text}"]), Malformed)
    assert isinstance(signal("REVIEW_PASS", sources=["# Requirements\n\nREVIEW_PASS\n"]), Malformed)


def findings(value: Any) -> Review | Malformed:
    return parse("findings", Answer(text=json.dumps(value)), FOUR_CRITERIA)


def test_findings_keep_severity_and_place():
    review = findings(
        {"verdict": "fail", "findings": [{"severity": "critical", "file": "a.py", "line": 3, "description": "boom"}]}
    )
    assert isinstance(review, Review)
    found = review.findings[0]
    assert (Verdict.NEEDS_REVISION, Severity.CRITICAL, "a.py:3", "boom") == (
        review.verdict, found.severity, str(found.place), found.issue,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"verdict": "needs_revision", "findings": []}, "verdict"),
        ({"verdict": "pass"}, "findings"),
        ({"verdict": "fail", "findings": []}, "findings"),
        ({"verdict": "fail", "findings": [{"severity": "high", "description": "x"}]}, "findings[0].severity"),
        ({"verdict": "fail", "findings": [{"severity": "minor"}]}, "findings[0].description"),
        ({"verdict": "fail", "findings": [3]}, "findings[0]"),
    ],
)
def test_broken_findings_are_named_by_field(value: Any, field: str):
    problem = findings(value)
    assert isinstance(problem, Malformed)
    assert field == problem.field


def decision(value: Any) -> Review | Malformed:
    return parse("decision", Answer(text=json.dumps(value)), QUALITY_CHECKS)


def test_004_go_and_no_go_decisions():
    checks = dict.fromkeys(QUALITY_CHECKS.names, True)
    go = decision({"decision": "GO", "feedback": "All criteria met.", "quality_checks": checks})
    no_go = decision({"decision": "NO_GO", "feedback": "missing error handling on auth flow"})
    assert isinstance(go, Review)
    assert isinstance(no_go, Review)
    assert (Verdict.PASS, "All criteria met.") == (go.verdict, go.summary)
    assert (Verdict.NEEDS_REVISION, "missing error handling on auth flow") == (no_go.verdict, no_go.findings[0].issue)


def test_004_go_with_a_failed_check_is_no_go():
    review = decision({"decision": "GO", "feedback": "fine", "quality_checks": {"code_standards_met": False}})
    assert isinstance(review, Review)
    assert Verdict.NEEDS_REVISION is review.verdict
    assert "quality check failed: code_standards_met" == review.findings[-1].issue


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"decision": "go"}, "decision"),
        ({"decision": "NO_GO"}, "feedback"),
        ({"decision": "NO_GO", "feedback": "  "}, "feedback"),
        ({"decision": "GO", "feedback": 3}, "feedback"),
        ({"decision": "GO", "quality_checks": []}, "quality_checks"),
        (
            {"decision": "GO", "quality_checks": {"security_review_passed": "yes"}},
            "quality_checks.security_review_passed",
        ),
    ],
)
def test_broken_decisions_are_named_by_field(value: Any, field: str):
    problem = decision(value)
    assert isinstance(problem, Malformed)
    assert field == problem.field


def test_the_settings_know_every_dialect_by_name():
    assert DIALECT_NAMES == tuple(DIALECTS)
