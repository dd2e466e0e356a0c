"""One fixed report that every format is checked against: two artifacts, rules and models, suppressed findings."""

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity, Standing
from reviewloop.core.types.review import Verdict
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, RuleInfo, Silencer, Suppressed

REQUIREMENTS = "specs/sign in/requirements.md"
DESIGN = "specs/sign in/design.md"

REQUIREMENTS_TEXT = """\
# Requirements

## User stories

### US-1: Sign in with a passkey

- AC-1.1: The page answers fast, at most a blink after the key is touched, for everybody in every region.

### US-2: Sign out 🔑 everywhere
"""

DESIGN_TEXT = "# Design\r\n\r\n\tModify `src/auth/session.py`\r\n"

RULES = (
    RuleInfo(
        id="REQ013",
        name="story-without-criteria",
        severity=Severity.CRITICAL,
        summary="A user story has no acceptance criteria",
        description="Nobody can tell when such a story is done.",
        docs="docs/rules/REQ013.md",
        criterion="testability",
    ),
    RuleInfo(
        id="REQ018",
        name="vague-word",
        severity=Severity.MINOR,
        summary="A vague word in a requirement",
        docs="https://reviewloop.example/rules/REQ018",
        criterion="testability",
    ),
)

STORY = Finding(
    issue="US-2 has no acceptance criteria",
    severity=Severity.CRITICAL,
    place=Place(file=REQUIREMENTS, line=9, column=5, section="User stories"),
    rule="REQ013",
    criterion="testability",
    suggestion="List what can be observed when it works.",
    quote="US-2: Sign out 🔑 everywhere",
    by=("static",),
)
VAGUE = Finding(
    issue='"fast" cannot be checked',
    severity=Severity.IMPORTANT,
    place=Place(file=REQUIREMENTS, line=7, column=28),
    rule="REQ018",
    criterion="testability",
    suggestion="Say how fast, and for how many: within 300 ms for 95% of requests.",
    by=("static",),
)
MISSING = Finding(
    issue="The session's life time is never stated:\nreaders will guess",
    severity=Severity.IMPORTANT,
    place=Place(file=DESIGN, line=3, section="Design"),
    criterion="completeness",
    quote="src/auth/session.py",
    by=("haiku", "sonnet"),
    standing=Standing.STILL_FAILING,
)
WHOLE = Finding(
    issue="No diagram shows the data's way",
    severity=Severity.INFO,
    criterion="completeness",
    by=("sonnet",),
)
QUIET = Suppressed(
    finding=Finding(
        issue='"everybody" cannot be checked',
        severity=Severity.MINOR,
        place=Place(file=REQUIREMENTS, line=7, column=81),
        rule="REQ018",
        criterion="testability",
    ),
    reason="the word is our customer's",
    by=Silencer.INLINE,
)

SAMPLE = ReviewReport(
    artifacts=(
        Reviewed(
            artifact=Artifact(
                kind=Kind.REQUIREMENTS,
                name="sign in",
                files=(SourceFile(path=REQUIREMENTS, text=REQUIREMENTS_TEXT),),
            ),
            verdict=Verdict.NEEDS_REVISION,
            findings=(STORY, VAGUE),
            suppressed=(QUIET,),
            criteria=(
                CriterionResult(criterion="completeness", met=True, score=100, weight=2),
                CriterionResult(criterion="testability", met=False, score=45),
                CriterionResult(criterion="scope"),
            ),
        ),
        Reviewed(
            artifact=Artifact(
                kind=Kind.DESIGN,
                name="sign in",
                files=(SourceFile(path=DESIGN, text=DESIGN_TEXT),),
            ),
            verdict=Verdict.PASS,
            findings=(MISSING, WHOLE),
            criteria=(CriterionResult(criterion="completeness", met=True, score=81),),
        ),
    ),
    rules=RULES,
    reviewers=("static", "haiku", "sonnet"),
    asked_agents=False,
    warnings=("tasks.md is empty and was skipped",),
    notes=("the upstream PRD was found by convention",),
    tool_version="0.1.0",
    elapsed=0.123,
)

CLEAN = ReviewReport(
    artifacts=(
        Reviewed(
            artifact=Artifact(kind=Kind.TASKS, name="tasks", files=(SourceFile(path="tasks.md", text="# Tasks\n"),)),
            verdict=Verdict.PASS,
        ),
    ),
    tool_version="0.1.0",
    elapsed=0.05,
)
