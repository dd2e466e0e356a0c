"""How a session ends, why it stops, where it is heading, and what a person can say."""

from __future__ import annotations

from enum import StrEnum


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


PASSING = frozenset({Outcome.PASSED, Outcome.PASSED_WITH_WARNINGS})
"""The outcomes after which the work counts as done."""


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
    VALIDATION = "validation"
    UNREAD = "unread"


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
    SKIP_REVIEW = "skip_review"
    FROM_VALIDATION = "from_validation"
    FROM_TASKS = "from_tasks"

    @property
    def waives(self) -> bool:
        """Whether it lets a feature go on although no reviewer has passed it."""
        return self in (Answer.SKIP_REVIEW, Answer.FROM_VALIDATION, Answer.FROM_TASKS)

    @property
    def takes_what_is_there(self) -> bool:
        """Whether the person has seen to the text: no author is asked for a first version."""
        return self in (Answer.FROM_VALIDATION, Answer.FROM_TASKS)


class Judgment(StrEnum):
    """How a contest ends."""

    UPHELD = "upheld"
    WITHDRAWN = "withdrawn"
