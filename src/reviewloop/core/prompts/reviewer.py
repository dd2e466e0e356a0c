"""The prompt for a reviewer. The stable part comes first, for the providers' prompt caches."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.dialects import DIALECTS
from reviewloop.core.judging.contest import Contest
from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import finding_lines, flat, joined, listed, ruling_on, titled, verify_result
from reviewloop.core.prompts.section_cache import Excerpt
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Malformed, Stage
from reviewloop.core.types.rubric import Criterion, Rubric
from reviewloop.core.types.verification import Verification

_STAGES = {
    Stage.SPEC: "Answer one question only: does the work do what was asked, all of it, and nothing else?",
    Stage.QUALITY: "Judge only how well the work is made. Another reviewer checks whether it does what was asked.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewBrief:
    artifact: Artifact
    rubric: Rubric
    dialect: str
    marker: str
    iteration: int = 1
    max_iterations: int = 3
    stage: Stage | None = None
    facts: tuple[Finding, ...] = ()
    earlier: tuple[Finding, ...] = ()
    answered: tuple[Finding, ...] = ()
    dismissed: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    standards: str = ""
    memory: str = ""
    task: str = ""
    acceptance_criteria: tuple[str, ...] = ()
    verified: Verification | None = None
    receipt_required: bool = False
    confidence_asked: bool = False
    problem: Malformed | None = None
    excerpt: Excerpt | None = None
    contests: tuple[Contest, ...] = ()


def review_prompt(brief: ReviewBrief) -> str:
    return joined(
        _role(brief),
        _rubric(brief.rubric),
        _answer_format(brief),
        titled("The task this work was done for", brief.task),
        listed("Acceptance criteria of the task", brief.acceptance_criteria),
        titled("The project's Standards", brief.standards),
        titled("Lessons from earlier reviews", brief.memory),
        _facts(brief.facts),
        verify_result(brief.verified, brief.marker),
        _earlier(brief.earlier),
        _answered(brief.answered),
        _dismissed(brief.dismissed),
        _contests(brief.contests),
        listed("Notes from people", brief.notes, "The owners of the work wrote these notes. Follow them."),
        _reviewed_before(brief.excerpt) if brief.excerpt else "",
        material(brief.artifact, brief.marker, brief.excerpt),
        _closing(brief),
    )


def _role(brief: ReviewBrief) -> str:
    stage = f"\n{_STAGES[brief.stage]}" if brief.stage else ""
    return f"""\
# Your role

You review a document of kind `{brief.artifact.kind}` that others will build on. You may read files, but you never edit
them.{stage}
Judge what the document says, not what its author probably meant. Report problems that would harm someone who builds on
it. For each problem, say exactly where it is and what to write instead. Do not praise, do not pad, and do not report
the same problem twice. If the document is good enough, pass it."""


def _rubric(rubric: Rubric) -> str:
    return "# What to judge\n\n" + "\n".join(_criterion(criterion) for criterion in rubric.criteria)


def _criterion(criterion: Criterion) -> str:
    limits = f"minimum score {criterion.min_score:g}, weight {criterion.weight:g}"
    lines = [f"- **{criterion.name}** ({limits}): {criterion.description}."]
    if criterion.good:
        lines.append(f"  Good: {criterion.good}.")
    if criterion.bad:
        lines.append(f"  Bad: {criterion.bad}.")
    return "\n".join(lines)


def _answer_format(brief: ReviewBrief) -> str:
    return f"# How to answer\n\n{DIALECTS[brief.dialect].instructions(brief.rubric, confidence=brief.confidence_asked)}"


def _facts(facts: tuple[Finding, ...]) -> str:
    about = "Programs have checked these facts. Do not check them again; judge what they mean."
    return titled("Facts from the offline rules", finding_lines(facts), about)


def _earlier(earlier: tuple[Finding, ...]) -> str:
    about = (
        "Check whether each finding is fixed. Report it again only if it is not. New findings about unchanged text\n"
        "are late: report them only if they are critical."
    )
    return titled("Open findings of earlier iterations", finding_lines(earlier), about)


def _answered(answered: tuple[Finding, ...]) -> str:
    about = "Earlier reviews raised these, and the last one did not. Report one only if it is back."
    return titled("Findings that count as fixed", finding_lines(answered), about)


def _dismissed(dismissed: tuple[Finding, ...]) -> str:
    return titled("Dismissed by a person", finding_lines(dismissed), "Do not report these again.")


def _contests(contests: tuple[Contest, ...]) -> str:
    about = """\
The author says that these findings are wrong. Where an independent agent has ruled, `upheld` means that the finding
stands, and `withdrawn` that you must not report it again. Without a ruling, the author's reason is an opinion: weigh
it."""
    lines = (
        f"- {contest.finding.place}: {flat(contest.finding.issue)}\n"
        f"  The author's reason: {flat(contest.reason)}{ruling_on(contest)}"
        for contest in contests
    )
    return titled("Contested by the author", "\n".join(lines), about)


def _reviewed_before(excerpt: Excerpt) -> str:
    scores = ", ".join(f"{name} {score:g}" for name, score in excerpt.scores.items())
    then = f"\n\nYour scores at that time: {scores}." if scores else ""
    return f"""\
# What you have reviewed before

You reviewed an earlier version of this document by the same criteria. The sections in the map below have not changed
since then and are not repeated. You get the changed sections and those with open findings. Judge the whole document as
it is now: an unchanged section keeps your earlier judgement, good or bad, unless a changed section affects it. If you
can read files, the whole text is in your working directory.{then}"""


def _closing(brief: ReviewBrief) -> str:
    where = ", ".join(brief.artifact.paths)
    count = f"This is iteration {brief.iteration} of at most {brief.max_iterations}."
    lines = [f"# Now\n\n{count} Review {where} and answer in the format given above."]
    if brief.receipt_required or (brief.problem and brief.problem.needs_receipt):
        lines.append(
            f"Your answer must contain this receipt, or it does not count: {brief.marker}\n"
            "(in JSON, as the field `receipt`; in Markdown, on its own line before the signal)."
        )
    if brief.problem:
        lines.append(f"Your previous answer could not be used: {brief.problem.explanation}.\n{_again(brief.problem)}")
    return "\n\n".join(lines)


def _again(problem: Malformed) -> str:
    if problem.refusal is None:
        return "Answer again, in exactly the format given above."
    return (
        "It said no. If that is your verdict, say it again in exactly the format given above, with every finding: "
        "otherwise\nyour words count as they are."
    )
