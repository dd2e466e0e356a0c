"""Moves findings to files and lines that exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding, Place
from reviewloop.core.types.sections import section_at, sections_of
from reviewloop.documents.diff import FileDiff, read_diff
from reviewloop.documents.kinds import is_diff


def placed(findings: Sequence[Finding], artifact: Artifact) -> tuple[Finding, ...]:
    """The findings, with their places checked against the artifact.

    A finding on a diff moves to the changed file. A finding with a section and no line moves to the section's heading.
    Files outside the artifact and lines past the end of a file are removed from the place.
    """
    return tuple(_placed(finding, artifact) for finding in findings)


def at_changed_line(finding: Finding, change: Artifact) -> Finding:
    """Move a finding on a line of a diff to the line of the changed file."""
    file = change.file(finding.place.file)
    if file is None or finding.place.line is None or not is_diff(file.path, file.text):
        return finding
    return replace(finding, place=_in_new_file(_diff(file.text), finding.place.line, finding.place))


def _placed(finding: Finding, artifact: Artifact) -> Finding:
    if artifact.kind is Kind.CHANGE:
        finding = at_changed_line(finding, artifact)
    place = _inside(finding.place, artifact)
    if place.line is None and place.section and artifact.kind is not Kind.CHANGE:
        section = section_at(place, sections_of(artifact))
        place = replace(place, file=section.file, line=section.start) if section else place
    return finding if place == finding.place else replace(finding, place=place)


def _inside(place: Place, artifact: Artifact) -> Place:
    """The place, without a file outside the artifact or a line past the end of its file."""
    if place.file is None:
        return place
    changed = {changed.path for file in artifact.files if is_diff(file.path, file.text) for changed in _diff(file.text)}
    known = [file.path for source in (artifact, *artifact.upstream) for file in source.files]
    path = _same_file(place.file, [*known, *sorted(changed)])
    if path is None:
        return Place(section=place.section)
    text = next(
        (file.text for source in (artifact, *artifact.upstream) for file in source.files if file.path == path), None
    )
    past_end = place.line is not None and text is not None and place.line > text.count("\n") + 1
    return replace(place, file=path, line=None if past_end else place.line, column=None if past_end else place.column)


def _same_file(cited: str, known: Sequence[str]) -> str | None:
    """The known file that a reviewer cites, by its path or an unambiguous end of it."""
    target = cited.replace("\\", "/").removeprefix("./")
    if target in known:
        return target
    matches = [path for path in known if path.endswith(f"/{target}") or target.endswith(f"/{path}")]
    return matches[0] if len(matches) == 1 else None


@lru_cache(maxsize=8)
def _diff(text: str) -> tuple[FileDiff, ...]:
    return read_diff(text)


def _in_new_file(files: Sequence[FileDiff], at: int, place: Place) -> Place:
    """The place in the new file for a line of the diff."""
    file = next((file for file in reversed(files) if file.line <= at), None)
    if file is None:
        return replace(place, line=1)
    return replace(place, file=file.path, line=file.new_line(at), column=None, section=None)
