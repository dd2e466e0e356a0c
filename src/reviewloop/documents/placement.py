"""Where findings on an artifact point: at a file and line that a reader can open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding, Place
from reviewloop.core.types.sections import section_at, sections_of
from reviewloop.documents.diff import FileDiff, read_diff
from reviewloop.documents.formats import is_diff


def placed(findings: Sequence[Finding], artifact: Artifact) -> tuple[Finding, ...]:
    """The findings with their places checked against the artifact.

    A finding on a diff moves to the changed file. A section without a line becomes the line of its heading. A file that
    is not part of the artifact is dropped from the place, and so is a line beyond the file's end.
    """
    return tuple(_placed(finding, artifact) for finding in findings)


def at_changed_line(finding: Finding, change: Artifact) -> Finding:
    """A finding on a line of a diff, moved to that line of the changed file."""
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
    """The place without a file that the artifact does not have, and without a line that its file does not have."""
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
    beyond = place.line is not None and text is not None and place.line > text.count("\n") + 1
    return replace(place, file=path, line=None if beyond else place.line, column=None if beyond else place.column)


def _same_file(named: str, known: Sequence[str]) -> str | None:
    """The file a reviewer means: by its path, or by the end of it if that is unambiguous."""
    wanted = named.replace("\\", "/").removeprefix("./")
    if wanted in known:
        return wanted
    ends = [path for path in known if path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}")]
    return ends[0] if len(ends) == 1 else None


@lru_cache(maxsize=8)
def _diff(text: str) -> tuple[FileDiff, ...]:
    return read_diff(text)


def _in_new_file(files: Sequence[FileDiff], at: int, place: Place) -> Place:
    """The line of the new file that a line of the diff stands for; for a removed line, the nearest one after it."""
    file = next((file for file in reversed(files) if file.line <= at), None)
    if file is None:
        return replace(place, line=1)
    return replace(place, file=file.path, line=file.new_line(at), column=None, section=None)
