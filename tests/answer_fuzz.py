"""Answers built at random from yes and no statements, quotations, noise and damage."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from answer_faults import KEY
from answer_forms import ARTIFACT, PROSE, QUOTED_NO, QUOTED_YES, RUBRIC, markdown, no_value, table, yes, yes_value
from reviewloop.core.dialects import Answer, parse
from reviewloop.core.dialects.statements import sound
from reviewloop.core.types.review import Malformed, Review, Verdict

LETTERS = "abcdefgxyzABC0159{}[]\"',:;|\\/ \n\t`*#_-.<>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """An answer, and whether every statement in it says pass."""

    dialect: str
    text: str
    passes: bool


def fuzzed(dialect: str, seed: int) -> Fuzzed:
    """One answer, the same for the same seed."""
    dice = random.Random(f"{dialect}/{seed}")
    parts = [dice.choice(_PIECES)(dialect, dice) for _ in range(dice.randint(0, 3))]
    parts.insert(dice.randint(0, len(parts)) if dialect != "signal" else len(parts), _statement(dialect, dice))
    text = dice.choice(["\n\n", "\n\n\n", "\n\n---\n\n"]).join(text for text, _ in parts)
    return Fuzzed(dialect=dialect, text=text, passes=all(passes for _, passes in parts))


def read(answer: Fuzzed) -> Review | Malformed:
    given = Answer(text=answer.text, marker="m4rk", sources=[ARTIFACT])
    return parse(answer.dialect, given, RUBRIC[answer.dialect])


def is_pass(answer: Fuzzed, result: Review | Malformed) -> bool:
    """Whether the loop would take an answer for a pass."""
    if isinstance(result, Malformed):
        return False
    return result.verdict is Verdict.PASS and sound(result, RUBRIC[answer.dialect])


def _statement(dialect: str, dice: random.Random) -> tuple[str, bool]:
    kind = dice.random()
    if dialect == "signal":
        if kind < 0.6:
            return yes(dialect), True
        status = dice.choice(["FAIL", "fail", "**FAIL**", "Failed", "MAYBE", "", "PARTIAL", "\u274c"])
        where = dice.choice(RUBRIC[dialect].names)
        return dice.choice([markdown({where: status}), f"{table({where: status})}\n\nREVIEW_PASS"]), False
    if kind < 0.6:
        return _laid_out(yes_value(dialect), dice), True
    if kind < 0.8:
        return _laid_out(no_value(dialect), dice), False
    return _damaged(json.dumps(yes_value(dialect)), dice, inside=True), False


def _laid_out(value: dict[str, object], dice: random.Random) -> str:
    items = list(value.items())
    dice.shuffle(items)
    text = json.dumps(dict(items), indent=dice.choice([None, 1, 2, 4]))
    return dice.choice([text, f"```json\n{text}\n```", f"Answer: {text}", f"> {text}" if "\n" not in text else text])


def _damaged(text: str, dice: random.Random, *, inside: bool = False) -> str:
    """The text with a structural letter gone or doubled, so that it is no longer what it was."""
    places = [n for n, letter in enumerate(text) if letter in '{}[]":,'][inside:]
    at = dice.choice(places)
    if inside:  # the damage must be one that JSON forbids
        return text[:at] + dice.choice(["\x00", "\\", ";", "@"]) + text[at + 1 :]
    return text[:at] + text[at + 1 :]


def _no(dialect: str, dice: random.Random) -> tuple[str, bool]:
    value = no_value("findings" if dialect == "signal" else dialect)
    text = json.dumps(value, indent=dice.choice([None, 2]))
    change = dice.randint(0, 7)
    if change == 0:
        text = _damaged(text, dice)
    elif change == 1:
        at = dice.randrange(1, len(text))
        text = text[:at] + dice.choice(LETTERS) + text[at:]
        # The letter may land in the words of a finding, or fall on white space: it is a no all the same.
    elif change == 2:
        text = text.replace('"', "'")
    elif change == 3:
        text = text[: dice.randrange(3, len(text))]
        return text, False
    elif change == 4:
        text = json.dumps({dice.choice(["review", "result", "answer", "data"]): value})
    elif change == 5:
        key = KEY.get(dialect, "verdict")
        text = text.replace(key, dice.choice([key.upper(), key.title(), key[:-1], key + "s", "final_" + key]), 1)
    elif change == 6:
        text = f"{dice.choice(['Verdict', 'Decision', 'Final verdict'])}: {dice.choice(['FAIL', 'NO_GO', 'rejected'])}"
    return dice.choice([text, f"```\n{text}\n```"]), False


def _quotation(dialect: str, dice: random.Random) -> tuple[str, bool]:
    quoted = [QUOTED_YES[dialect]] + ([QUOTED_NO[dialect]] if dialect in QUOTED_NO else [])
    text = dice.choice(quoted)
    if dialect != "signal" and dice.random() < 0.5:
        items = list(json.loads(text).items())
        dice.shuffle(items)
        text = json.dumps(dict(items), indent=dice.choice([None, 2, 4]))
    shape = dice.randint(0, 3)
    if shape == 0:
        text = f"```\n{text}\n```"
    elif shape == 1:
        text = "\n".join(f"> {line}" for line in text.splitlines())
    elif shape == 2:
        text = "\n".join(f"    {line}" for line in text.splitlines())
    return f"The document says:\n\n{text}", True


def _noise(dialect: str, dice: random.Random) -> tuple[str, bool]:
    return dice.choice(list(PROSE.values()))("").strip() or "Fine.", True


_PIECES: list[Callable[[str, random.Random], tuple[str, bool]]] = [_no, _quotation, _noise, _noise]


def failures(dialect: str, seeds: range) -> Iterator[tuple[int, Fuzzed, Review | Malformed]]:
    """The answers that pass and must not, or that must pass and do not."""
    for seed in seeds:
        answer = fuzzed(dialect, seed)
        result = read(answer)
        if is_pass(answer, result) is not answer.passes:
            yield seed, answer, result
