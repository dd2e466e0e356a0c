import json
import re
from xml.etree import ElementTree as ET

import pytest
from hostile_reports import reports, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sarif_schema import problems

from example_counts import examples
from reviewloop.reports import FORMATS, render
from reviewloop.reports.markdown import LIMIT
from reviewloop.reports.safe_text import one_line, printable
from reviewloop.reports.screen import Screen

pytestmark = pytest.mark.slow

QUICKLY = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
ORDER = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)


@QUICKLY
@given(report=reports)
def test_no_text_breaks_any_format(report):
    for name in FORMATS:
        text = render(report, name)

        assert not text or text.endswith("\n")
        assert b"\x1b" not in text.encode("utf-8")


@QUICKLY
@given(report=reports, width=st.integers(min_value=40, max_value=140))
def test_a_terminal_gets_no_escape_sequence_but_our_colours(report, width):
    plain = render(report, screen=Screen(width=width))
    coloured = OUR_COLOURS.sub("", render(report, screen=Screen(width=width, colour=True)))

    assert [] == CONTROL.findall(plain)
    assert [] == CONTROL.findall(coloured)
    assert [] == ORDER.findall(plain)


@QUICKLY
@given(report=reports)
def test_a_concise_report_has_one_line_per_finding_and_gives_a_build_server_no_orders(report):
    text = render(report, "concise")

    assert len(report.findings) == len(text.splitlines())
    assert [] == CONTROL.findall(text)
    assert [] == ORDER.findall(text)


@QUICKLY
@given(report=reports)
def test_a_github_report_has_one_command_per_finding_whatever_the_text_says(report):
    lines = render(report, "github").split("\n")[:-1]

    assert len(report.findings) == len(lines)
    assert all(re.match(r"::(error|warning|notice) file=", line) for line in lines)
    assert [] == CONTROL.findall("\n".join(lines))


@QUICKLY
@given(report=reports)
def test_json_formats_parse_and_hold_no_lone_surrogates(report):
    for name in ("json", "gitlab", "rdjson", "sarif"):
        json.dumps(json.loads(render(report, name)), ensure_ascii=False).encode("utf-8")


@QUICKLY
@given(report=reports)
def test_json_lines_are_one_object_per_finding(report):
    lines = render(report, "jsonl").splitlines()

    assert len(report.findings) == len([json.loads(line) for line in lines])


@QUICKLY
@given(report=reports)
def test_gitlab_fingerprints_are_unique(report):
    prints = [issue["fingerprint"] for issue in json.loads(render(report, "gitlab"))]

    assert len(prints) == len(set(prints))


@QUICKLY
@given(report=reports)
def test_sarif_is_valid_by_the_official_schema(report):
    assert [] == problems(json.loads(render(report, "sarif")))


@QUICKLY
@given(report=reports)
def test_junit_is_xml_that_counts_its_own_cases(report):
    root = ET.fromstring(render(report, "junit").encode())

    assert root.get("tests") == str(len(root.findall("./testsuite/testcase")))
    assert root.get("failures") == str(len(root.findall("./testsuite/testcase/failure")))
    assert all(suite.findall("testcase") for suite in root)


@QUICKLY
@given(report=reports)
def test_a_markdown_comment_keeps_its_own_shape(report):
    text = render(report, "markdown")

    assert len(text) <= LIMIT
    assert [] == CONTROL.findall(text)
    outside_code = re.sub(r"(?ms)^ *(`{3,})text\n.*?\n *\1$|(`+)[^\n]*?\2", "", text)
    assert outside_code.count("<details>") == outside_code.count("</details>")
    assert [] == re.findall(r"<(?!/?details>|/?summary>|!-- -->)", outside_code)
    assert [] == re.findall(r"(?<!\\)@\w", outside_code)


@QUICKLY
@given(text=texts)
def test_printable_text_stays_as_it_was_if_it_was_harmless(text):
    once = printable(text)

    assert once == printable(once)
    assert [] == CONTROL.findall(once)
    assert "\n" not in one_line(text)
