"""The language of exit conditions, in which a task says when its work passes.

    review.decision == GO and (review.score.completeness >= 80 or review.confidence > 0.9)

A condition consists of comparisons over a fixed set of names, `and`, `or`, `not` and parentheses. It is parsed and
type-checked before anything runs, and never executed as code. A comparison with an unknown value, such as a missing
score, is neither true nor false. Only a condition that is true holds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NoReturn

from reviewloop.text import did_you_mean

Value = str | float
Facts = Mapping[str, Value | None]
"""Values by name. None, or no entry, means that the value is unknown."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "review.decision": ("GO", "NO_GO", "INCONCLUSIVE"),
    "review.verdict": ("pass", "needs_revision", "inconclusive"),
}
NUMBERS = (
    "review.confidence",
    "review.total",
    "review.iteration",
    "review.findings",
    "review.findings.critical",
    "review.findings.important",
    "review.findings.minor",
    "review.findings.info",
)
SCORE = "review.score."

MAX_LENGTH = 1000
MAX_DEPTH = 50

_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?)(?![\w.])|(?P<word>[A-Za-z_][\w-]*(?:\.[A-Za-z0-9_][\w-]*)*)"""
    r"""|(?P<sign>[<>=!]=|[<>()])|(?P<quoted>"[^"]*"|'[^']*'))"""
)


class ConditionError(ValueError):
    """An invalid condition. `start` and `width` mark the invalid part, counted from 0."""

    def __init__(self, message: str, *, start: int, width: int = 1, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.width = max(1, width)
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    name: str
    sign: str
    value: Value

    def holds(self, facts: Facts) -> bool | None:
        known = facts.get(self.name)
        if known is None:
            return None
        if self.sign in ("==", "!="):
            return (known == self.value) is (self.sign == "==")
        assert not isinstance(known, str)
        assert not isinstance(self.value, str)
        return _ORDERS[self.sign](known, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    inner: Condition

    def holds(self, facts: Facts) -> bool | None:
        inner = self.inner.holds(facts)
        return None if inner is None else not inner


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    left: Condition
    right: Condition

    def holds(self, facts: Facts) -> bool | None:
        sides = (self.left.holds(facts), self.right.holds(facts))
        if False in sides:
            return False
        return None if None in sides else True


@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    left: Condition
    right: Condition

    def holds(self, facts: Facts) -> bool | None:
        sides = (self.left.holds(facts), self.right.holds(facts))
        if True in sides:
            return True
        return None if None in sides else False


Condition = Comparison | Not | Both | Either


def parse(text: str) -> Condition:
    """Parse a condition.

    Raises:
        ConditionError: The text is not a valid condition.
    """
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"a condition can have at most {MAX_LENGTH} characters", start=0, width=len(text))
    return _Parser(text).parse()


def asks_for_scores(names: Collection[str]) -> bool:
    return any(name == "review.total" or name.startswith(SCORE) for name in names)


def names_in(condition: Condition) -> frozenset[str]:
    """The names that a condition refers to."""
    match condition:
        case Comparison():
            return frozenset({condition.name})
        case Not():
            return names_in(condition.inner)
        case Both() | Either():
            return names_in(condition.left) | names_in(condition.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    kind: str
    text: str
    start: int

    def error(self, message: str, *, hint: str | None = None) -> ConditionError:
        return ConditionError(message, start=self.start, width=len(self.text), hint=hint)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if not match:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            _unreadable(text[start], start)
        kind = match.lastgroup or ""
        tokens.append(_Token(kind=kind, text=match[kind], start=match.start(kind)))
        position = match.end()
    return [*tokens, _Token(kind="end", text="", start=len(text))]


def _unreadable(character: str, start: int) -> NoReturn:
    hint = 'write "==" to compare' if character == "=" else None
    raise ConditionError(f"unexpected character {character!r}", start=start, hint=hint)


class _Parser:
    """A recursive descent parser: `or` binds weakest, then `and`, then `not`."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = 0
        self._depth = 0

    def parse(self) -> Condition:
        condition = self._either()
        if self._token.kind != "end":
            raise self._token.error(f'expected "and", "or" or the end, found "{self._token.text}"')
        return condition

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._token
        self._next += token.kind != "end"
        return token

    def _accept(self, text: str) -> bool:
        """Consume the next token if it is this word or sign."""
        if self._token.text != text or self._token.kind == "quoted":
            return False
        self._take()
        return True

    def _either(self) -> Condition:
        left = self._both()
        while self._accept("or"):
            left = Either(left=left, right=self._both())
        return left

    def _both(self) -> Condition:
        left = self._operand()
        while self._accept("and"):
            left = Both(left=left, right=self._operand())
        return left

    def _operand(self) -> Condition:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._token.error(f"conditions are nested more than {MAX_DEPTH} deep")
        try:
            if self._accept("not"):
                return Not(inner=self._operand())
            opened = self._token
            if not self._accept("("):
                return self._comparison()
            inner = self._either()
            if not self._accept(")"):
                raise opened.error("this parenthesis is never closed")
            return inner
        finally:
            self._depth -= 1

    def _comparison(self) -> Condition:
        name = self._take()
        if name.kind != "word" or name.text in ("and", "or"):
            found = f'"{name.text}"' if name.text else "the end"
            raise name.error(f"expected a name such as review.decision, found {found}")
        choices = _choices(name)
        sign = self._take()
        if sign.kind != "sign" or sign.text in "()":
            raise sign.error(f"expected a comparison after {name.text}", hint=_example(name.text, choices))
        value = self._take()
        return Comparison(name=name.text, sign=sign.text, value=_value(name, sign, value, choices))


def _choices(name: _Token) -> tuple[str, ...]:
    """The values that a name can have; empty for a number."""
    if name.text in CHOICES:
        return CHOICES[name.text]
    if name.text in NUMBERS or (name.text.startswith(SCORE) and "." not in name.text.removeprefix(SCORE)):
        return ()
    known = [*CHOICES, *NUMBERS, f"{SCORE}<criterion>"]
    near = did_you_mean(name.text, known)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}"
    raise name.error(f'unknown name "{name.text}"', hint=hint)


def _value(name: _Token, sign: _Token, value: _Token, choices: tuple[str, ...]) -> Value:
    if not choices:
        if value.kind != "number":
            raise value.error(f"{name.text} is a number and cannot be compared with {_shown(value)}")
        return float(value.text)
    if sign.text not in ("==", "!="):
        raise sign.error(f"{name.text} cannot be ordered", hint='compare it with "==" or "!="')
    text = value.text.strip("\"'")
    if value.kind not in ("word", "quoted") or text not in choices:
        near = did_you_mean(text, choices)
        hint = f'did you mean "{near}"?' if near else None
        raise value.error(f"{name.text} is {' or '.join(choices)}, not {_shown(value)}", hint=hint)
    return text


def _shown(value: _Token) -> str:
    return f'"{value.text}"' if value.kind == "word" else value.text or "nothing"


def _example(name: str, choices: tuple[str, ...]) -> str:
    return f'for example "{name} {f"== {choices[0]}" if choices else ">= 80"}"'
