"""Suppression comments: `<!-- reviewloop: ignore REQ004 because ... -->`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.finding import Finding
from reviewloop.documents.model import Comment, Document
from reviewloop.documents.patterns import lazy_re

_SUPPRESSION = lazy_re(
    r"^\s*reviewloop:\s*ignore\b\s*(?P<ids>[A-Z0-9, ]*?)\s*(?:\bbecause\b\s*(?P<reason>.*))?$", re.DOTALL
)
NOT_SUPPRESSIBLE = frozenset(("DOC007",))
"""A document must not be able to hide text that steers the reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A suppression comment. It covers its own `line` and the `target` line, or with `whole_file` every line."""

    ids: tuple[str, ...]
    reason: str
    file: str
    line: int
    column: int
    target: int
    whole_file: bool

    def covers(self, finding: Finding) -> bool:
        if finding.rule not in self.ids or finding.rule in NOT_SUPPRESSIBLE or finding.place.file != self.file:
            return False
        return self.whole_file or finding.place.line in (self.line, self.target)


def suppressions(document: Document) -> Iterator[Suppression]:
    top = _first_prose(document) if document.comments else 0
    for comment in document.comments:
        match = _SUPPRESSION.match(comment.text)
        if match:
            yield Suppression(
                ids=tuple(rule_id for rule_id in re.split(r"[,\s]+", match["ids"]) if rule_id),
                reason=" ".join((match["reason"] or "").split()),
                file=document.path,
                line=comment.line,
                column=comment.column,
                target=_next_line(document, comment),
                whole_file=comment.end < top,
            )


def _first_prose(document: Document) -> int:
    for number, line in enumerate(document.prose, 1):
        if line.strip():
            return number
    return len(document.prose) + 1


def _next_line(document: Document, comment: Comment) -> int:
    """The first line with text below the comment; up to two blank lines may come between."""
    number = comment.end + 1
    while number <= len(document.lines) and not document.lines[number - 1].strip() and number <= comment.end + 2:
        number += 1
    return number
