"""Unified diffs of texts that git does not know."""

from __future__ import annotations

import difflib
import re

from reviewloop.review.artifact import Artifact, Kind, SourceFile

# Not splitlines(): form feeds and Unicode separators are text, only \n ends a line.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(before: Artifact, after: Artifact) -> str:
    """What changed between two revisions of an artifact, file by file; empty if nothing did."""
    old, new = _texts(before), _texts(after)
    return "".join(_file(path, old.get(path), new.get(path)) for path in sorted(old.keys() | new.keys()))


def new_file(path: str, text: str | None) -> str:
    """The diff of a file that was not there before; without text it is binary."""
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
    if text is None:
        return f"{head}Binary files /dev/null and b/{path} differ\n"
    return head + _file(path, None, text)


def _texts(artifact: Artifact) -> dict[str, str]:
    # A change's first file is a diff already, and a diff of diffs helps nobody.
    files: tuple[SourceFile, ...] = artifact.files[1:] if artifact.kind is Kind.CHANGE else artifact.files
    return {file.path: file.text for file in files}


def _file(path: str, before: str | None, after: str | None) -> str:
    if before == after:
        return ""
    return "".join(
        _ended(line)
        for line in difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    )


def _lines(text: str | None) -> list[str]:
    return _LINE.findall(text or "")


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_NEWLINE
