"""Ids across documents: which are defined, and which are mentioned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.ids import read_ids
from reviewloop.documents.model import Document, Id, Role
from reviewloop.rules.model import Subject

DEFINING_KINDS = frozenset((Kind.REQUIREMENTS, Kind.SPEC, Kind.PRD))
"""In other kinds, `| FR-1 | parser |` says which part meets FR-1; it does not define FR-1."""


def definitions(document: Document) -> Iterator[Id]:
    return (id_ for id_ in document.ids if id_.role is not Role.MENTION and id_.family != "T")


def defined_keys(documents: Iterable[Document]) -> dict[str, Id]:
    keys: dict[str, Id] = {}
    for document in documents:
        for definition in definitions(document):
            keys.setdefault(definition.key, definition)
    return keys


def known_ids(subject: Subject) -> dict[str, Id]:
    """The ids that the artifact and its upstream documents define."""
    own = subject.documents if subject.kind in DEFINING_KINDS else ()
    return defined_keys((*own, *subject.upstream_documents(*DEFINING_KINDS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """The ids that a set of documents mentions, and the parents of these ids."""

    keys: frozenset[str]
    parents: frozenset[str]

    def covers(self, key: str) -> bool:
        """Whether the documents mention the id, a parent (`AC-1` for `AC-1.2`) or a child."""
        return key in self.keys or key in self.parents or any(parent in self.keys for parent in parents_of(key))


def mentions(documents: Iterable[Document], extra: Iterable[str] = ()) -> Mentions:
    """All ids in the documents, in diagrams and code too, plus `extra`."""
    found = (id_.key for document in documents for id_ in (*document.ids, *_in_code(document)))
    keys = frozenset((*found, *extra))
    return Mentions(keys=keys, parents=frozenset(parent for key in keys for parent in parents_of(key)))


def _in_code(document: Document) -> tuple[Id, ...]:
    blocks = [line for fence in document.fences for line in fence.text.split("\n")]
    return read_ids([*blocks, *(span.text for span in document.spans)], (), (), ())


def parents_of(key: str) -> Iterator[str]:
    """`AC-1.2` and `AC-1` for `AC-1.2.3`."""
    while "." in key:
        key = key.rsplit(".", 1)[0]
        yield key


def _sort_key(key: str) -> tuple[str, tuple[int, ...]]:
    """Sorts FR-2 before FR-10."""
    family, _, number = key.rpartition("-")
    return family, tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in number.split("."))


def format_ids(keys: Iterable[str], limit: int = 8) -> str:
    """`FR-1, FR-2 and 3 more`."""
    names = sorted(keys, key=_sort_key)
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
