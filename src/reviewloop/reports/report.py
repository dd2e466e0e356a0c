"""A review report: the artifacts, the result of each, and the run's warnings and notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import MIN_SCORE, Criterion, Rubric


class Silencer(StrEnum):
    """What suppressed a finding."""

    INLINE = "inline"
    BASELINE = "baseline"
    CONFIG = "config"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that does not count, and the reason."""

    finding: Finding
    reason: str
    by: Silencer = Silencer.INLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInfo:
    """An offline rule as reports describe it. `docs` is a URL, or the path of its page in the repository."""

    id: str
    name: str
    severity: Severity
    summary: str
    description: str = ""
    docs: str = ""
    criterion: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """The result for one criterion. `met` is None if it was not checked; a yes-or-no check has no score."""

    criterion: str
    met: bool | None = None
    score: float | None = None
    needs: float = MIN_SCORE
    weight: float = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One artifact and its review."""

    artifact: Artifact
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    criteria: tuple[CriterionResult, ...] = ()

    @classmethod
    def of(cls, artifact: Artifact, review: Review, rubric: Rubric, suppressed: Iterable[Suppressed] = ()) -> Reviewed:
        """Build the result from a review and its rubric.

        Findings that memory keeps from blocking count as suppressed. Criteria that the review does not mention count as
        not checked.
        """
        remembered = tuple(
            Suppressed(finding=finding, reason=finding.suppressed, by=Silencer.MEMORY)
            for finding in review.findings
            if finding.suppressed
        )
        return cls(
            artifact=artifact,
            verdict=review.verdict,
            findings=tuple(finding for finding in review.findings if not finding.suppressed),
            suppressed=(*suppressed, *remembered),
            criteria=tuple(_result(criterion, review) for criterion in rubric.criteria),
        )

    @property
    def scores(self) -> dict[str, float]:
        return {result.criterion: result.score for result in self.criteria if result.score is not None}

    @property
    def unjudged(self) -> tuple[str, ...]:
        return tuple(result.criterion for result in self.criteria if result.met is None)

    @property
    def total(self) -> float | None:
        """The weighted mean of all scores; None without scores."""
        scored = [(result.weight, result.score) for result in self.criteria if result.score is not None]
        weight = sum(weight for weight, _ in scored)
        return sum(weight * score for weight, score in scored) / weight if weight else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReport:
    """One review of one or more artifacts. `rules` are the rules for these kinds of artifact.

    `left_out` names the files that could not be read, each with the reason.
    """

    artifacts: tuple[Reviewed, ...]
    rules: tuple[RuleInfo, ...] = ()
    reviewers: tuple[str, ...] = ()
    asked_agents: bool = False
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tool_version: str = ""
    elapsed: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """The worst verdict: needs revision, then inconclusive, then pass. Without a review there is no pass."""
        if any(reviewed.verdict is Verdict.NEEDS_REVISION for reviewed in self.artifacts):
            return Verdict.NEEDS_REVISION
        return Verdict.INCONCLUSIVE if self.is_incomplete or not self.artifacts else Verdict.PASS

    @property
    def is_incomplete(self) -> bool:
        """Whether a file could not be read or an artifact has no verdict."""
        return bool(self.left_out) or any(reviewed.verdict is Verdict.INCONCLUSIVE for reviewed in self.artifacts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for reviewed in self.artifacts for finding in reviewed.findings)

    @property
    def suppressed(self) -> tuple[Suppressed, ...]:
        return tuple(suppressed for reviewed in self.artifacts for suppressed in reviewed.suppressed)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for reviewed in self.artifacts for path in reviewed.artifact.paths))

    def rule(self, name: str | None) -> RuleInfo | None:
        return next((rule for rule in self.rules if rule.id == name), None)


def _result(criterion: Criterion, review: Review) -> CriterionResult:
    score = review.scores.get(criterion.name)
    if score is not None:
        met = score >= criterion.min_score
    elif criterion.name in review.checks:
        met = review.checks[criterion.name]
    elif criterion.name in review.judged:
        met = not any(
            finding.criterion == criterion.name and finding.severity > Severity.INFO for finding in review.findings
        )
    else:
        met = None
    return CriterionResult(
        criterion=criterion.name, met=met, score=score, needs=criterion.min_score, weight=criterion.weight
    )
