"""Parsers for Markdown, front matter and diffs. Pure: texts in, structures out."""

from __future__ import annotations

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.model import Document, Format

__all__ = ["Document", "Format", "guess_kind", "parse"]


def parse(path: str, text: str) -> Document:
    """Parse a file into a `Document`. Never raises."""
    from reviewloop.documents.document import parse

    return parse(path, text)


def guess_kind(path: str, text: str) -> Kind | None:
    """Guess a file's kind from its name, front matter or headings; None if it is unclear."""
    from reviewloop.documents.formats import guess_kind

    return guess_kind(path, text)
