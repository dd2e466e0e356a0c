import io
import re
from dataclasses import replace

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import Verdict
from reviewloop.reports import render
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, Silencer, Suppressed
from reviewloop.reports.screen import Screen


def report_on(text, *findings, **fields):
    artifact = Artifact(kind=Kind.SPEC, name="spec", files=(SourceFile(path="spec.md", text=text),))
    reviewed = Reviewed(artifact=artifact, verdict=Verdict.NEEDS_REVISION, findings=findings, **fields)
    return ReviewReport(artifacts=(reviewed,))


def finding(line, column=None, *, issue="wrong", **fields):
    return Finding(issue=issue, severity=Severity.MINOR, place=Place(line=line, column=column), rule="R1", **fields)


def shown(report, width=80):
    """The source line and its carets."""
    lines = render(report, screen=Screen(width=width)).splitlines()
    return [line for line in lines if re.match(r" *\d* \| ", line)]


def test_a_report_at_80_columns():
    assert snapshot("""\
specs/sign in/requirements.md

  critical   REQ013   9:5  US-2 has no acceptance criteria
      9 | ### US-2: Sign out 🔑 everywhere
        |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: List what can be observed when it works.

  important  REQ018  7:28  "fast" cannot be checked
      7 | - AC-1.1: The page answers fast, at most a blink after the key is tou…
        |                            ^^^^
    hint: Say how fast, and for how many: within 300 ms for 95% of requests.

specs/sign in/design.md

  important  completeness  3:10  The session's life time is never stated:
                                 readers will guess
      3 |     Modify `src/auth/session.py`
        |             ^^^^^^^^^^^^^^^^^^^
    from: haiku, sonnet · still failing

  info       completeness        No diagram shows the data's way
    from: sonnet

Scores
  requirements.md  81.7  completeness 100, testability 45 (needs 70), scope (not
                         checked)
  design.md          81  completeness 81

Suppressed: 1
  REQ018 specs/sign in/requirements.md:7:81 (inline): the word is our customer's

warning: tasks.md is empty and was skipped
note: the upstream PRD was found by convention

needs revision: 1 critical, 2 important, 1 info in 2 files · checked in 0.12 s

  Explain the rule    reviewloop explain REQ013
  Ignore the finding  <!-- reviewloop: ignore REQ013 because … -->
  Ask reviewers       reviewloop review --agents 'specs/sign in'
""") == render(SAMPLE)


def test_nothing_is_cut_or_wrapped_when_there_is_room():
    lines = render(SAMPLE, screen=Screen(width=140)).splitlines()

    assert "      7 | - AC-1.1: The page answers fast, at most a blink after the key is touched, " in "\n".join(lines)
    assert "for everybody in every region." in "\n".join(lines)


def test_every_line_fits_an_80_column_terminal():
    assert [] == [line for line in render(SAMPLE).splitlines() if len(line) > 80]


def test_colours_add_nothing_but_colours():
    coloured = render(SAMPLE, screen=Screen(colour=True))

    assert "\x1b[1;31mcritical" in coloured
    assert render(SAMPLE) == "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).split("\n"))


def test_a_clean_report_is_two_lines_and_says_how_to_go_on():
    assert snapshot("""\
pass: no findings in 1 file · checked in 0.05 s

  Ask reviewers  reviewloop review --agents tasks.md
""") == render(CLEAN)


def test_a_long_line_is_cut_around_what_is_meant():
    text = "word " * 60 + "NEEDLE " + "more " * 60

    assert snapshot(
        [
            "      1 | … word word word word word word word word NEEDLE more more more more …",
            "        |                                           ^^^^^^",
        ]
    ) == shown(report_on(text, finding(1, quote="NEEDLE")))


def test_carets_stand_below_wide_characters_and_tabs():
    assert snapshot(["      1 |     日本語 fast です", "        |            ^^^^"]) == shown(
        report_on("\t日本語 fast です\n", finding(1, quote="fast"))
    )


def test_carets_stand_below_invisible_characters_that_are_made_visible():
    text = "Ignore\u200b the \u202erubric\n"

    assert snapshot(["      1 | Ignore<U+200B> the <U+202E>rubric", "        |       ^^^^^^^^^^^^^^^^^^^^^"]) == shown(
        report_on(text, finding(1, quote="\u200b the \u202e"))
    )


def test_a_quote_over_two_lines_is_marked_to_the_end_of_the_first():
    assert snapshot(["      1 | one two", "        |     ^^^"]) == shown(
        report_on("one two\nthree four\n", finding(1, quote="two three"))
    )


def test_a_finding_about_a_line_shows_it_without_carets():
    assert snapshot(["      2 | two"]) == shown(report_on("one\ntwo\n", finding(2)))


def test_a_place_beyond_the_end_of_the_file_is_told_without_a_source_line():
    report = report_on("one\n", finding(40))

    assert [] == shown(report)
    assert "  minor      R1  40  wrong" in render(report)


def test_the_same_hint_for_several_findings_in_a_row_is_given_once():
    advised = finding(1, suggestion="Say how fast.")

    text = render(report_on("one\n", advised, replace(advised, issue="again"), finding(1), advised))

    assert 2 == text.count("hint: Say how fast.")


def test_markup_in_a_document_is_shown_as_it_is():
    report = report_on("[red]not red[/red] :smile:\n", finding(1, 1, issue="[bold]x[/bold] :wave:"))

    assert "[bold]x[/bold] :wave:" in render(report)
    assert "      1 | [red]not red[/red] :smile:" in render(report)


def test_a_narrow_terminal_gets_the_message_on_a_line_of_its_own():
    text = render(report_on("one\n", finding(1, 1, issue="two words")), screen=Screen(width=40))

    assert "  minor      R1  1:1\n    two words\n" in text


def scores_of(*artifacts):
    text = render(ReviewReport(artifacts=artifacts))
    return text.partition("Scores\n")[2].partition("\n\n")[0].splitlines()


def artifact(path, *criteria):
    files = (SourceFile(path=path, text=""),)
    document = Artifact(kind=Kind.SPEC, name="spec", files=files)
    return Reviewed(artifact=document, verdict=Verdict.PASS, criteria=criteria)


HIGH = CriterionResult(criterion="completeness", met=True, score=90)
LOW = CriterionResult(criterion="testability", met=False, score=45)
NOBODY = CriterionResult(criterion="scope")
CHECK = CriterionResult(criterion="standards", met=True)


def test_one_artifact_has_a_row_per_criterion():
    assert snapshot(
        [
            "  completeness      90",
            "  testability       45  needs 70",
            "  scope              -  not checked",
            "  standards          -  met",
            "  weighted total  67.5",
        ]
    ) == scores_of(artifact("a.md", HIGH, LOW, NOBODY, CHECK))


def test_a_few_artifacts_have_a_row_each_named_from_their_folder():
    assert snapshot(
        ["  a/spec.md  90  completeness 90, scope (not checked)", "  b/spec.md  45  testability 45 (needs 70)"]
    ) == scores_of(artifact("specs/a/spec.md", HIGH, NOBODY), artifact("specs/b/spec.md", LOW))


def test_of_many_artifacts_only_those_that_miss_something_have_a_row():
    fine = [artifact(f"specs/{n}.md", HIGH, NOBODY) for n in range(6)]

    assert snapshot(
        [
            "  bad.md  67.5  testability 45 (needs 70)",
            "  6 artifacts without a missed criterion",
            "  not checked: scope in 6 artifacts",
        ]
    ) == scores_of(*fine, artifact("specs/bad.md", HIGH, LOW))


def test_suppressed_findings_are_counted_to_the_last():
    quiet = tuple(Suppressed(finding=finding(1), reason=f"reason {n}", by=Silencer.BASELINE) for n in range(12))

    text = render(report_on("one\n", suppressed=quiet))

    assert "Suppressed: 12\n  R1 spec.md:1 (baseline): reason 0\n" in text
    assert "  and 2 more; --format json lists them\n" in text


def test_reviewers_are_not_recommended_to_somebody_who_asked_them():
    assert "--agents" not in render(replace(SAMPLE, asked_agents=True))


def test_no_color_and_a_pipe_both_mean_no_colour():
    pipe = io.StringIO()

    assert Screen(width=80, colour=False) == Screen.of(pipe, {})
    assert Screen(width=120, colour=True) == Screen.of(pipe, {"COLUMNS": "120", "FORCE_COLOR": "1"})
    assert Screen(width=40, colour=False) == Screen.of(pipe, {"COLUMNS": "3", "FORCE_COLOR": "1", "NO_COLOR": "1"})
    assert Screen(width=80, colour=False) == Screen.of(pipe, {"COLUMNS": "wide"})
