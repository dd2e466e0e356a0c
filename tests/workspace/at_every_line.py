"""Bring changes back again and again, and let something happen before the first line of it, the second, the third.

Run as `python at_every_line.py killed|edited FOLDER STEP`; prints what was seen as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.ports import Conflict
from reviewloop.workspace import bring_back as module

HOME = str(Path(module.__file__).parent)
OLD = {"a.md": b"old a\n", "c.md": b"old c\n", "z.md": b"old z\n"}
NEW = {"a.md": b"new a\n" * 2000, "new/b.md": b"new b\n", "z.md": b"new z\n"}
USERS = b"the user's z\n"
CHANGES = [
    FileChange(
        path=path,
        before=digest_of(OLD[path]) if path in OLD else None,
        after=digest_of(NEW[path]) if path in NEW else None,
    )
    for path in ("a.md", "new/b.md", "c.md", "z.md")
]
BLOBS = {digest_of(data): data for data in NEW.values()}


def main(mode: str, folder: Path, step: int) -> None:
    seen = (killed if mode == "killed" else edited)(folder, step)
    print(json.dumps(seen))


def killed(folder: Path, step: int) -> dict[str, Any]:
    """Kill a real process before its n-th line, look, run it again, and look once more."""
    kills, torn, wrong = 0, [], []
    for number in range(1, 5000, step):
        root = fresh(folder)
        if not dies(root, number):
            break
        kills += 1
        files = contents(root)
        if any(files.get(path) not in (OLD.get(path), NEW.get(path)) for path in {**OLD, **NEW}):
            torn.append(number)
        if module.bring_back(root, CHANGES, BLOBS) is not None or contents(root) != NEW:
            wrong.append(number)
    return {"kills": kills, "torn": torn, "wrong": wrong}


def dies(root: Path, number: int) -> bool:
    child = os.fork()
    if child == 0:
        before_line(number, lambda _: os.kill(os.getpid(), signal.SIGKILL))
        module.bring_back(root, CHANGES, BLOBS)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def edited(folder: Path, step: int) -> dict[str, Any]:
    """Let a user save the last file before the n-th line, and see what becomes of it."""
    conflicts, wins, lost, wrong = 0, 0, [], []
    for number in range(1, 5000, step):
        root = fresh(folder)
        where: list[str] = []

        def save(frame: FrameType, where: list[str] = where, root: Path = root) -> None:
            where.append(frame.f_code.co_name)
            (root / "z.md").write_bytes(USERS)

        before_line(number, save)
        conflict = module.bring_back(root, CHANGES, BLOBS)
        sys.settrace(None)
        if not where:
            break
        files = contents(root)
        if isinstance(conflict, Conflict):
            kept = {f"{conflict.kept_at}/{path}": data for path, data in NEW.items()}
            conflicts += 1
            if files != OLD | {"z.md": USERS} | kept or conflict.paths != ("z.md",):
                wrong.append(number)
        elif files == NEW | {"z.md": USERS}:
            wins += 1
        else:
            lost += where
    return {"conflicts": conflicts, "wins": wins, "lost": sorted(set(lost)), "wrong": wrong}


def before_line(number: int, happens: Callable[[FrameType], None]) -> None:
    left = number

    def line(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if event == "line" and left:
            left -= 1
            if not left:
                happens(frame)
        return line

    def call(frame: FrameType, _event: str, _: object) -> Any:
        return line if frame.f_code.co_filename.startswith(HOME) else None

    sys.settrace(call)


def fresh(folder: Path) -> Path:
    root = folder / "project"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for path, data in OLD.items():
        (root / path).write_bytes(data)
    return root


def contents(root: Path) -> dict[str, bytes]:
    files = [path for path in root.rglob("*") if path.is_file() and path != root / ".reviewloop/.gitignore"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
