"""`review --agents`: the configured panel looks once, and nobody revises."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reviewloop.app import App, open_app
from reviewloop.cli.checking import seen_from_here
from reviewloop.cli.gathering import Gathered
from reviewloop.cli.looking import look
from reviewloop.cli.output import message
from reviewloop.cli.sources import overrides_of
from reviewloop.reports.report import Reviewed
from reviewloop.review.history import History
from reviewloop.review.policy import Policy
from reviewloop.review.review import Review, Verdict
from reviewloop.workspace.source import Source


def ask_agents(found: Sequence[Gathered], asked: Mapping[str, Any]) -> list[Reviewed]:
    async def main() -> list[Reviewed]:
        app = open_app(asked["config_file"], warn=lambda text: message(f"warning: {text}"))
        try:
            return [await _reviewed(app, one, asked) for one in found]
        finally:
            await app.close()

    return asyncio.run(main())


async def _reviewed(app: App, one: Gathered, asked: Mapping[str, Any]) -> Reviewed:
    artifact = one.artifact
    source = Source(kind=artifact.kind, name=artifact.name, paths=artifact.paths)
    policy = replace(app.policy(source, overrides_of(asked)), author=None, max_iterations=1)
    history = await look(app, source, policy, quiet=False)
    return seen_from_here(Reviewed.of(artifact, _review(history, policy), policy.criteria), one.base)


def _review(history: History, policy: Policy) -> Review:
    """What the panel's look comes to, as one review."""
    conclusion = history.iterations[-1].conclusion
    if conclusion is None:
        return Review(verdict=Verdict.INCONCLUSIVE, summary=history.because)
    return Review(
        verdict=conclusion.verdict,
        scores=conclusion.scores,
        findings=conclusion.findings,
        judged=tuple(name for name in policy.criteria.names if name not in conclusion.unjudged),
        summary=conclusion.because,
    )
