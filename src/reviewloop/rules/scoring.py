"""What the rules' findings come to: scores, a verdict, and an honest word on what no rule can judge."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import BY_KIND, Rubric
from reviewloop.documents.folder import documents_of
from reviewloop.rules.registry import judgeable

NOT_READ_WHOLE = "DOC902"
"""The rule that says that a part of the document was not checked."""

_FULL = 100
_LOSS = {Severity.CRITICAL: 40, Severity.IMPORTANT: 15, Severity.MINOR: 4, Severity.INFO: 0}


def review_of_artifact(artifact: Artifact, facts: tuple[Finding, ...], rubric: Rubric) -> Review:
    """The review that follows from the rules' findings: of several documents, the worst of theirs.

    Every document is judged by its own kind. A criterion of the rubric gets the lowest score that a document has.
    """
    documents = documents_of(artifact)
    if len(documents) <= 1:
        return review_of(facts, rubric, judgeable(artifact.kind))
    reviews = [_review_of_document(document, artifact.kind, facts, rubric) for document in documents]
    everywhere = tuple(fact for fact in facts if fact.place.file is None)
    verdicts = {review.verdict for review in reviews}
    worst = next((verdict for verdict in (Verdict.NEEDS_REVISION, Verdict.INCONCLUSIVE) if verdict in verdicts), None)
    if any(fact.severity is Severity.CRITICAL and not fact.suppressed for fact in everywhere):
        worst = Verdict.NEEDS_REVISION
    scores = {
        name: min(found)
        for name in rubric.names
        if (found := [review.scores[name] for review in reviews if name in review.scores])
    }
    return Review(
        verdict=worst or Verdict.PASS,
        scores=scores,
        findings=facts,
        judged=tuple(scores),
        summary=_summary([fact for fact in facts if not fact.suppressed], rubric, scores),
    )


def _review_of_document(document: Artifact, kind: Kind, facts: tuple[Finding, ...], rubric: Rubric) -> Review:
    own = tuple(fact for fact in facts if fact.place.file in document.paths)
    if document.kind is not kind:
        needed = {criterion.name: criterion.min_score for criterion in rubric.criteria}
        criteria = BY_KIND[document.kind].criteria
        adjusted = (replace(one, min_score=needed.get(one.name, one.min_score)) for one in criteria)
        rubric = replace(rubric, criteria=tuple(adjusted))
    return review_of(own, rubric, judgeable(document.kind))


def review_of(facts: tuple[Finding, ...], rubric: Rubric, known: frozenset[str]) -> Review:
    """The review that follows from the rules' findings on one document.

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
