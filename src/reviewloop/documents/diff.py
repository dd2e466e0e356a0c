"""Reads unified diffs: the changed files, and their added and removed lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_HEADER = re.compile(r"""^diff --git (?P<old>"a/.+?"|a/.+?) (?P<new>"b/.+?"|b/.+?)$""")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROLS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An added or removed line. `number` is its line number in the new or old file, `at` in the diff."""

    text: str
    number: int
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    path: str
    old_path: str | None
    line: int
    created: bool = False
    deleted: bool = False
    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()
    """For each line of the hunks: its line number in the diff, and the new file's line number there."""

    def new_line(self, at: int) -> int:
        """The new file's line for a line of the diff; for a removed line, the nearest remaining line."""
        if self.deleted or not self.rows:
            return 1
        if at < self.rows[0][0]:  # in the file's header
            return self.added[0].number if self.added else max(1, self.rows[0][1])
        number = self.rows[bisect_right(self.rows, at, key=lambda row: row[0]) - 1][1]
        return max(1, min(number, self.rows[-1][1]))


class _Reader:
    def __init__(self) -> None:
        self.files: list[FileDiff] = []
        self.old: str | None = None
        self.new: str | None = None
        self.line = 0
        self.added: list[Line] = []
        self.removed: list[Line] = []
        self.rows: list[tuple[int, int]] = []
        self.left_old = self.left_new = 0
        self.at_old = self.at_new = 0

    def close(self) -> None:
        path = self.new or self.old
        if path:
            self.files.append(
                FileDiff(
                    path=path,
                    old_path=self.old,
                    line=self.line,
                    created=self.old is None,
                    deleted=self.new is None,
                    added=tuple(self.added),
                    removed=tuple(self.removed),
                    rows=tuple(self.rows),
                )
            )
        self.old = self.new = None
        self.added, self.removed, self.rows = [], [], []

    def body(self, row: str, at: int) -> None:
        mark, text = row[:1], row[1:]
        if mark != "\\":
            self.rows.append((at, self.at_new))
        if mark == "+":
            self.added.append(Line(text=text, number=self.at_new, at=at))
            self.at_new, self.left_new = self.at_new + 1, self.left_new - 1
        elif mark == "-":
            self.removed.append(Line(text=text, number=self.at_old, at=at))
            self.at_old, self.left_old = self.at_old + 1, self.left_old - 1
        elif mark != "\\":
            self.at_old, self.left_old = self.at_old + 1, self.left_old - 1
            self.at_new, self.left_new = self.at_new + 1, self.left_new - 1

    def header(self, row: str, at: int) -> None:
        if match := _HEADER.match(row):
            self.close()
            self.old, self.new, self.line = _name(match["old"]), _name(match["new"]), at
        elif row.startswith("new file mode"):
            self.old = None
        elif row.startswith("deleted file mode"):
            self.new = None
        elif row.startswith("--- "):
            if self.added or self.removed or not (self.old or self.new):
                self.close()
                self.line = at
            self.old = _name(row[4:])
        elif row.startswith("+++ "):
            self.new = _name(row[4:])
        elif match := _HUNK.match(row):
            self.at_old, self.at_new = int(match[1]), int(match[3])
            self.left_old, self.left_new = int(match[2] or 1), int(match[4] or 1)


def read_diff(text: str) -> tuple[FileDiff, ...]:
    reader = _Reader()
    for at, row in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if reader.left_old > 0 or reader.left_new > 0:
            reader.body(row, at)
        else:
            reader.header(row, at)
    reader.close()
    return tuple(reader.files)


def _name(text: str) -> str | None:
    name = _unquoted(text.split("\t", 1)[0].strip())
    if name == "/dev/null":
        return None
    return name[2:] if name.startswith(("a/", "b/")) else name


def _unquoted(name: str) -> str:
    """A name as it is on disk. Git writes one with special characters in quotes, and each of its bytes in octal."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        return name
    return _ESCAPE.sub(_unescaped, name[1:-1].encode("utf-8", "replace")).decode("utf-8", "replace")


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) & 255]) if len(code) == 3 else _CONTROLS.get(code, code)
