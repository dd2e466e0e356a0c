from dataclasses import replace
from xml.etree import ElementTree as ET

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE, VAGUE

from reviewloop.reports import render
from reviewloop.reports.report import CriterionResult, ReviewReport


def test_a_suite_per_file_and_a_case_per_rule_or_criterion():
    assert snapshot("""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="reviewloop" time="0.123" tests="6" failures="4" errors="0" skipped="1">
  <testsuite name="specs/sign in/requirements.md" tests="5" failures="3" errors="0" skipped="1">
    <testcase classname="specs/sign in/requirements.md" name="REQ013" file="specs/sign in/requirements.md">
      <failure type="critical" message="US-2 has no acceptance criteria">specs/sign in/requirements.md:9:5: critical: US-2 has no acceptance criteria
hint: List what can be observed when it works.</failure>
    </testcase>
    <testcase classname="specs/sign in/requirements.md" name="REQ018" file="specs/sign in/requirements.md">
      <failure type="important" message="&quot;fast&quot; cannot be checked">specs/sign in/requirements.md:7:28: important: "fast" cannot be checked
hint: Say how fast, and for how many: within 300 ms for 95% of requests.</failure>
    </testcase>
    <testcase classname="specs/sign in/requirements.md" name="completeness" file="specs/sign in/requirements.md" />
    <testcase classname="specs/sign in/requirements.md" name="testability" file="specs/sign in/requirements.md">
      <failure type="score" message="score 45, needs 70">score 45, needs 70</failure>
    </testcase>
    <testcase classname="specs/sign in/requirements.md" name="scope" file="specs/sign in/requirements.md">
      <skipped message="not checked" />
    </testcase>
  </testsuite>
  <testsuite name="specs/sign in/design.md" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="specs/sign in/design.md" name="completeness" file="specs/sign in/design.md">
      <failure type="important" message="The session's life time is never stated: readers will guess">specs/sign in/design.md:3:10: important: The session's life time is never stated:
readers will guess
from: haiku, sonnet · still failing

specs/sign in/design.md: info: No diagram shows the data's way
from: sonnet</failure>
    </testcase>
  </testsuite>
</testsuites>
""") == render(SAMPLE, "junit")


def test_a_clean_file_still_shows_that_it_was_looked_at():
    assert snapshot("""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="reviewloop" time="0.050" tests="1" failures="0" errors="0" skipped="0">
  <testsuite name="tasks.md" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="tasks.md" name="reviewed" file="tasks.md" />
  </testsuite>
</testsuites>
""") == render(CLEAN, "junit")


def test_findings_of_one_rule_are_one_failure_that_counts_them():
    again = replace(VAGUE, issue="again")
    report = ReviewReport(artifacts=(replace(SAMPLE.artifacts[0], findings=(VAGUE, again), suppressed=()),))

    failure = ET.fromstring(render(report, "junit").encode()).find(".//testcase[@name='REQ018']/failure")

    assert '"fast" cannot be checked (and 1 more)' == failure.get("message")
    assert "important: again" in failure.text


def test_a_check_that_is_not_met_fails_without_a_score():
    report = ReviewReport(
        artifacts=(replace(CLEAN.artifacts[0], criteria=(CriterionResult(criterion="standards", met=False),)),)
    )

    failure = ET.fromstring(render(report, "junit").encode()).find(".//failure")

    assert ("score", "not met") == (failure.get("type"), failure.get("message"))


def test_characters_that_xml_cannot_hold_are_replaced():
    hostile = replace(VAGUE, issue="a\x00b\x1b[0m\ud800 \uffff ]]> <x> &")
    report = ReviewReport(artifacts=(replace(SAMPLE.artifacts[0], findings=(hostile,), suppressed=()),))

    failure = ET.fromstring(render(report, "junit").encode()).find(".//failure")

    assert "important: a\ufffdb\ufffd[0m\ufffd \ufffd ]]> <x> &" in failure.text


def test_what_xml_cannot_hold_is_replaced():
    odd = replace(VAGUE, rule=None, criterion="a\x00\x7f🔑")
    report = ReviewReport(artifacts=(replace(SAMPLE.artifacts[0], findings=(odd,), suppressed=(), criteria=()),))

    assert 'name="a\ufffd\ufffd🔑"' in render(report, "junit")


def test_what_could_not_be_read_is_an_error_and_no_pass():
    suite = ET.fromstring(render(replace(CLEAN, left_out=("tasks.md is not UTF-8",)), "junit")).findall("testsuite")[-1]

    assert ("skipped", "1") == (suite.get("name"), suite.get("errors"))
    assert ["tasks.md is not UTF-8"] == [error.get("message") for error in suite.iter("error")]
