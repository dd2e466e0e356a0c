"""A session as the JSON object that `run`, `resume` and `status` print with `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.judging.independence import reviewers_of
from reviewloop.core.panel.panel_report import panel_report
from reviewloop.core.session.events import Escalated
from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Outcome
from reviewloop.text import rfc3339

_FINAL_VERDICTS = {
    None: "",
    Outcome.PASSED: "pass",
    Outcome.PASSED_WITH_WARNINGS: "pass",
    Outcome.BLOCKED: "blocked",
    Outcome.ESCALATED: "blocked",
    Outcome.REJECTED: "rejected",
    Outcome.UNDONE: "undone",
}


def session_object(session: str, history: History) -> dict[str, Any]:
    policy = history.policy
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    last = concluded[-1] if concluded else None
    report = panel_report(history)
    return {
        "feature": history.feature,
        "session": session,
        "prd_path": history.started.prd_path,
        "specs_path": history.started.specs_path,
        "config": {
            "max_iterations": policy.max_iterations,
            "criteria": list(policy.criteria.names),
            "retry_on_malformed": policy.retry_on_malformed,
        },
        "iterations": [asdict(record) | {"timestamp": rfc3339(record.timestamp)} for record in history.records],
        "final_verdict": _FINAL_VERDICTS[history.outcome],
        "block_reason": history.because if history.outcome and history.outcome.waits else "",
        "outcome": str(history.outcome) if history.outcome else None,
        "because": history.because,
        "reason": str(history.stopped.code) if history.stopped else None,
        "profile": policy.profile,
        "kind": history.started.kind,
        "reviewers": next(
            (list(names) for past in reversed(history.iterations) if (names := reviewers_of(past, policy))), list[str]()
        ),
        "verdict": str(history.verdict) if history.verdict else None,
        "confidence": last.confidence if last else None,
        "decision": asdict(last.decision) if last and last.decision else None,
        "report": asdict(report) if report else None,
        "proposal": history.stopped.proposal if isinstance(history.stopped, Escalated) else None,
        "scores": dict(last.scores) if last else {},
        "total": last.total if last else None,
        "unjudged": list(last.unjudged) if last else [],
        "findings": [asdict(finding) for finding in dismiss(last.findings, history)] if last else [],
        "rule_findings": [asdict(fact) for last in history.iterations[-1:] for fact in last.checked.facts],
        "possible": [asdict(pair) for pair in last.possible] if last else [],
        "warnings": list(history.warnings),
        "malformed": list(history.malformed),
        "digest": history.digest or (history.iterations[-1].checked.digest if history.iterations else ""),
        "usage": asdict(history.usage),
        "recovery_actions": list(history.stopped.recovery_actions) if history.stopped else [],
        "started_at": rfc3339(history.started_at),
        "updated_at": rfc3339(history.updated_at),
    }
