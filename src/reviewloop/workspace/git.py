"""Runs git read-only: nothing changes the user's files or index, and no program of the repository runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 120.0

# A repository's configuration can name programs to run: a file watcher, hooks, a pager.
_QUIET = (
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false",
    "-c", "core.untrackedCache=false",
    "-c", "diff.autoRefreshIndex=false",
)  # fmt: skip

# No locks on the user's index, no fetching of missing objects (a transport can be any command), no prompts.
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

# A repository's configuration also names external diffs, text converters, and `git status` inside submodules.
# The other options make the diff independent of the user's settings.
DIFF = (
    "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-color", "--src-prefix=a/",
    "--dst-prefix=b/", "--submodule=short", "--relative", "-O/dev/null",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The output of a git command. `words` is git's own message."""

    ok: bool
    out: bytes = b""
    words: str = ""

    @property
    def line(self) -> str:
        return self.out.decode("utf-8", "replace").strip()

    @property
    def paths(self) -> list[str]:
        """The NUL-separated paths in the output."""
        return [os.fsdecode(part) for part in self.out.split(b"\0") if part]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """A file of a tree object."""

    path: str
    mode: int
    object: str
    size: int


REGULAR, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000
_AT_ONCE = 256


def ask(root: Path, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> Answer:
    """Run a git command in the project. With `index`, git uses that file instead of the user's index."""
    import subprocess  # only where git is asked

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    if index:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        done = subprocess.run(
            ["git", *_QUIET, "-C", str(root), *arguments],
            input=stdin,
            capture_output=True,
            timeout=TIMEOUT,
            env=environment,
            check=False,
        )
    except FileNotFoundError:
        return Answer(ok=False, words="the program git was not found")
    except subprocess.TimeoutExpired:
        return Answer(ok=False, words=f"git {arguments[0]} took longer than {TIMEOUT:.0f} seconds")
    words = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").removeprefix("error: ")
    return Answer(ok=done.returncode == 0, out=done.stdout, words=words)


def is_repository(root: Path) -> bool:
    """Whether the project is in a work tree. A work tree whose settings point elsewhere does not count."""
    top = ask(root, "rev-parse", "--show-toplevel")
    return top.ok and bool(top.line) and root.is_relative_to(os.path.realpath(top.line))


def listed_files(root: Path) -> list[str] | None:
    """Return the files that git tracks or would track, or None outside a repository."""
    if not is_repository(root):
        return None
    answer = ask(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return list(dict.fromkeys(answer.paths)) if answer.ok else None


def ignored(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Return the paths that git ignores."""
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    return frozenset(ask(root, "check-ignore", "-z", "--stdin", stdin=asked).paths) if paths else frozenset()


def commit_of(root: Path, revision: str) -> Answer:
    """Return the commit's id, or git's message if there is none."""
    found = ask(root, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
    if found.ok:
        return found
    # `rev-parse --verify` only says that it needs a single revision. `rev-list` says which revision is wrong.
    return Answer(ok=False, words=ask(root, "rev-list", "-1", "--end-of-options", revision, "--").words or found.words)


def without_filters(root: Path) -> list[str]:
    """Return options that disable the repository's content filters, which are programs that run on changed files."""
    keys = ask(root, "config", "--name-only", "-z", "--get-regexp", r"^filter\.").paths
    drivers = dict.fromkeys(key.rpartition(".")[0] for key in keys)
    off = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    return [part for driver in drivers for key, value in off for part in ("-c", f"{driver}.{key}={value}")]


def tree_files(root: Path, tree: str) -> list[TreeFile] | None:
    """Return the files of a tree, or None if it does not exist. `COMMIT:./` is the project's part of a commit."""
    answer = ask(root, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", tree)
    if not answer.ok:
        return None
    files: list[TreeFile] = []
    for entry in answer.paths:
        about, _, path = entry.partition("\t")
        mode, _, object_id, size = about.split()
        files.append(TreeFile(path=path, mode=int(mode, 8), object=object_id, size=0 if size == "-" else int(size)))
    return files


def contents(root: Path, objects: Sequence[str]) -> Iterator[bytes | None]:
    """Yield the bytes of each object, or None if it is missing."""
    for start in range(0, len(objects), _AT_ONCE):
        asked = objects[start : start + _AT_ONCE]
        answer = ask(root, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in asked).encode())
        yield from _batch(answer.out, len(asked))


def _batch(out: bytes, count: int) -> Iterator[bytes | None]:
    position = 0
    for _ in range(count):
        end = out.find(b"\n", position)
        about = out[position:end].split(b" ")
        if end < 0 or len(about) != 3:
            position = end + 1 if end >= 0 else len(out)
            yield None
            continue
        position = end + 1 + int(about[2])
        yield out[end + 1 : position]
        position += 1
