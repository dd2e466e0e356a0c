"""What stands against a work after its last verdict: open findings, low scores, and what people dismissed."""

from __future__ import annotations

from reviewloop.core.judging.finding_status import dismiss, dismissal
from reviewloop.core.judging.min_scores import LowScore, low_scores
from reviewloop.core.session.events import Iterated
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Verdict


def last_verdict(history: History) -> Iterated | None:
    """The last conclusion with a verdict."""
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    return next((one for one in reversed(concluded) if one.verdict is not Verdict.INCONCLUSIVE), None)


def open_findings(history: History) -> tuple[Finding, ...]:
    """The findings of the last verdict that block: not late, not dismissed, more than information."""
    last = last_verdict(history)
    found = dismiss(last.findings, history) if last else ()
    return tuple(finding for finding in found if finding.is_open and finding.severity > Severity.INFO)


def low_scores_left(history: History) -> tuple[LowScore, ...]:
    """The scores of the last verdict below their minimum, with the weighted total."""
    last = last_verdict(history)
    return low_scores(last.scores, last.total, history.policy) if last else ()


def dismissals(history: History) -> tuple[str, ...]:
    """A warning for each finding that a person dismissed: who, and why."""
    return tuple(dict.fromkeys(f"{event.finding.issue} ({dismissal(event)})" for event in history.dismissed))
