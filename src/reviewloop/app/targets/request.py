"""What a user asks to have reviewed, before anything is looked up on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.errors import UsageError
from reviewloop.workspace.source import as_name

STDIN = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRequest:
    """Paths, a feature, a change or standard input, and what the user says about them.

    Args:
        paths: Files, folders and patterns, relative to the current directory; `-` is standard input.
        feature: A feature by name: its specs are in `specs/NAME` or `.kiro/specs/NAME`.
        name: What to call the session.
        kind: What kind the documents are, instead of what their names and texts say.
        upstream: What they build on, besides the documents beside them.
        prd: The PRD they answer to.
        diff: A git range.
        staged: Review the staged change.
        uncommitted: Review everything that differs from HEAD.
        task: The task a change was made for, as `tasks.md#1.2`.
        stdin: What was read from standard input.
        stdin_filename: The path that standard input stands for; it decides the kind and the documents beside it.
    """

    paths: tuple[str, ...] = ()
    feature: str | None = None
    name: str | None = None
    kind: Kind | None = None
    upstream: tuple[str, ...] = ()
    prd: str | None = None
    diff: str | None = None
    staged: bool = False
    uncommitted: bool = False
    task: str | None = None
    stdin: bytes | None = None
    stdin_filename: str | None = None

    @property
    def is_change(self) -> bool:
        return bool(self.diff or self.staged or self.uncommitted)

    @property
    def is_stdin(self) -> bool:
        return self.paths == (STDIN,)

    def check(self) -> None:
        """Refuse contradictions, so that no option is ever dropped silently."""
        for problem, hint in self._problems():
            raise UsageError(problem, hint=hint)

    def _problems(self) -> Iterator[tuple[str, str]]:
        ways = {
            "a path": self.paths,
            "--feature": self.feature,
            "--diff": self.diff,
            "--staged": self.staged,
            "--uncommitted": self.uncommitted,
        }
        given = [way for way, value in ways.items() if value]
        if not given:
            yield "there is nothing to review", "name a file or a folder, or a change: --diff RANGE, --staged"
        if len(given) > 1:
            yield f"{given[0]} and {given[1]} both say what to review", "leave one of them out"
        if any(not path.strip() for path in self.paths):
            yield "a path is empty", "name a file or a folder"
        if STDIN in self.paths and not self.is_stdin:
            yield "standard input can't be reviewed together with files", "leave out - or the other paths"
        if self.stdin_filename and not self.is_stdin:
            yield "--stdin-filename is for standard input", "add -, or leave it out"
        if self.task and not self.is_change and not self.is_stdin:
            yield "--task is for a change", "add --diff with a git range, such as --diff main...HEAD"
        if self.is_change and self.kind not in (None, Kind.CHANGE):
            yield f"a git range is a change, not a {self.kind}", "leave out --kind"
        if self.task and "#" not in self.task:
            yield f"--task {self.task} does not say in which file the task is", "write tasks.md#1.2"
        name = self.name or self.feature or ""
        if name != as_name(name):
            yield (
                f"a session can't be called {name!r}",
                "start with a letter or a digit, and use printable characters only",
            )


def kind_named(name: str | None) -> Kind | None:
    return Kind(name) if name else None
