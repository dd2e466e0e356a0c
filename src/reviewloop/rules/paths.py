"""What rules may conclude from the repository about paths in a document."""

from __future__ import annotations

from collections.abc import Iterable

from reviewloop.rules.repository import Repository

MIN_SHARE = 0.5


def judged(paths: Iterable[str], repository: Repository, document: str = "") -> dict[str, bool]:
    """Whether each path exists, for the paths that can be judged.

    A document may speak of another repository, so a path is judged only if its first directory is here, or if at least
    half of the document's paths are. A path may also be meant from the document's own folder.
    """
    if not repository.known:
        return {}
    unique = list(dict.fromkeys(path for path in paths if not path.startswith(("/", "~", "..")) and ":" not in path))
    there = {path: is_there(path, repository, document) for path in unique}
    ours = sum(there.values()) >= max(1, MIN_SHARE * len(unique))
    return {path: found for path, found in there.items() if found or ours or _starts_here(path, repository)}


def is_there(path: str, repository: Repository, document: str = "") -> bool:
    from posixpath import dirname, join, normpath

    if repository.exists(path):
        return True
    return bool(document) and repository.exists(normpath(join(dirname(document), path)))


def _starts_here(path: str, repository: Repository) -> bool:
    first, slash, _ = path.partition("/")
    return bool(slash) and repository.exists(first) and not repository.is_file(first)
