"""Reads configuration files up to a size limit."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 256 * 1024
"""No configuration file is larger."""


def read(path: Path) -> bytes:
    """The file's bytes, up to one byte more than the limit."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
