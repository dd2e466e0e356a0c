"""Spec folders as a whole: which files are artifacts, and what each builds on. Pure: listings and texts in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, dirname

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents.formats import guess_kind

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
class Above:
    """A file that another builds on."""

    path: str
    kind: Kind


def upstream_of(path: str, listing: Collection[str], kind: Kind | None = None) -> tuple[Above, ...]:
    """What a file builds on, by convention, as far as the listing has it.

    Args:
        path: The file, relative to the project, with forward slashes.
        listing: The files there are, in the same form.
        kind: The file's kind, if it is known; otherwise its name tells.
    """
    there = listing if isinstance(listing, (set, frozenset)) else frozenset(listing)
    found = [
        one for one in _candidates(path, there, kind or guess_kind(path, "")) if one.path in there and one.path != path
    ]
    return tuple({one.path: one for one in found}.values())


def _candidates(path: str, listing: Collection[str], kind: Kind | None) -> Iterator[Above]:
    change = _OPENSPEC_CHANGE.match(path) if "openspec/changes/" in path else None
    unit = _CHOO_UNIT.match(path) if "/tasks/" in path else None
    spec = _CHOO_SPEC.match(path)
    if unit:
        for folder in (unit["root"], unit["root"].removesuffix("/completed")):
            for name in (unit["unit"].upper(), f"SPEC-{unit['unit'].upper()}"):
                yield Above(path=f"{folder}/{name}.md", kind=Kind.SPEC)
        return
    if spec and kind is Kind.SPEC:
        for name in (spec["name"], spec["name"].lower()):
            yield Above(path=f"{spec['root']}docs/prd/{name}.md", kind=Kind.PRD)
        return
    folder = change["change"] if change else dirname(path)
    for name, above in _SIBLINGS.get(kind, ()) if kind else ():
        if (beside := f"{folder}/{name}" if folder else name) in listing:
            yield Above(path=beside, kind=above)
    if change and kind in (Kind.DESIGN, Kind.TASKS):
        prefix = f"{change['change']}/specs/"
        specs = (one for one in listing if one.startswith(prefix) and one.endswith("/spec.md"))
        yield from (Above(path=one, kind=Kind.SPEC) for one in sorted(specs))


def documents_of(artifact: Artifact) -> tuple[Artifact, ...]:
    """The artifact's documents, each by itself with its own kind and what it builds on.

    Numbered task files of one folder are one document, because they depend on each other. A change stays whole.
    """
    if artifact.kind is Kind.CHANGE or len(artifact.files) == 1:
        return (artifact,) if artifact.files else ()
    documents: dict[str, list[SourceFile]] = {}
    for file in artifact.files:
        documents.setdefault(_document_key(file.path, artifact.kind_of(file)), []).append(file)
    around = {
        file.path: Artifact(kind=artifact.kind_of(file), name=_stem(file.path), files=(file,))
        for file in artifact.files
    } | {file.path: above for above in artifact.upstream if not above.given for file in above.files}
    given = tuple(above for above in artifact.upstream if above.given)
    return tuple(_document(name, files, artifact, around, given) for name, files in documents.items())


def _document(
    name: str,
    files: Sequence[SourceFile],
    artifact: Artifact,
    around: Mapping[str, Artifact],
    given: tuple[Artifact, ...],
) -> Artifact:
    kind = artifact.kind_of(files[0])
    above = {above.path: above for file in files for above in upstream_of(file.path, around.keys(), kind)}
    own = {file.path for file in files}
    return Artifact(
        kind=kind,
        name=_stem(name),
        files=tuple(files),
        upstream=(
            *given,
            *(replace(around[path], kind=one.kind) for path, one in above.items() if path not in own),
        ),
    )


def _document_key(path: str, kind: Kind) -> str:
    return dirname(path) if kind is Kind.TASKS and re.match(r"\d+[-_]", basename(path)) else path


def session_kind(kinds: Collection[Kind]) -> Kind:
    """What a session calls several documents: their common kind, or a spec if they are of several kinds."""
    return next(iter(kinds)) if len(set(kinds)) == 1 else Kind.SPEC


def _stem(path: str) -> str:
    return basename(path).rsplit(".", 1)[0]
