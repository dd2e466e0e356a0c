"""The `paths` block, and where views are written without it: in `.reviewloop/`, or where the profile's readers look."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from reviewloop.config.fields import Reader, Setting, path
from reviewloop.config.message_text import shown
from reviewloop.config.source_marks import Node, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewPaths:
    """Where the files that people and other tools read are written, relative to the project. None: not at all."""

    review_logs: str | None = ".reviewloop/review-logs"
    analytics: str | None = ".reviewloop/analytics.json"
    memory: str | None = ".reviewloop/memory"
    progress: str | None = "specs/{name}/.progress.md"
    human_items: str | None = ".reviewloop/inbox"
    plan: str | None = None


_DEFAULT = ViewPaths()

BY_PROFILE: Mapping[str, ViewPaths] = {
    "overlay": replace(_DEFAULT, review_logs=".ai-sdd/state/review-logs", human_items=".ai-sdd/state/hil"),
    "panel": replace(_DEFAULT, analytics=".claude/review-analytics.json", memory=".claude/agent-memory"),
}
"""The places that other tools define, each for the profile that works with them."""


def view_paths(written: Mapping[str, Setting], profile: str) -> ViewPaths:
    """The paths of a profile, overridden by the configured ones."""
    values = {key: setting.value for key, setting in written.items()}
    return replace(
        BY_PROFILE.get(profile, _DEFAULT),
        **{key: value and str(Path(value).expanduser()) for key, value in values.items()},
    )


def _anywhere(node: Node, name: str) -> str | None:
    return None if _is_off(node) else path(node, name)


def _inside_project(node: Node, name: str) -> str | None:
    if _is_off(node):
        return None
    value = posixpath.normpath(path(node, name))
    parts = value.split("/")
    if value.startswith(("/", "~")) or parts[0] == ".." or ".git" in parts:
        raise node.place.error(
            f"paths.{name} must be a path inside the project, found {shown(value)}",
            hint="give a path relative to the project's root; only your own configuration file may name other places",
        )
    return value


def _is_off(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is False


PATHS: Mapping[str, Reader[Any]] = dict.fromkeys((field.name for field in fields(ViewPaths)), _inside_project)
"""The settings as a project may write them: a clone must not decide which of your files are written."""

PERSONAL_PATHS: Mapping[str, Reader[Any]] = dict.fromkeys(PATHS, _anywhere)
"""The same in the user's own file."""
