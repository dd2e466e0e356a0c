"""A PRD's front matter: which feature it is about, and where that stands."""

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
"""Where a PRD may say which feature it is about; else its file's name does."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prd:
    """What a PRD says about itself. `path` is relative to the project."""

    path: str
    feature: str
    status: FeatureStatus
    title: str = ""

    def called(self, name: str | None) -> Prd:
        """The same PRD, for a feature of another name."""
        return replace(self, feature=_checked(self.path, name)) if name else self

    @property
    def names(self) -> tuple[str, ...]:
        """What the feature can be called by."""
        return (self.feature.lower(), PurePosixPath(self.path).stem.lower(), self.title.lower())


def read_prd(path: str, text: str) -> Prd:
    """Read a PRD's front matter.

    Raises:
        ArtifactError: There is none, it is no YAML, or it says what nobody understands.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    front = read_frontmatter([line.rstrip("\r") for line in lines])
    stem = PurePosixPath(path).stem
    if front is None:
        example = f"begin the file with: ---, prd_id: {stem.lower()}, title: ..., --- (a line each)"
        raise ArtifactError(f"{path} has no front matter", path=path, hint=example)
    if front.broken:
        raise ArtifactError(
            f"the front matter of {path} is broken: {front.broken}", path=path, hint="correct its YAML; see line 1 on"
        )
    named = next((str(front.values[key]) for key in IDS if front.values.get(key)), stem)
    return Prd(
        path=path,
        feature=_checked(path, named),
        status=_status(path, front.values),
        title=str(front.values.get("title") or ""),
    )


def _checked(path: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ArtifactError(
            f"{path}: the feature's name {name!r} cannot name a folder",
            path=path,
            hint="use letters, digits, dots, - and _ in prd_id",
        )
    return name


def _status(path: str, values: Mapping[str, Any]) -> FeatureStatus:
    """`feature_status` is the tools' word, and `status` the people's: what is over for them is over."""
    ours, theirs = values.get("feature_status"), values.get("status")
    found = read_status(str(ours)) if ours else FeatureStatus.PENDING
    if found is None:
        raise ArtifactError(
            f"{path}: nobody knows the feature_status {str(ours)!r}",
            path=path,
            hint=f"known are {', '.join(FeatureStatus)}",
        )
    if theirs and read_status(str(theirs)) is FeatureStatus.COMPLETE:
        return FeatureStatus.COMPLETE
    return found
