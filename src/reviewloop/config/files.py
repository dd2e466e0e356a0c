"""Reading files that people write settings into."""

from __future__ import annotations

from pathlib import Path

from reviewloop.config.parse import MAX_BYTES


def read(path: Path) -> bytes:
    """The file's bytes, up to one more than a configuration may have."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
