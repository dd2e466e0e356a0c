"""What a project keeps beside the ledger: the files other tools read, and what its reviewers have learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from reviewloop.app.catalog import SessionState
from reviewloop.core.session.services import Services
from reviewloop.errors import LedgerUnusable, ReviewloopError

if TYPE_CHECKING:
    from reviewloop.config.model import Config
    from reviewloop.config.view_paths import ViewPaths
    from reviewloop.core.session.history import History
    from reviewloop.memory.keeper import MemoryKeeper, Recall
    from reviewloop.ports import Ledger
    from reviewloop.views.guarded_view import Guarded, View
    from reviewloop.views.review_log import ReviewLog
    from reviewloop.workspace.source import Source


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The views of a ledger that a project's settings ask for."""

    config: Config
    ledger: Ledger
    services: Services
    warn: Callable[[str], None]

    @property
    def root(self) -> Path:
        return self.config.root

    def beside_ledger(self, name: str) -> Path:
        ledger = self.config.ledger
        return (self.root / ".reviewloop" if "://" in ledger else Path(ledger).parent) / name

    @property
    def plans(self) -> list[str]:
        if not self.config.paths.plan:
            return []
        from reviewloop.views.living_plan import plan_files

        return plan_files(self.root, self.config.paths.plan)

    def views(self) -> list[Guarded]:
        """What is kept up to date as a session goes on. What fails there is a warning, never a failed review."""
        from reviewloop.views.guarded_view import Guarded

        return [Guarded(view, self.warn) for view in self._wanted()]

    def _wanted(self) -> Iterator[View]:
        from reviewloop.views.analytics import AnalyticsFile  # only commands that run sessions keep views
        from reviewloop.views.human_item import HumanItems
        from reviewloop.views.living_plan import LivingPlan
        from reviewloop.views.prd_file import PrdFile
        from reviewloop.views.progress_file import ProgressFile
        from reviewloop.views.ralph_state import RalphState

        root, paths = self.root, self.config.paths
        yield self._review_log
        yield HumanItems(lambda history: self._below_root(self._paths_of(history).human_items))
        if paths.progress:
            yield ProgressFile(root, paths.progress)
            yield RalphState(root, paths.progress)
        if paths.plan:
            yield LivingPlan(root, paths.plan, self.beside_ledger("plan.lock"))
        if paths.analytics:
            yield AnalyticsFile(root / paths.analytics, self.beside_ledger("analytics.db"), self.services, self.warn)
        if self.memory:
            yield self.memory
        yield PrdFile(root, self.beside_ledger("prd.lock"))

    async def catch_up(self, state: SessionState) -> None:
        """Let the views catch up with a session that is over: a crash may have come between the record and them."""
        for view in self.views():
            await view.notice(state.id, state.history, ())

    def is_record(self, path: str) -> bool:
        """Whether a file of the project says who reviews and who writes, or what they said: arbiters do not see it."""
        names = {file.relative_to(self.root).as_posix() for file in self.config.files if file.is_relative_to(self.root)}
        folders = [".ai-sdd/state"]
        for paths in (self.config.paths, self.config.paths_under("overlay")):
            folders += [
                place for place in (paths.review_logs, paths.human_items, paths.analytics, paths.memory) if place
            ]
            names |= {place.rpartition("/")[2] for place in (paths.progress,) if place}
        beside = (path, path.rpartition("/")[2])
        return bool(names & {*beside}) or any(path == folder or path.startswith(f"{folder}/") for folder in folders)

    def _paths_of(self, history: History) -> ViewPaths:
        """Where the views of one session are: an overlay's readers look in their own place, whatever the project's is.

        What belongs to the whole project, its analytics and its memory, goes by the project's profile instead: it would
        be in two places otherwise.
        """
        return self.config.paths_under("overlay") if is_overlay(history) else self.config.paths

    def _below_root(self, path: str | None) -> Path | None:
        return self.root / path if path else None

    @cached_property
    def _review_log(self) -> ReviewLog:
        from reviewloop.views.review_log import ReviewLog

        return ReviewLog(lambda history: self._below_root(self._paths_of(history).review_logs))

    def log_of(self, history: History) -> Path | None:
        """Where a session's audit log is, if there is one."""
        path = self._review_log.path(history)
        return path if path and path.is_file() else None

    @cached_property
    def memory(self) -> MemoryKeeper | None:
        folder = self.config.paths.memory
        if not folder:
            return None
        from reviewloop.memory.files import MemoryFiles
        from reviewloop.memory.keeper import MemoryKeeper

        prefix = "project-orchestrator-" if self.config.profile == "panel" else ""
        files = MemoryFiles(self.root / folder, self.warn, prefix=prefix)
        return MemoryKeeper(files, self.beside_ledger("memory.db"), self.ledger, self.services, self.warn)

    def recall(self, source: Source) -> Recall:
        """What is known of the service that an artifact belongs to."""
        from reviewloop.memory.keeper import Recall

        service = self._service(source)
        return self.memory.recall(service, _today()) if self.memory and service else Recall()

    async def remember(self, source: Source) -> None:
        """Bring what reviewers have learned up to date, before it is recalled."""
        if self.memory is None:
            return
        try:
            await self.memory.catch_up(_today(), self._service(source))
        except LedgerUnusable:
            raise  # nothing can go on without it
        except (OSError, ReviewloopError) as error:
            self.warn(f"the reviewer memory is not up to date: {error}")

    def _service(self, source: Source) -> str | None:
        from reviewloop.workspace.files import Limits
        from reviewloop.workspace.source import files_of, read_artifact

        with suppress(ReviewloopError):
            paths = (
                read_artifact(self.root, source, Limits()).paths
                if source.range
                else files_of(self.root, source.paths, source.without)
            )
            return self.services.of(paths)
        return None


def is_overlay(history: History) -> bool:
    """Whether the overlay profile's readers expect this session: every task of the workflow counts."""
    commission = history.started.commission
    of_workflow = commission is not None and not (commission.origin or commission.goal or commission.feature)
    return history.policy.profile == "overlay" or of_workflow


def _today() -> date:
    return datetime.now(UTC).date()
