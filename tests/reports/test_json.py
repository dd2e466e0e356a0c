import json
from dataclasses import replace

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE

from reviewloop.reports import render


def test_the_object_has_everything_in_a_fixed_order():
    report = json.loads(render(SAMPLE, "json"))

    assert snapshot(
        [
            "version",
            "tool",
            "verdict",
            "elapsed",
            "reviewers",
            "summary",
            "artifacts",
            "findings",
            "suppressed",
            "left_out",
            "warnings",
            "notes",
            "rules",
        ]
    ) == list(report)
    assert snapshot(
        {
            "version": 1,
            "tool": {"name": "reviewloop", "version": "0.1.0"},
            "verdict": "needs_revision",
            "elapsed": 0.123,
            "reviewers": ["static", "haiku", "sonnet"],
            "summary": {
                "files": 2,
                "findings": 4,
                "critical": 1,
                "important": 2,
                "minor": 0,
                "info": 1,
                "suppressed": 1,
            },
            "artifacts": [],
            "findings": [],
            "suppressed": [],
            "left_out": [],
            "warnings": ["tasks.md is empty and was skipped"],
            "notes": ["the upstream PRD was found by convention"],
            "rules": [],
        }
    ) == {**report, "artifacts": [], "findings": [], "suppressed": [], "rules": []}


def test_an_artifact_tells_its_files_scores_and_what_nobody_judged():
    assert (
        snapshot(
            {
                "name": "sign in",
                "kind": "requirements",
                "digest": "40dbfd5dee9db414d1740cea5e55c4dd651cda407a8bc30f59380454023eead1",
                "files": [
                    {
                        "path": "specs/sign in/requirements.md",
                        "digest": "1f79b64fb10e6dd7d2b21043e39fe6f4f41f0c327b5068f8e24b18acc5bc4f17",
                    }
                ],
                "verdict": "needs_revision",
                "total": 81.667,
                "criteria": [
                    {"name": "completeness", "met": True, "score": 100, "min_score": 70, "weight": 2},
                    {"name": "testability", "met": False, "score": 45, "min_score": 70, "weight": 1},
                    {"name": "scope", "met": None, "score": None, "min_score": 70, "weight": 1},
                ],
                "unjudged": ["scope"],
            }
        )
        == json.loads(render(SAMPLE, "json"))["artifacts"][0]
    )


def test_a_finding_tells_its_exact_place_and_who_raised_it():
    findings = json.loads(render(SAMPLE, "json"))["findings"]

    assert (
        snapshot(
            {
                "file": "specs/sign in/design.md",
                "line": 3,
                "column": 10,
                "end_line": 3,
                "end_column": 29,
                "section": "Design",
                "severity": "important",
                "rule": None,
                "criterion": "completeness",
                "issue": """\
The session's life time is never stated:
readers will guess\
""",
                "suggestion": None,
                "quote": "src/auth/session.py",
                "source": "\tModify `src/auth/session.py`",
                "by": ["haiku", "sonnet"],
                "standing": "still_failing",
                "category": None,
                "verified": None,
                "fingerprint": "3190a844dc1c96ce35443e79d5abcf29db4544bd267ba5d5a70284db83b2198a",
                "suppressed": None,
            }
        )
        == findings[3]
    )


def test_a_suppressed_finding_says_by_what_and_why():
    (quiet,) = json.loads(render(SAMPLE, "json"))["suppressed"]

    assert {"by": "inline", "reason": "the word is our customer's"} == quiet["suppressed"]


def test_a_rule_comes_with_its_page():
    assert (
        snapshot(
            {
                "id": "REQ013",
                "name": "story-without-criteria",
                "severity": "critical",
                "criterion": "testability",
                "summary": "A user story has no acceptance criteria",
                "description": "Nobody can tell when such a story is done.",
                "docs": "docs/rules/REQ013.md",
            }
        )
        == json.loads(render(SAMPLE, "json"))["rules"][0]
    )


def test_every_finding_has_a_line_of_its_own():
    lines = render(SAMPLE, "json").splitlines()
    first = lines.index('  "findings": [') + 1

    told = [json.loads(line.rstrip(",")) for line in lines[first : lines.index("  ],", first)]]
    assert json.loads(render(SAMPLE, "json"))["findings"] == told


def test_the_same_report_is_the_same_text():
    assert render(SAMPLE, "json") == render(replace(SAMPLE), "json")


def test_json_is_ascii_so_that_no_code_page_spoils_it():
    assert render(SAMPLE, "json").isascii()


def test_json_lines_are_the_findings_of_the_json_report():
    lines = [json.loads(line) for line in render(SAMPLE, "jsonl").splitlines()]

    assert json.loads(render(SAMPLE, "json"))["findings"] == lines
    assert "" == render(CLEAN, "jsonl")
