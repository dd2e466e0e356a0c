"""Spec folders as a whole: which files are artifacts, and what each builds on. Pure: listings and texts in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename, dirname

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents.formats import guess_kind

ORDER = (Kind.PRD, Kind.RESEARCH, Kind.SPEC, Kind.REQUIREMENTS, Kind.DESIGN, Kind.TASKS, Kind.CHANGE)
"""Upstream first."""

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


def artifacts_of(files: Mapping[str, str]) -> tuple[Artifact, ...]:
    """The artifacts in a set of files, upstream first, each with what it builds on among them.

    Task files of one folder are one artifact, and so are the specs of one OpenSpec change; every other file stands for
    itself. Files of no known kind are left out.
    """
    kinds = {path: kind for path, text in files.items() if (kind := guess_kind(path, text)) is not None}
    groups: dict[tuple[Kind, str], list[str]] = {}
    for path, kind in sorted(kinds.items()):
        groups.setdefault((kind, _group(path, kind)), []).append(path)
    made: dict[str, Artifact] = {}
    ordered = sorted(groups.items(), key=lambda group: ORDER.index(group[0][0]))
    for (kind, name), paths in ordered:
        above = [made[one.path] for path in paths for one in upstream_of(path, files.keys(), kind) if one.path in made]
        artifact = Artifact(
            kind=kind,
            name=basename(name).rsplit(".", 1)[0],
            files=tuple(SourceFile(path=path, text=files[path]) for path in paths),
            upstream=tuple(dict.fromkeys(above)),
        )
        made.update(dict.fromkeys(paths, artifact))
    return tuple(dict.fromkeys(made.values()))


def _group(path: str, kind: Kind) -> str:
    if kind is Kind.TASKS and re.match(r"\d+[-_]", basename(path)):
        return dirname(path)
    change = _OPENSPEC_CHANGE.match(path)
    return f"{change['change']}/specs" if change and kind is Kind.SPEC else path
