"""Dialects: how a reviewer is asked to answer, and how the answer is parsed. Parsing never raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from reviewloop.core.dialects import decision, findings, scored, signal
from reviewloop.core.dialects.answer import Answer
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

__all__ = ["DIALECTS", "Answer", "Dialect", "parse"]


class Dialect(Protocol):
    """A dialect module: its instructions, its JSON schema if it has one, and its parser."""

    @property
    def name(self) -> str: ...

    def schema(self, rubric: Rubric, *, confidence: bool = False) -> dict[str, Any] | None: ...

    def instructions(self, rubric: Rubric, *, confidence: bool = False) -> str: ...

    def parse(self, answer: Answer, rubric: Rubric) -> Review | Malformed: ...


DIALECTS: Mapping[str, Dialect] = {
    "scored": scored,
    "signal": signal,
    "decision": decision,
    "findings": findings,
}


def parse(dialect: str, answer: Answer, rubric: Rubric) -> Review | Malformed:
    """Parse an answer. Only an answer that says pass in the reviewer's own words, all of it, can be a pass."""
    if not answer.text.strip():
        return Malformed(field="root", message="the answer is empty")
    review = DIALECTS[dialect].parse(answer.without_thoughts(), rubric)
    if answer.receipt_required and not answer.has_receipt():
        no = review.refusal if isinstance(review, Malformed) else review
        heard = no if no and no.verdict is Verdict.NEEDS_REVISION else None
        return Malformed(field="receipt", message="the answer does not carry this call's receipt", refusal=heard)
    return review
