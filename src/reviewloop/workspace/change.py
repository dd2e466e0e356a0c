"""A change as an artifact: its diff, and the changed files as they are after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewloop.errors import ArtifactError
from reviewloop.review.artifact import SourceFile
from reviewloop.workspace import git
from reviewloop.workspace.diff import new_file
from reviewloop.workspace.files import Limits, as_text, megabytes
from reviewloop.workspace.folders import NotRegular, read_inside
from reviewloop.workspace.names import OWN_RECORDS, never_copied, said, sayable

_RANGE = re.compile(r"(?P<base>.+?)(?:(?P<dots>\.{2,3})(?P<end>.*))?", re.DOTALL)
_SYNTAX = "write BASE, BASE..END or BASE...END, for example `main...` for all that is new since main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """From one commit to another or, without an end, to the files as they lie there. `asked` is the user's own word."""

    asked: str
    base: str
    end: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touched:
    """A file of the change: its bytes afterwards, or why there are none to show."""

    path: str
    data: bytes | None = None
    because: str = ""
    untracked: bool = False


def resolve(root: Path, asked: str) -> Range:
    """Pin the range to commits."""
    if not git.is_repository(root):
        why = git.ask(root, "rev-parse", "--show-toplevel").words or "not a work tree"
        raise ArtifactError(
            f"{asked}: {root} is no git repository: {why}", hint="a change needs git; name files instead"
        )
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


def _commit(root: Path, asked: str, revision: str) -> str:
    answer = git.commit_of(root, revision)
    if not answer.ok:
        raise ArtifactError(f"{asked}: git does not know {revision}: {answer.words}", hint=_SYNTAX)
    return answer.line


def read_change(root: Path, span: Range, limits: Limits) -> tuple[SourceFile, ...]:
    """The diff first, under a name that is free, then the files as far as they are text and there is room."""
    # By path, since git lists a file with a merge conflict twice.
    touched = list({one.path: one for one in _shown(_touched(root, span), limits)}.values())
    if not touched:
        where = "the files here" if span.end is None else f"commit {span.end[:12]}"
        raise ArtifactError(
            f"{span.asked}: nothing differs between commit {span.base[:12]} and {where}",
            hint="make a change first, or name an earlier commit to start from",
        )
    diff = _diff(root, span, touched)
    if len(diff) > limits.file:
        raise ArtifactError(
            f"{span.asked}: the diff has {megabytes(len(diff))}, more than {megabytes(limits.file)}",
            hint="review a smaller range, or raise the size limit",
        )
    left = limits.total - len(diff)
    files: list[SourceFile] = []
    absent: list[str] = []
    for one in touched:
        text = None if one.data is None else as_text(one.data)
        if one.data is not None and text is not None and len(one.data) <= left:
            files.append(SourceFile(path=one.path, text=text))
            left -= len(one.data)
        elif why := one.because or ("binary" if text is None else "no room left"):
            absent.append(f"{said(one.path)} ({why})")
    note = f"Not included as text: {', '.join(absent)}\n\n" if absent else ""
    return (SourceFile(path=diff_name(root), text=note + diff), *files)


def diff_name(root: Path) -> str:
    """`change.diff`, or the next such name that is no file of the project."""
    names = ("change.diff", *(f"change.{number}.diff" for number in range(2, 100)))
    return next((name for name in names if not (root / name).exists()), names[-1])


def _touched(root: Path, span: Range) -> Iterator[_Touched]:
    answer = git.ask(
        root,
        *git.without_filters(root),
        *git.DIFF,
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "-z",
        *_ends(span),
        *_scope(),
    )
    if not answer.ok:
        raise ArtifactError(f"{span.asked}: {answer.words}", hint=_SYNTAX)
    fields = answer.paths
    about = [(entry.split(" "), path) for entry, path in zip(fields[::2], fields[1::2], strict=True)]
    stored = [entry[3] if entry[1].startswith("100") else "" for entry, _ in about] if span.end else []
    texts = git.contents(root, [one for one in stored if one])
    for entry, path in about:
        mode = entry[1]
        if mode == "000000":
            yield _Touched(path=path, because="deleted")
        elif not mode.startswith("100"):
            yield _Touched(path=path, because="submodule" if mode == "160000" else "symbolic link")
        else:
            yield _Touched(path=path, data=next(texts)) if span.end else _on_disk(root, path)
    if span.end is None:
        others = git.ask(root, "ls-files", "--others", "--exclude-standard", "-z", *_scope())
        yield from (_on_disk(root, path, untracked=True) for path in others.paths if not path.endswith("/"))


def _on_disk(root: Path, path: str, *, untracked: bool = False) -> _Touched:
    if untracked and never_copied(path):
        return _Touched(path=path, because="never given to agents", untracked=True)
    try:
        return _Touched(path=path, data=read_inside(root, path).data, untracked=untracked)
    except NotRegular:
        return _Touched(path=path, because="symbolic link", untracked=untracked)
    except OSError as error:
        return _Touched(path=path, because=error.strerror or "unreadable", untracked=untracked)


def _shown(touched: Iterator[_Touched], limits: Limits) -> Iterator[_Touched]:
    for one in touched:
        if not sayable(one.path):
            yield _Touched(path=one.path, because="its name is not UTF-8", untracked=one.untracked)
        elif one.data is not None and len(one.data) > limits.file:
            yield _Touched(path=one.path, because=f"too large: {megabytes(len(one.data))}", untracked=one.untracked)
        else:
            yield one


def _diff(root: Path, span: Range, touched: Sequence[_Touched]) -> str:
    huge = [f":(exclude,literal){one.path}" for one in touched if one.because.startswith("too large")]
    answer = git.ask(
        root, *git.without_filters(root), *git.DIFF, "--unified=3", "--find-renames", *_ends(span), *_scope(), *huge
    )
    if not answer.ok:
        raise ArtifactError(f"{span.asked}: {answer.words}", hint=_SYNTAX)
    added = (new_file(one.path, as_text(one.data)) for one in touched if one.untracked and one.data is not None)
    return answer.out.decode("utf-8", "replace") + "".join(added)


def _ends(span: Range) -> tuple[str, ...]:
    return (span.base, span.end) if span.end else (span.base,)


def _scope() -> tuple[str, ...]:
    return (
        "--",
        ".",
        *(f":(exclude,glob){record}" for record in OWN_RECORDS),
        *(f":(exclude,glob){record}/**" for record in OWN_RECORDS),
    )
