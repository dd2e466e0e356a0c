"""`review --agents`: the configured reviewers look at each document once, and nothing is revised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewloop.app.project import Project
from reviewloop.app.sessions import look_once
from reviewloop.app.targets.resolver import Target
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.outcome import Judge
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Review, Verdict
from reviewloop.engine.context import Observer
from reviewloop.reports.report import Reviewed
from reviewloop.rules.settings import RuleSettings
from reviewloop.workspace.source import Source, Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReview:
    """What the reviewers said of each document, who they are, and why any of them said nothing."""

    reviewed: tuple[Reviewed, ...]
    reviewers: tuple[str, ...]
    warnings: tuple[str, ...]


def calls_needed(project: Project, target: Target, overrides: Mapping[str, Any]) -> int:
    """How many calls a review by agents makes, retries aside."""
    return sum(len(_policy(project, source, overrides).seats) for source in _sources(target))


async def review_by_agents(
    project: Project,
    target: Target,
    overrides: Mapping[str, Any],
    rules: RuleSettings,
    observers: Sequence[Observer] = (),
) -> AgentReview:
    """Ask the configured reviewers about every document."""
    project = replace(project, config=replace(project.config, rules=rules))
    project.report_unused(overrides)
    reviewed: list[Reviewed] = []
    reviewers: dict[str, None] = {}
    warnings: list[str] = []
    for document, source in zip(target.documents, _sources(target), strict=True):
        policy = _policy(project, source, overrides)
        history = await look_once(project, source, policy, observers)
        review = _review(history, policy)
        reviewed.append(Reviewed.of(document, review, policy.criteria))
        reviewers.update(_answered(history, policy))
        warnings += [f"{document.name}: {warning}" for warning in _warnings(history, review)]
    return AgentReview(reviewed=tuple(reviewed), reviewers=tuple(reviewers), warnings=tuple(warnings))


def _policy(project: Project, source: Source, overrides: Mapping[str, Any]) -> Policy:
    return replace(project.policy(source, overrides), author=None, max_iterations=1)


def _sources(target: Target) -> list[Source]:
    """One source per document; a change is read from its range."""
    if target.source.range:
        return [target.source]
    return [_source(document) for document in target.documents]


def _source(document: Artifact) -> Source:
    upstream = [
        Upstream(kind=above.kind, path=path, name=above.name, given=above.given)
        for above in document.upstream
        for path in above.paths
    ]
    return Source(
        kind=document.kind,
        name=document.name,
        paths=document.paths,
        upstream=tuple(upstream),
        as_kind=document.kind,
    )


def _answered(history: History, policy: Policy) -> dict[str, None]:
    """The agents that were asked, or that answered instead; none if the rules alone decided."""
    iteration = history.iterations[-1]
    return {ended.agent: None for seat in policy.seats for ended in iteration.attempts(seat.name)}


def _warnings(history: History, review: Review) -> tuple[str, ...]:
    """Why there is no verdict, why no reviewer was asked, and what a pass is to be read with."""
    iteration = history.iterations[-1]
    said = iteration.conclusion.warnings if iteration.conclusion else ()
    unasked = iteration.judge is Judge.RULES
    return (review.summary, *said) if review.summary and (review.verdict is Verdict.INCONCLUSIVE or unasked) else said


def _review(history: History, policy: Policy) -> Review:
    """The reviewers' conclusion and the rules' findings as one review."""
    iteration = history.iterations[-1]
    conclusion = iteration.conclusion
    if conclusion is None:
        return Review(verdict=Verdict.INCONCLUSIVE, findings=iteration.checked.facts, summary=history.because)
    judged = [name for name in policy.criteria.names if iteration.is_reviewed and name not in conclusion.unjudged]
    return Review(
        verdict=conclusion.verdict,
        scores=conclusion.scores,
        findings=(*conclusion.findings, *iteration.other_facts),
        judged=tuple(judged) if conclusion.verdict is not Verdict.INCONCLUSIVE else tuple(conclusion.scores),
        summary=conclusion.because,
    )
