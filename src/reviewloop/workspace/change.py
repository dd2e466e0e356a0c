"""A change as an artifact: its diff, and the changed files as they are after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reviewloop.core.types.artifact import SourceFile
from reviewloop.errors import ArtifactError
from reviewloop.temporary import own_folder
from reviewloop.workspace import git
from reviewloop.workspace.diff import new_file
from reviewloop.workspace.files import Limits, as_text, megabytes
from reviewloop.workspace.reserved_names import OWN_RECORDS, never_copied, said, sayable, stays_inside
from reviewloop.workspace.safe_folders import NotRegular, read_inside
from reviewloop.workspace.source import Range

STAGED = "--staged"

_RANGE = re.compile(r"(?P<base>.+?)(?:(?P<dots>\.{2,3})(?P<end>.*))?", re.DOTALL)
_BINARY, _HUGE, _UNUSABLE = "binary", "too large", "a name that cannot be used"
_SYNTAX = "write BASE, BASE..END or BASE...END, for example `main...` for all that is new since main"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A file of the change as git lists it, with its mode and object after the change."""

    path: str
    mode: str
    object: str

    @property
    def is_file(self) -> bool:
        return self.mode.startswith("100") and stays_inside(self.path) and sayable(self.path)

    @property
    def what(self) -> str:
        kinds = {"000000": "deleted", "120000": "symbolic link", "160000": "submodule"}
        return kinds.get(self.mode, _UNUSABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touched:
    """A file of the change: its new text, or the reason why it has none."""

    path: str
    text: str | None = None
    because: str = ""
    untracked: bool = False


def resolve(root: Path, asked: str) -> Range:
    """Resolve a range to commits."""
    _refuse_no_repository(root, asked)
    match = _RANGE.fullmatch(asked.strip())
    if not match or match["base"].startswith((".", "-")):
        raise ArtifactError(f"{asked!r} is not a git range", hint=_SYNTAX)
    end = match["end"] or "HEAD"
    base, last = _commit(root, asked, match["base"]), _commit(root, asked, end)
    if match["dots"] == "...":
        fork = git.ask(root, "merge-base", base, last)
        if not fork.ok:
            raise ArtifactError(
                f"{asked}: {match['base']} and {end} have no commit in common {fork.words}".rstrip(),
                hint="use two dots, or fetch more of the history if this is a shallow clone",
            )
        base = fork.line
    return Range(asked=asked, base=base, end=None if end in ("HEAD", "@") else last)


def staged(root: Path) -> Range:
    """The staged change: from HEAD to the index as it is now, which is pinned as a tree."""
    _refuse_no_repository(root, STAGED)
    head = _commit(root, STAGED, "HEAD")
    with own_folder() as folder:
        index = Path(git.ask(root, "rev-parse", "--path-format=absolute", "--git-path", "index").line)
        copy = folder / "index"  # `write-tree` notes what it made in the index it reads
        if index.is_file():
            copy.write_bytes(index.read_bytes())
        tree = git.ask(root, "write-tree", index=copy)
    if not tree.ok:
        raise ArtifactError(f"{STAGED}: {tree.words}", hint="finish the merge first, or review --uncommitted")
    return Range(asked=STAGED, base=head, end=tree.line)


def differs_from_index(root: Path) -> bool:
    """Whether files in the working tree differ from what is staged, untracked files included."""
    changed = git.ask(root, *git.without_filters(root), *git.DIFF, "--name-only", "-z", *_scope())
    others = git.ask(root, "ls-files", "--others", "--exclude-standard", "-z", *_scope())
    return bool(changed.paths or others.paths)


def _refuse_no_repository(root: Path, asked: str) -> None:
    if not git.is_repository(root):
        why = git.ask(root, "rev-parse", "--show-toplevel").words or "not a work tree"
        raise ArtifactError(
            f"{asked}: {root} is no git repository: {why}", hint="a change needs git; name files instead"
        )


def _commit(root: Path, asked: str, revision: str) -> str:
    answer = git.commit_of(root, revision)
    if not answer.ok and revision == "HEAD":
        raise ArtifactError(f"{asked}: there is no commit yet", hint="commit something first, or name files instead")
    if not answer.ok:
        raise ArtifactError(f"{asked}: git does not know {revision}: {answer.words}", hint=_SYNTAX)
    return answer.line


def read_change(root: Path, span: Range, limits: Limits) -> tuple[SourceFile, ...]:
    """Return the diff, under an unused name, and then the changed text files until the size limit is reached."""
    touched = list(_touched(root, span, limits))
    if not touched:
        raise _no_difference(span)
    diff = _diff(root, span, touched)
    if len(diff) > limits.file:
        raise ArtifactError(
            f"{span.asked}: the diff has {megabytes(len(diff))}, more than {megabytes(limits.file)}",
            hint="review a smaller range",
        )
    left = limits.total - len(diff)
    files: list[SourceFile] = []
    absent: list[str] = []
    for file in touched:
        if file.text is not None and len(file.text) <= left:
            files.append(SourceFile(path=file.path, text=file.text))
            left -= len(file.text)
        else:
            absent.append(f"{said(file.path)} ({file.because or 'no room left'})")
    note = f"Not included as text: {', '.join(absent)}\n\n" if absent else ""
    return (SourceFile(path=diff_name(root), text=note + diff), *files)


def _no_difference(span: Range) -> ArtifactError:
    if span.asked == STAGED:
        return ArtifactError(f"{STAGED}: nothing is staged", hint="stage a change with `git add`, or use --uncommitted")
    where = "the files here" if span.end is None else f"commit {span.end[:12]}"
    return ArtifactError(
        f"{span.asked}: nothing differs between commit {span.base[:12]} and {where}",
        hint="make a change first, or name an earlier commit to start from",
    )


def diff_name(root: Path) -> str:
    """Return `change.diff`, or the next such name that no file of the project has."""
    names = ("change.diff", *(f"change.{number}.diff" for number in range(2, 100)))
    return next((name for name in names if not (root / name).exists()), names[-1])


def _touched(root: Path, span: Range, limits: Limits) -> Iterator[_Touched]:
    entries = _entries(root, span)
    stored = git.contents(root, [file.object for file in entries if file.is_file] if span.end else [])
    for entry in entries:
        if not entry.is_file:
            yield _Touched(path=entry.path, because=entry.what)
        elif span.end:
            yield _as_text(entry.path, next(stored), limits)
        else:
            yield _on_disk(root, entry.path, limits)
    if span.end is None:
        others = git.ask(root, "ls-files", "--others", "--exclude-standard", "-z", *_scope())
        yield from (_untracked(root, path, limits) for path in others.paths if not path.endswith("/"))


def _entries(root: Path, span: Range) -> list[_Entry]:
    options = ("--raw", "--no-abbrev", "--no-renames", "-z")
    answer = git.ask(root, *git.without_filters(root), *git.DIFF, *options, *_ends(span), *_scope())
    if not answer.ok:
        raise ArtifactError(f"{span.asked}: {answer.words}", hint=_SYNTAX)
    fields = answer.paths
    about = ((entry.split(" "), path) for entry, path in zip(fields[::2], fields[1::2], strict=True))
    # By path, since git lists a file with a merge conflict twice.
    return list({path: _Entry(path=path, mode=entry[1], object=entry[3]) for entry, path in about}.values())


def _untracked(root: Path, path: str, limits: Limits) -> _Touched:
    if never_copied(path):
        return _Touched(path=path, because="never given to agents")
    if not sayable(path):
        return _Touched(path=path, because=_UNUSABLE)
    return replace(_on_disk(root, path, limits), untracked=True)


def _on_disk(root: Path, path: str, limits: Limits) -> _Touched:
    try:
        return _as_text(path, read_inside(root, path, most=limits.file).data, limits)
    except NotRegular:
        return _Touched(path=path, because="symbolic link")
    except OSError as error:
        return _Touched(path=path, because=error.strerror or "unreadable")


def _as_text(path: str, data: bytes | None, limits: Limits) -> _Touched:
    if data is None:
        return _Touched(path=path, because="missing in git")
    if len(data) > limits.file:
        return _Touched(path=path, because=_HUGE)
    text = as_text(data)
    return _Touched(path=path, because=_BINARY) if text is None else _Touched(path=path, text=text)


def _diff(root: Path, span: Range, touched: Sequence[_Touched]) -> str:
    huge = [f":(exclude,literal){file.path}" for file in touched if file.because == _HUGE]
    options = ("--unified=3", "--find-renames")
    answer = git.ask(root, *git.without_filters(root), *git.DIFF, *options, *_ends(span), *_scope(), *huge)
    if not answer.ok:
        raise ArtifactError(f"{span.asked}: {answer.words}", hint=_SYNTAX)
    added = (
        new_file(file.path, file.text)
        for file in touched
        if file.untracked and (file.text is not None or file.because == _BINARY)
    )
    return answer.out.decode("utf-8", "replace") + "".join(added)


def _ends(span: Range) -> tuple[str, ...]:
    return (span.base, span.end) if span.end else (span.base,)


def _scope() -> tuple[str, ...]:
    return ("--", ".", *(f":(exclude,glob){record}{below}" for record in OWN_RECORDS for below in ("", "/**")))
