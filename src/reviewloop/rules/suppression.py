"""`<!-- reviewloop: ignore REQ004 because ... -->`: what an author asks not to be told, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.finding import Finding
from reviewloop.documents.model import Comment, Document
from reviewloop.documents.patterns import lazily

_SUPPRESSION = lazily(
    r"^\s*reviewloop:\s*ignore\b\s*(?P<ids>[A-Z0-9, ]*?)\s*(?:\bbecause\b\s*(?P<reason>.*))?$", re.DOTALL
)
NEVER = frozenset(("DOC007",))
"""Text that steers the reviewer cannot excuse itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One comment. `line` is where it stands; it covers that line and `target`, or with `whole` the file."""

    ids: tuple[str, ...]
    reason: str
    file: str
    line: int
    column: int
    target: int
    whole: bool

    def covers(self, finding: Finding) -> bool:
        if finding.rule not in self.ids or finding.rule in NEVER or finding.place.file != self.file:
            return False
        return self.whole or finding.place.line in (self.line, self.target)


def suppressions(document: Document) -> Iterator[Suppression]:
    top = _first_prose(document) if document.comments else 0
    for comment in document.comments:
        match = _SUPPRESSION.match(comment.text)
        if match:
            yield Suppression(
                ids=tuple(one for one in re.split(r"[,\s]+", match["ids"]) if one),
                reason=" ".join((match["reason"] or "").split()),
                file=document.path,
                line=comment.line,
                column=comment.column,
                target=_next_line(document, comment),
                whole=comment.end < top,
            )


def _first_prose(document: Document) -> int:
    for number, line in enumerate(document.prose, 1):
        if line.strip():
            return number
    return len(document.prose) + 1


def _next_line(document: Document, comment: Comment) -> int:
    """The next line that says something; the comment may stand above it with a blank line between."""
    number = comment.end + 1
    while number <= len(document.lines) and not document.lines[number - 1].strip() and number <= comment.end + 2:
        number += 1
    return number
