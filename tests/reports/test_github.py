from dataclasses import replace

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE, STORY

from reviewloop.core.types.finding import Place
from reviewloop.reports import render
from reviewloop.reports.report import ReviewReport


def report_of(finding):
    return ReviewReport(artifacts=(replace(SAMPLE.artifacts[0], findings=(finding,), suppressed=()),))


def test_annotations_come_worst_first_because_github_shows_ten_of_a_level():
    assert snapshot("""\
::error file=specs/sign in/requirements.md,line=9,endLine=9,col=5,endColumn=32,title=REQ013 (critical)::US-2 has no acceptance criteria%0Ahint: List what can be observed when it works.
::warning file=specs/sign in/requirements.md,line=7,endLine=7,col=28,endColumn=32,title=REQ018 (important)::"fast" cannot be checked%0Ahint: Say how fast, and for how many: within 300 ms for 95%25 of requests.
::warning file=specs/sign in/design.md,line=3,endLine=3,col=10,endColumn=29,title=completeness (important)::The session's life time is never stated:%0Areaders will guess
::notice file=specs/sign in/design.md,title=completeness (info)::No diagram shows the data's way
""") == render(SAMPLE, "github")


def test_what_github_would_read_as_its_own_syntax_is_escaped():
    finding = replace(
        STORY, issue="50% done:\r\nsee a, b", suggestion=None, rule="A:B,C", place=Place(file="a,b:c%.md")
    )

    assert snapshot("::error file=a%2Cb%3Ac%25.md,title=A%3AB%2CC (critical)::50%25 done:%0Asee a, b\n") == render(
        report_of(finding), "github"
    )


def test_a_finding_over_several_lines_has_no_columns():
    finding = replace(STORY, quote="US-1: Sign in with a passkey\n\n- AC-1.1", place=Place(line=5, column=5))

    assert "line=5,endLine=7,title=" in render(report_of(finding), "github")


def test_a_clean_report_makes_no_noise():
    assert "" == render(CLEAN, "github")


def test_what_could_not_be_read_is_an_error():
    report = replace(CLEAN, left_out=("a%.md is not UTF-8",))

    assert "::error title=skipped::a%25.md is not UTF-8\n" == render(report, "github")
