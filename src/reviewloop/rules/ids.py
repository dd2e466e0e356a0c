"""Which ids are defined where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.ids import read_ids
from reviewloop.documents.model import Document, Id, Role
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Ids that some documents mention, and those that they mention parts of."""

    keys: frozenset[str]
    wholes: frozenset[str]

    def cover(self, key: str) -> bool:
        """Whether an id is mentioned, itself, by its whole (`AC-1` for `AC-1.2`) or by one of its parts."""
        return key in self.keys or key in self.wholes or any(one in self.keys for one in wholes_of(key))


def mentions(documents: Iterable[Document], more: Iterable[str] = ()) -> Mentions:
    """The ids anywhere in the documents: a diagram, or a comment in code, refers to a requirement too."""
    found = (one.key for document in documents for one in (*document.ids, *_in_code(document)))
    keys = frozenset((*found, *more))
    return Mentions(keys=keys, wholes=frozenset(whole for key in keys for whole in wholes_of(key)))


def _in_code(document: Document) -> tuple[Id, ...]:
    blocks = [line for fence in document.fences for line in fence.text.split("\n")]
    return read_ids([*blocks, *(span.text for span in document.spans)], (), (), ())


def wholes_of(key: str) -> Iterator[str]:
    """`AC-1.2` and `AC-1` for `AC-1.2.3`."""
    while "." in key:
        key = key.rsplit(".", 1)[0]
        yield key


def natural(key: str) -> tuple[str, tuple[int, ...]]:
    """Sorts FR-2 before FR-10."""
    family, _, number = key.rpartition("-")
    return family, tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in number.split("."))


def listed(keys: Iterable[str], limit: int = 8) -> str:
    """`FR-1, FR-2 and 3 more`."""
    names = sorted(keys, key=natural)
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
