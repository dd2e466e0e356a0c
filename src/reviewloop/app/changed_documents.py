"""Which changed files a hook or a CI job reviews: documents of a known kind that the project wants reviewed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewloop.config.discover import start_folder
from reviewloop.config.offline_settings import OfflineSettings, load_offline
from reviewloop.core.types.artifact import Kind
from reviewloop.documents import guess_kind
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.workspace import git
from reviewloop.workspace.files import real_path
from reviewloop.workspace.reserved_names import MARKDOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDocuments:
    """The files to review, as they were named, and those to leave alone."""

    paths: tuple[str, ...]
    skipped: tuple[str, ...] = ()


def changed_documents(
    cwd: Path,
    environment: Mapping[str, str],
    paths: Sequence[str],
    *,
    since: str | None = None,
    config_file: str | None = None,
) -> ChangedDocuments:
    """The documents among the named files, or among what changed in the named places.

    Args:
        cwd: Where the command was started.
        environment: The environment's variables.
        paths: Files; with `since`, also folders and patterns. Nothing stands for everything there.
        since: A commit or tree. Files count that differ from it, deleted ones aside.
        config_file: A configuration file to read instead of the one that would be found.

    Raises:
        ArtifactError: A file is not there, or git knows no such commit.
        UsageError: Nothing is named.
    """
    if since is None:
        if not paths:
            raise UsageError("there is nothing to review", hint="name the changed files, or a commit: --since main")
        files = [_there(cwd, path) for path in paths]
    else:
        files = _changed(cwd, paths, since)
    settings = load_offline(start_folder(cwd, files), environment, file=Path(config_file) if config_file else None)
    known = {path: _is_document(cwd, path, settings) for path in dict.fromkeys(files)}
    return ChangedDocuments(
        paths=tuple(path for path, wanted in known.items() if wanted),
        skipped=tuple(path for path, wanted in known.items() if not wanted),
    )


def _there(cwd: Path, path: str) -> str:
    if os.path.lexists(cwd / path):
        return path
    hint = "check the path, and the folder you are in"
    if path.startswith("-"):
        hint = "if it is meant as an option, see `reviewloop review-changed --help`"
    raise ArtifactError(f"there is no file {path}", path=path, hint=hint)


def _changed(cwd: Path, paths: Sequence[str], since: str) -> list[str]:
    tree = git.ask(cwd, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{tree}}")
    if not tree.ok:
        raise ArtifactError(
            f"git knows no commit {since} here" if git.is_repository(cwd.resolve()) else f"{cwd} is no git repository",
            path=since,
            hint="fetch it first; a shallow clone has only the newest commits",
        )
    listed = git.ask(
        cwd, *git.without_filters(cwd), *git.DIFF, "--name-only", "-z", "--diff-filter=d", tree.line, "--", *paths
    )
    if not listed.ok:
        raise ArtifactError(f"git cannot compare with {since}: {listed.words}", path=since, hint="check the paths")
    return listed.paths


def _is_document(cwd: Path, path: str, settings: OfflineSettings) -> bool:
    file = cwd / path
    if file.suffix.lower() not in MARKDOWN or not file.is_file():
        return False
    try:
        name = real_path(settings.root, file)
    except ArtifactError:
        return True  # the review says what is wrong with it
    kind = settings.scope.kind_of(name) or guess_kind(name, file.read_text(encoding="utf-8", errors="replace"))
    return kind not in (None, Kind.DOCUMENT) and settings.scope.covers(name)
