"""What the rules' findings come to: scores, a verdict, and an honest word on what no rule can judge."""

from __future__ import annotations

from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Rubric

NOT_READ_WHOLE = "DOC902"
"""The rule that says that a part of the document was not checked."""

_FULL = 100
_LOSS = {Severity.CRITICAL: 40, Severity.IMPORTANT: 15, Severity.MINOR: 4, Severity.INFO: 0}


def review_of(facts: tuple[Finding, ...], rubric: Rubric, known: frozenset[str]) -> Review:
    """The review that follows from the rules' findings.

    A criterion starts at 100 and loses by the severity of its findings. One that is not `known` to the rules gets no
    score. If none is, the rules have nothing to say, and the review is inconclusive; so it is if they could not read
    all of it.
    """
    open_facts = [fact for fact in facts if not fact.suppressed]
    scores = {name: _score(name, open_facts) for name in rubric.names if name in known}
    return Review(
        verdict=_verdict(open_facts, rubric, scores),
        scores=scores,
        findings=facts,
        judged=tuple(scores),
        summary=_summary(open_facts, rubric, scores),
    )


def _score(criterion: str, facts: list[Finding]) -> float:
    return max(0, _FULL - sum(_LOSS[fact.severity] for fact in facts if fact.criterion == criterion))


def _verdict(facts: list[Finding], rubric: Rubric, scores: dict[str, float]) -> Verdict:
    low = [one for one in rubric.criteria if one.name in scores and scores[one.name] < one.min_score]
    if low or any(fact.severity is Severity.CRITICAL for fact in facts):
        return Verdict.NEEDS_REVISION
    is_whole = not any(fact.rule == NOT_READ_WHOLE for fact in facts)
    return Verdict.PASS if scores and is_whole else Verdict.INCONCLUSIVE


def _summary(facts: list[Finding], rubric: Rubric, scores: dict[str, float]) -> str:
    checked = f"The offline rules checked {', '.join(scores)}" if scores else "The offline rules checked no criterion"
    found = {1: "1 finding"}.get(len(facts), f"{len(facts)} findings")
    unjudged = [name for name in rubric.names if name not in scores]
    return f"{checked}: {found}." + (f" They cannot judge {', '.join(unjudged)}." if unjudged else "")
