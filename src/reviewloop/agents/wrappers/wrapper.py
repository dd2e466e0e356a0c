"""The base of agents that stand around another one: they are asked in its place, and ask it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from reviewloop.ports import Agent, HidesFiles, Probed, turn_of


class Around:
    """An agent around another. What it is not about, it leaves to that one."""

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
