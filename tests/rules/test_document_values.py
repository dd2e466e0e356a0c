import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The session time-out is 30 minutes.", "Use a 60-minute session timeout."),
        ("Session timeout: 30 minutes", "| Session timeout | 60 minutes |"),
        ("`max_retries` = 3", "`max_retries` (default: 5)"),
        ("`max_retries = 3`", "`max_retries = 5`"),
        ("Sessions expire after 30 minutes.", "A session expires after 60 minutes."),
        ("The maximum file size is 10 MB.", "Max file size is 20 MB."),
        ("A job is retried at most 3 times.", "A job is retried up to 5 times."),
        ("The upload limit is 10 MB.", "The upload limit is 25 MB."),
    ],
)
def test_two_values_for_one_thing_are_important(found, first, second):
    (finding,) = found(Kind.SPEC, f"# S\n\n{first}\n\n{second}\n", "DOC006")

    assert (Severity.IMPORTANT, 5, "consistency") == (finding.severity, finding.place.line, finding.criterion)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The session timeout is 30 minutes.", "The session timeout is 1800 s."),
        ("The session timeout is 30 minutes.", "The idle timeout is 60 minutes."),
        ("WHEN the file has 10 rows", "WHEN the file has 20 rows"),
        ("Run with `retries=3`", "Run with `retries=0`"),
        ("At least 3 reviewers", "At most 5 reviewers"),
        ("```\nmax_retries = 3\n```", "```\nmax_retries = 5\n```"),
        ("Phase 1 takes 2 days", "Phase 2 takes 3 days"),
    ],
)
def test_two_things_may_have_two_values(found, first, second):
    assert [] == found(Kind.SPEC, f"# S\n\n{first}\n\n{second}\n", "DOC006")


def test_values_are_held_against_the_documents_above(found):
    above = Artifact(
        kind=Kind.REQUIREMENTS, name="r", files=(SourceFile(path="requirements.md", text="The retry limit is 3.\n"),)
    )

    (finding,) = found(Kind.DESIGN, "# D\n\nThe retry limit is 5.\n", "DOC006", upstream=(above,))

    assert '"retry limit" is 5 here, but 3 in requirements.md, line 1' == finding.issue
