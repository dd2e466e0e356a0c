"""The report that docs/reports.md shows in every format."""

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import Verdict
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, RuleInfo

_TEXT = """\
# Requirements

### US-1: Sign in with a passkey

- AC-1.1: The page answers fast.

### US-2: Sign out everywhere
"""

DOCS_SAMPLE = ReviewReport(
    artifacts=(
        Reviewed(
            artifact=Artifact(
                kind=Kind.REQUIREMENTS,
                name="login",
                files=(SourceFile(path="specs/login/requirements.md", text=_TEXT),),
            ),
            verdict=Verdict.NEEDS_REVISION,
            findings=(
                Finding(
                    issue="US-2 has no acceptance criteria",
                    severity=Severity.CRITICAL,
                    place=Place(line=7, column=5),
                    rule="REQ013",
                    criterion="completeness",
                    suggestion="List what can be observed when it works.",
                    by=("rules",),
                ),
                Finding(
                    issue='"fast" cannot be checked',
                    severity=Severity.MINOR,
                    place=Place(line=5, column=28),
                    rule="REQ018",
                    criterion="testability",
                    by=("rules",),
                ),
            ),
            criteria=(
                CriterionResult(criterion="completeness", met=False, score=60),
                CriterionResult(criterion="testability", met=True, score=96),
                CriterionResult(criterion="scope"),
            ),
        ),
    ),
    rules=(
        RuleInfo(
            id="REQ013",
            name="story-without-criteria",
            severity=Severity.CRITICAL,
            summary="A user story has no acceptance criteria.",
            docs="docs/rules/REQ013.md",
        ),
    ),
    reviewers=("rules",),
    tool_version="0.1.0",
    elapsed=0.12,
)
