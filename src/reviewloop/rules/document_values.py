"""The rule against limits and settings with two different values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.ids import with_digits
from reviewloop.documents.model import Document
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.criteria import CONSISTENCY
from reviewloop.rules.keyword_pattern import KeywordPattern, lowered
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

_UNITS: dict[str, tuple[str, float]] = {
    "ms": ("time", 0.001), "millisecond": ("time", 0.001), "s": ("time", 1), "sec": ("time", 1), "second": ("time", 1),
    "min": ("time", 60), "minute": ("time", 60), "h": ("time", 3600), "hr": ("time", 3600), "hour": ("time", 3600),
    "day": ("time", 86400), "week": ("time", 604800),
    "b": ("size", 1), "byte": ("size", 1), "kb": ("size", 1e3), "mb": ("size", 1e6), "gb": ("size", 1e9),
    "kib": ("size", 1024), "mib": ("size", 1024**2), "gib": ("size", 1024**3),
    "%": ("share", 1), "percent": ("share", 1),
}  # fmt: skip
_UNIT = (
    r"(?P<unit>milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|[KMG]i?B|bytes?|%|percent|[sh])"
)
_LIMIT = (
    r"time-?out|time out|ttl|limit|maximum|max|minimum|cap|quota|threshold|interval|retention|expiry|"
    r"lifetime|window|delay|"
    r"capacity|budget|retries|attempts|iterations"
)
_LIMITS = (
    *("time-out", "timeout", "time out", "ttl", "limit", "max", "minimum", "cap", "quota", "threshold", "interval"),
    *("retention", "expiry", "lifetime", "window", "delay", "budget", "retries", "attempts", "iterations"),
)
"""Keywords for `_LIMIT`: each of its alternatives contains one of them."""

_AFTER = KeywordPattern(
    rf"\b(?P<key>(?:[a-z][a-z-]+ ){{1,3}}(?:{_LIMIT}))\b(?:\s+(?:limit|value|period|size|count))?\s*"
    rf"(?:is|of|=|:|to|after|at|are|\||defaults to|is set to|must be|shall be)\s*(?:at most |up to |exactly )?"
    rf"(?P<number>\d+(?:[.,]\d+)*)\s*-?(?:{_UNIT}(?!\w))?(?![\w]|\.\d)(?!\s*(?:,|or|/|-|to)\s*\d)",
    _LIMITS,
)
_BEFORE = KeywordPattern(
    rf"\b(?P<number>\d+(?:[.,]\d+)*)[\s-]*{_UNIT}[\s-]+(?P<key>(?:[a-z][a-z-]+ ){{1,2}}(?:{_LIMIT}))\b",
    _LIMITS,
)
_CLAUSE = re.compile(r"[.;](?:\s|$)|[()|]|,\s|\s[-\u2013\u2014]+\s|^[\s>*#-]+(?:\[.\]\s)?")
# The lookbehind comes after the first digit, because searching for a digit first is faster.
_FIGURE = re.compile(r"\d(?<![\w.$/#-]\d)")
_QUANTITY = re.compile(
    rf"(?P<number>{_FIGURE.pattern}\d*(?:[.,]\d+)*)\s*-?(?:{_UNIT}(?![\w/]))?(?:\s*(?:times|x)\b)?", re.IGNORECASE
)
_SAMPLE = lazy_re(r"\b(?:runs?|when|given|if|example|e\.g\.|tests?)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_BOUNDED = ("at most", "max", "up to", "more than", "upper", "at least", "min", "less than", "lower")
"""Keywords for `_UPPER` and `_LOWER`."""

_UPPER = lazy_re(r"\b(?:at most|maximum|max\.?|up to|no more than|not more than|upper limit)(?!\w)")
_LOWER = lazy_re(r"\b(?:at least|minimum|min\.?|no less than|not less than|lower limit)(?!\w)")
_NAMED = lazy_re(
    r"`(?P<key>[A-Za-z_][\w.]*?)`?\s*(?:=|:|\(default:?|defaults? to|default is|"
    r"is set to)\s*`?(?P<number>\d+(?:\.\d+)?)\s*"
    r"(?P<unit>ms|s|min|minutes?|seconds?|hours?|days?|[KMG]B|%)?`?(?=[\s),.;|`]|$)"
)
_SETTING = lazy_re(r"max|min|limit|timeout|ttl|retr|interval|threshold|size|capacity|port|window|delay", re.IGNORECASE)
_TIMEOUT = lazy_re(r"\btimes? ?-?out\b")
_WORD = re.compile(r"[a-z'_-]+")
_SMALL = frozenset(
    """
    a an the of to for in on at by with and or is are be as its it this that each every per new same current after
    within must shall should can will has have use set default value than been
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_EXAMPLE = frozenset(("when", "given", "if", "run", "then", "example", "where", "test", "returns", "return"))


_BINDING = (Kind.PRD, Kind.SPEC, Kind.REQUIREMENTS, Kind.DESIGN)
"""Research is not among them: it describes the current state, which may differ from the required state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    key: str
    label: str
    text: str
    dimension: str
    amount: float
    line: int
    column: int


@rule("DOC006", "two-values", criteria=CONSISTENCY, severity=Severity.IMPORTANT, precision=0.8)
def two_values(subject: Subject) -> Iterator[Hit]:
    """A limit or setting has two different values.

    What it checks: values of named settings (`max_retries` = 3) and of limits in prose ("the session time-out is 30
    minutes", "a 30-minute session time-out"), in the document and its upstream documents. Units are converted: 30
    minutes equals 1800 s. Code blocks are skipped, because examples vary.

    Why: both values will be implemented, in different places.

    Known problems: two settings that share a name look like one.

    Example:
        The session time-out is 30 minutes. [...] Sessions have a 60 minute session time-out.

    Instead: state the value once, and refer to it elsewhere.
    """
    first: dict[tuple[str, str], tuple[_Value, Document]] = {}
    for upstream in subject.upstream_documents(*_BINDING):
        for value in _values(upstream):
            first.setdefault((value.key, value.dimension), (value, upstream))
    reported: set[tuple[int, int]] = set()
    for value in _values(subject.document):
        known, source = first.setdefault((value.key, value.dimension), (value, subject.document))
        if known.amount == value.amount or (value.line, value.column) in reported:
            continue
        reported.add((value.line, value.column))
        place = f"on line {known.line}" if source is subject.document else f"in {source.path}, line {known.line}"
        yield Hit(
            issue=f'"{value.label}" is {value.text} here, but {known.text} {place}',
            line=value.line,
            column=value.column,
            quote=value.text,
            suggestion="State the value once, and refer to it elsewhere.",
        )


def _values(document: Document) -> Iterator[_Value]:
    for number in with_digits(document.prose):
        line, words = document.prose[number - 1], document.words[number - 1]
        for match in _NAMED.finditer(line) if "`" in line and not _SAMPLE.search(line) else ():
            if _SETTING.search(match["key"]):
                yield from _value(match["key"], match, number)
        for phrase in (_AFTER, _BEFORE) if _AFTER.may_match(lowered(words)) else ():
            for match in phrase.pattern.finditer(words):
                key = _key(match["key"])
                if " " in key:
                    yield from _value(key, match, number)
        if _FIGURE.search(words):
            yield from _in_clauses(line, words, number)


def _in_clauses(prose: str, line: str, number: int) -> Iterator[_Value]:
    """Values in clauses with a single number. The other words of the clause are the key."""
    start = 0
    for end in [*(match.start() for match in _CLAUSE.finditer(line)), len(line)]:
        clause, offset = line[start:end], start
        start = end + 1
        quantities = list(_QUANTITY.finditer(clause)) if _DIGIT.search(clause) else ()
        # In a clause with code or several numbers, the words alone do not identify the value.
        if len(quantities) != 1 or "==" in clause or clause != prose[offset:end]:
            continue
        quantity = quantities[0]
        rest = clause[: quantity.start()] + " " + clause[quantity.end() :]
        if _DIGIT.search(rest) or not _EXAMPLE.isdisjoint(_words(rest.lower())):
            continue
        label = _key(rest) if quantity["unit"] or _is_bound(rest.lower()) else ""
        if " " in label and _EXAMPLE.isdisjoint(label.split()):
            yield from _value(label, quantity, number, offset)


def _is_bound(words: str) -> bool:
    if _AFTER.may_match(words):
        return True
    return _may_bound(words) and any(pattern.search(words) for pattern in (_UPPER, _LOWER))


def _may_bound(words: str) -> bool:
    return any(phrase in words for phrase in _BOUNDED)


def _key(words: str) -> str:
    plain = words.lower()
    if "time" in plain:
        plain = _TIMEOUT.sub("timeout", plain)
    if _may_bound(plain):
        plain = _LOWER.sub(" min ", _UPPER.sub(" max ", plain))
    parts = _words(plain)
    return " ".join(word.rstrip("s") if len(word) > 4 else word for word in parts if word and word not in _SMALL)


def _words(text: str) -> list[str]:
    return [word.strip("'-*_:=\"") for word in _WORD.findall(text)]


def _value(key: str, match: re.Match[str], line: int, offset: int = 0) -> Iterator[_Value]:
    unit = (match["unit"] or "").lower()
    dimension, factor = _UNITS.get(unit) or _UNITS.get(unit.rstrip("s")) or ("count", 1.0)
    try:
        amount = float(match["number"].replace(",", "")) * factor
    except ValueError:
        return
    text = " ".join(part for part in (match["number"], match["unit"]) if part)
    column = offset + match.start("number") + 1
    ordered = " ".join(sorted(key.split()))
    yield _Value(key=ordered, label=key, text=text, dimension=dimension, amount=amount, line=line, column=column)
