"""The base class of wrappers: agents that pass calls on to another agent."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from reviewloop.ports import Agent, HidesFiles, Probed, turn_of


class Wrapper:
    """An agent that passes everything on to the agent inside. Subclasses change how `ask` does it."""

    def __init__(self, inner: Agent) -> None:
        self.inner = inner

    @property
    def edits_files(self) -> bool:
        return self.inner.edits_files

    async def probe(self) -> str:
        return await self.inner.probe() if isinstance(self.inner, Probed) else "ready"

    def turn(self) -> AbstractAsyncContextManager[None]:
        return turn_of(self.inner)

    def hides(self, path: str) -> bool:
        return isinstance(self.inner, HidesFiles) and self.inner.hides(path)
