"""The sections that each kind of document needs, by format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.headings import find_section, plain_title
from reviewloop.documents.model import Document, Format


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededSection:
    name: str
    severity: Severity = Severity.IMPORTANT


def _sections(*names: str, minor: tuple[str, ...] = ()) -> tuple[NeededSection, ...]:
    nice_to_have = tuple(NeededSection(name=name, severity=Severity.MINOR) for name in minor)
    return tuple(NeededSection(name=name) for name in names) + nice_to_have


_BY_KIND = {
    Kind.RESEARCH: _sections("executive summary", "codebase analysis", "feasibility assessment"),
    Kind.REQUIREMENTS: _sections(
        "user stories", "functional requirements", minor=("non-functional requirements", "out of scope")
    ),
    Kind.DESIGN: _sections("architecture", "components", "data flow", "technical decisions", "file structure"),
    Kind.SPEC: _sections("purpose", "requirements", "design", minor=("testing",)),
    Kind.PRD: _sections("problem", "requirements", minor=("success criteria",)),
}
_BY_FORMAT = {
    (Kind.RESEARCH, Format.OPENSPEC): _sections(),
    (Kind.RESEARCH, Format.SPEC_KIT): _sections("decisions"),
    (Kind.REQUIREMENTS, Format.KIRO): _sections(),
    (Kind.DESIGN, Format.KIRO): _sections("architecture", "components", minor=("testing",)),
    (Kind.DESIGN, Format.OPENSPEC): _sections("decisions", minor=("context",)),
    (Kind.DESIGN, Format.SPEC_KIT): _sections("context", "file structure"),
    (Kind.SPEC, Format.SPEC_KIT): _sections("user stories", "functional requirements", minor=("success criteria",)),
    (Kind.PRD, Format.OPENSPEC): _sections("problem", "requirements", minor=("impact",)),
}
_IN_OPENSPEC = re.compile(r"(?:^|/)(?:changes|specs)/|^[^/]*$")
_OPENSPEC_SPEC = _sections("purpose", "requirements")
_LETTER = re.compile(r"\w")
_SENTENCE_LETTERS = 40
"""A text with this many letters counts as a sentence, in any language."""

_DELTAS = frozenset(("added requirements", "modified requirements", "removed requirements", "renamed requirements"))


def is_stub(document: Document) -> bool:
    """Whether the document has at most a few words below its headings. An OpenSpec delta needs only one letter."""
    minimum = 1 if _is_delta(document) else _SENTENCE_LETTERS
    headings = {heading.line for heading in document.headings}
    letters = 0
    for text in chain(
        (line for number, line in enumerate(document.prose or document.lines, 1) if number not in headings),
        (fence.text for fence in document.fences),
    ):
        letters += len(_LETTER.findall(text))
        if letters >= minimum:
            return False
    return True


def missing_sections(kind: Kind, document: Document) -> Iterator[NeededSection]:
    for section in needed_sections(kind, document):
        if find_section(document, section.name) is None and not _covered_elsewhere(document, section.name):
            yield section


def _has_introduction(document: Document) -> bool:
    """Whether a paragraph comes between the title and the first section."""
    lines = [heading.line for heading in document.headings[:2]] + [len(document.lines) + 1] * 2
    start, end = (lines[0], lines[1]) if document.headings else (1, lines[0])
    return sum(len(line.strip()) for _, line in document.prose_between(start + 1, end - 1)) > 80


def needed_sections(kind: Kind, document: Document) -> tuple[NeededSection, ...]:
    if document.format is Format.OPENSPEC and not _IN_OPENSPEC.search(document.path):
        return ()
    if kind is Kind.SPEC and document.format is Format.OPENSPEC:
        return _sections() if _is_delta(document) else _OPENSPEC_SPEC
    if kind is Kind.TASKS and document.format is Format.CHOO:
        return _sections("objective", "deliverables") if document.value("task") is not None else _sections()
    return _BY_FORMAT.get((kind, document.format), _BY_KIND.get(kind, ()))


def _is_delta(document: Document) -> bool:
    return document.format is Format.OPENSPEC and any(
        plain_title(heading.title) in _DELTAS for heading in document.headings
    )


def _covered_elsewhere(document: Document, name: str) -> bool:
    """Whether a paragraph, table or diagram replaces the section."""
    match name:
        case "purpose" | "problem" | "context":
            return _has_introduction(document)
        case "file structure":
            return any(
                table.column("file", "path") is not None and table.column("action", "change", "purpose") is not None
                for table in document.tables
            )
        case "data flow":
            return any("sequenceDiagram" in fence.text or "stateDiagram" in fence.text for fence in document.fences)
        case "user stories" | "functional requirements":
            family = "US" if name == "user stories" else "FR"
            return any(id_.family == family and id_.role != "mention" for id_ in document.ids)
        case _:
            return False
