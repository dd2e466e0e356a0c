"""Times in RFC 3339, as other tools read them."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
