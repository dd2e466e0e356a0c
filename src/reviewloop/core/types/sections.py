"""Sections of a text, by heading, with digests that show which sections changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reviewloop.core.types.artifact import Artifact, SourceFile, digest_of
from reviewloop.core.types.finding import Place

_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?)[ \t]*#*)?$")
_MARKS = ("#", "`", "~", " ")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the text below it, up to the next heading. Lines count from 1, and `end` is included.

    `level` is the heading's level, 0 for text before the first heading.
    """

    file: str
    title: str
    start: int
    end: int
    digest: str
    level: int = 0

    def holds(self, line: int) -> bool:
        return self.start <= line <= self.end


def sections_of(artifact: Artifact) -> tuple[Section, ...]:
    return tuple(section for file in artifact.files for section in file_sections(file))


@lru_cache(maxsize=32)  # each reviewer's prompt needs them again
def file_sections(file: SourceFile) -> tuple[Section, ...]:
    """The sections of one file; a file that is not Markdown is one section."""
    lines = list(map(str.rstrip, file.text.splitlines()))
    starts = _headings(lines) if file.is_markdown else []
    if not starts or starts[0].line > 0:
        starts.insert(0, _Heading(line=0, title="", level=0))
    ends = [heading.line for heading in starts[1:]] + [len(lines)]
    return tuple(
        Section(
            file=file.path,
            title=heading.title,
            start=heading.line + 1,
            end=max(end, heading.line + 1),
            digest=digest_of("\n".join(lines[heading.line : end]).strip()),
            level=heading.level,
        )
        for heading, end in zip(starts, ends, strict=True)
    )


class _Heading(NamedTuple):
    line: int
    title: str
    level: int


def _headings(lines: list[str]) -> list[_Heading]:
    found: list[_Heading] = []
    fence = ""
    for number, line in enumerate(lines):
        if not line.startswith(_MARKS):
            continue
        if match := _FENCE.match(line):
            mark = match[1]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            found.append(_Heading(line=number, title=heading[2] or "", level=len(heading[1])))
    return found


def section_at(place: Place, sections: Sequence[Section]) -> Section | None:
    """The section that contains a place: by its line, else by its heading."""
    here = [section for section in sections if place.file in (None, section.file)]
    if place.line is not None and (place.file or len({section.file for section in here}) == 1):
        return next((section for section in here if section.holds(place.line)), None)
    if place.section:
        wanted = _words(place.section)
        return next((section for section in here if section.title and _words(section.title) == wanted), None)
    return None


@lru_cache(maxsize=1000)  # every finding is compared with every heading
def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))
