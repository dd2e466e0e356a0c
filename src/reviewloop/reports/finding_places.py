"""Findings by file, each with its range in the text and a fingerprint."""

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
    """The unit that a format counts columns in, as the encoding to count with."""

    BYTES = "utf-8"
    CODE_UNITS = "utf-16-le"


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A finding with its exact place.

    `path` is None if the finding is about the whole artifact; `anchor` is the file to pin it to in formats that require
    a file. `source` is the text of its first line, `last_source` of its last line. The fingerprint does not change when
    the text moves up or down.
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
        """The rule that raised the finding, else its criterion."""
        return self.finding.rule or self.finding.criterion or "review"

    @property
    def position(self) -> str:
        """`line:column`, `line`, or nothing, as far as known."""
        known = (self.region.line, self.region.column) if self.region else ()
        return ":".join(str(part) for part in known if part is not None)

    @property
    def where(self) -> str:
        """`file:line:column`, as far as known."""
        return f"{self.anchor}:{self.position}".removesuffix(":")

    def region_in(self, unit: Unit) -> Region | None:
        """The region with its columns counted in `unit` instead of characters."""
        if self.region is None:
            return None
        return replace(
            self.region,
            column=_recounted(self.region.column, self.source, unit),
            end_column=_recounted(self.region.end_column, self.last_source, unit),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFindings:
    """The findings in one file, or about one whole artifact, in the order of the text.

    `reviewed` is None if the file belongs to none of the report's artifacts.
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
    """All files of the report in order, including clean ones; then other files that findings point at."""
    sources = _Sources(report)
    located = [list(_located(reviewed, sources)) for reviewed in report.artifacts]
    in_file: dict[str, list[Located]] = {path: [] for path in report.paths}
    for finding in chain.from_iterable(located):
        if finding.path is not None:
            in_file.setdefault(finding.path, []).append(finding)
    seen: Counter[str] = Counter()
    groups: list[FileFindings] = []
    for reviewed, findings in zip(report.artifacts, located, strict=True):
        paths = [path for path in dict.fromkeys(reviewed.artifact.paths) if path in in_file]
        groups += [_group(path, reviewed, in_file.pop(path), seen) for path in paths]
        if whole := [finding for finding in findings if finding.path is None]:
            groups.append(_group(None, reviewed, whole, seen))
    groups += [_group(path, None, rest, seen) for path, rest in in_file.items()]
    return tuple(groups)


def worst_first(findings: Iterable[Located]) -> list[Located]:
    return sorted(findings, key=lambda located: -located.finding.severity.rank)


def _group(path: str | None, reviewed: Reviewed | None, located: list[Located], seen: Counter[str]) -> FileFindings:
    ordered = [_with_fingerprint(finding, seen) for finding in sorted(located, key=_text_order)]
    return FileFindings(
        path=path,
        reviewed=reviewed,
        findings=tuple(finding for finding in ordered if finding.suppressed is None),
        suppressed=tuple(finding for finding in ordered if finding.suppressed is not None),
    )


class _Sources:
    """The lines of each file, split only if a finding points there."""

    def __init__(self, report: ReviewReport) -> None:
        self._texts = {file.path: file.text for reviewed in report.artifacts for file in _files(reviewed.artifact)}
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


def _text_order(located: Located) -> tuple[int, int, int]:
    region = located.region or Region(line=0, end_line=0)
    return (region.line, region.column or 0, -located.finding.severity.rank)


def _with_fingerprint(located: Located, seen: Counter[str]) -> Located:
    finding = located.finding
    text = finding.quote or located.source or ""
    # A rule words a finding the same way every time, except for its counts; a model words it differently each time.
    issue = _NUMBER.sub("0", finding.issue) if finding.rule or not text else ""
    key = f"{located.anchor}\0{located.label}\0{' '.join(text.split())}\0{issue}"
    seen[key] += 1
    return replace(located, fingerprint=digest_of(f"{key}\0{seen[key]}"))
