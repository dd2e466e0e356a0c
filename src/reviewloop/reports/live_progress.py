"""The progress of a running session: one line per event, and on a terminal the agents at work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from reviewloop.core.session.events import (
    Answered,
    Asked,
    Authored,
    AuthorFailed,
    Checked,
    Commissioned,
    Conflicted,
    Contested,
    Event,
    Feedback,
    Iterated,
    MalformedAnswer,
    Resumed,
    Revised,
    Ruled,
    Settled,
    Tampered,
    Unanswered,
    Undone,
)
from reviewloop.core.session.history import History
from reviewloop.core.types.calls import Call
from reviewloop.core.types.review import Verdict
from reviewloop.reports.safe_text import one_line, printable
from reviewloop.text import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


class PlainProgress:
    """One line per event, for logs and pipes."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.screen: AbstractContextManager[object] = nullcontext()
        self._say = say

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session
        for event in events:
            if text := line(event, history):
                self.show(printable(f"{history.feature}: {text}"))

    def show(self, text: str) -> None:
        self._say(text)


class LiveProgress(PlainProgress):
    """The same lines, and below them the agents at work with their times."""

    def __init__(self, out: Console) -> None:
        super().__init__(out.print)
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._live: Progress = Progress(*columns, console=out, transient=True)
        self._tasks: dict[tuple[str, str], TaskID] = {}
        self.screen = self._live

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        await super().notice(session, history, events)
        for event in events:
            self._move(event, history)

    def show(self, text: str) -> None:
        self._live.console.print(text)

    def _move(self, event: Event, history: History) -> None:
        match event.payload:
            case Asked() as asked:
                for call in asked.calls:
                    self._add(event, call, f"{_seat(call)} reviews, {_where(history)}{_so_far(history)}")
            case Commissioned() as commissioned:
                self._add(event, commissioned.call, f"{commissioned.call.agent} does {history.feature}")
            case Feedback() as feedback:
                self._add(event, feedback.call, f"{feedback.call.agent} revises, {_where(history)}")
            case (
                Answered()
                | MalformedAnswer()
                | Unanswered()
                | Authored()
                | AuthorFailed()
                | Settled()
                | Ruled() as ended
            ):
                task = self._tasks.pop((event.session, ended.call.key), None)
                if task is not None:
                    self._live.remove_task(task)
            case _:
                pass

    def _add(self, event: Event, call: Call, text: str) -> None:
        self._tasks[event.session, call.key] = self._live.add_task(text, total=None)


def _where(history: History, number: int | None = None) -> str:
    """The review as `max_iterations` counts it: from 1 after each resume. Before a review, the one to come."""
    if number == 0:
        return "first version"
    return f"iteration {history.review_number(number)}/{history.max_reviews}"


def _seat(call: Call) -> str:
    """The agent, on a panel with its stage."""
    return f"{call.agent} ({call.stage})" if call.stage else call.agent


def _who(answered: Answered | MalformedAnswer) -> str:
    instead = answered.answered_by
    return f"{instead}, instead of {_seat(answered.call)}" if instead else _seat(answered.call)


def _so_far(history: History) -> str:
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    return f", {count(len(concluded[-1].findings), 'finding')} so far" if concluded else ""


def line(event: Event, history: History) -> str | None:  # noqa: C901 - one line per kind of event
    """The line for an event; None if the event is not shown."""
    where = _where(history, getattr(event.payload, "iteration", None))
    match event.payload:
        case Checked() as checked:
            verified = f"{one_line(checked.verified.summary)}; " if checked.verified else ""
            return f"{where}: {verified}rules: {count(len(checked.facts), 'finding')}"
        case Asked() as asked:
            again = " again" if any(call.attempt > 1 for call in asked.calls) else ""
            return f"{where}: asking {', '.join(_seat(call) for call in asked.calls)}{again}"
        case Answered() as answered:
            found = count(len(answered.review.findings), "finding")
            return f"{where}: {_who(answered)}: {answered.review.verdict}, {found} ({answered.usage.seconds:.1f} s)"
        case MalformedAnswer() as malformed:
            return f"{where}: {_who(malformed)}: malformed answer: {one_line(malformed.problem.explanation)}"
        case Unanswered() as unanswered:
            hint = f" (hint: {unanswered.failure.hint})" if unanswered.failure.hint else ""
            return (
                f"{where}: {_seat(unanswered.call)}: {one_line(unanswered.failure.about(unanswered.call.agent))}{hint}"
            )
        case Contested() as contested:
            return f"{where}: {contested.by} contests {contested.finding.id}: {one_line(contested.reason)}"
        case Ruled() as ruled:
            ruling = ruled.ruling or "no ruling, it stands"
            return f"{where}: {ruled.agent} on {ruled.finding.id}: {ruling}: {one_line(ruled.reason)}"
        case Settled() as settled:
            done = len(settled.pairs) - len(settled.unsettled)
            return f"{where}: {settled.agent} ruled on {done} of {count(len(settled.pairs), 'possible match')}"
        case Tampered() as tampered:
            return f"{where}: files changed during a review, in the {tampered.where}: {', '.join(tampered.paths)}"
        case Iterated() as iterated if iterated.verdict is not Verdict.INCONCLUSIVE:
            heading = f", {iterated.convergence}" if iterated.convergence else ""
            return f"{where}: {iterated.verdict}: {one_line(iterated.because)}{heading}"
        case Commissioned() as commissioned:
            return f"asking {commissioned.call.agent} to do it"
        case Feedback() as feedback:
            return f"{where}: asking {feedback.call.agent} to revise"
        case AuthorFailed() as failed:
            return f"{where}: {failed.call.agent} failed: {one_line(failed.failure.about(failed.call.agent))}"
        case Authored() as authored if authored.refused:
            return f"{where}: {authored.call.agent} also changed {', '.join(authored.refused)}: not brought back"
        case Revised() as revised:
            changed = ", ".join(revised.paths) or "nothing"
            return f"{where}: the author changed {changed}"
        case Conflicted() as conflict:
            return (
                f"{where}: {', '.join(conflict.paths)} changed meanwhile; the author's version is at {conflict.kept_at}"
            )
        case Resumed() as resumed:
            return f"resumed ({resumed.action})"
        case Undone() as undone:
            return one_line(undone.because)
        case _:
            return None
