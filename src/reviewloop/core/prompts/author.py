"""The prompt for an author who fixes findings."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.contest import Contest
from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import (
    finding_lines,
    flat,
    joined,
    listed,
    ruling_on,
    titled,
    verify_result,
    whole_files,
)
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorBrief:
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
    sent_back: str = ""


_LATE = """\
These were raised late, about text that earlier reviews passed over. They do not block. Fix those that you agree with,
if the fix is small."""


def author_prompt(brief: AuthorBrief) -> str:
    return joined(
        _role(brief),
        titled("The task this work is done for", brief.task),
        listed("Acceptance criteria of the task", brief.acceptance_criteria),
        titled("The project's Standards", brief.standards),
        listed("Notes from people", brief.notes, "The owners of the work wrote these notes. They take precedence."),
        titled("Why it comes back to you", brief.sent_back),
        titled("Findings to fix", finding_lines(finding for finding in brief.findings if not finding.is_late)),
        titled("Optional findings", finding_lines(finding for finding in brief.findings if finding.is_late), _LATE),
        verify_result(brief.verified, brief.marker),
        _contesting(brief),
        titled("Other findings of the offline rules", finding_lines(_minor_facts(brief))),
        material(brief.artifact, brief.marker) if not brief.edits_files else _where(brief.artifact),
        _builds_on(brief) if brief.edits_files else "",
        titled("Your last attempt failed", brief.problem),
    )


def _role(brief: AuthorBrief) -> str:
    example = next(iter(brief.artifact.paths), "path/of/the/file")
    in_place = "Edit the files in your working directory. Change nothing else."
    how = in_place if brief.edits_files else whole_files(brief.marker, example)
    return f"""\
# Your role

You revise a document of kind `{brief.artifact.kind}` after a review. This is fix attempt {brief.fix}/{brief.max_fixes}.
Fix every finding below with the smallest change that resolves it. Leave everything else unchanged: do not rewrite, do
not restructure, do not add sections. Keep names, ids and numbers consistent everywhere.
{how}"""


def _contesting(brief: AuthorBrief) -> str:
    """How to contest a finding, and the rulings on earlier contests."""
    if not any(finding.id and finding.rule is None for finding in brief.findings):
        return ""
    ruled = [contest for contest in brief.contests if contest.ruled]
    rulings = "\n".join(f"- {flat(contest.finding.issue)}{ruling_on(contest)}" for contest in ruled)
    where = "in your answer" if brief.edits_files else "in your answer, outside the texts of files"
    alone = "" if brief.edits_files else " If you contest every finding, write no file."
    return f"""\
# If a finding is wrong

Do not act on it; contest it instead.{alone} Include one JSON object {where}, with the finding's id and your reason. If
another agent is available, it rules on the finding:

{{"contested": [{{"id": "<the finding's id>", "reason": "<why it is wrong>"}}]}}""" + (
        f"\n\nDo not contest these again; they have a ruling:\n\n{rulings}" if rulings else ""
    )


def _minor_facts(brief: AuthorBrief) -> tuple[Finding, ...]:
    listed_above = {(finding.rule, finding.place, finding.issue) for finding in brief.findings}
    return tuple(fact for fact in brief.facts if (fact.rule, fact.place, fact.issue) not in listed_above)


def _where(artifact: Artifact) -> str:
    return listed("Files", tuple(f"`{path}`" for path in artifact.paths))


def _builds_on(brief: AuthorBrief) -> str:
    """The documents that the work has to agree with. They are in the author's working directory."""
    paths = tuple(
        f"`{file.path}` ({source.kind})" for source in brief.artifact.upstream for file in source.files if file.path
    )
    about = "The work has to agree with these documents. They are in your working directory. Do not edit them."
    return listed("What the work builds on", paths, about)
