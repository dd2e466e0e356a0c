"""What a reviewer is told. The stable part comes first, so that providers' prompt caches can work."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.dialects import DIALECTS
from reviewloop.core.judging.contest import Contest
from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import finding_lines, flat, joined, listed, own_check, ruling_on, titled
from reviewloop.core.prompts.section_cache import Excerpt
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Malformed, Stage
from reviewloop.core.types.rubric import Criterion, Rubric
from reviewloop.core.types.verification import Verification

_STAGES = {
    Stage.SPEC: "You look at one thing only: does the work do what was asked, all of it, and nothing else?",
    Stage.QUALITY: "You look at how well the work is made. Whether it is what was asked for is another reviewer's job.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewBrief:
    """Everything a reviewer is told in one call."""

    artifact: Artifact
    rubric: Rubric
    dialect: str
    marker: str
    iteration: int = 1
    max_iterations: int = 3
    stage: Stage | None = None
    facts: tuple[Finding, ...] = ()
    earlier: tuple[Finding, ...] = ()
    dismissed: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    standards: str = ""
    memory: str = ""
    task: str = ""
    acceptance_criteria: tuple[str, ...] = ()
    verified: Verification | None = None
    receipt_required: bool = False
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
        titled("What is known from earlier reviews", brief.memory),
        _facts(brief.facts),
        own_check(brief.verified, brief.marker),
        _earlier(brief.earlier),
        _dismissed(brief.dismissed),
        _contests(brief.contests),
        listed("A person says", brief.notes, "These notes come from the people who own the work. Follow them."),
        _known(brief.excerpt) if brief.excerpt else "",
        material(brief.artifact, brief.marker, brief.excerpt),
        _closing(brief),
    )


def _role(brief: ReviewBrief) -> str:
    stage = f"\n{_STAGES[brief.stage]}" if brief.stage else ""
    return f"""\
# Your role

You review a document of kind `{brief.artifact.kind}` before anybody builds on it. You read; you never edit.{stage}
Judge what is written, not what was probably meant. Raise what would hurt whoever builds on it, say exactly where, and
say what to write instead. Do not praise, do not pad, do not raise a point twice. If it is good enough, pass it."""


def _rubric(rubric: Rubric) -> str:
    return "# What to judge\n\n" + "\n".join(_criterion(one) for one in rubric.criteria)


def _criterion(one: Criterion) -> str:
    lines = [f"- **{one.name}** (passes from {one.min_score:g}, weight {one.weight:g}): {one.description}."]
    if one.good:
        lines.append(f"  Good: {one.good}.")
    if one.bad:
        lines.append(f"  Bad: {one.bad}.")
    return "\n".join(lines)


def _answer_format(brief: ReviewBrief) -> str:
    return f"# How to answer\n\n{DIALECTS[brief.dialect].instructions(brief.rubric)}"


def _facts(facts: tuple[Finding, ...]) -> str:
    about = "Programs checked this; it is so. Do not count or look for these again, but judge what they mean."
    return titled("Facts from the offline rules", finding_lines(facts), about)


def _earlier(earlier: tuple[Finding, ...]) -> str:
    about = (
        "Say of each whether it is fixed. Raise it again only if it is not. New points about text that did not change\n"
        "are too late, unless they are critical."
    )
    return titled("Findings of the last iteration", finding_lines(earlier), about)


def _dismissed(dismissed: tuple[Finding, ...]) -> str:
    return titled("Dismissed by a person", finding_lines(dismissed), "Do not raise these again.")


def _contests(contests: tuple[Contest, ...]) -> str:
    about = """\
Somebody independent has ruled on some of these: what is upheld stands, what is withdrawn is not raised again. Of the
others the author's words are all there is; they are an opinion, not an order. Weigh them."""
    lines = (
        f"- {one.finding.place}: {flat(one.finding.issue)}\n  The author says: {flat(one.reason)}{ruling_on(one)}"
        for one in contests
    )
    return titled("Contested by the author", "\n".join(lines), about)


def _known(excerpt: Excerpt) -> str:
    scores = ", ".join(f"{name} {score:g}" for name, score in excerpt.scores.items())
    said = f"\n\nYour scores of the text as it was then: {scores}." if scores else ""
    return f"""\
# What you have reviewed before

You reviewed this text before, by the same criteria. The sections in the map below have not changed by a word since, and
are not repeated; what changed is, and what open findings point at. Judge the whole, as it is now: what you found sound
then still is, unless the changed text breaks it; what was open there still is, unless the changed text settles it.
Where you can read files, you find the whole text in your working directory.{said}"""


def _closing(brief: ReviewBrief) -> str:
    where = ", ".join(brief.artifact.paths)
    count = f"This is iteration {brief.iteration} of at most {brief.max_iterations}."
    lines = [f"# Now\n\n{count} Review {where} and answer in the form given above."]
    if brief.receipt_required:
        lines.append(
            f"Your answer must carry this receipt, or it does not count: {brief.marker}\n"
            "(in JSON as the field `receipt`; in Markdown on a line of its own before the signal)."
        )
    if brief.problem:
        lines.append(
            f"Your previous answer could not be used. {brief.problem.field}: {brief.problem.message}.\n"
            "Answer again, in exactly the form given above."
        )
    return "\n\n".join(lines)
