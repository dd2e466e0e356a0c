"""What reviewers have learned: opened, brought up to date, searched and corrected."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from reviewloop.app.project import Project
from reviewloop.core.session.events.memory import (
    MemoryImported,
    MemoryPayload,
    PatternAdded,
    PatternDismissed,
    PatternRestored,
    PatternsPruned,
    RuleAdded,
)
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Memory
from reviewloop.core.types.review import Stage
from reviewloop.errors import LedgerError, UsageError
from reviewloop.memory.keeper import MemoryKeeper
from reviewloop.memory.store import decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMemory:
    """What reviewers have learned, as of today. Every change is an event in the ledger."""

    keeper: MemoryKeeper
    memories: list[Memory]
    today: date

    async def add_pattern(self, service: str, issue: str, stage: str, severity: str) -> None:
        """Tell the reviewers of a service about an issue to look for."""
        _refuse_nothing(issue)
        where = Stage(stage)
        await self._record(
            PatternAdded(stage=where, service=service, on=self.today, issue=issue, severity=Severity(severity))
        )

    async def add_rule(self, service: str, rule: str, stage: str) -> None:
        """Tell the reviewers of a service about one of its rules."""
        _refuse_nothing(rule)
        if not self.keeper.files.add_rule(Stage(stage), service, rule):
            raise UsageError(f"the memory file of {service} cannot be written", hint="check who may write to it")
        await self._record(RuleAdded(stage=Stage(stage), service=service, on=self.today, rule=rule))

    def told(self, service: str) -> dict[Stage, str]:
        """What reviewers of each stage are told about a service, word for word."""
        return {stage: text for stage, text in self.keeper.recall(service, self.today).stages.items() if text}

    async def dismiss(self, service: str, pattern: str, why: str, by: str) -> None:
        """Record that a pattern is no issue in a service."""
        stage = self._holder(service, pattern).stage
        await self._record(
            PatternDismissed(stage=stage, service=service, on=self.today, pattern=pattern, why=why, by=by)
        )

    async def restore(self, service: str, pattern: str) -> None:
        """Record that a pattern is an issue after all."""
        stage = self._holder(service, pattern).stage
        await self._record(PatternRestored(stage=stage, service=service, on=self.today, pattern=pattern))

    async def prune(self) -> int:
        """Forget archived patterns; returns how many."""
        archived = {
            (memory.stage, memory.service): tuple(pattern.id for pattern in memory.archived(self.today))
            for memory in self.memories
        }
        await self._record(
            *(
                PatternsPruned(stage=stage, service=service, on=self.today, patterns=patterns)
                for (stage, service), patterns in archived.items()
                if patterns
            )
        )
        return sum(map(len, archived.values()))

    def export(self) -> list[Any]:
        """Everything that was learned, as `import_from` takes it."""
        return [json.loads(encode(memory)) for memory in self.memories]

    async def import_from(self, file: str) -> None:
        """Take over an export. What is known of the same services is replaced."""
        await self._record(
            *(
                MemoryImported(stage=memory.stage, service=memory.service, on=self.today, memory=memory, origin=file)
                for memory in exported(file)
            )
        )

    def of_service(self, service: str) -> list[Memory]:
        """What is known of a service, by stage."""
        found = [memory for memory in self.memories if memory.service == service]
        if not any(memory.numbered or memory.reviews for memory in found) and not self.told(service):
            names = ", ".join(dict.fromkeys(memory.service for memory in self.memories))
            raise UsageError(f"nothing is known about {service}", hint=f"known services: {names or 'none'}")
        return found

    def _holder(self, service: str, pattern: str) -> Memory:
        found = self.of_service(service)
        for memory in found:
            if memory.pattern(pattern):
                return memory
        names = ", ".join(known.id for memory in found for known in memory.patterns)
        raise UsageError(f"{service} has no pattern {pattern}", hint=f"its patterns are {names or 'none'}")

    async def _record(self, *changes: MemoryPayload) -> None:
        await self.keeper.record(changes, self.today)


def _refuse_nothing(text: str) -> None:
    if not text.strip():
        raise UsageError("there is nothing to remember", hint="say what reviewers should look for")


def exported(file: str) -> list[Memory]:
    try:
        found: Any = json.loads(Path(file).read_bytes())
        return [decode(entry) for entry in found["memory"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file} is not an export of `reviewloop memory export`: {error}", hint="name a file that it wrote"
        ) from error


@asynccontextmanager
async def opened_memory(project: Project, service: str | None = None) -> AsyncGenerator[OpenMemory]:
    """The project's memory, brought up to date with the ledger."""
    keeper = project.outputs.memory
    if keeper is None:
        raise UsageError("this project keeps no memory", hint="`paths.memory` is false in the configuration")
    today = datetime.now(UTC).date()
    try:
        for name in [service] if service else [*keeper.files.services(), None]:
            await keeper.catch_up(today, name)
        yield OpenMemory(keeper=keeper, memories=keeper.everything(), today=today)
    except OSError as error:
        hint = "delete memory.db beside the ledger: it is made again from the ledger"
        raise LedgerError(f"the memory cannot be read or written: {error}", hint=hint) from error
