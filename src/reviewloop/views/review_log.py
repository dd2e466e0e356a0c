"""The audit log: `<task-id>.jsonl` gets one line per iteration; `<task-id>.json` is rendered from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from reviewloop.core.judging.independence import reviewers_of
from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.outcome import PASSING, Outcome
from reviewloop.core.types.review import Review, Verdict
from reviewloop.text import rfc3339
from reviewloop.views.atomic_files import append_lines, replace_json, safe_name

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
        return folder / f"{safe_name(history.feature)}.json" if folder else None

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del events
        path = self.path(history)
        if path is None:
            return
        lines = path.with_suffix(".jsonl")
        entries = [entry(session, history, iteration) for iteration in history.iterations if iteration.conclusion]
        known = {(line.get("session"), line.get("iteration")) for line in read_lines(lines)}
        missing = [line for line in entries if (session, line["iteration"]) not in known]
        if missing:
            append_lines(lines, [json.dumps(line, ensure_ascii=False) for line in missing])
        if missing or history.outcome:
            replace_json(path, rendered(session, history, read_lines(lines)))


def entry(session: str, history: History, iteration: Iteration) -> dict[str, Any]:
    """One iteration, for one line of the log."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    assert iteration.concluded_at is not None
    reviews = [ended.result for ended in iteration.ended if isinstance(ended.result, Review)]
    summaries = "\n".join(review.summary for review in reviews if review.summary)
    issues = "\n".join(f"- {finding.issue}" for finding in conclusion.findings if not finding.is_late)
    checks = {name: passed for review in reviews for name, passed in review.checks.items()}
    return {
        "task_id": history.feature,
        "session": session,
        "reviewer_agent": ", ".join(dict.fromkeys(seat.agent for seat in history.policy.seats)),
        "answered_by": ", ".join(reviewers_of(iteration, history.policy)),
        "coder_agent": history.policy.author,
        "iteration": iteration.number,
        "decision": _DECISIONS[conclusion.verdict],
        "feedback": summaries or issues or conclusion.because,
        "quality_checks": checks,
        "scores": dict(conclusion.scores),
        "digest": iteration.checked.digest,
        "timestamp": rfc3339(iteration.concluded_at),
    }


def rendered(session: str, history: History, lines: list[dict[str, Any]]) -> dict[str, Any]:
    own = [line for line in lines if line.get("session") == session]
    done = history.outcome is not None
    final = own[-1]["decision"] if done and own else None
    if history.outcome in (Outcome.REJECTED, Outcome.UNDONE):
        final = "NO_GO"
    if history.outcome in PASSING:
        final = "GO"
    return {
        "task_id": history.feature,
        "overlay": "agentic_review",
        "session": session,
        "iterations": own,
        "final_decision": final,
        "outcome": str(history.outcome) if history.outcome else None,
        "because": history.because or None,
        "completed_at": rfc3339(history.updated_at) if done else None,
    }


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
