"""Count the tasks of all task lists below a directory: as the parser sees them, and as a plain search does.

    python bench/rules/count_tasks.py DIRECTORY [--all]

Prints the files on which the two differ, with both counts, and the totals. The search counts check boxes, for a plan
the task files beside it. A difference is something to look at, not a mistake: a check list in a pull request's text is
no list of tasks, and neither are the steps of a task.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from reviewloop.documents import parse

_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[ xX~/-]\]", re.MULTILINE)
_TASK_FILE = re.compile(r"\A---\n(?:.*\n)*?task:.*\n(?:.*\n)*?---\n")


def searched(path: Path, text: str) -> int:
    """What a search that knows nothing of Markdown finds."""
    if path.name == "IMPLEMENTATION_PLAN.md":
        return len(list(path.parent.glob("[0-9]*.md")))
    return 1 if _TASK_FILE.match(text) else len(_BOX.findall(text))


def main(root: Path, *, everything: bool) -> None:
    files = sorted(path for path in root.rglob("*.md") if path.name == "tasks.md" or "tasks" in path.parent.parts)
    parsed_all = searched_all = same = 0
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        parsed, found = len(parse(path.relative_to(root).as_posix(), text).tasks), searched(path, text)
        parsed_all, searched_all, same = parsed_all + parsed, searched_all + found, same + (parsed == found)
        if everything or parsed != found:
            print(f"{parsed:5} {found:5}  {path.relative_to(root)}")
    print(f"{parsed_all:5} {searched_all:5}  {len(files)} files, alike in {same}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), everything="--all" in sys.argv)
