"""Which ids are defined where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reviewloop.documents.model import Document, Id, Role
from reviewloop.review.artifact import Kind
from reviewloop.rules.model import Subject

DEFINING = frozenset((Kind.REQUIREMENTS, Kind.SPEC, Kind.PRD))
"""In other kinds, `| FR-1 | parser |` says where FR-1 is met, not what it is."""


def definitions(document: Document) -> Iterator[Id]:
    return (one for one in document.ids if one.role is not Role.MENTION and one.family != "T")


def defined_keys(documents: Iterable[Document]) -> dict[str, Id]:
    keys: dict[str, Id] = {}
    for document in documents:
        for one in definitions(document):
            keys.setdefault(one.key, one)
    return keys


def known_ids(subject: Subject) -> dict[str, Id]:
    """What this artifact and those above it define."""
    own = subject.documents if subject.kind in DEFINING else ()
    return defined_keys((*own, *subject.above(*DEFINING)))


def mentioned_keys(document: Document) -> set[str]:
    return {one.key for one in document.ids}


def covered(key: str, mentioned: set[str]) -> bool:
    """Whether an id is mentioned, itself, by its parent (`AC-1` for `AC-1.2`) or by one of its parts."""
    parent = key
    while "." in parent:
        if parent in mentioned:
            return True
        parent = parent.rsplit(".", 1)[0]
    return parent in mentioned or any(one.startswith(f"{key}.") for one in mentioned)


def natural(key: str) -> tuple[str, tuple[int, ...]]:
    """Sorts FR-2 before FR-10."""
    family, _, number = key.rpartition("-")
    return family, tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in number.split("."))


def listed(keys: Iterable[str], limit: int = 8) -> str:
    """`FR-1, FR-2 and 3 more`."""
    names = sorted(keys, key=natural)
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
