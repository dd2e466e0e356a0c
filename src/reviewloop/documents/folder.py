"""The artifacts in a folder, and the upstream files of each. Pure: listings and texts in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, dirname

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents.kinds import guess_kind

_SIBLINGS: dict[Kind, tuple[tuple[str, Kind], ...]] = {
    Kind.SPEC: (("prd.md", Kind.PRD), ("proposal.md", Kind.PRD), ("research.md", Kind.RESEARCH)),
    Kind.REQUIREMENTS: (("prd.md", Kind.PRD), ("research.md", Kind.RESEARCH)),
    Kind.DESIGN: (
        ("requirements.md", Kind.REQUIREMENTS),
        ("spec.md", Kind.SPEC),
        ("proposal.md", Kind.PRD),
        ("prd.md", Kind.PRD),
        ("research.md", Kind.RESEARCH),
    ),
    Kind.TASKS: (
        ("requirements.md", Kind.REQUIREMENTS),
        ("spec.md", Kind.SPEC),
        ("design.md", Kind.DESIGN),
        ("plan.md", Kind.DESIGN),
        ("proposal.md", Kind.PRD),
    ),
    Kind.CHANGE: (
        ("tasks.md", Kind.TASKS),
        ("design.md", Kind.DESIGN),
        ("plan.md", Kind.DESIGN),
        ("requirements.md", Kind.REQUIREMENTS),
        ("spec.md", Kind.SPEC),
    ),
}
_OPENSPEC_CHANGE = re.compile(r"^(?P<change>(?:.*/)?openspec/changes/(?:archive/)?[^/]+)/")
_CHOO_UNIT = re.compile(r"^(?P<root>(?:.*/)?specs(?:/completed)?)/tasks/(?P<unit>[^/]+)/")
_CHOO_SPEC = re.compile(r"^(?P<root>(?:.*/)?)specs/(?:completed/)?(?:SPEC-)?(?P<name>[A-Z0-9][A-Z0-9-]*)\.md$")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamFile:
    """A file that another file builds on."""

    path: str
    kind: Kind


def upstream_of(path: str, listing: Collection[str], kind: Kind | None = None) -> tuple[UpstreamFile, ...]:
    """The listed files that a file builds on, by convention.

    Args:
        path: The file, relative to the project, with forward slashes.
        listing: All existing files, in the same form.
        kind: The file's kind; guessed from its name if it is None.
    """
    existing = listing if isinstance(listing, (set, frozenset)) else frozenset(listing)
    candidates = _candidates(path, existing, kind or guess_kind(path, ""))
    return tuple({file.path: file for file in candidates if file.path in existing and file.path != path}.values())


def _candidates(path: str, listing: Collection[str], kind: Kind | None) -> Iterator[UpstreamFile]:
    change = _OPENSPEC_CHANGE.match(path) if "openspec/changes/" in path else None
    unit = _CHOO_UNIT.match(path) if "/tasks/" in path else None
    spec = _CHOO_SPEC.match(path)
    if unit:
        for folder in (unit["root"], unit["root"].removesuffix("/completed")):
            for name in (unit["unit"].upper(), f"SPEC-{unit['unit'].upper()}"):
                yield UpstreamFile(path=f"{folder}/{name}.md", kind=Kind.SPEC)
        return
    if spec and kind is Kind.SPEC:
        for name in (spec["name"], spec["name"].lower()):
            yield UpstreamFile(path=f"{spec['root']}docs/prd/{name}.md", kind=Kind.PRD)
        return
    folder = change["change"] if change else dirname(path)
    for name, sibling_kind in _SIBLINGS.get(kind, ()) if kind else ():
        if (sibling := f"{folder}/{name}" if folder else name) in listing:
            yield UpstreamFile(path=sibling, kind=sibling_kind)
    if change and kind in (Kind.DESIGN, Kind.TASKS):
        prefix = f"{change['change']}/specs/"
        specs = (file for file in listing if file.startswith(prefix) and file.endswith("/spec.md"))
        yield from (UpstreamFile(path=file, kind=Kind.SPEC) for file in sorted(specs))


def documents_of(artifact: Artifact) -> tuple[Artifact, ...]:
    """Split an artifact into its documents, each with its own kind and upstream documents.

    Numbered task files of a folder stay together, because they depend on each other. A change is not split.
    """
    if artifact.kind is Kind.CHANGE or len(artifact.files) == 1:
        return (artifact,) if artifact.files else ()
    documents: dict[str, list[SourceFile]] = {}
    for file in artifact.files:
        documents.setdefault(_document_key(file.path, artifact.kind_of(file)), []).append(file)
    available = {
        file.path: Artifact(kind=artifact.kind_of(file), name=_stem(file.path), files=(file,))
        for file in artifact.files
    } | {file.path: upstream for upstream in artifact.upstream if not upstream.given for file in upstream.files}
    given = tuple(upstream for upstream in artifact.upstream if upstream.given)
    return tuple(_document(name, files, artifact, available, given) for name, files in documents.items())


def _document(
    name: str,
    files: Sequence[SourceFile],
    artifact: Artifact,
    available: Mapping[str, Artifact],
    given: tuple[Artifact, ...],
) -> Artifact:
    kind = artifact.kind_of(files[0])
    upstream = {other.path: other.kind for file in files for other in upstream_of(file.path, available.keys(), kind)}
    own = {file.path for file in files}
    found = (replace(available[path], kind=found_kind) for path, found_kind in upstream.items() if path not in own)
    return Artifact(kind=kind, name=_stem(name), files=tuple(files), upstream=(*given, *found))


def _document_key(path: str, kind: Kind) -> str:
    return dirname(path) if kind is Kind.TASKS and re.match(r"\d+[-_]", basename(path)) else path


def session_kind(kinds: Collection[Kind]) -> Kind:
    """The kind of a session about several documents: their common kind, or `spec` if they differ."""
    return next(iter(kinds)) if len(set(kinds)) == 1 else Kind.SPEC


def _stem(path: str) -> str:
    return basename(path).rsplit(".", 1)[0]
