"""Loads the effective settings of a project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    shared: bool = False


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
    paths = tuple(file_settings.path for file_settings in loaded)
    written = [file_settings.layer for file_settings in loaded]
    variables = environment_layer(environment)
    config = build(merge([variables, *written]), root, paths)
    if not config.review.nodes:
        return config
    as_written = build(merge(written), root, paths) if variables.top or variables.review else config
    return replace(config, unused=_reported(config, as_written, project))


def _reported(config: Config, as_written: Config, project: _Loaded | None) -> tuple[str, ...]:
    """What to tell people of settings that have no effect here.

    The user's file and the environment are for many projects, so settings from there are only reported.

    Args:
        config: The effective settings.
        as_written: The same without the environment, which may switch something off for once.
        project: The project's file.

    Raises:
        ConfigError: The project's own file has such a setting.
    """
    from reviewloop.config.setting_uses import AUTHOR, unused_settings

    anyway = {unused.key for unused in unused_settings(as_written)}
    reported: list[str] = []
    for unused in unused_settings(config):
        setting = project.layer.review.get(unused.key) if project else None
        is_own = setting is not None and setting.node is config.review.nodes[unused.key]
        can_be_fixed = unused.need is not AUTHOR or not (project and project.shared)
        if is_own and unused.key in anyway and can_be_fixed:
            raise unused.place.error(unused.message, hint=unused.hint)
        reported.append(f"{unused.place}: {unused.message}")
    return tuple(reported)


def _find(root: Path, cwd: Path) -> _Loaded | None:
    for candidate in candidates(root):
        if found := _read(candidate, cwd):
            return found
    return None


def _read_given(path: Path, cwd: Path) -> _Loaded | None:
    shared = path.name == "project.yml"
    found = _read(Candidate(path=path, shared=shared), cwd, given=True)
    if found is None:
        raise ConfigError(
            'the file has no "review" block',
            file=_shown(path, cwd),
            hint="of another tool's project.yml only this block is read; add it, or use a reviewloop.yml",
        )
    return found


def _read(candidate: Candidate, cwd: Path, *, personal: bool = False, given: bool = False) -> _Loaded | None:
    """A file's settings; None for another tool's file without a `review` block."""
    name = _shown(candidate.path, cwd)
    try:
        data = read(candidate.path)
    except OSError as error:
        hint = (
            "check the path and its permissions, or leave out --config" if given else "make it readable, or remove it"
        )
        raise ConfigError(f"cannot read the file: {error.strerror}", file=name, hint=hint) from error
    from reviewloop.config.parse import parse  # YAML is only needed if there is a file

    if not candidate.shared:
        return _Loaded(path=candidate.path, layer=read_layer(parse(data, name), personal=personal))
    table = parse(data, name, only="review")
    return _Loaded(path=candidate.path, layer=read_review_block(table), shared=True) if table.entries else None


def _shown(path: Path, cwd: Path) -> str:
    """The path for messages: relative to the current directory, unless that takes more than three `..`."""
    relative = os.path.relpath(path, cwd)
    return relative if relative.count("..") <= 3 else str(path)
