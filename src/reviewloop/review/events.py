"""The events of a session. The first six, and the fields they start with, are a contract with other tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from reviewloop.review.finding import Finding
from reviewloop.review.merge import Ruling
from reviewloop.review.policy import Policy
from reviewloop.review.review import Failure, Malformed, Review, Stage, Usage, Verdict
from reviewloop.review.sections import Section
from reviewloop.review.workflow import Commission


class Outcome(StrEnum):
    """How a session ends."""

    PASSED = "passed"
    PASSED_WITH_WARNINGS = "passed_with_warnings"
    BLOCKED = "blocked"
    ESCALATED = "escalated"
    REJECTED = "rejected"

    @property
    def waits(self) -> bool:
        """Whether a person can still change it."""
        return self in (Outcome.BLOCKED, Outcome.ESCALATED)


class Reason(StrEnum):
    """Why a session was blocked or handed to a person, for programs. Sentences go beside it."""

    MALFORMED = "malformed"
    UNANSWERED = "unanswered"
    EXHAUSTED = "exhausted"
    NO_AUTHOR = "no_author"
    AUTHOR_FAILED = "author_failed"
    BUDGET = "budget"
    CONFLICT = "conflict"
    TAMPERED = "tampered"
    OSCILLATING = "oscillating"
    PLATEAU = "plateau"
    PROPOSAL = "proposal"
    DISAGREEMENT = "disagreement"
    DECISION = "decision"


class Convergence(StrEnum):
    """Where the loop is heading."""

    CONVERGING = "converging"
    PLATEAU = "plateau"
    OSCILLATING = "oscillating"
    GROWING = "growing"


class Answer(StrEnum):
    """What a person can say about a session that waits."""

    CONTINUE = "continue"
    ACCEPT = "accept"
    RETRY = "retry"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackItem:
    """One thing to change, as other tools read it."""

    section: str
    issue: str
    suggestion: str

    @classmethod
    def of(cls, finding: Finding) -> FeedbackItem:
        return cls(
            section=finding.place.section or str(finding.place),
            issue=finding.issue,
            suggestion=finding.suggestion or "Address this finding.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an iteration came to, as other tools read it."""

    verdict: Verdict
    score: Mapping[str, float] = field(default_factory=dict[str, float])
    feedback: tuple[FeedbackItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationRecord:
    """One line of a session's history, as other tools read it."""

    iteration: int
    result: Result
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file as it was read."""

    path: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file an author changed: digests before and after, None where there is no file."""

    path: str
    before: str | None
    after: str | None
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What of the artifact's text a reviewer was sent.

    `key` stands for the reviewer and all it judges by; `sections` are the digests of what was sent in full if that was
    not everything. The other sections it had reviewed before, word for word, under the same key.
    """

    key: str
    whole: bool = True
    sections: tuple[str, ...] = ()
    saved_chars: int = 0
    saved_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to one agent. The same key is the same call after a crash."""

    key: str
    agent: str
    attempt: int
    stage: Stage | None = None
    marker: str = ""
    prompt_chars: int = 0
    sent: Sent | None = None


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


class Action(StrEnum):
    """What a panel's answers call for."""

    APPROVE = "approve"
    REVISE = "revise"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How often such a decision is right: a prior, updated with what `n` answers of people in this project said.

    `row` names the prior; `low` and `high` are the ends of the 95% interval.
    """

    row: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the engine would do with a panel's answers, how sure it is, and which scenario says so.

    `confidence` is the scenario's figure; None where there is only one model and it states none. `inputs` is what each
    model said in each stage that counts, the strongest model last. `calibrated` is how often its like was right.
    """

    action: Action
    scenario: str
    confidence: float | None
    because: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    calibrated: Calibrated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PossiblySame:
    """Two findings, by id, that may be one thing; nobody has ruled on it, so they do not count as agreed."""

    first: str
    second: str
    p: float


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
    """A revision was read and the offline rules have run: an iteration begins."""

    type: ClassVar[str] = "spec.review.checked"
    iteration: int
    digest: str
    size: int
    files: tuple[FileState, ...] = ()
    facts: tuple[Finding, ...] = ()
    sections: tuple[Section, ...] = ()


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


class Judgment(StrEnum):
    """How a contest ends."""

    UPHELD = "upheld"
    WITHDRAWN = "withdrawn"


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
)

PAYLOADS: Mapping[str, type[Any]] = {
    cls.type: cls
    for cls in (
        Started,
        Iterated,
        Feedback,
        Passed,
        Blocked,
        MalformedAnswer,
        Checked,
        Asked,
        Answered,
        Unanswered,
        Tampered,
        Commissioned,
        Authored,
        AuthorFailed,
        Revised,
        Conflicted,
        Warned,
        Escalated,
        Resumed,
        Dismissed,
        Added,
        Rejected,
        Discarded,
        Contested,
        Ruled,
        Settled,
    )
}


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
