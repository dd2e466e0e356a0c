"""The events of a session. The first six, and the fields they start with, are a contract with other tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, get_args

from reviewloop.review.calls import Call, FileChange, FileState
from reviewloop.review.decision import Decision, PossiblySame
from reviewloop.review.finding import Finding
from reviewloop.review.memory_events import MemoryPayload
from reviewloop.review.merge import Ruling
from reviewloop.review.outcome import Answer, Convergence, Judgment, Outcome, Reason
from reviewloop.review.policy import Policy
from reviewloop.review.record import FeedbackItem, IterationRecord
from reviewloop.review.review import Failure, Malformed, Review, Stage, Usage, Verdict
from reviewloop.review.sections import Section
from reviewloop.review.verification import Verification
from reviewloop.review.workflow import Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    type: ClassVar[str] = "spec.review.started"
    feature: str
    prd_path: str
    specs_path: str
    kind: str
    profile: str
    policy: Policy
    paths: tuple[str, ...] = ()
    upstream: tuple[str, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict[str, Any])
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    config_file: str = ""
    version: str = ""
    commission: Commission | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Iterated:
    """An iteration is over: what the panel says, and what the engine makes of it."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """Answers that do not count: quality reviews of work that failed its spec stage. What they cost stays on record.

    `waited` is how many seconds longer the iteration took because of them.
    """

    type: ClassVar[str] = "spec.review.discarded"
    iteration: int
    keys: tuple[str, ...]
    reason: str
    usage: Usage = field(default_factory=Usage)
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRuling:
    """What a tie-break says of two findings of a stage; None if it said nothing that can be used."""

    pair: str
    stage: Stage
    first: str
    second: str
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A tie-break was asked about all pairs that are possibly the same. It is asked once, whatever comes of it."""

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
        return tuple(one.pair for one in self.pairs if one.ruling is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The author is about to be asked."""

    type: ClassVar[str] = "spec.review.feedback"
    feature: str
    iteration: int
    feedback: tuple[FeedbackItem, ...]
    scores: Mapping[str, float]
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    type: ClassVar[str] = "spec.review.passed"
    feature: str
    prd_path: str
    specs_path: str
    outcome: Outcome = Outcome.PASSED
    because: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The loop cannot go on by itself. Base of blocked and escalated."""

    feature: str
    reason: str
    iterations: tuple[IterationRecord, ...]
    recovery_actions: tuple[str, ...]
    current_specs_path: str
    code: Reason
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(Stopped):
    type: ClassVar[str] = "spec.review.blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalated(Stopped):
    """A person has to decide. `proposal` is what the engine would do."""

    type: ClassVar[str] = "spec.review.escalated"
    proposal: str | None = None
    decision: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedAnswer:
    """An agent answered, and the answer is no review."""

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
class Checked:
    """A revision was read, the offline rules and the task's own check have run: an iteration begins."""

    type: ClassVar[str] = "spec.review.checked"
    iteration: int
    digest: str
    size: int
    files: tuple[FileState, ...] = ()
    facts: tuple[Finding, ...] = ()
    sections: tuple[Section, ...] = ()
    verified: Verification | None = None

    @property
    def fails(self) -> bool:
        """Whether the task's own check fails."""
        return self.verified is not None and not self.verified.succeeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Reviewers are about to be asked."""

    type: ClassVar[str] = "spec.review.asked"
    iteration: int
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A reviewer answered, and the answer is a review."""

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
class Unanswered:
    """An agent could not be run, or gave no answer."""

    type: ClassVar[str] = "spec.review.unanswered"
    iteration: int
    call: Call
    failure: Failure
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered:
    """Files changed while a reviewer, who may only read, was at work."""

    type: ClassVar[str] = "spec.review.tampered"
    iteration: int
    key: str
    where: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commissioned:
    """An author is about to write what there is to review. What comes of it is on record as iteration 0."""

    type: ClassVar[str] = "spec.review.commissioned"
    feature: str
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """The author is done; its changes are on record, and not yet in the user's tree."""

    type: ClassVar[str] = "spec.review.authored"
    iteration: int
    call: Call
    text: str
    changes: tuple[FileChange, ...]
    refused: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    version: str | None = None
    agent_session: str | None = None
    denials: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorFailed:
    type: ClassVar[str] = "spec.review.author_failed"
    iteration: int
    call: Call
    failure: Failure
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """The author's changes are in the user's tree."""

    type: ClassVar[str] = "spec.review.revised"
    iteration: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicted:
    """Somebody changed the same files meanwhile. Both versions are kept."""

    type: ClassVar[str] = "spec.review.conflicted"
    iteration: int
    paths: tuple[str, ...]
    kept_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    type: ClassVar[str] = "spec.review.warned"
    feature: str
    iteration: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Somebody went on with the session. An answer other than `continue` opens a new window."""

    type: ClassVar[str] = "spec.review.resumed"
    action: Answer
    note: str = ""
    by: str = ""
    policy: Policy | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """A person says a finding is none."""

    type: ClassVar[str] = "spec.review.dismissed"
    finding: Finding
    why: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A person raises what every reviewer missed."""

    type: ClassVar[str] = "spec.review.added"
    finding: Finding
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    type: ClassVar[str] = "spec.review.rejected"
    feature: str
    because: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    """An author says a finding is none, and why."""

    type: ClassVar[str] = "spec.review.contested"
    iteration: int
    finding: Finding
    reason: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """Somebody independent was asked about a contested finding, once. Without a usable `ruling` the finding stands."""

    type: ClassVar[str] = "spec.review.ruled"
    iteration: int
    call: Call
    finding: Finding
    ruling: Judgment | None
    reason: str
    text: str = ""
    failure: Failure | None = None
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """What a review of several tasks left open is noted in their spec: as a task to fix it, or for people to decide.

    It is noted once, so that what somebody takes out of the spec does not come back.
    """

    type: ClassVar[str] = "spec.review.booked"
    feature: str
    to_fix: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()


Payload = (
    Started
    | Iterated
    | Feedback
    | Passed
    | Blocked
    | MalformedAnswer
    | Checked
    | Asked
    | Answered
    | Unanswered
    | Tampered
    | Commissioned
    | Authored
    | AuthorFailed
    | Revised
    | Conflicted
    | Warned
    | Escalated
    | Resumed
    | Dismissed
    | Added
    | Rejected
    | Discarded
    | Contested
    | Ruled
    | Settled
    | Booked
    | MemoryPayload
)

PAYLOADS: Mapping[str, type[Any]] = {cls.type: cls for cls in get_args(Payload)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event before the ledger has given it its number."""

    time: datetime
    payload: Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The envelope. `id` is unique everywhere, `seq` counts from 1 within the session."""

    id: str
    session: str
    seq: int
    time: datetime
    payload: Payload

    @property
    def type(self) -> str:
        return self.payload.type
