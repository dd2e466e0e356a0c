"""`review --agents`: the configured panel looks once, and nobody revises."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reviewloop.app.one_look import look
from reviewloop.app.project import Project, open_project
from reviewloop.app.rule_review import artifact_from_here, reviewed_from_here
from reviewloop.app.targets.gathering import Gathered
from reviewloop.app.targets.sources import overrides_of
from reviewloop.cli.output import message
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Review, Verdict
from reviewloop.errors import ArtifactError
from reviewloop.reports.report import Reviewed
from reviewloop.rules.settings import RuleSettings
from reviewloop.workspace.source import Source, Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was said of each document, by whom, and why somebody said nothing."""

    reviewed: tuple[Reviewed, ...]
    reviewers: tuple[str, ...]
    warnings: tuple[str, ...]


def ask_agents(found: Sequence[Gathered], asked: Mapping[str, Any], rules: RuleSettings) -> Look:
    async def main() -> Look:
        opened = open_project(asked["config_file"], warn=lambda text: message(f"warning: {text}"))
        project = replace(opened, config=replace(opened.config, rules=rules))
        try:
            return _joined([await _reviewed(project, one, asked) for one in found])
        finally:
            await project.close()

    return asyncio.run(main())


def _joined(looks: Sequence[Look]) -> Look:
    return Look(
        reviewed=tuple(one for look in looks for one in look.reviewed),
        reviewers=tuple(dict.fromkeys(one for look in looks for one in look.reviewers)),
        warnings=tuple(one for look in looks for one in look.warnings),
    )


async def _reviewed(project: Project, one: Gathered, asked: Mapping[str, Any]) -> Look:
    artifact = one.artifact
    _refuse_elsewhere(project, one)
    source = one.source or _source(artifact)
    policy = replace(project.policy(source, overrides_of(asked)), author=None, max_iterations=1)
    history = await look(project, source, policy, quiet=False)
    review = _review(history, policy)
    silent = review.verdict is Verdict.INCONCLUSIVE
    return Look(
        reviewed=(reviewed_from_here(Reviewed.of(artifact, review, policy.criteria), one.base),),
        reviewers=tuple(dict.fromkeys(seat.agent for seat in policy.seats)),
        warnings=(f"{artifact.name}: {review.summary}",) if silent and review.summary else (),
    )


def _refuse_elsewhere(project: Project, one: Gathered) -> None:
    """A file of the same name in this project would be taken for it."""
    if Path(one.base).resolve() != project.root.resolve():
        raise ArtifactError(
            f"{artifact_from_here(one.artifact, one.base).paths[0]} lies outside the project {project.root}",
            hint="agents work on a copy of the project: start from the folder that holds both",
        )


def _source(artifact: Artifact) -> Source:
    upstream = [Upstream(kind=one.kind, path=path, name=one.name) for one in artifact.upstream for path in one.paths]
    return Source(kind=artifact.kind, name=artifact.name, paths=artifact.paths, upstream=tuple(upstream))


def _review(history: History, policy: Policy) -> Review:
    """What the panel's look comes to, with what the rules found, as one review."""
    iteration = history.iterations[-1]
    conclusion = iteration.conclusion
    if conclusion is None:
        return Review(verdict=Verdict.INCONCLUSIVE, findings=iteration.checked.facts, summary=history.because)
    heard = any(isinstance(ended.result, Review) for ended in iteration.ended)
    judged = [name for name in policy.criteria.names if heard and name not in conclusion.unjudged]
    told = {(finding.rule, finding.place, finding.issue) for finding in conclusion.findings}
    facts = [one for one in iteration.checked.facts if (one.rule, one.place, one.issue) not in told]
    return Review(
        verdict=conclusion.verdict,
        scores=conclusion.scores,
        findings=(*conclusion.findings, *facts),
        judged=tuple(judged) if conclusion.verdict is not Verdict.INCONCLUSIVE else tuple(conclusion.scores),
        summary=conclusion.because,
    )
