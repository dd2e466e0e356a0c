"""The words that reviewers say yes and no with, in the four dialects and beside them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, cast

_YES = frozenset(
    [
        "pass",
        "passed",
        "go",
        "approve",
        "approved",
        "accept",
        "accepted",
        "reviewpass",
        "reviewpassed",
        "lgtm",
        "ok",
        "okay",
        "yes",
        "true",
        "success",
    ]
)
_NO = frozenset(
    [
        "fail",
        "failed",
        "fails",
        "failing",
        "failure",
        "nogo",
        "needsrevision",
        "needsrevisions",
        "needsrework",
        "needswork",
        "needschanges",
        "reject",
        "rejected",
        "revise",
        "revision",
        "reviewfail",
        "reviewfailed",
        "block",
        "blocked",
        "blocking",
        "requestchanges",
        "changesrequested",
        "changesrequired",
        "notapproved",
        "notpassed",
        "notpass",
        "notaccepted",
        "dontpass",
        "donotpass",
        "nopass",
        "no",
        "false",
        "decline",
        "declined",
        "deny",
        "denied",
        "refuse",
        "refused",
        "disapprove",
        "disapproved",
        "redo",
    ]
)
_LONGEST_WORD = 100
_BODY_KEYS = frozenset({"score", "scores", "feedback", "findings", "qualitychecks"})
_APPROVALS = frozenset({"approved", "approve", "pass", "passed", "accepted", "accept", "go", "lgtm"})
_OTHER_KEYS = _APPROVALS | {"ok", "success", "status", "result", "outcome", "overall", "conclusion", "recommendation"}
_FEW_KEYS = 3
_FINDING_KEYS = frozenset(
    f"{kind}{noun}"
    for kind in ("", "critical", "blocking", "open", "major")
    for noun in ("issues", "problems", "blockers")
) | {"blocking", "blockers", "criticalfindings", "blockingfindings", "mustfix", "error", "errors", "blocked"}
_HISTORY = ("previous", "earlier", "last", "prior", "example", "history", "before", "sample")


def says(word: object) -> bool | None:
    """Whether a word says yes or no; None if it says neither."""
    if isinstance(word, bool):
        return word
    folded = fold(word) if isinstance(word, str) else ""
    return True if folded in _YES else False if folded in _NO else None


def fold(text: str) -> str:
    """A word, or a few, without case, punctuation and forms of letters. A longer text is no word and stays as it is."""
    if len(text) > _LONGEST_WORD:
        return text
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def is_verdict_key(key: str) -> bool:
    """Whether a key is meant as the key of a verdict, in any dialect and spelling."""
    folded = fold(key)
    if any(folded.startswith(word) for word in _HISTORY):
        return False
    if any(word in folded for word in ("verdict", "decision")) or folded == "signal":
        return len(folded) <= len("overallreviewdecision")
    return any(_is_close(folded, word) for word in ("verdict", "decision"))


def is_statement(value: Mapping[str, Any]) -> bool:
    """Whether an object looks like a reviewer's statement in some dialect."""
    if any(is_verdict_key(key) or fold(key) in _BODY_KEYS for key in value):
        return True
    return len(value) <= _FEW_KEYS and any(fold(key) in _APPROVALS and says(value[key]) is False for key in value)


def denials(value: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a statement, besides its verdict, that say no: `approved: false`, `result: fail`."""
    return (key for key in value if fold(key) in _OTHER_KEYS and says(value[key]) is False)


def further_findings(value: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a statement that hold findings outside the place for them."""
    return (
        key for key in value if fold(key) in _FINDING_KEYS and value[key] not in (None, False, 0, "", [], {}, "none")
    )


def stated_words(value: Mapping[str, Any]) -> Iterator[object]:
    """The values of an object's keys that are meant as verdicts."""
    return (value[key] for key in value if is_verdict_key(key))


def nested_statements(value: object, *, depth: int = 8) -> Iterator[Mapping[str, Any]]:
    """The statements inside an object or a list, except those that are told as history or as examples."""
    if depth == 0:
        return
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            if not fold(key).startswith(_HISTORY):
                yield from _statements_in(inner, depth)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _statements_in(inner, depth)


def _statements_in(inner: object, depth: int) -> Iterator[Mapping[str, Any]]:
    fields = cast("dict[str, Any]", inner) if isinstance(inner, dict) else dict[str, Any]()
    if any(is_verdict_key(key) for key in fields):
        yield fields
    yield from nested_statements(fields or cast("object", inner), depth=depth - 1)


def _is_close(word: str, other: str) -> bool:
    """Whether a word is another one misspelt: a letter more or other, letters swapped, or up to two left out."""
    if sorted(word) == sorted(other) or _is_within(word, other, 2):
        return True
    return _is_within(other, word, 1) or (
        len(word) == len(other) and sum(a != b for a, b in zip(word, other, strict=True)) == 1
    )


def _is_within(word: str, other: str, left_out: int) -> bool:
    """Whether a word is another one with at most `left_out` letters left out."""
    if not 0 <= len(other) - len(word) <= left_out:
        return False
    letters = iter(other)
    return all(letter in letters for letter in word)
