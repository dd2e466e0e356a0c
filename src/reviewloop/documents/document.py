"""Parses a file into a `Document`."""

from __future__ import annotations

from functools import lru_cache

from reviewloop.documents.blocks import read_blocks
from reviewloop.documents.formats import recognise
from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.documents.ids import read_ids, read_kiro_ids
from reviewloop.documents.inline import read_inline
from reviewloop.documents.model import Document, Format
from reviewloop.documents.paths import read_paths
from reviewloop.documents.tasks import read_tasks

MAX_CHARS = 300_000
MAX_LINE = 20_000
MAX_CACHED = 100_000


def parse(path: str, text: str) -> Document:
    """Parse a file. Never raises. Text beyond `MAX_CHARS` is dropped, and the document is marked as `truncated`."""
    return _cached_parse(path, text) if len(text) <= MAX_CACHED else _parse(path, text)


@lru_cache(maxsize=256)
def _cached_parse(path: str, text: str) -> Document:
    """Documents are parsed again as upstream of others, so small ones are cached."""
    return _parse(path, text)


def _parse(path: str, text: str) -> Document:
    lines = _lines(text[:MAX_CHARS])
    truncated = len(text) > MAX_CHARS
    if len(text) > MAX_LINE:
        truncated = truncated or any(len(line) > MAX_LINE for line in lines)
        lines = [line[:MAX_LINE] for line in lines]
    frontmatter = read_frontmatter(lines)
    skip = frontmatter.end if frontmatter else 0
    blocks = read_blocks([""] * skip + lines[skip:] if skip else lines)
    inline = read_inline(lines, blocks.fences, skip)
    document_format = recognise(path, frontmatter, blocks.headings, text[:MAX_CHARS])
    ids = read_ids(inline.words, blocks.headings, blocks.tables, blocks.items)
    if document_format is Format.KIRO:
        ids += read_kiro_ids(inline.words, blocks.headings, blocks.items)
        ids = tuple(sorted(ids, key=lambda id_: (id_.line, id_.column)))
    return Document(
        path=path,
        text=text,
        format=document_format,
        lines=tuple(lines),
        prose=inline.prose,
        words=inline.words,
        frontmatter=frontmatter,
        headings=blocks.headings,
        tables=blocks.tables,
        items=blocks.items,
        fences=blocks.fences,
        comments=inline.comments,
        spans=inline.spans,
        links=inline.links,
        ids=ids,
        paths=read_paths(inline.spans, inline.words),
        tasks=read_tasks(
            inline.prose,
            blocks.items,
            blocks.headings,
            blocks.tables,
            frontmatter,
            document_format,
            is_list=path.rsplit("/", 1)[-1].lower() == "tasks.md",
        ),
        truncated=truncated,
    )


def _lines(text: str) -> list[str]:
    """The lines as an editor counts them. NUL becomes the replacement character, as CommonMark requires."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return plain.split("\n")
