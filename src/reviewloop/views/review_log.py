"""The audit log: `<task-id>.jsonl` gets one line per judged iteration; `<task-id>.json` is rendered from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from reviewloop.core.session.events import Event, Iterated
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import PASSING, Answer, Judge, Outcome
from reviewloop.core.types.review import Review, Verdict
from reviewloop.text import rfc3339
from reviewloop.views.atomic_files import append_lines, distinct_name, read_json, replace_json

RULES = "rules"
"""The reviewer of an iteration that the offline rules or a task's own check decided."""

_DECISIONS = {Verdict.PASS: "GO", Verdict.NEEDS_REVISION: "NO_GO", Verdict.INCONCLUSIVE: "INCONCLUSIVE"}


class ReviewLog:
    """Writes the log of each session, also after a crash between ledger and log.

    `place` gives a session's folder; None for no log.
    """

    label: ClassVar[str] = "the review log"

    def __init__(self, place: Callable[[History], Path | None]) -> None:
        self._place = place

    def path(self, history: History) -> Path | None:
        folder = self._place(history)
        return folder / f"{distinct_name(history.feature)}.json" if folder else None

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del events
        path = self.path(history)
        if path is None:
            return
        lines = path.with_name(f"{path.stem}.jsonl")
        known = {(line.get("session"), line.get("iteration")) for line in read_lines(lines)}
        missing = [line for line in log_entries(session, history) if (session, line["iteration"]) not in known]
        if missing:
            append_lines(lines, [json.dumps(line, ensure_ascii=False) for line in missing])
        if missing or history.outcome or path.is_file():
            log = rendered(session, history, read_lines(lines))
            if log != read_json(path):
                replace_json(path, log)


def log_entries(session: str, history: History) -> list[dict[str, Any]]:
    """The iterations that reviewers or rules judged. A person who sends a text back adds no decision."""
    return [_entry(session, history, iteration) for iteration in history.iterations if iteration.is_judged]


def _entry(session: str, history: History, iteration: Iteration) -> dict[str, Any]:
    """One iteration, for one line of the log."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    assert iteration.concluded_at is not None
    reviews = [review for ended in iteration.counted if (review := ended.heard)]
    by_rules = iteration.judge is Judge.RULES
    asked = [ended for seat in history.policy.seats for ended in iteration.attempts(seat.name)] or iteration.ended
    return {
        "task_id": history.feature,
        "session": session,
        "reviewer_agent": RULES if by_rules else _names(ended.call.agent for ended in asked),
        "answered_by": RULES if by_rules else _names(ended.agent for ended in asked),
        "coder_agent": history.policy.author,
        "iteration": iteration.number,
        "decision": _DECISIONS[conclusion.verdict],
        "feedback": _feedback(iteration, reviews),
        "quality_checks": _checks(reviews),
        "scores": dict(conclusion.scores),
        "digest": iteration.checked.digest,
        "timestamp": rfc3339(iteration.concluded_at),
    }


def _feedback(iteration: Iteration, reviews: Sequence[Review]) -> str:
    """The reviewers' own words; first, why the engine decided otherwise, if it did."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    words = "\n".join(review.summary for review in reviews if review.summary)
    words = words or "\n".join(f"- {issue_text(finding)}" for finding in conclusion.findings if not finding.is_late)
    overruled = bool(reviews) and conclusion.verdict not in {review.verdict for review in reviews}
    return "\n".join(part for part in (conclusion.because if overruled or not words else "", words) if part)


def issue_text(finding: Finding) -> str:
    """The finding's issue; if it does not count, also why."""
    return f"{finding.issue} ({finding.suppressed})" if finding.suppressed else finding.issue


def _checks(reviews: Sequence[Review]) -> dict[str, bool]:
    """The checks of all reviewers. One that fails for one of them fails."""
    checks: dict[str, bool] = {}
    for review in reviews:
        for name, passed in review.checks.items():
            checks[name] = passed and checks.get(name, True)
    return checks


def _names(agents: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(agents))


def rendered(session: str, history: History, lines: list[dict[str, Any]]) -> dict[str, Any]:
    own = [line for line in lines if line.get("session") == session]
    done = history.outcome is not None
    return {
        "task_id": history.feature,
        "overlay": "agentic_review",
        "session": session,
        "iterations": own,
        "final_decision": _final(history, own) if done else None,
        "decided_by": _decider(history) if done else None,
        "outcome": str(history.outcome) if history.outcome else None,
        "because": history.because or None,
        "completed_at": rfc3339(history.updated_at) if done else None,
    }


def _final(history: History, own: list[dict[str, Any]]) -> str | None:
    """The last decision, or a person's. Work that nobody judged has none."""
    if history.outcome in (Outcome.REJECTED, Outcome.UNDONE):
        return "NO_GO"
    if history.outcome in PASSING and _is_accepted(history):
        return "GO"
    if sent_back := _judged_by_person(history):
        return _DECISIONS[sent_back.verdict]
    return own[-1]["decision"] if own else None


def _decider(history: History) -> str | None:
    """Who decided last: a person by name, the rules, or the reviewers."""
    if history.undone:
        return history.undone.by or "a person"
    opened = history.window.opened
    if opened and (history.outcome is Outcome.REJECTED or _is_accepted(history) or _judged_by_person(history)):
        return opened.by or "a person"
    judged = [iteration for iteration in history.iterations if iteration.is_judged]
    if not judged:
        return None
    last = judged[-1]
    return RULES if last.judge is Judge.RULES else _names(ended.agent for ended in last.counted)


def _judged_by_person(history: History) -> Iterated | None:
    """The last conclusion, if a person's answer stood in for the review."""
    concluded = [iteration for iteration in history.iterations if iteration.conclusion]
    return concluded[-1].conclusion if concluded and concluded[-1].judge is Judge.PERSON else None


def _is_accepted(history: History) -> bool:
    opened = history.window.opened
    return opened is not None and (opened.action is Answer.ACCEPT or opened.action.waives)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a log, without a line that a crash left incomplete."""
    if not path.is_file():
        return []
    lines: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict):
            lines.append(cast("dict[str, Any]", value))
    return lines
