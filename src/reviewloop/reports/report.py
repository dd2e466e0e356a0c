"""What a report is made of: artifacts, what was said of each, and what the tool knows about itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import MIN_SCORE, Criterion, Rubric


class Silencer(StrEnum):
    """What keeps a finding quiet."""

    INLINE = "inline"
    BASELINE = "baseline"
    CONFIG = "config"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that does not count, and why."""

    finding: Finding
    reason: str
    by: Silencer = Silencer.INLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInfo:
    """What reports say about an offline rule. `docs` is a URL, or the path of its page in the repository."""

    id: str
    name: str
    severity: Severity
    summary: str
    description: str = ""
    docs: str = ""
    criterion: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of one criterion. `met` is None if nobody judged it; a yes-or-no check has no score."""

    criterion: str
    met: bool | None = None
    score: float | None = None
    needs: float = MIN_SCORE
    weight: float = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One artifact, and what was said of it."""

    artifact: Artifact
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    @classmethod
    def of(cls, artifact: Artifact, review: Review, rubric: Rubric, suppressed: Iterable[Suppressed] = ()) -> Reviewed:
        """Read a review against the rubric it was asked for.

        Findings that memory keeps from blocking move to the suppressed ones; criteria the review did not speak about
        stay unjudged.
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
            judgements=tuple(_judge(criterion, review) for criterion in rubric.criteria),
        )

    @property
    def scores(self) -> dict[str, float]:
        return {one.criterion: one.score for one in self.judgements if one.score is not None}

    @property
    def unjudged(self) -> tuple[str, ...]:
        return tuple(one.criterion for one in self.judgements if one.met is None)

    @property
    def total(self) -> float | None:
        """The weighted mean of the scores that are there."""
        scored = [(one.weight, one.score) for one in self.judgements if one.score is not None]
        weight = sum(weight for weight, _ in scored)
        return sum(weight * score for weight, score in scored) / weight if weight else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReport:
    """One run of the reviewers over one artifact or many. `rules` are those for the kinds of artifact it has.

    `left_out` says what was to be reviewed and could not be read.
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
        """The worst there is: work to do, then no answer, then a pass. What was not reviewed is no pass."""
        if any(one.verdict is Verdict.NEEDS_REVISION for one in self.artifacts):
            return Verdict.NEEDS_REVISION
        return Verdict.INCONCLUSIVE if self.is_incomplete or not self.artifacts else Verdict.PASS

    @property
    def is_incomplete(self) -> bool:
        """Whether there is something that nobody could read or judge."""
        return bool(self.left_out) or any(one.verdict is Verdict.INCONCLUSIVE for one in self.artifacts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for one in self.artifacts for finding in one.findings)

    @property
    def suppressed(self) -> tuple[Suppressed, ...]:
        return tuple(quiet for one in self.artifacts for quiet in one.suppressed)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for one in self.artifacts for path in one.artifact.paths))

    def rule(self, name: str | None) -> RuleInfo | None:
        return next((rule for rule in self.rules if rule.id == name), None)


def _judge(criterion: Criterion, review: Review) -> Judgement:
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
    return Judgement(criterion=criterion.name, met=met, score=score, needs=criterion.min_score, weight=criterion.weight)
