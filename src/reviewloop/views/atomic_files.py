"""Writes files by atomic replacement or by appending whole lines."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from reviewloop.private_files import make_folders


def replace_text(path: Path, text: str) -> None:
    """Replace the text of a file; a reader sees either the old or the new text."""
    make_folders(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_json(path: Path, value: Any) -> None:
    replace_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """The value in a file; None if there is no file, or no JSON in it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def append_lines(path: Path, lines: list[str]) -> None:
    """Append whole lines, after ending a line that a crash left incomplete."""
    make_folders(path.parent)
    with path.open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())


def safe_name(name: str) -> str:
    """A file name that cannot leave its directory."""
    cleaned = "".join(char if char.isalnum() or char in "-_. " else "-" for char in name).strip(". ")
    return cleaned[:120] or "session"


def distinct_name(name: str) -> str:
    """A safe file name that no other name has: `a/b` and `a-b` differ. A name that is safe already stays as it is."""
    safe = safe_name(name)
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
