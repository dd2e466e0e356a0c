"""The sections each kind of document needs, by the conventions it follows."""

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
class Wanted:
    """A section that should be there."""

    name: str
    severity: Severity = Severity.IMPORTANT


def _wanted(*names: str, nice: tuple[str, ...] = ()) -> tuple[Wanted, ...]:
    return tuple(Wanted(name=name) for name in names) + tuple(
        Wanted(name=name, severity=Severity.MINOR) for name in nice
    )


_BY_KIND = {
    Kind.RESEARCH: _wanted("executive summary", "codebase analysis", "feasibility assessment"),
    Kind.REQUIREMENTS: _wanted(
        "user stories", "functional requirements", nice=("non-functional requirements", "out of scope")
    ),
    Kind.DESIGN: _wanted("architecture", "components", "data flow", "technical decisions", "file structure"),
    Kind.SPEC: _wanted("purpose", "requirements", "design", nice=("testing",)),
    Kind.PRD: _wanted("problem", "requirements", nice=("success criteria",)),
}
_BY_FORMAT = {
    (Kind.RESEARCH, Format.OPENSPEC): _wanted(),
    (Kind.RESEARCH, Format.SPEC_KIT): _wanted("decisions"),
    (Kind.REQUIREMENTS, Format.KIRO): _wanted(),
    (Kind.DESIGN, Format.KIRO): _wanted("architecture", "components", nice=("testing",)),
    (Kind.DESIGN, Format.OPENSPEC): _wanted("decisions", nice=("context",)),
    (Kind.DESIGN, Format.SPEC_KIT): _wanted("context", "file structure"),
    (Kind.SPEC, Format.SPEC_KIT): _wanted("user stories", "functional requirements", nice=("success criteria",)),
    (Kind.PRD, Format.OPENSPEC): _wanted("problem", "requirements", nice=("impact",)),
}
_IN_OPENSPEC = re.compile(r"(?:^|/)(?:changes|specs)/|^[^/]*$")
_OPENSPEC_SPEC = _wanted("purpose", "requirements")
_LETTER = re.compile(r"\w")
_A_SENTENCE = 40
"""This many letters are one, in any language."""

_DELTAS = frozenset(("added requirements", "modified requirements", "removed requirements", "renamed requirements"))


def says_nothing(document: Document) -> bool:
    """Whether there is no more than a few words below the headings. What an OpenSpec change renames takes no more."""
    return not has_words(document, 1 if _is_delta(document) else _A_SENTENCE)


def has_words(document: Document, letters: int = 1) -> bool:
    """Whether there are at least so many letters outside the headings."""
    headings = {heading.line for heading in document.headings}
    found = 0
    for text in chain(
        (line for number, line in enumerate(document.prose or document.lines, 1) if number not in headings),
        (fence.text for fence in document.fences),
    ):
        found += len(_LETTER.findall(text))
        if found >= letters:
            return True
    return False


def missing_sections(kind: Kind, document: Document) -> Iterator[Wanted]:
    for section in needed_sections(kind, document):
        if find_section(document, section.name) is None and not _said_otherwise(document, section.name):
            yield section


def _has_introduction(document: Document) -> bool:
    """Whether there is a paragraph between the title and the first section."""
    lines = [heading.line for heading in document.headings[:2]] + [len(document.lines) + 1] * 2
    start, end = (lines[0], lines[1]) if document.headings else (1, lines[0])
    return sum(len(line.strip()) for _, line in document.prose_between(start + 1, end - 1)) > 80


def needed_sections(kind: Kind, document: Document) -> tuple[Wanted, ...]:
    """The sections that a document of this kind and format has to have."""
    if document.format is Format.OPENSPEC and not _IN_OPENSPEC.search(document.path):
        return ()
    if kind is Kind.SPEC and document.format is Format.OPENSPEC:
        return _wanted() if _is_delta(document) else _OPENSPEC_SPEC
    if kind is Kind.TASKS and document.format is Format.CHOO:
        return _wanted("objective", "deliverables") if document.value("task") is not None else _wanted()
    return _BY_FORMAT.get((kind, document.format), _BY_KIND.get(kind, ()))


def _is_delta(document: Document) -> bool:
    return document.format is Format.OPENSPEC and any(
        plain_title(heading.title) in _DELTAS for heading in document.headings
    )


def _said_otherwise(document: Document, name: str) -> bool:
    """Whether a table or diagram says what the section would."""
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
            return any(one.family == family and one.role != "mention" for one in document.ids)
        case _:
            return False
