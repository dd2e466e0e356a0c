"""A person's answer that stands in for a review: work that is sent back, or against which nothing stands any more."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.judging.finding_status import dismiss, set_aside, waived_findings, with_status
from reviewloop.core.judging.judge import Judgement
from reviewloop.core.judging.min_scores import low_scores
from reviewloop.core.judging.open_points import last_verdict
from reviewloop.core.judging.static_gate import gate_closed
from reviewloop.core.session.events import Iterated, Resumed
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding, Severity, Standing, numbered
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict


def judge_answer(iteration: Iteration, history: History, policy: Policy) -> Judgement | None:
    """What a person's answer comes to without a review; None if the reviewers have to be asked.

    With a note or a finding of the person's own, the author is asked next in any case. Without either, the author is
    asked about text that reviewers have judged; text that is new to them, or that got no verdict, is reviewed first.
    If nothing is open any more because people dismissed it, or rulings withdrew it, the work passes, unless reviewers
    have more to judge.
    """
    opened = sent_back_by(history)
    if opened is None or iteration.asked_reviewers or not _is_first(iteration, history):
        return None
    judged = _judged(iteration, history)
    last = judged or last_verdict(history)
    standing = _standing(iteration, last, history, policy)
    added = unheard(history)
    said = bool(opened.note or added)
    if judged and not said and _is_cleared(judged, standing, history, policy):
        if _is_undecided(iteration, history, policy):
            return None
        return replace(
            _judgement(judged, set_aside(standing), standing),
            verdict=Verdict.PASS,
            warnings=(*judged.warnings, *waived_findings(standing)),
        )
    if policy.author is None or not (said or judged):
        return None
    because = f"sent back by {opened.by or 'a person'}" + (f": {opened.note}" if opened.note else "")
    findings = added + standing
    if last and not _blocking(findings):
        findings += _low(last, policy)
    return _judgement(last, because, numbered(findings))


def sent_back_by(history: History) -> Resumed | None:
    """The answer that sent the work back and so opened this window, unless an author has heard it and begun anew."""
    opened = history.window.opened
    begun_anew = history.writing is not None and history.writing.authored is not None
    return opened if opened and opened.action is Answer.RETRY and not begun_anew else None


def unheard(history: History) -> tuple[Finding, ...]:
    """The findings that people added, and did not take back, and that no conclusion has yet."""
    known = {finding.id for past in history.iterations if past.conclusion for finding in past.conclusion.findings}
    raised = tuple(added.finding for added in history.added if added.finding.id not in known)
    return tuple(finding.with_standing(Standing.NEW) for finding in dismiss(raised, history) if not finding.suppressed)


def _judgement(last: Iterated | None, because: str, findings: tuple[Finding, ...]) -> Judgement:
    return Judgement(
        verdict=Verdict.NEEDS_REVISION,
        because=because,
        findings=findings,
        scores=dict(last.scores) if last else {},
        total=last.total if last else None,
        unjudged=last.unjudged if last else (),
        by_person=True,
    )


def _is_first(iteration: Iteration, history: History) -> bool:
    return not any(past.window == iteration.window and past.number < iteration.number for past in history.iterations)


def _judged(iteration: Iteration, history: History) -> Iterated | None:
    """The last verdict on the same text. A pass that left files unread is none: they may be readable now."""
    for past in reversed(history.iterations):
        same = past.number < iteration.number and past.checked.digest == iteration.checked.digest
        if same and past.conclusion:
            unread = past.conclusion.verdict is Verdict.PASS and past.checked.unread
            return past.conclusion if past.conclusion.verdict is not Verdict.INCONCLUSIVE and not unread else None
    return None


def _is_cleared(judged: Iterated, standing: tuple[Finding, ...], history: History, policy: Policy) -> bool:
    """Whether everything that stood against this text is dismissed or withdrawn.

    A person's note to the author stands until the author has heard it.
    """
    window = history.iterations[judged.iteration - 1].window
    opened = history.windows[window - 1].opened
    if not (history.dismissed or history.withdrawn) or (judged.by_person and opened and opened.note):
        return False
    stood = judged.verdict is Verdict.NEEDS_REVISION and _blocking(judged.findings)
    return bool(stood) and not _blocking(standing) and not low_scores(judged.scores, judged.total, policy)


def _is_undecided(iteration: Iteration, history: History, policy: Policy) -> bool:
    """Whether reviewers have yet to judge this text: the rules stopped it, or a reviewer or a stage has no verdict.

    A panel that failed the first stage has not judged the second, and exit conditions are the reviewers' to meet.
    """
    same = (past for past in history.iterations if past.checked.digest == iteration.checked.digest)
    judged = next((past for past in reversed(tuple(same)) if past.is_judged), None)
    if judged is None or policy.exit_conditions or any(seat.stage for seat in policy.seats):
        return True
    needed = [judged.final(seat.name) for seat in policy.seats if not seat.allow_failure]
    return not judged.is_reviewed or any(ended is None or ended.heard is None for ended in needed)


def _blocking(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.is_open and finding.severity > Severity.INFO)


def _standing(iteration: Iteration, last: Iterated | None, history: History, policy: Policy) -> tuple[Finding, ...]:
    """The findings of the last verdict, and the rules' findings on the text as it is now. Late ones stay late."""
    found = last.findings if last else ()
    known = {(finding.rule, finding.issue, finding.place) for finding in found}
    closed = gate_closed(iteration, history, policy)
    new = tuple(fact for fact in closed if (fact.rule, fact.issue, fact.place) not in known)
    marked = with_status((*new, *_unmarked(found)), iteration, history)
    late = {(finding.issue, finding.place) for finding in found if finding.is_late}
    return tuple(
        finding.with_standing(Standing.LATE) if (finding.issue, finding.place) in late else finding
        for finding in marked
    )


def _low(last: Iterated, policy: Policy) -> tuple[Finding, ...]:
    """The low scores as findings: they are what is left to fix."""
    return tuple(
        Finding(
            issue=str(low),
            severity=Severity.IMPORTANT,
            criterion=low.criterion,
            rule="score",
            standing=Standing.STILL_FAILING,
        )
        for low in low_scores(last.scores, last.total, policy)
    )


def _unmarked(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(replace(finding, suppressed=None) for finding in findings)
