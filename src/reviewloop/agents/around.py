"""The base of agents that stand around another one: they are asked in its place, and ask it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from reviewloop.ports import Agent, Blinkered, Probed, turn_of


class Around:
    """An agent around another. What it is not about, it leaves to that one."""

    def __init__(self, inner: Agent) -> None:
        self.inner = inner

    @property
    def hands_on(self) -> bool:
        return self.inner.hands_on

    async def probe(self) -> str:
        return await self.inner.probe() if isinstance(self.inner, Probed) else "ready"

    def turn(self) -> AbstractAsyncContextManager[None]:
        return turn_of(self.inner)

    def hides(self, path: str) -> bool:
        return isinstance(self.inner, Blinkered) and self.inner.hides(path)
