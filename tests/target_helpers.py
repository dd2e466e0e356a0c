"""What a user points at, as a source: for tests that need one and are about something else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.targets.resolver import Resolver
from reviewloop.core.types.artifact import Kind
from reviewloop.workspace.source import Source


def locate(
    root: Path,
    cwd: Path,
    paths: Sequence[str | Path],
    *,
    kind: Kind | None = None,
    name: str | None = None,
    upstream: Sequence[str] = (),
) -> Source:
    request = TargetRequest(paths=tuple(map(str, paths)), kind=kind, name=name, upstream=tuple(upstream))
    return Resolver(root=root, cwd=cwd).resolve(request).source


def locate_change(
    root: Path,
    cwd: Path,
    asked: str,
    *,
    name: str | None = None,
    task: str | None = None,
    upstream: Sequence[str] = (),
) -> Source:
    request = TargetRequest(diff=asked, name=name, task=task, upstream=tuple(upstream))
    return Resolver(root=root, cwd=cwd).resolve(request).source
