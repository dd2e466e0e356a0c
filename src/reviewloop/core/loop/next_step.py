"""The heart: what happens next, given all that happened. No clock, no I/O; the runner does what this says."""

from __future__ import annotations

from reviewloop.core.judging.contest import arbiter_of, next_to_rule
from reviewloop.core.judging.exit_conditions import by_exit_conditions
from reviewloop.core.judging.judge import judge, judge_sent_back
from reviewloop.core.judging.static_gate import gate_closed, judge_gate
from reviewloop.core.loop.author_routing import Turn, turns
from reviewloop.core.loop.budget import over_budget
from reviewloop.core.loop.steps import Ask, BringBack, Check, Conclude, Due, Finish, Revise, Rule, Settle, Step, Write
from reviewloop.core.loop.waived_review import Waiver, waiver_of
from reviewloop.core.panel.calibration import doubt
from reviewloop.core.panel.stages import is_staged, judge_panel, seats_now, to_settle
from reviewloop.core.session.events import AuthorFailed, Conflicted, Iterated
from reviewloop.core.session.history import History, Iteration, next_attempt
from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.outcome import Convergence, Outcome, Reason
from reviewloop.core.types.policy import OnExhausted, OnInconclusive, Policy
from reviewloop.core.types.review import Malformed, Verdict
from reviewloop.core.types.task import Commission
from reviewloop.text import count

PLATEAUS = 2


def next_step(history: History, policy: Policy) -> Step:
    """The whole policy of the loop."""
    step = _next(history, policy)
    if history.outcome is None and isinstance(step, Finish) and step.passes and (unread := _unread(history)):
        return Finish(outcome=Outcome.BLOCKED, because=unread, reason=Reason.UNREAD, warnings=step.warnings)
    if policy.approval and history.outcome is None and isinstance(step, Finish) and step.passes:
        because = f"{step.because}; a person approves it"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.DECISION, warnings=step.warnings)
    return step


def _unread(history: History) -> str:
    """Which files could not be read. A pass would be about a part of the artifact only."""
    unread = history.current.checked.unread if history.current else ()
    return f"{count(len(unread), 'file')} could not be reviewed: {'; '.join(unread)}" if unread else ""


def _next(history: History, policy: Policy) -> Step:
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
        return BringBack(authored=writing.authored)
    if len(failures) > policy.author_retries:
        because = f"the work was not done: {failures[-1].failure.message}"
        escalates = policy.on_author_failure is OnExhausted.ESCALATE
        outcome = Outcome.ESCALATED if escalates else Outcome.BLOCKED
        return Finish(outcome=outcome, because=because, reason=Reason.AUTHOR_FAILED)
    if spent := over_budget(history, policy.budget):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    return Write(commission=commission, attempt=len(failures) + 1)


def _waived(waiver: Waiver, iteration: Iteration, history: History, policy: Policy) -> Step:
    """A person goes on without a review. What a program can check is checked all the same."""
    if not waiver.is_invalid:
        return _passed(waiver.because, waiver.warnings)
    if iteration.conclusion is None:
        return Conclude(judgement=judge_gate(iteration, history, policy))
    return Finish(outcome=Outcome.BLOCKED, because=waiver.because, reason=Reason.VALIDATION)


def _unreviewed(commission: Commission, history: History, policy: Policy) -> Step:
    """Work that nobody reviews. Its own check still has to succeed, if it has one."""
    done = _passed(f"{commission.agent} has done it", ("nobody reviewed it: no review was asked for",))
    if commission.verify is None:
        return done
    iteration = history.current
    if iteration is None:
        return _look(history, policy)
    if iteration.conclusion:
        return _revise(iteration, iteration.conclusion, history, policy)
    closed = gate_closed(iteration, history, policy)
    return Conclude(judgement=judge_gate(iteration, history, policy)) if closed else done


def _conflicted(conflict: Conflicted) -> Finish:
    kept = f"the author's version is kept at {conflict.kept_at}"
    because = f"{', '.join(conflict.paths)} changed while the author worked; {kept}"
    return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.CONFLICT)


def _look(history: History, policy: Policy) -> Step:
    """The next iteration, after what the author contests was ruled on."""
    contest = next_to_rule(history, policy)
    arbiter = arbiter_of(contest, policy) if contest else None
    if contest and arbiter and not over_budget(history, policy.budget):
        return Rule(contest=contest, arbiter=arbiter)
    return Check(number=len(history.iterations) + 1)


def _review(iteration: Iteration, history: History, policy: Policy) -> Step:
    if gate_closed(iteration, history, policy):
        return Conclude(judgement=judge_gate(iteration, history, policy))
    if (verified := iteration.checked.verified) and not iteration.checked.files:
        return _passed(f"nothing had to be changed, and {verified.said}", ())
    if last := _sent_back(iteration, history, policy):
        return Conclude(judgement=judge_sent_back(iteration, history, last))
    due = due_reviewers(iteration, history, policy)
    pairs = () if due else to_settle(iteration, history, policy)
    if (due or pairs) and (spent := over_budget(history, policy.budget)):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    if due:
        return Ask(due=due)
    if pairs:
        return Settle(pairs=pairs)
    judgement = (judge_panel if is_staged(policy) else judge)(iteration, history, policy)
    return Conclude(judgement=by_exit_conditions(judgement, history, policy))


def _sent_back(iteration: Iteration, history: History, policy: Policy) -> Iterated | None:
    """The last conclusion, if a person sent the same text back and there is an author to act on it.

    Asking the reviewers again about a text they have just turned down would only cost money.
    """
    if history.reviews_in_window > 1 or history.window.opened is None or iteration.ended:
        return None
    if policy.author is None or policy.max_fix_iterations < 1 or len(history.iterations) < 2:
        return None
    last = history.iterations[-2]
    if last.checked.digest != iteration.checked.digest or last.conclusion is None:
        return None
    return last.conclusion if last.conclusion.verdict is Verdict.NEEDS_REVISION else None


def due_reviewers(iteration: Iteration, history: History, policy: Policy) -> tuple[Due, ...]:
    """Who has not answered yet, or has to answer again because the answer was malformed."""
    due: list[Due] = []
    for seat in seats_now(iteration, history, policy):
        if attempt := next_attempt(iteration, seat, policy):
            last = iteration.attempts(seat.name)[-1].result if attempt > 1 else None
            due.append(Due(seat=seat, attempt=attempt, problem=last if isinstance(last, Malformed) else None))
    return tuple(due)


def _revise(iteration: Iteration, conclusion: Iterated, history: History, policy: Policy) -> Step:
    if iteration.revised:
        return _look(history, policy)
    if iteration.conflict:
        return _conflicted(iteration.conflict)
    turn = _next_turn(iteration, conclusion, policy)
    if iteration.authored and turn is None:
        return BringBack(authored=iteration.authored)
    if turn is None:
        because = f"{conclusion.because}, and no author is configured"
        return Finish(outcome=Outcome.BLOCKED, because=because, reason=Reason.NO_AUTHOR)
    if history.reviews_in_window >= policy.max_iterations:
        return _exhausted(iteration, conclusion, policy)
    if heading := _going_nowhere(history):
        return heading
    failures = sum(1 for failed in iteration.author_failures if failed.call.agent == turn.author)
    if failures > policy.author_retries:
        return _author_failed(iteration, policy)
    if spent := over_budget(history, policy.budget):
        return Finish(outcome=Outcome.BLOCKED, because=spent, reason=Reason.BUDGET)
    return Revise(conclusion=conclusion, turn=turn, attempt=failures + 1)


def _next_turn(iteration: Iteration, conclusion: Iterated, policy: Policy) -> Turn | None:
    """The author to be asked next for this fix; None if all are done, or there is none."""
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
    ][1:]  # before the window's first look, nothing was fixed in it: it is where a person left it
    if not classes:
        return None
    if classes[-1] is Convergence.OSCILLATING:
        because = "the loop oscillates: what was fixed before is broken again"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.OSCILLATING)
    if classes.count(Convergence.PLATEAU) >= PLATEAUS:
        because = f"the loop made no progress in {PLATEAUS} iterations"
        return Finish(outcome=Outcome.ESCALATED, because=because, reason=Reason.PLATEAU)
    return None


def _decided(decision: Decision, iteration: Iteration, history: History, policy: Policy) -> Step:
    """A panel's decision: carried out if the flags say so, else proposed to a person."""
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
            reason, because = Reason.PROPOSAL, f"{decision.because}: {proposed} is proposed"
            automatic = policy.auto_approve if proposed is Action.APPROVE else policy.auto_reject
            if unsure and automatic:
                because += f", not done: {unsure}"
    return Finish(outcome=Outcome.ESCALATED, because=because, reason=reason, decision=decision)


def _by_conditions(decision: Decision, iteration: Iteration, history: History, policy: Policy) -> Step | None:
    """A task's exit conditions have the last word: a pass means that they hold, and nobody has to confirm it."""
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
            warning = f"nobody could judge it: {because}"
            return _passed("an inconclusive review may proceed here", (*conclusion.warnings, warning))
        case OnInconclusive.ESCALATE:
            return Finish(outcome=Outcome.ESCALATED, because=because, reason=conclusion.reason)
        case OnInconclusive.BLOCK:
            return Finish(outcome=Outcome.BLOCKED, because=because, reason=conclusion.reason)


def _exhausted(iteration: Iteration, conclusion: Iterated, policy: Policy) -> Finish:
    because = "max iterations exhausted with needs_revision verdict"
    if (verified := iteration.checked.verified) and iteration.checked.fails:
        because = f"after {policy.max_iterations} attempts {verified.said}"
    left = tuple(f"still open: {finding.issue}" for finding in conclusion.findings if not finding.is_late)
    return _give_up(_how(policy.on_exhausted, iteration), because, Reason.EXHAUSTED, (because, *left))


def _author_failed(iteration: Iteration, policy: Policy) -> Finish:
    because = f"failed to apply feedback: {iteration.author_failures[-1].failure.message}"
    warnings = (because, "the original is used as it was")
    return _give_up(_how(policy.on_author_failure, iteration), because, Reason.AUTHOR_FAILED, warnings)


def _how(configured: OnExhausted, iteration: Iteration) -> OnExhausted:
    """How to give up. Work that fails its own check is not done, and no warning makes it so."""
    return OnExhausted.BLOCK if iteration.checked.fails and configured is OnExhausted.WARN else configured


def _give_up(how: OnExhausted, because: str, reason: Reason, warnings: tuple[str, ...]) -> Finish:
    match how:
        case OnExhausted.WARN:
            return _passed(because, warnings)
        case OnExhausted.ESCALATE:
            return Finish(outcome=Outcome.ESCALATED, because=because, reason=reason)
        case OnExhausted.BLOCK:
            return Finish(outcome=Outcome.BLOCKED, because=because, reason=reason)
