"""What the commands about memory share: what is known, brought up to date, and how to find something in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewloop.cli.options import with_project
from reviewloop.errors import ExitCode, LedgerError, UsageError

if TYPE_CHECKING:
    from datetime import date

    from reviewloop.app.project import Project
    from reviewloop.core.session.events.memory import MemoryPayload
    from reviewloop.core.types.memory_pattern import Memory
    from reviewloop.memory.keeper import MemoryKeeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What is known, who keeps it, and what day it is."""

    keeper: MemoryKeeper
    memories: list[Memory]
    today: date

    async def record(self, *changes: MemoryPayload) -> None:
        await self.keeper.record(changes, self.today)


def exported(file: str) -> list[Memory]:
    import json
    from pathlib import Path

    from reviewloop.memory.store import decode

    try:
        found: Any = json.loads(Path(file).read_bytes())
        return [decode(one) for one in found["memory"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is nothing that `reviewloop memory export` printed: {error}") from error


def with_memory(
    work: Callable[[Shelf], Awaitable[None]], config_file: str | None, service: str | None = None
) -> ExitCode:
    async def with_keeper(project: Project) -> ExitCode:
        from datetime import UTC, datetime

        keeper = project.outputs.memory
        if keeper is None:
            raise UsageError("this project keeps no memory", hint="`paths.memory` is false in the configuration")
        today = datetime.now(UTC).date()
        try:
            await keeper.catch_up(today, service)
            await work(Shelf(keeper=keeper, memories=keeper.everything(), today=today))
        except OSError as error:
            hint = "memory.db beside the ledger can be deleted: it is made again from the ledger"
            raise LedgerError(f"the memory cannot be read or written: {error}", hint=hint) from error
        return ExitCode.PASSED

    return with_project(with_keeper, config_file)


def of_service(service: str, at: Shelf) -> list[Memory]:
    found = [one for one in at.memories if one.service == service]
    if not any(one.numbered or one.reviews for one in found):
        names = ", ".join(dict.fromkeys(one.service for one in at.memories))
        raise UsageError(f"nothing is known about {service}", hint=f"known services: {names or 'none'}")
    return found


def having(pattern: str, service: str, at: Shelf) -> Memory:
    found = of_service(service, at)
    for one in found:
        if one.pattern(pattern):
            return one
    names = ", ".join(one.id for memory in found for one in memory.patterns)
    raise UsageError(f"{service} has no pattern {pattern}", hint=f"its patterns are {names or 'none'}")
