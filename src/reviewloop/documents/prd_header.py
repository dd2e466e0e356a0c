"""A PRD's front matter: its feature, title and status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from reviewloop.core.session.feature_status import FeatureStatus, read_status
from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.errors import ArtifactError

IDS = ("prd_id", "feature_id", "feature", "id")
"""The keys that may name the feature; without them, the file name does."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prd:
    """A PRD's front matter. `path` is relative to the project."""

    path: str
    feature: str
    status: FeatureStatus
    title: str = ""

    def called(self, name: str | None) -> Prd:
        """The PRD with another feature name."""
        return replace(self, feature=_checked(self.path, name)) if name else self

    @property
    def names(self) -> tuple[str, ...]:
        """The names that identify the feature, in lower case."""
        return (self.feature.lower(), PurePosixPath(self.path).stem.lower(), self.title.lower())


def read_prd(path: str, text: str) -> Prd:
    """Read a PRD's front matter.

    Raises:
        ArtifactError: The front matter is missing, is not valid YAML, or has an invalid value.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    front = read_frontmatter([line.rstrip("\r") for line in lines])
    stem = PurePosixPath(path).stem
    if front is None:
        example = f"start the file with these lines: ---, prd_id: {stem.lower()}, title: ..., ---"
        raise ArtifactError(f"{path} has no front matter", path=path, hint=example)
    if front.broken:
        raise ArtifactError(
            f"the front matter of {path} cannot be read: {front.broken}",
            path=path,
            hint="correct the YAML at the top of the file",
        )
    name = next((str(front.values[key]) for key in IDS if front.values.get(key)), stem)
    return Prd(
        path=path,
        feature=_checked(path, name),
        status=_status(path, front.values),
        title=str(front.values.get("title") or ""),
    )


def _checked(path: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ArtifactError(
            f"{path}: the feature name {name!r} cannot be used as a folder name",
            path=path,
            hint="use only letters, digits, dots, hyphens and underscores in prd_id, and start with a letter or digit",
        )
    return name


def _status(path: str, values: Mapping[str, Any]) -> FeatureStatus:
    """Tools write `feature_status` and people write `status`. A completed `status` wins."""
    feature_status, status = values.get("feature_status"), values.get("status")
    found = read_status(str(feature_status)) if feature_status else FeatureStatus.PENDING
    if found is None:
        raise ArtifactError(
            f"{path}: unknown feature_status {str(feature_status)!r}",
            path=path,
            hint=f"use one of {', '.join(FeatureStatus)}",
        )
    if status and read_status(str(status)) is FeatureStatus.COMPLETE:
        return FeatureStatus.COMPLETE
    return found
