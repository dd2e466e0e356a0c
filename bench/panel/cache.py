"""Characters sent to a reviewer in three iterations, with the cache and without: `python bench/panel/cache.py`.

The document is made here: a specification of about 40 kB in 40 sections. The reviewer asks for two changes in the first
iteration and one in the second; the author changes the sections that were named, and nothing else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

from reviewloop.app.library import ReviewLoop
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Usage
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.ports import Job, Reply

SECTIONS = 40
WANTED = (("Part 7", "Part 23"), ("Part 31",), ())
SCORES = dict.fromkeys(FOUR_CRITERIA.names, 90)


def specification() -> str:
    """Forty sections, no two alike, of about 1,000 characters each."""
    parts = ["# SPEC: Ledger of deliveries\n\nFor REQ-1.\n"]
    for number in range(1, SECTIONS + 1):
        lines = [
            f"- FR-{number}-{item}: Delivery list {number} shows column {item} within {item * 10 + number} ms, and "
            f"refuses more than {number * 100 + item} rows with status 413.\n"
            for item in range(1, 10)
        ]
        parts.append(f"\n## Part {number}\n\nPart {number} specifies delivery list {number}.\n\n{''.join(lines)}")
    return "".join(parts)


class Reviewer:
    """Asks for the changes that are due, and counts what it was told."""

    edits_files = False

    def __init__(self) -> None:
        self.characters: list[int] = []

    async def ask(self, job: Job) -> Reply:
        self.characters.append(len(job.prompt))
        named: Sequence[str] = WANTED[len(self.characters) - 1]
        feedback = [
            {"section": title, "issue": f"{title} names no owner", "suggestion": f"Name {title}'s owner"}
            for title in named
        ]
        verdict = "needs_revision" if named else "pass"
        answer = json.dumps({"verdict": verdict, "score": SCORES, "feedback": feedback})
        return Reply(text=answer, usage=Usage())


class Author:
    """Adds a line to each section that was named."""

    edits_files = False

    async def ask(self, job: Job) -> Reply:
        file = job.artifact.files[0]
        text = file.text
        for title in WANTED[job.iteration - 1]:
            text = text.replace(f"## {title}\n\n", f"## {title}\n\nOwner: the team of {title}.\n\n")
        return Reply(text="done", edits={file.path: text})


async def sent(*, cache: bool) -> list[int]:
    reviewer = Reviewer()
    loop = ReviewLoop(reviewer, Author(), replace(Policy(), cache=cache), rules=False)
    result = await loop.run(specification())
    assert result.passed, result.because
    return reviewer.characters


def main() -> None:
    print(f"document: {len(specification()):,} characters in {SECTIONS + 1} sections")
    figures = {name: asyncio.run(sent(cache=cache)) for name, cache in (("without", False), ("with", True))}
    for name, characters in figures.items():
        print(f"{name:>8} the cache: {sum(characters):>8,} characters  ({', '.join(f'{one:,}' for one in characters)})")
    share = sum(figures["with"]) / sum(figures["without"])
    print(f"   share sent: {share:.2f} (at most 0.50)")
    assert share <= 0.5


if __name__ == "__main__":
    main()
