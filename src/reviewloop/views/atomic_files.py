"""Writes files by atomic replacement or by appending whole lines."""

from __future__ import annotations

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
