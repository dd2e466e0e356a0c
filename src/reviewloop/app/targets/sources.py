"""From what a user points at to the source of an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewloop.cli.options import refuse_half_a_change, refuse_unknown_task
from reviewloop.core.types.artifact import Kind
from reviewloop.documents import guess_kind, parse
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.workspace.files import Limits, Reader
from reviewloop.workspace.source import Source, Upstream, as_name, locate, locate_change

if TYPE_CHECKING:
    from reviewloop.app.project import Project

_POLICY = ("profile", "reviewer", "author", "max_iterations", "timeout", "cache")


def overrides_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {key: asked[key] for key in _POLICY if asked.get(key) is not None}


def find_source(project: Project, asked: Mapping[str, Any]) -> Source:
    """The source that the paths, `--feature` or `--diff` stand for."""
    paths: tuple[str, ...] = asked.get("paths") or ()
    feature, git_range = asked.get("feature"), asked.get("git_range")
    _refuse_odd_name(asked.get("name") or feature or "")
    refuse_half_a_change(paths, git_range, asked.get("task"))
    upstream = [_upstream(project, path) for path in asked.get("upstream") or ()]
    if asked.get("prd"):
        upstream.append(Upstream(kind=Kind.PRD, path=asked["prd"]))
    if git_range:
        task = asked.get("task")
        source = locate_change(
            project.root, project.cwd, git_range, name=asked.get("name"), task=task, upstream=upstream
        )
        _refuse_unknown_task(project, source)
        return source
    if feature and not paths:
        paths = (_specs_of(project, feature),)
    if not paths:
        raise UsageError("there is nothing to review", hint="name a file or a folder: reviewloop run spec.md")
    kind = Kind(asked["kind"]) if asked.get("kind") else kind_of(project, paths[0])
    name = asked.get("name") or feature
    return locate(project.root, project.cwd, paths, kind=kind, name=name, upstream=upstream)


def _refuse_odd_name(name: str) -> None:
    if name != as_name(name):
        raise UsageError(
            f"a session cannot be called {name!r}",
            hint="a name starts with neither - nor @ and has only letters that can be shown",
        )


def _refuse_unknown_task(project: Project, source: Source) -> None:
    file, _, number = (source.task or "").rpartition("#")
    if file:
        text = Reader(project.root, Limits()).document(file).text
        refuse_unknown_task(file, number, [task.id for task in parse(file, text).tasks])


def kind_of(project: Project, path: str) -> Kind:
    """What the document says it is; a spec if it does not say."""
    found = project.cwd / path
    if not found.is_file():  # reading from a pipe would wait for ever
        return Kind.SPEC
    try:
        text = found.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Kind.SPEC
    return guess_kind(found.name, text) or Kind.SPEC


def _upstream(project: Project, path: str) -> Upstream:
    return Upstream(kind=kind_of(project, path), path=path)


def _specs_of(project: Project, feature: str) -> str:
    for folder in (Path("specs") / feature, Path(".kiro/specs") / feature):
        if (project.root / folder).is_dir():
            return str(project.root / folder)
    raise ArtifactError(f"there is no folder specs/{feature}", path=feature, hint="name the files themselves")
