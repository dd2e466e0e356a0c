"""Events of a review: the text is read, reviewers are asked and answer, the iteration is concluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from reviewloop.core.types.calls import Call, FileState
from reviewloop.core.types.decision import Decision, PossiblySame, Ruling
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.iteration_record import FeedbackItem
from reviewloop.core.types.outcome import Convergence, Reason
from reviewloop.core.types.review import Failure, Malformed, Review, Stage, Usage, Verdict
from reviewloop.core.types.sections import Section
from reviewloop.core.types.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An iteration begins: the text was read, and the offline rules and the Verify command have run."""

    type: ClassVar[str] = "spec.review.checked"
    iteration: int
    digest: str
    size: int
    files: tuple[FileState, ...] = ()
    facts: tuple[Finding, ...] = ()
    sections: tuple[Section, ...] = ()
    verified: Verification | None = None
    unread: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the Verify command fails."""
        return self.verified is not None and not self.verified.succeeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Reviewers are about to be asked."""

    type: ClassVar[str] = "spec.review.asked"
    iteration: int
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A reviewer gave a valid review."""

    type: ClassVar[str] = "spec.review.answered"
    iteration: int
    call: Call
    text: str
    review: Review
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    version: str | None = None
    agent_session: str | None = None
    denials: tuple[str, ...] = ()
    answered_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedAnswer:
    """A reviewer gave a malformed answer."""

    type: ClassVar[str] = "spec.review.malformed"
    feature: str
    raw_output: str
    parse_error: str
    retry_number: int
    iteration: int
    call: Call
    problem: Malformed
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A reviewer could not be run, or gave no answer."""

    type: ClassVar[str] = "spec.review.unanswered"
    iteration: int
    call: Call
    failure: Failure
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered:
    """Files changed during a review. Reviewers may only read."""

    type: ClassVar[str] = "spec.review.tampered"
    iteration: int
    key: str
    where: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """Quality reviews that do not count, because the spec stage failed. Their cost stays on record.

    `waited` is the number of seconds that the iteration waited for them.
    """

    type: ClassVar[str] = "spec.review.discarded"
    iteration: int
    keys: tuple[str, ...]
    reason: str
    usage: Usage = field(default_factory=Usage)
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRuling:
    """The tie-break's ruling on two findings of a stage; None without a usable ruling."""

    pair: str
    stage: Stage
    first: str
    second: str
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The tie-break was asked about all pairs that may be the same. It is asked only once."""

    type: ClassVar[str] = "spec.review.settled"
    iteration: int
    call: Call
    pairs: tuple[PairRuling, ...]
    text: str = ""
    failure: Failure | None = None
    usage: Usage = field(default_factory=Usage)
    model: str | None = None

    @property
    def unsettled(self) -> tuple[str, ...]:
        return tuple(ruled.pair for ruled in self.pairs if ruled.ruling is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Iterated:
    """An iteration is concluded, with the reviewers' findings and the engine's verdict.

    `by_person`: no reviewer was asked, because a person's answer stands in for the review.
    """

    type: ClassVar[str] = "spec.review.iteration"
    feature: str
    iteration: int
    feedback: tuple[FeedbackItem, ...]
    scores: Mapping[str, float]
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    total: float | None = None
    unjudged: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    convergence: Convergence | None = None
    because: str = ""
    reason: Reason | None = None
    confidence: float | None = None
    decision: Decision | None = None
    possible: tuple[PossiblySame, ...] = ()
    by_person: bool = False
