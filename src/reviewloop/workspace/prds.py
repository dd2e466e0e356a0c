"""Finds and reads PRDs."""

from __future__ import annotations

from pathlib import Path

from reviewloop.documents.prd_header import Prd, read_prd
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.workspace.files import real_path

FOLDERS = ("docs/prd", "docs/prds", "prd", "prds")
"""The folders in which a feature's PRD is searched by name."""


def load_prd(root: Path, given: str | Path) -> Prd:
    """Read the PRD at a path, which may be relative to the project.

    Raises:
        ArtifactError: The file does not exist, or its front matter is incomplete.
    """
    path = real_path(root, root / given)
    try:
        text = (root / path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}", path=path, hint="name a Markdown file") from error
    return read_prd(path, text)


def find_prd(root: Path, feature: str) -> Prd | None:
    """Find a feature's PRD by its id, file name or title. An invalid PRD is only found by its file name.

    Raises:
        UsageError: Several PRDs match.
    """
    found: list[Prd] = []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).glob("*.md")):
        try:
            prd = load_prd(root, path)
        except ArtifactError:
            if path.stem.lower() == feature.lower():
                raise
        else:
            found += [prd] if feature.lower() in prd.names else []
    if len(found) > 1:
        paths = ", ".join(prd.path for prd in found)
        raise UsageError(f"several PRDs match {feature}: {paths}", hint="choose one: reviewloop run --prd PATH")
    return found[0] if found else None
