"""The panel's report: the same value in the terminal, as Markdown and as JSON."""

from __future__ import annotations

import re

import pytest
from inline_snapshot import snapshot
from test_panel import BOOM, CLEAN, NIT, OTHER, SAME, panel, says

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


def steady(text: str) -> str:
    """Without what a clock decides."""
    return re.sub(r"\d+\.\d s", "N s", text)


def test_markdown_of_an_approval(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(), "quality": says(NIT)}, auto_approve=True)
    project.run()
    result = project.cli("status", "spec", "--format", "markdown")
    assert ExitCode.PASSED == result.exit_code
    assert steady(result.stdout) == snapshot("""\
## Review result: spec, iteration 1

**Strategy:** Speculative parallel (4 reviewers)  \n\
**Confidence: High (0.85)** — haiku and sonnet report only minor findings  \n\
**Calibrated:** 0.94 (0.74 to 0.97; prior, no answers yet)  \n\
**Auto-decision: ✅ Approved** (override with `review.auto_approve: false`)

### Spec findings

| Category | Count | Severity | Action |
|---|--:|---|---|
| Agreed | 0 | — | — |
| Sonnet-only | 0 | — | — |
| Haiku-only | 0 | — | — |

### Quality findings

| Category | Count | Severity | Action |
|---|--:|---|---|
| Agreed | 0 | — | — |
| Sonnet-only | 1 | Minor | Noted, not blocking |
| Haiku-only | 0 | — | — |

Asking both stages at once saved N s.
""")


def test_markdown_of_a_failed_spec_stage(project: Project):
    panel(project, haiku={"spec": says(BOOM), "quality": says(OTHER)}, sonnet={"spec": says(SAME), "quality": says()})
    project.run()
    result = project.cli("status", "spec", "--format", "markdown")
    assert ExitCode.BLOCKED == result.exit_code
    text = steady(result.stdout).replace("; time lost: N s", "")
    assert text == snapshot("""\
## Review result: spec, iteration 1

**Strategy:** Speculative parallel (4 reviewers)  \n\
**Confidence: High (0.9)** — haiku and sonnet report the same critical finding  \n\
**Calibrated:** 0.84 (0.57 to 0.97; prior, no answers yet)  \n\
**Auto-decision: Not taken; a person decides; proposal: revise** (override with `review.auto_reject: true`)

### Spec findings

| Category | Count | Severity | Action |
|---|--:|---|---|
| Agreed | 1 | Critical | To be fixed |
| Sonnet-only | 0 | — | — |
| Haiku-only | 0 | — | — |

### Quality findings

Discarded: the spec stage failed.

2 quality answers discarded (N s).
""")


def test_the_terminal_shows_the_same(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(), "quality": says(OTHER)})
    project.run()
    shown = steady(project.cli("status", "spec").stdout)
    report = shown[shown.index("  strategy") : shown.index("  Asking both")]
    assert report == snapshot("""\
  strategy: Speculative parallel (4 reviewers)
  confidence: Low (0.4)
  calibrated: 0.45 (0.17 to 0.75; prior, no answers yet)
  auto-decision: Not taken; a person decides

  spec findings
    category     count  severity  action
    Agreed       0      —         —
    Sonnet-only  0      —         —
    Haiku-only   0      —         —

  quality findings
    category     count  severity   action
    Agreed       0      —          —
    Sonnet-only  1      Important  For a person to decide
    Haiku-only   0      —          —

""")


def test_json_has_it_as_one_object(project: Project):
    panel(project, haiku={"spec": says(BOOM), "quality": says()}, sonnet={"spec": says(SAME), "quality": says()})
    project.run()
    session = project.cli("status", "spec", "--format", "json").session
    report = session["report"]
    assert (0.9, "High", "both_fail_agreed_critical", "review.auto_reject: true") == (
        report["confidence"], report["level"], report["scenario"], report["override"],
    )  # fmt: skip
    assert [("Agreed", 1), ("Sonnet-only", 0), ("Haiku-only", 0)] == [
        (row["category"], row["count"]) for row in report["stages"][0]["rows"]
    ]
    assert (2, "discarded: the spec stage failed") == (report["discarded"]["answers"], report["stages"][1]["note"])
    assert session == project.cli("status", "spec", "--json").session


def test_a_persons_answer_is_in_the_report(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    project.run()
    project.cli("inbox", "answer", "spec", "--accept", "--by", "Ada")
    report = project.cli("status", "spec", "--json").session["report"]
    assert ("Ada chose accept", None, True) == (report["decided"], report["override"], report["approved"])


def test_what_may_be_the_same_is_shown_in_words(project: Project):
    limit = {"severity": "important", "section": "Requirements", "description": "FR-2 ignores slow networks"}
    slow = {"severity": "minor", "section": "Requirements", "description": "FR-2: where are the | 5 seconds measured?"}
    panel(project, haiku={"spec": says(limit), "quality": says()}, sonnet={"spec": says(slow), "quality": says()})
    project.run()
    text = project.cli("status", "spec", "--format", "markdown").stdout
    assert "### Possibly the same" in text
    assert "- FR-2 ignores slow networks / FR-2: where are the \\| 5 seconds measured?" in text


def test_one_model_has_one_row_and_states_no_confidence(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, strategy="single", single_model="sonnet")
    project.run()
    report = project.cli("status", "spec", "--json").session["report"]
    assert (["Sonnet"], None, "Speculative single (2 reviewers)") == (
        [row["category"] for row in report["stages"][0]["rows"]], report["confidence"], report["strategy"],
    )  # fmt: skip


def test_a_session_without_a_panel_has_no_such_report(project: Project):
    project.configure()
    project.run()
    result = project.cli("status", "spec", "--format", "markdown")
    assert (ExitCode.USAGE, True) == (result.exit_code, "was not reviewed by a panel" in result.stderr)
    assert project.cli("status", "spec", "--json").session["report"] is None
