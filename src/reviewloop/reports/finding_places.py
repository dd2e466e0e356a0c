"""Puts findings where they are: files with their findings, each with its range in the text and a fingerprint."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from reviewloop.core.types.artifact import Artifact, SourceFile, digest_of
from reviewloop.core.types.finding import Finding
from reviewloop.reports.report import Reviewed, ReviewReport, Suppressed
from reviewloop.reports.text_range import Region, lines_of, region_of

_NUMBER = re.compile(r"\d+")


class Unit(StrEnum):
    """What formats count columns in, by the encoding that has it."""

    BYTES = "utf-8"
    CODE_UNITS = "utf-16-le"


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A finding with its exact place.

    `path` is None if it is about the artifact as a whole; `anchor` is the file to pin it to where a format insists on
    one. `source` is the line it starts on, `last_source` the one it ends on. The fingerprint stays the same when text
    moves up or down.
    """

    finding: Finding
    path: str | None
    anchor: str
    region: Region | None
    source: str | None
    last_source: str | None
    suppressed: Suppressed | None = None
    fingerprint: str = ""

    @property
    def label(self) -> str:
        """What raised it: the rule, else the criterion it belongs to."""
        return self.finding.rule or self.finding.criterion or "review"

    @property
    def position(self) -> str:
        """`line:column`, as far as it is known."""
        known = (self.region.line, self.region.column) if self.region else ()
        return ":".join(str(part) for part in known if part is not None)

    def region_in(self, unit: Unit) -> Region | None:
        """The region with columns counted in another unit than characters."""
        if self.region is None:
            return None
        return replace(
            self.region,
            column=_recounted(self.region.column, self.source, unit),
            end_column=_recounted(self.region.end_column, self.last_source, unit),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFindings:
    """One file, or one artifact as a whole, with what was found there in the order of the text.

    `reviewed` is None for a file that is in none of the report's artifacts.
    """

    path: str | None
    reviewed: Reviewed | None
    findings: tuple[Located, ...] = ()
    suppressed: tuple[Located, ...] = ()

    @property
    def title(self) -> str:
        if self.path is not None:
            return self.path
        return f"{self.reviewed.artifact.name} as a whole" if self.reviewed else "the whole"


def by_file(report: ReviewReport) -> tuple[FileFindings, ...]:
    """Every file of the report, clean ones too, in its order; then other files that findings point at."""
    sources = _Sources(report)
    located = [list(_located(reviewed, sources)) for reviewed in report.artifacts]
    in_file: dict[str, list[Located]] = {path: [] for path in report.paths}
    for one in chain.from_iterable(located):
        if one.path is not None:
            in_file.setdefault(one.path, []).append(one)
    seen: Counter[str] = Counter()
    groups: list[FileFindings] = []
    for reviewed, ours in zip(report.artifacts, located, strict=True):
        own = [path for path in dict.fromkeys(reviewed.artifact.paths) if path in in_file]
        groups += [_group(path, reviewed, in_file.pop(path), seen) for path in own]
        if whole := [one for one in ours if one.path is None]:
            groups.append(_group(None, reviewed, whole, seen))
    groups += [_group(path, None, rest, seen) for path, rest in in_file.items()]
    return tuple(groups)


def worst_first(findings: Iterable[Located]) -> list[Located]:
    return sorted(findings, key=lambda one: -one.finding.severity.rank)


def _group(path: str | None, reviewed: Reviewed | None, located: list[Located], seen: Counter[str]) -> FileFindings:
    marked = [_with_fingerprint(one, seen) for one in sorted(located, key=_text_order)]
    return FileFindings(
        path=path,
        reviewed=reviewed,
        findings=tuple(one for one in marked if one.suppressed is None),
        suppressed=tuple(one for one in marked if one.suppressed is not None),
    )


class _Sources:
    """The lines of files, split only when a finding points there."""

    def __init__(self, report: ReviewReport) -> None:
        self._texts = {file.path: file.text for one in report.artifacts for file in _files(one.artifact)}
        self._lines: dict[str, tuple[str, ...]] = {}

    def lines(self, path: str | None) -> tuple[str, ...]:
        if path is None or path not in self._texts:
            return ()
        if path not in self._lines:
            self._lines[path] = lines_of(self._texts[path])
        return self._lines[path]


def _files(artifact: Artifact) -> Iterator[SourceFile]:
    for upstream in artifact.upstream:
        yield from _files(upstream)
    yield from artifact.files


def _located(reviewed: Reviewed, sources: _Sources) -> Iterator[Located]:
    for finding in reviewed.findings:
        yield _locate(finding, reviewed.artifact, sources)
    for suppressed in reviewed.suppressed:
        yield replace(_locate(suppressed.finding, reviewed.artifact, sources), suppressed=suppressed)


def _locate(finding: Finding, artifact: Artifact, sources: _Sources) -> Located:
    only = artifact.file(None)
    path = finding.place.file or (only.path if only else None)
    lines = sources.lines(path)
    region = region_of(finding, lines) if path is not None else None
    return Located(
        finding=finding,
        path=path,
        anchor=path or next(iter(artifact.paths), artifact.name),
        region=region,
        source=lines[region.line - 1] if region and region.line <= len(lines) else None,
        last_source=lines[region.end_line - 1] if region and region.end_line <= len(lines) else None,
    )


def _recounted(column: int | None, line: str | None, unit: Unit) -> int | None:
    if column is None or line is None:
        return column
    before = line[: column - 1].encode(unit, "surrogatepass")
    return len(before) // (2 if unit is Unit.CODE_UNITS else 1) + 1


def _text_order(one: Located) -> tuple[int, int, int]:
    region = one.region or Region(line=0, end_line=0)
    return (region.line, region.column or 0, -one.finding.severity.rank)


def _with_fingerprint(one: Located, seen: Counter[str]) -> Located:
    about = one.finding.quote or one.source or ""
    # A rule says the same every time, but for its counts; a model finds other words for the same thing.
    said = _NUMBER.sub("0", one.finding.issue) if one.finding.rule or not about else ""
    key = f"{one.anchor}\0{one.label}\0{' '.join(about.split())}\0{said}"
    seen[key] += 1
    return replace(one, fingerprint=digest_of(f"{key}\0{seen[key]}"))
