from dataclasses import replace

import pytest
from report_samples import CLEAN, DESIGN, MISSING, REQUIREMENTS, SAMPLE, STORY, WHOLE

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Criterion, Rubric
from reviewloop.errors import UsageError
from reviewloop.reports import FORMATS, render
from reviewloop.reports.finding_places import by_file
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, Silencer, Suppressed

ARTIFACT = CLEAN.artifacts[0].artifact


def test_a_review_is_read_against_its_rubric():
    rubric = Rubric(
        name="r",
        criteria=(
            Criterion(name="scored", description="", weight=3),
            Criterion(name="low", description="", min_score=80),
            Criterion(name="checked", description=""),
            Criterion(name="failed", description=""),
            Criterion(name="spoken", description=""),
            Criterion(name="silent", description=""),
        ),
    )
    bad = Finding(issue="bad", severity=Severity.MINOR, criterion="failed")
    known = Finding(issue="known", severity=Severity.MINOR, criterion="spoken", suppressed="dismissed twice")
    review = Review(
        verdict=Verdict.NEEDS_REVISION,
        scores={"scored": 90, "low": 70},
        checks={"checked": True},
        findings=(bad, known),
        judged=("failed", "spoken"),
    )

    reviewed = Reviewed.of(ARTIFACT, review, rubric)

    assert (bad,) == reviewed.findings
    assert (Suppressed(finding=known, reason="dismissed twice", by=Silencer.MEMORY),) == reviewed.suppressed
    assert {"scored": True, "low": False, "checked": True, "failed": False, "spoken": False, "silent": None} == {
        one.criterion: one.met for one in reviewed.criteria
    }
    assert {"scored": 90, "low": 70} == reviewed.scores
    assert ("silent",) == reviewed.unjudged
    assert 85 == reviewed.total


@pytest.mark.parametrize("verdict", ["pass", "needs_revision"])
def test_what_was_left_out_is_no_pass_and_hides_no_work(verdict: str):
    report = replace(CLEAN, artifacts=(replace(CLEAN.artifacts[0], verdict=Verdict(verdict)),), left_out=("a.md",))

    assert {"pass": "inconclusive"}.get(verdict, verdict) == report.verdict
    assert report.is_incomplete


def test_without_scores_there_is_no_total():
    assert None is Reviewed(artifact=ARTIFACT, verdict=Verdict.PASS, criteria=(CriterionResult(criterion="a"),)).total


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "needs_revision", "pass"], "needs_revision"),
        ([], "inconclusive"),
    ],
)
def test_a_report_is_as_good_as_its_worst_artifact_and_nothing_reviewed_is_no_pass(verdicts, expected):
    artifacts = tuple(Reviewed(artifact=ARTIFACT, verdict=Verdict(verdict)) for verdict in verdicts)

    assert expected == ReviewReport(artifacts=artifacts).verdict


def test_findings_stand_by_file_whoever_raised_them():
    across = replace(MISSING, place=Place(file=REQUIREMENTS, line=1))
    elsewhere = replace(STORY, place=Place(file="prd.md", line=4))
    requirements, design = SAMPLE.artifacts
    report = replace(SAMPLE, artifacts=(requirements, replace(design, findings=(across, elsewhere))))

    grouped = {file.path: [one.finding for one in file.findings] for file in by_file(report)}

    assert {REQUIREMENTS: [across, *reversed(requirements.findings)], DESIGN: [], "prd.md": [elsewhere]} == grouped


def test_a_finding_about_several_files_belongs_to_the_whole():
    files = (SourceFile(path="a.py", text=""), SourceFile(path="b.py", text=""))
    artifact = Artifact(kind=Kind.CHANGE, name="task 1.2", files=files)
    report = ReviewReport(artifacts=(Reviewed(artifact=artifact, verdict=Verdict.PASS, findings=(WHOLE,)),))

    *_, whole = by_file(report)

    assert ("task 1.2 as a whole", None, "a.py") == (whole.title, whole.findings[0].path, whole.findings[0].anchor)


def test_source_lines_of_upstream_documents_can_be_shown():
    upstream = Artifact(kind=Kind.PRD, name="prd", files=(SourceFile(path="prd.md", text="# Goal\n"),))
    finding = replace(STORY, place=Place(file="prd.md", line=1), quote="Goal")
    reviewed = Reviewed(artifact=replace(ARTIFACT, upstream=(upstream,)), verdict=Verdict.PASS, findings=(finding,))

    *_, prd = by_file(ReviewReport(artifacts=(reviewed,)))

    assert ("# Goal", 3) == (prd.findings[0].source, prd.findings[0].region.column)


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_about_nothing_can_be_told_in_every_format(name):
    text = render(ReviewReport(artifacts=()), name)

    assert not text or text.endswith("\n")


def test_an_unknown_format_names_the_ones_there_are():
    with pytest.raises(UsageError) as raised:
        render(SAMPLE, "html")

    assert 'unknown report format "html"' == raised.value.message
    assert f"formats: {', '.join(FORMATS)}" == raised.value.hint
