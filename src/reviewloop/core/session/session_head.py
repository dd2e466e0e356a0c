"""What a ledger says of a session without its events: where it stands in the record, and which process writes to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

MEMORY_BOOK = "@memory"
"""The ledger's name for the record of changes that people make to the memory outside of any session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    session: str
    feature: str
    events: int
    started: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    name: str
    owner: str
    pid: int
    host: str
    expires: datetime
