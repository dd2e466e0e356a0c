"""Parsers for Markdown, front matter and diffs. Pure: texts in, structures out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewloop.documents.kinds import guess_kind

if TYPE_CHECKING:
    from reviewloop.documents.model import Document

__all__ = ["guess_kind", "parse"]


def parse(path: str, text: str) -> Document:
    """Parse a file into a `Document`. Never raises."""
    from reviewloop.documents.document import parse

    return parse(path, text)
