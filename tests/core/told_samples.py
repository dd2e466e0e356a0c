"""Sessions as a panel would have had them, and a fixed history of five."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reviewloop.core.loop.endings import ending, iterated
from reviewloop.core.loop.next_step import next_step
from reviewloop.core.loop.steps import Ask, BringBack, Check, Conclude, Finish, Revise
from reviewloop.core.panel.speculation import speculation, wasted_usage
from reviewloop.core.session.events import (
    Added,
    Answered,
    Authored,
    Checked,
    Discarded,
    Dismissed,
    Payload,
    Resumed,
    Revised,
    Started,
)
from reviewloop.core.session.fold import after, begin
from reviewloop.core.session.history import History, call_key
from reviewloop.core.statistics.analytics import entries
from reviewloop.core.statistics.stats import ReviewedSession
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.finding import Category, Finding, Place, Severity
from reviewloop.core.types.outcome import Answer, Outcome
from reviewloop.core.types.policy import Policy, Seat, Strategy
from reviewloop.core.types.review import Review, Stage, Usage, Verdict

NOW = datetime(2026, 2, 1, tzinfo=UTC)
SEATS = tuple(Seat(agent=model, stage=stage) for stage in Stage for model in ("haiku", "sonnet"))
PANEL = Policy(
    profile="panel", dialect="findings", seats=SEATS, author="dev", strategy=Strategy.PARALLEL, auto_approve=True,
    auto_reject=True,
)  # fmt: skip
LEAK = Finding(
    issue="The export leaks rows of others", severity=Severity.CRITICAL, place=Place(section="Design"),
    category=Category.SECURITY,
)  # fmt: skip
LIMIT = Finding(
    issue="Nothing limits the size of an upload", severity=Severity.IMPORTANT, place=Place(section="Requirements"),
    category=Category.MISSING,
)  # fmt: skip
CHANGE = FileChange(path="a.md", before="old", after="new")
SECONDS = {"haiku": 2.0, "sonnet": 5.0, "opus": 9.0}
PersonAnswer = dict[tuple[int, str, str], tuple[Finding, ...]]


def tell(
    name: str, said: PersonAnswer, *people: Payload, policy: Policy = PANEL, kind: str = "spec"
) -> ReviewedSession:
    """A session in which `said` has what each model finds, by iteration, stage and name; the rest finds nothing."""
    history = begin(
        Started(feature=name, prd_path="", specs_path="", kind=kind, profile="panel", policy=policy, paths=("a.md",)),
        NOW,
    )
    history = _run(history, said)
    for payload in people:
        history = _then(history, payload)
    if people and (history.outcome is None or history.outcome.waits):
        resumed = people[-1]
        if isinstance(resumed, Resumed) and resumed.action is Answer.ACCEPT:
            step = Finish(outcome=Outcome.PASSED_WITH_WARNINGS, because="accepted", warnings=("open",))
            for payload in ending(history, step):
                history = _then(history, payload)
        else:
            history = _run(history, said)
    return ReviewedSession(session=name, history=history, entries=entries(name, history, "core"), service="core")


def _then(history: History, payload: Payload) -> History:
    return after(history, payload, history.updated_at + timedelta(seconds=1))


def _run(history: History, said: PersonAnswer) -> History:
    for _ in range(100):
        if history.outcome:
            return history
        number = len(history.iterations)
        match next_step(history, history.policy):
            case Check(number=new):
                history = _then(history, Checked(iteration=new, digest=f"{history.feature}{new}", size=100))
            case Ask(due=due):
                for one in due:
                    found = said.get((number, str(one.seat.stage), one.seat.agent), ())
                    verdict = Verdict.NEEDS_REVISION if any(f.is_serious for f in found) else Verdict.PASS
                    call = Call(
                        key=call_key(number, one.seat.name), agent=one.seat.agent, attempt=1, stage=one.seat.stage
                    )
                    usage = Usage(cost_usd=0.25, seconds=SECONDS[one.seat.agent])
                    judged = history.policy.rubric_of(one.seat).names
                    review = Review(verdict=verdict, findings=found, judged=judged)
                    history = _then(history, Answered(iteration=number, call=call, text="", review=review, usage=usage))
            case Conclude(judgement=judgement):
                iteration = history.iterations[-1]
                if judgement.discarded:
                    spent = wasted_usage(iteration, judgement.discarded)
                    lost = speculation(iteration).waited
                    history = _then(
                        history,
                        Discarded(iteration=number, keys=judgement.discarded, reason="", usage=spent, waited=lost),
                    )
                history = _then(history, iterated(judgement, history))
            case Revise():
                call = Call(key=call_key(number, "author:dev"), agent="dev", attempt=1)
                history = _then(history, Authored(iteration=number, call=call, text="", changes=(CHANGE,)))
            case BringBack():
                history = _then(history, Revised(iteration=number, paths=("a.md",)))
            case Finish() as step:
                for payload in ending(history, step):
                    history = _then(history, payload)
            case _:
                raise AssertionError
    raise AssertionError("it does not end")


def fixed_history() -> list[ReviewedSession]:
    return [
        # Both see LEAK, it is fixed and passes: a hit for both. The speculative quality answers are discarded.
        tell("fixed", {(1, "spec", "haiku"): (LEAK,), (1, "spec", "sonnet"): (LEAK,)}),
        # Nobody finds anything.
        tell("clean", {}),
        # Only haiku raises LIMIT; a person accepts the work as it is: a false alarm of haiku's.
        tell("accepted", {(1, "quality", "haiku"): (LIMIT,)}, Resumed(action=Answer.ACCEPT, by="lead")),
        # Only sonnet raises LIMIT; a person sends it back, it is fixed: a hit of sonnet's alone, haiku missed it.
        tell("sent back", {(1, "spec", "sonnet"): (LIMIT,)}, Resumed(action=Answer.RETRY, by="lead")),
        # Only haiku raises LIMIT; a person dismisses it and adds what both missed.
        tell(
            "dismissed",
            {(1, "spec", "haiku"): (LIMIT,), (2, "spec", "haiku"): (LIMIT,)},
            Dismissed(finding=replace(LIMIT, by=("haiku",)), why="fine", by="lead"),
            Added(finding=Finding(issue="No word about time zones", severity=Severity.IMPORTANT, id="P1")),
            Resumed(action=Answer.RETRY, by="lead"),
        ),
    ]
