"""The work that every engine does: three iterations, four reviewers with 4 KB answers each, an author in between.

All texts come from a seeded generator: the same in every run, different for every reviewer and iteration. Agents decode
them from bytes for each call, as they would from a pipe, and every finding has a word of its session's own, so that no
two sessions share a text.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

ITERATIONS = 3
REVIEWERS = ("completeness", "consistency", "testability", "architecture")
ANSWER_BYTES = 4096
SPEC_BYTES = 4096
_OWN_WORD = "feature"
_LETTERS = str.maketrans("0123456789", "bcdfghjklm")
CRITICAL_PATH = 2 * ITERATIONS - 1
"""Calls that have to wait for each other: every panel, and the author between two of them."""

_WORDS = re.findall(
    r"\w+",
    """
    export report reader account limit window token queue retry message order total column header archive
    session owner access rule storage region budget alert metric latency release version schema field record
    batch page cursor filter search index backup restore audit trail policy role group invite deadline invoice
    payment refund currency rounding timezone locale format upload download preview thumbnail checksum duplicate
    conflict merge draft review approval rejection comment mention notification digest schedule calendar
    reminder timeout fallback cache eviction warning dashboard chart quota throttle webhook signature secret
    rotation certificate migration rollback
    """,
)
_VERBS = re.findall(
    r"\w+", "defines names limits rejects stores returns checks lists sends keeps drops orders counts signs splits"
)
SECTIONS = [f"{one.title()} and {other}s" for one, other in zip(_WORDS[:24:2], _WORDS[1:24:2], strict=True)]


def spec(number: int) -> str:
    """The text that a session begins with, its own for every number."""
    return f"# Feature {number:07}\n\n{_SPEC.decode()}"


def revised(text: str, iteration: int) -> str:
    """The author's work: a sentence more in every section."""
    more = f"\nSettled in round {iteration}: the owner decides, and the record says so.\n"
    return text.replace("\n\n## ", f"{more}\n## ") + more


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """Who answers in a session, and how many seconds each answer takes."""

    reviewers: tuple[str, ...] = REVIEWERS
    latency: float = 0.0

    async def review(self, reviewer: str, iteration: int, text: str) -> str:
        await asyncio.sleep(self.latency)
        return _ANSWERS[reviewer, iteration].decode().replace(_OWN_WORD, own_word(text))

    async def revise(self, text: str, iteration: int) -> str:
        await asyncio.sleep(self.latency)
        return revised(text, iteration)


def own_word(text: str) -> str:
    """A word that only the findings of this session have: its number, in letters."""
    return text.split(maxsplit=3)[2].translate(_LETTERS)


def passes(text: str) -> bool:
    """What the other engines look at. Ours parses and validates the answer, and judges every finding."""
    return json.loads(text)["verdict"] == "pass"


def sentence(chance: random.Random) -> str:
    verb, *nouns = chance.choice(_VERBS), *chance.sample(_WORDS, 5)
    return f"The {nouns[0]} {nouns[1]} {verb} every {nouns[2]} before the {nouns[3]} of a {nouns[4]}."


def text_of(size: int, chance: random.Random) -> str:
    text = sentence(chance)
    while len(text) < size:
        text += f" {sentence(chance)}"
    return text[: size - 1] + "."


def _spec() -> Iterator[str]:
    chance = random.Random("spec")
    for title in SECTIONS:
        yield f"## {title}\n\n{text_of(SPEC_BYTES // len(SECTIONS) - len(title) - 6, chance)}\n"


def _answers(reviewer: str) -> Iterator[str]:
    """Six findings; then two of them again, word for word, with two new ones; then a pass with two minor notes."""
    chance = random.Random(reviewer)
    yield _scored("needs_revision", 60, first := _findings(6, chance))
    yield _scored("needs_revision", 70, first[:2] + _findings(2, chance))
    yield _scored("pass", 90, _findings(2, chance, severity="minor"))


def _findings(count: int, chance: random.Random, **more: str) -> list[dict[str, str]]:
    return [
        {
            "section": chance.choice(SECTIONS),
            "issue": f"{text_of(245, chance)} {_OWN_WORD}",
            "suggestion": f"{text_of(205, chance)} {_OWN_WORD}",
        }
        | more
        for _ in range(count)
    ]


def _scored(verdict: str, score: int, feedback: list[dict[str, str]]) -> str:
    value = {"verdict": verdict, "score": dict.fromkeys(REVIEWERS, score), "feedback": feedback}
    missing = ANSWER_BYTES - len(json.dumps(value)) - len(', "summary": ""')
    return json.dumps(value | {"summary": text_of(max(missing, 1), random.Random(verdict))})


_SPEC = "\n".join(_spec()).encode()
_ANSWERS = {
    (reviewer, iteration): text.encode()
    for reviewer in REVIEWERS
    for iteration, text in enumerate(_answers(reviewer), 1)
}
