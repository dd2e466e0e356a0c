"""Folds events into a history, which is the only state of a session."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from reviewloop.core.session.events import (
    Added,
    Answered,
    Asked,
    Authored,
    AuthorFailed,
    Blocked,
    Checked,
    Commissioned,
    Conflicted,
    Contested,
    Discarded,
    Dismissed,
    Escalated,
    Event,
    Feedback,
    Iterated,
    MalformedAnswer,
    Passed,
    Payload,
    Rejected,
    Resumed,
    Revised,
    Ruled,
    Settled,
    Started,
    Tampered,
    Unanswered,
    UndoBegun,
    Undone,
    UndoStopped,
    Warned,
)
from reviewloop.core.session.history import Ended, History, Iteration, Window, Writing, is_arbitration
from reviewloop.core.types.calls import Call
from reviewloop.core.types.fast_replace import changed
from reviewloop.core.types.outcome import Answer, Outcome


def begin(started: Started, time: datetime) -> History:
    return History(started=started, started_at=time, updated_at=time, policy=started.policy)


def after(history: History, payload: Payload, time: datetime) -> History:
    """The history with one more event."""
    changes = _fold(history, payload, time)
    windows = _clocked(changes.get("windows", history.windows), payload, history.updated_at, time)
    return changed(history, **(changes | {"updated_at": time, "seq": history.seq + 1, "windows": windows}))


def fold(events: Iterable[Event]) -> History | None:
    """The history of a session's events; None without events."""
    history: History | None = None
    for event in events:
        if history is None:
            assert isinstance(event.payload, Started), "a session's first event is its start"
            history = begin(event.payload, event.time)
        else:
            history = after(history, event.payload, event.time)
    return history


def _clocked(windows: tuple[Window, ...], payload: Payload, before: datetime, now: datetime) -> tuple[Window, ...]:
    """Add the time since the last event to the window, except the time spent waiting for a person."""
    if isinstance(payload, Resumed | Dismissed | Added | UndoBegun):
        return windows
    last = windows[-1]
    seconds = max(0.0, (now - before).total_seconds())
    return (*windows[:-1], changed(last, active_seconds=last.active_seconds + seconds))


def _fold(history: History, payload: Payload, time: datetime) -> dict[str, Any]:
    """The changed fields of the history."""
    match payload:
        case Checked():
            return {"iterations": (*history.iterations, Iteration(window=history.window.number, checked=payload))}
        case Passed():
            return {"outcome": payload.outcome, "because": payload.because, "digest": payload.digest}
        case Blocked() | Escalated():
            outcome = Outcome.BLOCKED if isinstance(payload, Blocked) else Outcome.ESCALATED
            return {"outcome": outcome, "because": payload.reason, "stopped": payload}
        case Rejected():
            return {"outcome": Outcome.REJECTED, "because": payload.because}
        case UndoBegun() | UndoStopped() | Undone():
            return _undo(history, payload)
        case Warned():
            return {"warnings": payload.warnings}
        case Resumed():
            return _resumed(history, payload)
        case Dismissed():
            return {"dismissed": (*history.dismissed, payload)}
        case Added():
            return {"added": (*history.added, payload)}
        case Tampered():
            return {"tampered": (*history.tampered, payload)}
        case Started():
            return {}
        case _:
            return _at_work(history, payload, time)


def _undo(history: History, payload: UndoBegun | UndoStopped | Undone) -> dict[str, Any]:
    """An undo that is begun has to be finished before anything else happens: until then the session has no outcome."""
    match payload:
        case UndoBegun():
            return {"undo": payload, "outcome": None}
        case UndoStopped():
            return {"undo": None, "outcome": history.undo.outcome if history.undo else history.outcome}
        case Undone():
            return {
                "undo": None,
                "undone": payload,
                "outcome_before_undo": history.undo.outcome if history.undo else history.outcome,
                "outcome": Outcome.UNDONE,
                "because": payload.because,
                "digest": "",
                "stopped": None,
                "warnings": (),
            }


def _resumed(history: History, payload: Resumed) -> dict[str, Any]:
    policy = payload.policy or history.policy
    if payload.action is Answer.CONTINUE and history.outcome is None:
        return {"policy": policy}
    window = Window(number=history.window.number + 1, opened=payload)
    windows = (*history.windows, window)
    reopened = {"outcome": None, "stopped": None, "because": "", "digest": "", "warnings": ()}
    return {"policy": policy, "windows": windows, **reopened}


def _at_work(history: History, payload: Payload, time: datetime) -> dict[str, Any]:
    """The changed fields for events of a first version or an iteration."""
    match payload:
        case Commissioned():
            return {"writings": _commissioned(history, payload)}
        case Authored(iteration=0) | AuthorFailed(iteration=0) | Revised(iteration=0) | Conflicted(iteration=0):
            return {"writings": (*history.writings[:-1], _in_writing(history.writings[-1], payload))}
        case _:
            return {"iterations": (*history.iterations[:-1], _in_iteration(history.iterations[-1], payload, time))}


def _commissioned(history: History, payload: Commissioned) -> tuple[Writing, ...]:
    if current := history.writing:
        return (*history.writings[:-1], changed(current, call=payload.call))
    return (*history.writings, Writing(window=history.window.number, call=payload.call))


def _in_writing(writing: Writing, payload: Authored | AuthorFailed | Revised | Conflicted) -> Writing:
    match payload:
        case Authored():
            return changed(writing, authored=payload)
        case AuthorFailed():
            return changed(writing, failures=(*writing.failures, payload))
        case Revised():
            return changed(writing, revised=payload)
        case Conflicted():
            return changed(writing, conflict=payload)


def _in_iteration(iteration: Iteration, payload: Payload, time: datetime) -> Iteration:
    match payload:
        case Asked():
            return changed(iteration, asked=_asked(iteration, payload))
        case Answered() | MalformedAnswer() | Unanswered():
            return changed(iteration, ended=(*iteration.ended, _ended(payload)))
        case Iterated():
            return changed(iteration, conclusion=payload, concluded_at=time)
        case Feedback():
            return changed(iteration, feedback=payload)
        case Authored():
            return changed(iteration, works=(*iteration.works, payload))
        case AuthorFailed():
            return changed(iteration, author_failures=(*iteration.author_failures, payload))
        case Revised():
            return changed(iteration, revised=payload)
        case Conflicted():
            return changed(iteration, conflict=payload)
        case Discarded():
            return changed(iteration, discarded=payload)
        case Contested() | Ruled() | Settled():
            return _disputed(iteration, payload)
        case _:
            return iteration


def _asked(iteration: Iteration, payload: Asked) -> tuple[Call, ...]:
    """The calls to reviewers so far. After a crash, the same call is on record twice."""
    new = [call for call in payload.calls if not is_arbitration(call)]
    return tuple({(call.key, call.attempt): call for call in (*iteration.asked, *new)}.values())


def _disputed(iteration: Iteration, payload: Contested | Ruled | Settled) -> Iteration:
    match payload:
        case Contested():
            return changed(iteration, contested=(*iteration.contested, payload))
        case Ruled():
            return changed(iteration, ruled=(*iteration.ruled, payload))
        case Settled():
            return changed(iteration, settled=(*iteration.settled, payload))


def _ended(payload: Answered | MalformedAnswer | Unanswered) -> Ended:
    match payload:
        case Answered(call=call, review=review, text=text, usage=usage, model=model, answered_by=who):
            return Ended(call=call, result=review, text=text, usage=usage, model=model, answered_by=who)
        case MalformedAnswer(call=call, problem=problem, raw_output=text, usage=usage, answered_by=who):
            return Ended(call=call, result=problem, text=text, usage=usage, answered_by=who)
        case Unanswered(call=call, failure=failure, usage=usage):
            return Ended(call=call, result=failure, usage=usage)
