"""The loop's policy: the next step for a history. Pure; the runner carries the step out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reviewloop.core.judging.contest import arbiter_of, next_to_rule
from reviewloop.core.judging.exit_conditions import by_exit_conditions
from reviewloop.core.judging.independence import as_answered
from reviewloop.core.judging.judge import judge
from reviewloop.core.judging.min_scores import low_scores
from reviewloop.core.judging.open_points import dismissals, low_scores_left
from reviewloop.core.judging.sent_back import judge_answer, sent_back_by
from reviewloop.core.judging.static_gate import gate_closed, judge_gate
from reviewloop.core.loop.author_routing import Turn, turns
from reviewloop.core.loop.budget import over_budget
from reviewloop.core.loop.steps import (
    Ask,
    BringBack,
    Check,
    Conclude,
    Due,
    Finish,
    Restore,
    Revise,
    Rule,
    Settle,
    Step,
    Write,
)
from reviewloop.core.loop.waived_review import Waiver, waiver_of
from reviewloop.core.panel.calibration import doubt
from reviewloop.core.panel.stages import is_staged, judge_panel, seats_now, to_settle
from reviewloop.core.session.events import Authored, AuthorFailed, Conflicted, Iterated
from reviewloop.core.session.history import EXHAUSTED, History, Iteration, failed_task, next_attempt, still_failing
from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Convergence, Outcome, Reason
from reviewloop.core.types.policy import OnExhausted, OnInconclusive, Policy
from reviewloop.core.types.review import Failure, Malformed, Verdict
from reviewloop.core.types.task import Commission
from reviewloop.text import count

PLATEAUS = 2


def next_step(history: History, policy: Policy) -> Step:
    """Decide the next step of a session."""
    step = _next(history, policy)
    if history.outcome is None and isinstance(step, Finish) and step.passes:
        step = _named_dismissals(step, history)
    if history.outcome is None and isinstance(step, Finish) and step.passes and (unread := _unread(history)):
        return Finish(outcome=Outcome.BLOCKED, because=unread, reason=Reason.UNREAD, warnings=step.warnings)
    if policy.approval and history.outcome is None and isinstance(step, Finish) and step.passes:
        because = f"{step.because}; waiting for approval"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.DECISION, warnings=step.warnings)
    return step


def _named_dismissals(step: Finish, history: History) -> Finish:
    """A pass after dismissals says who dismissed what and why, and which scores stay below their minimum."""
    if not history.dismissed:
        return step
    known = " ".join(step.warnings)
    said = (*dismissals(history), *(str(low) for low in low_scores_left(history)))
    warnings = (*step.warnings, *(warning for warning in said if warning not in known))
    return replace(step, outcome=Outcome.PASSED_WITH_WARNINGS, warnings=warnings)


def _unread(history: History) -> str:
    """The files that could not be read. Without them, a pass would cover only a part of the artifact."""
    unread = history.current.checked.unread if history.current else ()
    return f"{count(len(unread), 'file')} could not be reviewed: {'; '.join(unread)}" if unread else ""


def _next(history: History, policy: Policy) -> Step:
    if history.undo:
        return Restore(undo=history.undo)
    if history.outcome is not None:
        return Finish(outcome=history.outcome, because=history.because, warnings=history.warnings)
    if (commission := history.started.commission) and not history.is_written:
        return _write(commission, history, policy)
    if commission and not commission.is_reviewed:
        return _unreviewed(commission, history, policy)
    iteration = history.current
    if iteration is None:
        return _look(history, policy)
    if waiver := waiver_of(iteration, history, policy):
        return _waived(waiver, iteration, history, policy)
    if iteration.conclusion is None:
        return _review(iteration, history, policy)
    if decision := iteration.conclusion.decision:
        return _decided(decision, iteration, history, policy)
    match iteration.conclusion.verdict:
        case Verdict.PASS:
            return _passed(iteration.conclusion.because, iteration.conclusion.warnings)
        case Verdict.INCONCLUSIVE:
            return _inconclusive(iteration.conclusion, policy)
        case Verdict.NEEDS_REVISION:
            return _revise(iteration, iteration.conclusion, history, policy)


def _write(commission: Commission, history: History, policy: Policy) -> Step:
    writing = history.writing
    failures = writing.failures if writing else tuple[AuthorFailed, ...]()
    if writing and writing.conflict:
        return _conflicted(writing.conflict)
    if writing and writing.authored:
        return _nothing_done(writing.authored) if writing.revised else BringBack(authored=writing.authored)
    if cut := _cut_short([failed.failure for failed in failures]):
        return cut
    if len(failures) > policy.author_retries:
        because = f"the author failed: {failures[-1].failure.message}"
        escalates = policy.on_author_failure is OnExhausted.ESCALATE
        outcome = Outcome.ESCALATED if escalates else Outcome.BLOCKED
        return Finish(outcome=outcome, because=because, reason=Reason.AUTHOR_FAILED)
    if spent := over_budget(history, policy.budget):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    return Write(commission=commission, attempt=len(failures) + 1)


def _nothing_done(authored: Authored) -> Finish:
    """A task that changed nothing, and that no check says is done: a person decides whether it is."""
    because = f"{authored.call.agent} changed nothing{_refused(authored)}, and no check says that the task is done"
    return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.NO_CHANGE)


def _waived(waiver: Waiver, iteration: Iteration, history: History, policy: Policy) -> Step:
    """Go on without a review, as a person decided. The rules still have to find nothing critical."""
    if not waiver.is_invalid:
        return _passed(waiver.because, waiver.warnings)
    if iteration.conclusion is None:
        return Conclude(judgement=judge_gate(iteration, history, policy))
    return Finish(outcome=Outcome.BLOCKED, because=waiver.because, reason=Reason.VALIDATION)


def _unreviewed(commission: Commission, history: History, policy: Policy) -> Step:
    """Finish a task without a review. Its Verify command, if it has one, must still succeed."""
    done = _passed(f"done by {commission.agent}", ("not reviewed: this task has no review",))
    iteration = history.current
    if iteration is None:
        return _look(history, policy) if commission.verify or sent_back_by(history) else done
    if iteration.conclusion:
        return _revise(iteration, iteration.conclusion, history, policy)
    if answered := judge_answer(iteration, history, policy):
        return Conclude(judgement=answered)
    closed = gate_closed(iteration, history, policy)
    return Conclude(judgement=judge_gate(iteration, history, policy)) if closed else done


def _conflicted(conflict: Conflicted) -> Finish:
    kept = f"the author's version is kept at {conflict.kept_at}"
    because = f"{', '.join(conflict.paths)} changed while the author worked; {kept}"
    return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.CONFLICT)


def _look(history: History, policy: Policy) -> Step:
    """Begin the next iteration, after a ruling on each contested finding."""
    contest = next_to_rule(history, policy)
    arbiter = arbiter_of(contest, history, policy) if contest else None
    if contest and arbiter and not over_budget(history, policy.budget):
        return Rule(contest=contest, arbiter=arbiter)
    return Check(number=len(history.iterations) + 1)


def _review(iteration: Iteration, history: History, policy: Policy) -> Step:
    if answered := judge_answer(iteration, history, policy):
        return Conclude(judgement=answered)
    if gate_closed(iteration, history, policy):
        return Conclude(judgement=judge_gate(iteration, history, policy))
    if (verified := iteration.checked.verified) and not iteration.checked.files:
        return _passed(f"no file changed, and {verified.summary}", ())
    due = due_reviewers(iteration, history, policy)
    policy = as_answered(policy, iteration)
    pairs = () if due else to_settle(iteration, history, policy)
    if (due or pairs) and (spent := over_budget(history, policy.budget)):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    if due:
        return Ask(due=due)
    if pairs:
        return Settle(pairs=pairs)
    judgement = (judge_panel if is_staged(policy) else judge)(iteration, history, policy)
    if judgement.verdict is Verdict.INCONCLUSIVE and (cut := _cut_short([ended.result for ended in iteration.ended])):
        return cut
    return Conclude(judgement=by_exit_conditions(judgement, history, policy))


def due_reviewers(iteration: Iteration, history: History, policy: Policy) -> tuple[Due, ...]:
    """The reviewers to ask: those without an answer, and those whose answer was malformed."""
    due: list[Due] = []
    for seat in seats_now(iteration, history, policy):
        if attempt := next_attempt(iteration, seat, policy):
            last = iteration.attempts(seat.name)[-1].result if attempt > 1 else None
            due.append(Due(seat=seat, attempt=attempt, problem=last if isinstance(last, Malformed) else None))
    return tuple(due)


def _revise(iteration: Iteration, conclusion: Iterated, history: History, policy: Policy) -> Step:
    if iteration.revised:
        ends = iteration.is_unchanged and not _is_unseen(iteration, history)
        return _unchanged(iteration, conclusion, policy) if ends else _look(history, policy)
    if iteration.conflict:
        return _conflicted(iteration.conflict)
    turn = _next_turn(iteration, conclusion, policy)
    if iteration.authored and turn is None:
        return BringBack(authored=iteration.authored)
    if turn is None:
        because = f"{conclusion.because}; no author is configured"
        return Finish(outcome=Outcome.BLOCKED, because=because, reason=Reason.NO_AUTHOR)
    if history.fixes_in_window >= history.max_fixes:
        return _exhausted(iteration, conclusion, history, policy)
    if heading := _going_nowhere(history):
        return heading
    failures = sum(1 for failed in iteration.author_failures if failed.call.agent == turn.author)
    if cut := _cut_short([failed.failure for failed in iteration.author_failures]):
        return cut
    if failures > policy.author_retries:
        return _author_failed(iteration, policy)
    if spent := over_budget(history, policy.budget):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    return Revise(conclusion=conclusion, turn=turn, attempt=failures + 1)


def _cut_short(results: Sequence[object]) -> Finish | None:
    """The end of a session whose budget ended a call."""
    failures = [result for result in results if isinstance(result, Failure) and result.cause == "budget"]
    if not failures:
        return None
    return Finish(outcome=Outcome.BLOCKED, because=f"budget spent: {failures[-1].message}", reason=Reason.BUDGET)


def _next_turn(iteration: Iteration, conclusion: Iterated, policy: Policy) -> Turn | None:
    """The next author to ask for this fix; None if there is none left."""
    if policy.author is None:
        return None
    done = {work.call.agent for work in iteration.works}
    return next((turn for turn in turns(conclusion, policy) if turn.author not in done), None)


def _going_nowhere(history: History) -> Finish | None:
    window = history.window.number
    classes = [
        iteration.conclusion.convergence
        for iteration in history.iterations
        if iteration.window == window and iteration.conclusion
    ][1:]  # the window's first review has no fix before it
    if not classes:
        return None
    if classes[-1] is Convergence.OSCILLATING:
        because = "the loop oscillates: earlier text or an earlier finding is back"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.OSCILLATING)
    if classes[-PLATEAUS:] == [Convergence.PLATEAU] * PLATEAUS:
        because = f"{PLATEAUS} reviews in a row without progress"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.PLATEAU)
    return None


def _decided(decision: Decision, iteration: Iteration, history: History, policy: Policy) -> Step:
    """Carry out a panel's decision if the flags allow it; else propose it to a person."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    if policy.exit_conditions and (step := _by_conditions(decision, iteration, history, policy)):
        return step
    unsure = doubt(decision, policy.auto_confidence)
    match decision.action:
        case Action.APPROVE if policy.auto_approve and not unsure:
            return _passed(decision.because, conclusion.warnings)
        case Action.REVISE if policy.auto_reject and not unsure:
            return _revise(iteration, conclusion, history, policy)
        case Action.ASK:
            reason, because = Reason.DISAGREEMENT, decision.because
        case proposed:
            reason, because = Reason.PROPOSAL, f"{decision.because}; proposal: {proposed}"
            automatic = policy.auto_approve if proposed is Action.APPROVE else policy.auto_reject
            if unsure and automatic:
                because += f" (not automatic: {unsure})"
    return Finish(outcome=Outcome.ESCALATED, because=because, reason=reason, decision=decision)


def _by_conditions(decision: Decision, iteration: Iteration, history: History, policy: Policy) -> Step | None:
    """Follow the task's exit conditions: if they hold, the work passes without a confirmation."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    if conclusion.verdict is Verdict.PASS:
        return _passed(conclusion.because, conclusion.warnings)
    return _revise(iteration, conclusion, history, policy) if decision.action is Action.APPROVE else None


def _passed(because: str, warnings: tuple[str, ...]) -> Finish:
    outcome = Outcome.PASSED_WITH_WARNINGS if warnings else Outcome.PASSED
    return Finish(outcome=outcome, because=because, warnings=warnings)


def _inconclusive(conclusion: Iterated, policy: Policy) -> Finish:
    because = conclusion.because
    match policy.on_inconclusive:
        case OnInconclusive.PASS:
            warning = f"no verdict: {because}"
            return _passed("no verdict; `on_inconclusive: pass` lets it proceed", (*conclusion.warnings, warning))
        case OnInconclusive.ESCALATE:
            return Finish(outcome=Outcome.ESCALATED, because=because, reason=conclusion.reason)
        case OnInconclusive.BLOCK:
            return Finish(outcome=Outcome.BLOCKED, because=because, reason=conclusion.reason)


def _exhausted(iteration: Iteration, conclusion: Iterated, history: History, policy: Policy) -> Finish:
    because = EXHAUSTED
    if is_staged(policy) and (task := _task_name(history)):
        issues = [_located(finding) for finding in conclusion.findings if finding.is_open]
        because = failed_task(task, history.max_fixes, issues)
    if (verified := iteration.checked.verified) and iteration.checked.fails:
        attempts = sum(not (past.conclusion and past.conclusion.by_person) for past in history.in_window)
        because = f"still failing after {count(attempts, 'attempt')}: {verified.summary}"
    mode = _failure_mode(policy.on_exhausted, iteration)
    warnings = (still_failing(history), *_still_open(conclusion, policy))
    return _give_up(mode, because, Reason.EXHAUSTED, warnings)


def _task_name(history: History) -> str:
    """The task as its list or plan calls it; empty for work that is no task's."""
    commission = history.started.commission
    if commission is None:
        return ""
    return commission.plan_row or (commission.origin.number if commission.origin else commission.task)


def _located(finding: Finding) -> str:
    return f"{finding.place}: {finding.issue}" if finding.place.file else finding.issue


def _unchanged(iteration: Iteration, conclusion: Iterated, policy: Policy) -> Finish:
    """The authors left the text as it was: reviewing it again would cost money and change nothing."""
    assert iteration.authored is not None
    authors = " and ".join(dict.fromkeys(work.call.agent for work in iteration.works))
    because = f"{authors} changed nothing{_refused(iteration.authored)} and contested no finding"
    mode = _failure_mode(policy.on_exhausted, iteration)
    return _give_up(mode, because, Reason.NO_CHANGE, (because, *_still_open(conclusion, policy)))


def _is_unseen(iteration: Iteration, history: History) -> bool:
    """Whether no reviewer has judged this text: a person edited it and sent it back with a note."""
    return sent_back_by(history) is not None and not any(
        past.conclusion and past.conclusion.verdict is not Verdict.INCONCLUSIVE and not past.conclusion.by_person
        for past in history.iterations
        if past.checked.digest == iteration.checked.digest
    )


def _refused(authored: Authored) -> str:
    return f" but {', '.join(authored.refused)}, which the author may not change," if authored.refused else ""


def _still_open(conclusion: Iterated, policy: Policy) -> tuple[str, ...]:
    """The open findings, and the low scores that are not among them."""
    issues = [finding.issue for finding in conclusion.findings if finding.is_open]
    low = [str(score) for score in low_scores(conclusion.scores, conclusion.total, policy)]
    return tuple(f"still open: {issue}" for issue in dict.fromkeys((*issues, *low)))


def _author_failed(iteration: Iteration, policy: Policy) -> Finish:
    because = f"failed to apply feedback: {iteration.author_failures[-1].failure.message}"
    warnings = (because, "kept the version before this fix")
    return _give_up(_failure_mode(policy.on_author_failure, iteration), because, Reason.AUTHOR_FAILED, warnings)


def _failure_mode(configured: OnExhausted, iteration: Iteration) -> OnExhausted:
    """The configured mode, but never `warn` for work whose Verify command fails, or that a person just sent back."""
    if configured is not OnExhausted.WARN:
        return configured
    if iteration.checked.fails:
        return OnExhausted.BLOCK
    sent_back = iteration.conclusion is not None and iteration.conclusion.by_person
    return OnExhausted.ESCALATE if sent_back else configured


def _give_up(mode: OnExhausted, because: str, reason: Reason, warnings: tuple[str, ...]) -> Finish:
    match mode:
        case OnExhausted.WARN:
            return _passed(warnings[0], warnings)
        case OnExhausted.ESCALATE:
            return Finish(outcome=Outcome.ESCALATED, because=because, reason=reason)
        case OnExhausted.BLOCK:
            return Finish(outcome=Outcome.BLOCKED, because=because, reason=reason)
