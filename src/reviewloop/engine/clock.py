"""The real clock."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def marker(self) -> str:
        return secrets.token_hex(8)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
