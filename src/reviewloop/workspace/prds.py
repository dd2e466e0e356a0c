"""PRDs on disk."""

from __future__ import annotations

from pathlib import Path

from reviewloop.documents.prd_header import Prd, read_prd
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.workspace.files import real_path

FOLDERS = ("docs/prd", "docs/prds", "prd", "prds")
"""Where a feature's PRD is looked for by its name."""


def load_prd(root: Path, given: str | Path) -> Prd:
    """The PRD at a path, which may be relative to the project.

    Raises:
        ArtifactError: It is not there, or its front matter does not say what it has to.
    """
    path = real_path(root, root / given)
    try:
        text = (root / path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}", path=path, hint="name a Markdown file") from error
    return read_prd(path, text)


def find_prd(root: Path, feature: str) -> Prd | None:
    """The PRD of a feature, by its id, its file's name or its title. A broken one counts only by its file's name.

    Raises:
        UsageError: There are several.
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
        paths = ", ".join(one.path for one in found)
        raise UsageError(f"several PRDs are about {feature}: {paths}", hint="name one: reviewloop run --prd PATH")
    return found[0] if found else None
