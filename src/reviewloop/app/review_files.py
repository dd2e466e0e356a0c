"""Reviews documents or a change once, with the offline rules or with the configured reviewers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewloop import __version__
from reviewloop.app.baseline import load_baseline
from reviewloop.app.rule_review import review_by_rules
from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.targets.resolver import UNLIMITED, Resolver, Target
from reviewloop.config.discover import start_folder
from reviewloop.config.offline_settings import OfflineSettings, load_offline
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Verdict
from reviewloop.errors import ExitCode, UsageError
from reviewloop.reports.phrases import FROM_INPUT
from reviewloop.reports.report import Reviewed, ReviewReport, RuleInfo
from reviewloop.rules.registry import rules_for

if TYPE_CHECKING:
    from reviewloop.engine.context import Observer

MANY_CALLS = 5
"""A review by agents that needs more calls than this says so first."""


BY_VERDICT = {
    Verdict.PASS: ExitCode.PASSED,
    Verdict.NEEDS_REVISION: ExitCode.NEEDS_REVISION,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}
"""The exit code that a verdict stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What to review, by which rules, and whether agents are asked.

    `overrides` are settings for this review. `select` and `ignore` name rules. `baseline` is a file of known findings.
    """

    target: TargetRequest
    config_file: str | None = None
    agents: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: Path | None = None
    without_baseline: bool = False


class FilesReview:
    """One review of what a request points at. Nothing is edited, and nothing is recorded."""

    def __init__(self, request: ReviewRequest) -> None:
        self._request = request
        self._started = time.perf_counter()
        if request.overrides and not request.agents:
            option = next(iter(request.overrides)).replace("_", "-")
            raise UsageError(f"--{option} is for agents", hint="add --agents, or leave it out")
        if request.agents and request.target.is_stdin:
            raise UsageError("--agents reviews files", hint="save it to a file in the project, and name that")
        self.settings = self._settings()
        limits = UNLIMITED if not request.agents else None
        resolver = Resolver(root=self.settings.root, cwd=Path.cwd(), scope=self.settings.scope)
        self.target: Target = (replace(resolver, limits=limits) if limits else resolver).resolve(request.target)

    @property
    def root(self) -> Path:
        return self.settings.root

    @property
    def paths(self) -> frozenset[Path]:
        """The files under review."""
        return frozenset((self.target.root / path).resolve() for path in self.target.artifact.paths)

    def by_rules(self) -> ReviewReport:
        """Review with the offline rules alone."""
        return self._report(review_by_rules(self.target.documents, self.settings))

    def by_agents(
        self,
        watch: Sequence[Observer] = (),
        warn: Callable[[str], None] | None = None,
        confirm: Callable[[int], bool] | None = None,
    ) -> ReviewReport | None:
        """Review with the configured reviewers. None if `confirm` says no to the number of calls."""
        import asyncio

        from reviewloop.app.agent_review import calls_needed, review_by_agents
        from reviewloop.app.project import open_project

        request = self._request

        async def main() -> ReviewReport | None:
            project = open_project(request.config_file, warn, near=request.target.paths)
            try:
                calls = calls_needed(project, self.target, request.overrides)
                if calls > MANY_CALLS and confirm and not confirm(calls):
                    return None
                found = await review_by_agents(project, self.target, request.overrides, self.settings.rules, watch)
            finally:
                await project.close()
            return self._report(found.reviewed, found.reviewers, found.warnings)

        return asyncio.run(main())

    def _settings(self) -> OfflineSettings:
        request = self._request
        start = start_folder(Path.cwd(), request.target.paths)
        config_file = Path(request.config_file) if request.config_file else None
        settings = load_offline(start, os.environ, file=config_file)
        check_rule_names((*request.select, *request.ignore))
        rules = settings.rules
        return replace(
            settings,
            rules=replace(
                rules,
                select=(*rules.select, *request.select),
                ignore=(*rules.ignore, *request.ignore),
                baseline=(
                    frozenset[str]() if request.without_baseline else load_baseline(settings.root, request.baseline)
                ),
            ),
        )

    def _report(
        self, reviewed: Iterable[Reviewed], reviewers: Sequence[str] = (), warnings: Sequence[str] = ()
    ) -> ReviewReport:
        documents = self.target.documents
        return ReviewReport(
            artifacts=tuple(_from_here(found, self.target.base) for found in reviewed),
            rules=tuple(_rule_infos({document.kind for document in documents})),
            reviewers=("rules", *reviewers),
            asked_agents=self._request.agents,
            left_out=self.target.artifact.unread,
            warnings=tuple(warnings),
            notes=tuple(f"skipped: {what}" for what in self.target.skipped),
            tool_version=__version__,
            elapsed=time.perf_counter() - self._started,
        )


def check_rule_names(names: Collection[str]) -> None:
    """Refuse names that select no rule."""
    if not names:
        return
    from reviewloop.config.message_text import nearest, shown
    from reviewloop.rules import selectable  # loads every rule

    for name in names:
        if name not in selectable():
            hint = nearest(name, sorted(selectable())) or "`reviewloop rules` lists them"
            raise UsageError(f"no rule is named {shown(name)}", hint=hint)


def _rule_infos(kinds: Iterable[Kind]) -> list[RuleInfo]:
    """What reports say about the rules for these kinds of artifact."""
    rules = {rule.id: rule for kind in kinds for rule in rules_for(kind)}
    return [
        RuleInfo(
            id=rule.id,
            name=rule.name,
            severity=rule.severity,
            summary=rule.summary,
            description=rule.page,
            docs=f"docs/rules/{rule.id}.md",
        )
        for rule in sorted(rules.values(), key=lambda rule: (int(rule.id[3:]), rule.id))
    ]


def _from_here(reviewed: Reviewed, base: str) -> Reviewed:
    """The same with paths as seen from the current directory."""
    if base in ("", "."):
        return reviewed
    return replace(
        reviewed,
        artifact=_artifact_from_here(reviewed.artifact, base),
        findings=tuple(_finding_from_here(finding, base) for finding in reviewed.findings),
        suppressed=tuple(
            replace(silenced, finding=_finding_from_here(silenced.finding, base)) for silenced in reviewed.suppressed
        ),
    )


def _artifact_from_here(artifact: Artifact, base: str) -> Artifact:
    return replace(artifact, files=tuple(replace(file, path=_join(base, file.path)) for file in artifact.files))


def _finding_from_here(finding: Finding, base: str) -> Finding:
    file = finding.place.file
    return replace(finding, place=replace(finding.place, file=_join(base, file))) if file else finding


def _join(base: str, path: str) -> str:
    if path == FROM_INPUT:
        return path
    return os.path.relpath(os.path.join(base, path)).replace(os.sep, "/")  # noqa: PTH118 - the path may not exist
