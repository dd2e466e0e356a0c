"""Finds the Standards sections of a project's constitution, which are part of every reviewer's prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

NAMES = ("constitution.md", ".ai-sdd/constitution.md", "CLAUDE.md")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_STANDARDS = re.compile(r"\bstandards\b", re.IGNORECASE)
_MAX_LENGTH = 64_000


def standards(root: Path, artifact_paths: Iterable[str], extra: Sequence[str] = ()) -> str:
    """Return the Standards sections that apply to these files: the project's first, the closest directory's last."""
    texts = [standards_section(_text(path)) for path in constitutions(root, artifact_paths, extra)]
    return "\n\n".join(text for text in dict.fromkeys(texts) if text)


def without_standards(root: Path, artifact_paths: Iterable[str], extra: Sequence[str] = ()) -> list[Path]:
    """Return the constitutions that apply to these files and have no Standards section.

    A `CLAUDE.md` is about other things as well: it counts only if no file has such a section.
    """
    applying = constitutions(root, artifact_paths, extra)
    missing = [path for path in applying if not standards_section(_text(path))]
    return [path for path in missing if path.name != "CLAUDE.md" or len(missing) == len(applying)]


def constitutions(root: Path, artifact_paths: Iterable[str], extra: Sequence[str] = ()) -> list[Path]:
    """Return the constitution files that apply, closest last."""
    folders = {root}
    for path in artifact_paths:
        folders.update(folder for folder in (root / path).parents if folder.is_relative_to(root))
    by_depth = sorted(folders, key=lambda folder: (len(folder.parts), folder.as_posix()))
    named = [root / name for name in extra]
    found = [folder / name for folder in by_depth for name in NAMES]
    return [path for path in dict.fromkeys(named + found) if path.is_file()]


def standards_section(text: str) -> str:
    """Return the section with "Standards" in its heading, at any level, with its subsections."""
    level, kept, fenced = 0, list[str](), False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading and (not level or len(heading[1]) <= level):
            level = len(heading[1]) if _STANDARDS.search(heading[2]) else 0
            continue
        if level:
            kept.append(line)
    return "\n".join(kept).strip()[:_MAX_LENGTH]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
