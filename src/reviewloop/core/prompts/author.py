"""What an author is told who is to revise something after a review."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.contest import Contest
from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import (
    finding_lines,
    flat,
    joined,
    listed,
    own_check,
    ruling_on,
    titled,
    whole_files,
)
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorBrief:
    """Everything an author is told in one call."""

    artifact: Artifact
    marker: str
    findings: tuple[Finding, ...]
    iteration: int = 1
    fix: int = 1
    max_fixes: int = 2
    facts: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    standards: str = ""
    task: str = ""
    acceptance_criteria: tuple[str, ...] = ()
    verified: Verification | None = None
    edits_files: bool = True
    problem: str = ""
    contests: tuple[Contest, ...] = ()


def author_prompt(brief: AuthorBrief) -> str:
    return joined(
        _role(brief),
        titled("The task this work is done for", brief.task),
        listed("Acceptance criteria of the task", brief.acceptance_criteria),
        titled("The project's Standards", brief.standards),
        listed("A person says", brief.notes, "These notes come from the people who own the work. They come first."),
        titled("Findings to address", finding_lines(brief.findings)),
        own_check(brief.verified, brief.marker),
        _contesting(brief),
        titled("Also seen by the offline rules", finding_lines(_minor_facts(brief))),
        material(brief.artifact, brief.marker) if not brief.edits_files else _where(brief.artifact),
        titled("Your last attempt failed", brief.problem),
    )


def _role(brief: AuthorBrief) -> str:
    example = next(iter(brief.artifact.paths), "path/of/the/file")
    in_place = "Edit the files in place, in your working directory. Change nothing else."
    how = in_place if brief.edits_files else whole_files(brief.marker, example)
    return f"""\
# Your role

You revise a document of kind `{brief.artifact.kind}` after a review. This is fix attempt {brief.fix}/{brief.max_fixes}.
Address every finding below with the smallest change that settles it. Leave what passed as it is: do not rewrite, do not
restructure, do not add sections nobody asked for. Keep names, ids and numbers consistent everywhere they appear.
{how}"""


def _contesting(brief: AuthorBrief) -> str:
    """How to contest a finding, and what came of earlier contests."""
    if not any(finding.id and finding.rule is None for finding in brief.findings):
        return ""
    settled = [one for one in brief.contests if one.ruled]
    ruled = "\n".join(f"- {flat(one.finding.issue)}{ruling_on(one)}" for one in settled)
    return """\
# If a finding is wrong

Then do not act on it: contest it. Put one JSON object into your answer, with the finding's id and the reason, and it is
looked at again by somebody else:

{"contested": [{"id": "<the finding's id>", "reason": "<why it is wrong>"}]}""" + (
        f"\n\nThis has been ruled on; do not contest it again:\n\n{ruled}" if ruled else ""
    )


def _minor_facts(brief: AuthorBrief) -> tuple[Finding, ...]:
    said = {(finding.rule, finding.place, finding.issue) for finding in brief.findings}
    return tuple(fact for fact in brief.facts if (fact.rule, fact.place, fact.issue) not in said)


def _where(artifact: Artifact) -> str:
    return listed("Files", tuple(f"`{path}`" for path in artifact.paths))
