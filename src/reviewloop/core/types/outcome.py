"""Enumerations of a session: outcomes, reasons to stop, trends, and a person's answers."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    PASSED = "passed"
    PASSED_WITH_WARNINGS = "passed_with_warnings"
    BLOCKED = "blocked"
    ESCALATED = "escalated"
    REJECTED = "rejected"
    UNDONE = "undone"

    @property
    def waits(self) -> bool:
        """Whether the session waits for a person."""
        return self in (Outcome.BLOCKED, Outcome.ESCALATED)


PASSING = frozenset({Outcome.PASSED, Outcome.PASSED_WITH_WARNINGS})
"""The outcomes that count as a pass."""


class Reason(StrEnum):
    """Why a session was blocked or escalated, as a code for programs."""

    MALFORMED = "malformed"
    UNANSWERED = "unanswered"
    EXHAUSTED = "exhausted"
    NO_AUTHOR = "no_author"
    AUTHOR_FAILED = "author_failed"
    NO_CHANGE = "no_change"
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


class Judge(StrEnum):
    """Who concluded an iteration: its reviewers, the rules alone, or a person who sent the same text back."""

    REVIEWERS = "reviewers"
    RULES = "rules"
    PERSON = "person"


class Convergence(StrEnum):
    CONVERGING = "converging"
    PLATEAU = "plateau"
    OSCILLATING = "oscillating"
    GROWING = "growing"


class Answer(StrEnum):
    CONTINUE = "continue"
    ACCEPT = "accept"
    RETRY = "retry"
    REJECT = "reject"
    SKIP_REVIEW = "skip_review"
    FROM_VALIDATION = "from_validation"
    FROM_TASKS = "from_tasks"

    @property
    def waives(self) -> bool:
        """Whether it lets a feature go on without a review that passes."""
        return self in (Answer.SKIP_REVIEW, Answer.FROM_VALIDATION, Answer.FROM_TASKS)

    @property
    def takes_what_is_there(self) -> bool:
        """Whether the files are taken as they are, without asking an author for a first version."""
        return self in (Answer.FROM_VALIDATION, Answer.FROM_TASKS)


class Judgment(StrEnum):
    UPHELD = "upheld"
    WITHDRAWN = "withdrawn"
