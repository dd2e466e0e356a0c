import pytest
from finding_samples import FINDINGS, NASTY, finding
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewloop.core.judging.quotes import unfounded, verify
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Place, Severity
from reviewloop.core.types.review import Review, Verdict

PRD = Artifact(kind=Kind.PRD, name="prd", files=(SourceFile(path="prd.md", text="Links shall expire.\n"),))
SPEC = Artifact(
    kind=Kind.SPEC,
    name="reset",
    files=(
        SourceFile(
            path="spec.md", text="# Reset\n\nReset links \u201ceventually\u201d\nbecome   invalid.\n\nIt\u2019s done.\n"
        ),
        SourceFile(path="api.md", text="POST /reset answers 202.\n"),
    ),
    upstream=(PRD,),
)


def check(quote, severity=Severity.CRITICAL, **more):
    (checked,) = verify([finding("Something is wrong", None, severity, quote=quote, **more)], SPEC)
    return checked


def test_a_quote_that_stands_there_is_verified_and_gives_the_line():
    checked = check("POST /reset answers 202.")

    assert (True, Severity.CRITICAL, Place(file="api.md", line=1)) == (
        checked.verified,
        checked.severity,
        checked.place,
    )


@pytest.mark.parametrize(
    "quote",
    [
        'Reset links "eventually" become invalid',
        "Reset  links\n\u201eeventually\u201d become\tinvalid.",
        '`Reset links "eventually" become`',
        '"links "eventually" become"',
    ],
)
def test_white_space_and_the_shape_of_quotation_marks_do_not_matter(quote):
    checked = check(quote)

    assert (True, Place(file="spec.md", line=3)) == (checked.verified, checked.place)


def test_a_quote_in_the_middle_of_a_word_still_finds_its_line():
    assert 6 == check("t's done").place.line


@pytest.mark.parametrize("quote", ["reset links", "links expire at once", "\u2026"])
def test_a_quote_that_is_nowhere_is_not_verified(quote):
    checked = check(quote)

    assert (False, Severity.CRITICAL, Place()) == (checked.verified, checked.severity, checked.place)


def test_a_critical_finding_with_a_quote_that_is_nowhere_is_asked_for_again_and_a_no_stays_a_no():
    claimed = check("links expire at once")
    passing = unfounded(Review(verdict=Verdict.PASS, findings=(claimed,)))
    failing = unfounded(Review(verdict=Verdict.NEEDS_REVISION, findings=(claimed,)))

    assert passing is not None
    assert failing is not None
    assert "links expire at once" in passing.message
    assert (None, Verdict.NEEDS_REVISION) == (passing.refusal, failing.refusal and failing.refusal.verdict)


@pytest.mark.parametrize("severity", [Severity.IMPORTANT, Severity.MINOR, Severity.INFO])
def test_other_findings_with_such_a_quote_are_kept(severity):
    review = Review(verdict=Verdict.PASS, findings=(check("links expire at once", severity),))

    assert unfounded(review) is None


@pytest.mark.parametrize(
    "quote",
    ["Reset \u2026 invalid", "Reset ... invalid", "Reset [...] invalid", "Reset (\u2026) invalid", "Reset\u2026"],
)
def test_a_quote_may_leave_words_out(quote):
    text = "# Reset\n\nReset links\nbecome invalid."
    artifact = Artifact(kind=Kind.SPEC, name="any", files=(SourceFile(path="any.md", text=text),))

    (checked,) = verify([finding("Something", quote=quote)], artifact)

    assert checked.verified is True


def test_what_is_left_out_is_between_the_passages():
    text = "invalid at first, then Reset"
    artifact = Artifact(kind=Kind.SPEC, name="any", files=(SourceFile(path="any.md", text=text),))

    (checked,) = verify([finding("Something", quote="Reset \u2026 invalid")], artifact)

    assert checked.verified is False


@pytest.mark.parametrize("quote", [None, "", "  \n"])
def test_without_a_quote_there_is_nothing_to_verify(quote):
    checked = check(quote)

    assert (None, Severity.CRITICAL) == (checked.verified, checked.severity)


def test_marks_alone_are_no_quote_of_anything():
    assert check("```").verified is False


def test_what_the_artifact_builds_on_may_be_quoted_but_is_not_its_place():
    checked = check("Links shall expire.", place=Place(section="Expiry"))

    assert (True, Place(section="Expiry")) == (checked.verified, checked.place)


def test_a_quote_that_is_found_counts_more_than_a_stated_line():
    place = Place(file="spec.md", line=1)

    assert Place(file="spec.md", line=4) == check("become invalid", place=place).place


def test_a_quote_that_stands_in_another_file_moves_the_finding_there():
    place = Place(file="spec.md", section="Reset")

    assert "api.md" == check("POST /reset", place=place).place.file
    assert Place(file="spec.md", line=4, section="Reset") == check("become invalid", place=place).place


@settings(deadline=None)
@given(findings=st.lists(FINDINGS, max_size=4), text=NASTY)
def test_any_findings_on_any_text(findings, text):
    artifact = Artifact(kind=Kind.SPEC, name="any", files=(SourceFile(path="any.md", text=text),))

    checked = verify(findings, artifact)

    assert [one.issue for one in findings] == [one.issue for one in checked]
    assert [one.severity for one in findings] == [one.severity for one in checked]


@settings(deadline=None)
@given(text=st.text(min_size=1), cut=st.tuples(st.integers(0, 50), st.integers(0, 50)))
def test_any_piece_of_a_text_is_found_in_it(text, cut):
    quote = text[min(cut) : max(cut)]
    artifact = Artifact(kind=Kind.SPEC, name="any", files=(SourceFile(path="any.md", text=text),))

    (checked,) = verify([finding("Something", quote=quote)], artifact)

    assert (True if "".join(quote.split()).strip("\u2026.") else checked.verified) == checked.verified


KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n" * 3 + "-----END PRIVATE KEY-----"
SECRET = Artifact(
    kind=Kind.SPEC,
    name="keys",
    files=(SourceFile(path="keys.md", text=f"# Keys\n\n{KEY}\n\npassword = 'hunter2-x9'\n"),),
)


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("password = '[redacted: password]'", 5 + KEY.count("\n")),
        ("# Keys [redacted: private key]", 1),
        ("password = 'hunter2-x9'", 5 + KEY.count("\n")),
        ("password = '[redacted: GitHub token]'", None),
        ("token = '[redacted: password]'", None),
    ],
)
def test_a_quote_with_a_redacted_secret_is_looked_for_in_the_redacted_text(quote: str, line: int | None):
    (checked,) = verify([finding("It is secret", None, Severity.CRITICAL, quote=quote)], SECRET)

    assert (line is not None, line) == (checked.verified, checked.place.line)
    assert quote == checked.quote
