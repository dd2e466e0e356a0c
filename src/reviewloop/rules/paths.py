"""Which of a document's paths exist in the repository."""

from __future__ import annotations

from collections.abc import Iterable

from reviewloop.rules.repository import Repository

MIN_SHARE = 0.5


def check_paths(paths: Iterable[str], repository: Repository, document: str = "") -> dict[str, bool]:
    """Whether each path exists, from the root or from the document's folder. Leaves out paths that cannot be checked.

    A document may describe another repository. A missing path is therefore checked only if its first directory exists
    here, or if at least half of the document's paths do.
    """
    if not repository.known:
        return {}
    unique = list(dict.fromkeys(path for path in paths if not path.startswith(("/", "~", "..")) and ":" not in path))
    exists = {path: _exists(path, repository, document) for path in unique}
    same_repository = sum(exists.values()) >= max(1, MIN_SHARE * len(unique))
    return {path: found for path, found in exists.items() if found or same_repository or _starts_here(path, repository)}


def _exists(path: str, repository: Repository, document: str) -> bool:
    from posixpath import dirname, join, normpath

    if repository.exists(path):
        return True
    return bool(document) and repository.exists(normpath(join(dirname(document), path)))


def _starts_here(path: str, repository: Repository) -> bool:
    first, slash, _ = path.partition("/")
    return bool(slash) and repository.exists(first) and not repository.is_file(first)
