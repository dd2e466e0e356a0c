"""Unified diffs of texts that are not in git."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile

# Not splitlines(): only \n ends a line, form feeds and Unicode separators are text.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(before: Artifact, after: Artifact) -> str:
    """Return the diff between two revisions of an artifact, empty if nothing changed."""
    old, new = _texts(before), _texts(after)
    return "".join(_file(path, old.get(path), new.get(path)) for path in sorted(old.keys() | new.keys()))


def new_file(path: str, text: str | None) -> str:
    """Return the diff of a new file. Without text, the file is binary."""
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
    if text is None:
        return f"{head}Binary files /dev/null and b/{path} differ\n"
    return head + _file(path, None, text)


def file_diff(
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    was_executable: bool | None = None,
    executable: bool | None = None,
) -> str:
    """The diff of one file of any content, as git writes it; empty if nothing changed. None is no file."""
    if before is None and after is None:
        return ""
    names = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    if before is None:
        modes = f"new file mode {_mode(executable)}\n"
    elif after is None:
        modes = f"deleted file mode {_mode(was_executable)}\n"
    else:
        modes = _modes(was_executable, executable)
    body = _body(path, before, after)
    return f"diff --git {names[0]} {names[1]}\n{modes}{body}" if modes or body else ""


def _body(path: str, before: bytes | None, after: bytes | None) -> str:
    if before == after:
        return ""
    old, new = _as_text(before), _as_text(after)
    if (old is None and before is not None) or (new is None and after is not None):
        left, right = (
            "/dev/null" if data is None else _quoted(name)
            for data, name in ((before, f"a/{path}"), (after, f"b/{path}"))
        )
        return f"Binary files {left} and {right} differ\n"
    return _file(path, old, new)


def _modes(was_executable: bool | None, executable: bool | None) -> str:
    if was_executable is None or executable is None or was_executable == executable:
        return ""
    return f"old mode {_mode(was_executable)}\nnew mode {_mode(executable)}\n"


def _mode(executable: bool | None) -> str:
    return "100755" if executable else "100644"


def _as_text(data: bytes | None) -> str | None:
    if data is None or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _quoted(name: str) -> str:
    """A name that cannot be taken for something else, quoted as git quotes it."""
    if name.isprintable() and '"' not in name and "\\" not in name:
        return name
    escaped = "".join(map(_escaped, name.replace("\\", "\\\\").replace('"', '\\"')))
    return f'"{escaped}"'


def _escaped(char: str) -> str:
    return char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def _texts(artifact: Artifact) -> dict[str, str]:
    # A change's first file is a diff already, and a diff of diffs is useless.
    files: tuple[SourceFile, ...] = artifact.files[1:] if artifact.kind is Kind.CHANGE else artifact.files
    return {file.path: file.text for file in files}


def _file(path: str, before: str | None, after: str | None) -> str:
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    names = (
        "/dev/null" if before is None else _quoted(f"a/{path}"),
        "/dev/null" if after is None else _quoted(f"b/{path}"),
    )
    compare = _full_replacement if _is_slow_to_compare(old, new) else difflib.unified_diff
    return "".join(_ended(line) for line in compare(old, new, *names))


def _is_slow_to_compare(old: list[str], new: list[str]) -> bool:
    """Whether lines repeat so often that comparing would take seconds. difflib itself skips the most common lines."""
    counts = Counter(new)
    common = len(new) // 100 + 1
    return sum(counts[line] for line in old if counts[line] <= common) > 500_000


def _full_replacement(old: list[str], new: list[str], before: str, after: str) -> Iterator[str]:
    """Yield a correct but long diff: all old lines removed, all new lines added."""
    yield f"--- {before}\n+++ {after}\n@@ -1,{len(old)} +1,{len(new)} @@\n"
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def _lines(text: str | None) -> list[str]:
    return _LINE.findall(text or "")


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_NEWLINE
