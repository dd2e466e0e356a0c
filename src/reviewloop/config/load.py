"""Loads the effective settings of a project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewloop.config.build import build
from reviewloop.config.discover import Candidate, candidates, exists, project_root, read, user_file
from reviewloop.config.environment import environment_layer
from reviewloop.config.layers import Layer, merge, read_layer, read_review_block
from reviewloop.config.model import Config
from reviewloop.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    path: Path
    layer: Layer


def load(cwd: Path, environment: Mapping[str, str], *, file: Path | None = None) -> Config:
    """The settings of the project that `cwd` is in: environment before project file before user file.

    Args:
        cwd: The current directory.
        environment: The environment variables.
        file: A project file to read instead of searching for one.

    Raises:
        ConfigError: A setting is invalid; says where it was written.
    """
    root = project_root(cwd)
    project = _read_given(cwd / file, cwd) if file else _find(root, cwd)
    personal = user_file(environment)
    user = _read(Candidate(path=personal), cwd, personal=True) if personal and exists(personal) else None
    loaded = [file_settings for file_settings in (project, user) if file_settings]
    layers = [environment_layer(environment), *(file_settings.layer for file_settings in loaded)]
    return build(merge(layers), root, tuple(file_settings.path for file_settings in loaded))


def _find(root: Path, cwd: Path) -> _Loaded | None:
    for candidate in candidates(root):
        if found := _read(candidate, cwd):
            return found
    return None


def _read_given(path: Path, cwd: Path) -> _Loaded | None:
    shared = path.name == "project.yml"
    found = _read(Candidate(path=path, shared=shared), cwd)
    if found is None:
        raise ConfigError('the file has no "review" block', file=_shown(path, cwd))
    return found


def _read(candidate: Candidate, cwd: Path, *, personal: bool = False) -> _Loaded | None:
    """A file's settings; None for another tool's file without a `review` block."""
    name = _shown(candidate.path, cwd)
    try:
        data = read(candidate.path)
    except OSError as error:
        raise ConfigError(f"cannot read the file: {error.strerror}", file=name) from error
    from reviewloop.config.parse import parse  # YAML is only needed if there is a file

    if not candidate.shared:
        return _Loaded(path=candidate.path, layer=read_layer(parse(data, name), personal=personal))
    table = parse(data, name, only="review")
    return _Loaded(path=candidate.path, layer=read_review_block(table)) if table.entries else None


def _shown(path: Path, cwd: Path) -> str:
    """The path for messages: relative to the current directory, unless that takes more than three `..`."""
    relative = os.path.relpath(path, cwd)
    return relative if relative.count("..") <= 3 else str(path)
