"""The review that follows from rule findings: scores, verdict and summary."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import BY_KIND, Rubric
from reviewloop.documents.folder import documents_of
from reviewloop.rules.registry import checkable_criteria

NOT_READ_WHOLE = "DOC902"
"""The rule that reports a document as only partly checked."""

_FULL = 100
_LOSS = {Severity.CRITICAL: 40, Severity.IMPORTANT: 15, Severity.MINOR: 4, Severity.INFO: 0}


def review_of_artifact(artifact: Artifact, facts: tuple[Finding, ...], rubric: Rubric) -> Review:
    """Turn rule findings into a review. Each document is checked by its own kind.

    The review has the worst verdict of all documents and, for each criterion of the rubric, their lowest score.
    """
    documents = documents_of(artifact)
    if len(documents) <= 1:
        return review_of(facts, rubric, checkable_criteria(artifact.kind))
    reviews = [_review_of_document(document, artifact.kind, facts, rubric) for document in documents]
    without_file = [fact for fact in facts if fact.place.file is None]
    verdicts = {review.verdict for review in reviews}
    worst = next((verdict for verdict in (Verdict.NEEDS_REVISION, Verdict.INCONCLUSIVE) if verdict in verdicts), None)
    if any(fact.severity is Severity.CRITICAL and not fact.suppressed for fact in without_file):
        worst = Verdict.NEEDS_REVISION
    scores = {
        name: min(document_scores)
        for name in rubric.names
        if (document_scores := [review.scores[name] for review in reviews if name in review.scores])
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
        min_scores = {criterion.name: criterion.min_score for criterion in rubric.criteria}
        criteria = tuple(
            replace(criterion, min_score=min_scores.get(criterion.name, criterion.min_score))
            for criterion in BY_KIND[document.kind].criteria
        )
        rubric = replace(rubric, criteria=criteria)
    return review_of(own, rubric, checkable_criteria(document.kind))


def review_of(facts: tuple[Finding, ...], rubric: Rubric, known: frozenset[str]) -> Review:
    """Turn the rule findings on a single document into a review.

    A criterion starts at 100 and loses points by the severity of its findings. Criteria that are not in `known` get no
    score. The review is inconclusive if no criterion has a score, or if the rules did not read the whole document.
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
    low = [
        criterion
        for criterion in rubric.criteria
        if criterion.name in scores and scores[criterion.name] < criterion.min_score
    ]
    if low or any(fact.severity is Severity.CRITICAL for fact in facts):
        return Verdict.NEEDS_REVISION
    is_whole = not any(fact.rule == NOT_READ_WHOLE for fact in facts)
    return Verdict.PASS if scores and is_whole else Verdict.INCONCLUSIVE


def _summary(facts: list[Finding], rubric: Rubric, scores: dict[str, float]) -> str:
    checked = f"The offline rules checked {', '.join(scores)}" if scores else "The offline rules checked no criterion"
    count = {1: "1 finding"}.get(len(facts), f"{len(facts)} findings")
    not_checked = [name for name in rubric.names if name not in scores]
    return f"{checked}: {count}." + (f" Not checked: {', '.join(not_checked)}." if not_checked else "")
