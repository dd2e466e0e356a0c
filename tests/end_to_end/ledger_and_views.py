"""Compares every view of a project with its ledger, field by field.

What happened is read from the raw events that `reviewloop events --json` prints, not with the code that writes the
views.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from project import Project

DECISIONS = {"pass": "GO", "needs_revision": "NO_GO", "inconclusive": "INCONCLUSIVE"}
STATUS = {"pass": "PASS", "needs_revision": "FAIL", "inconclusive": "INCONCLUSIVE"}
WAITING = ("blocked", "escalated")
PASSING = ("passed", "passed_with_warnings")
ROW = {None: "in-progress", "blocked": "escalated", "passed": "complete", "passed_with_warnings": "complete"}


@dataclass
class Round:
    """One iteration, as its events tell it."""

    number: int
    checked: dict[str, Any]
    answers: list[dict[str, Any]] = field(default_factory=list)
    conclusion: dict[str, Any] | None = None
    concluded_at: str = ""
    discarded: list[str] = field(default_factory=list)
    is_revised: bool = False

    @property
    def heard(self) -> list[dict[str, Any]]:
        """The answers that were reviews, or a clear no, and that count."""
        said = [one for one in self.answers if "review" in one or (one.get("problem") or {}).get("refusal")]
        return [one for one in said if one["call"]["key"] not in self.discarded]

    @property
    def is_reviewed(self) -> bool:
        return bool(self.conclusion and self.heard)

    @property
    def is_sent_back(self) -> bool:
        """Whether a person sent the text back, so that nobody judged it again."""
        if self.answers or self.conclusion is None:
            return False
        facts = [fact["issue"] for fact in self.checked["facts"]]
        return self.conclusion.get("by_person") or any(f["issue"] not in facts for f in self.conclusion["findings"])

    @property
    def reviewers(self) -> str:
        return ", ".join(sorted({one["call"]["agent"] for one in self.answers})) or "rules"

    @property
    def answered_by(self) -> str:
        return ", ".join(sorted({one.get("answered_by") or one["call"]["agent"] for one in self.answers})) or "rules"

    @property
    def stages(self) -> list[str]:
        return sorted({one["call"]["stage"] or "spec" for one in self.heard}, reverse=True)


@dataclass
class Recorded:
    """A session, as its events tell it."""

    id: str
    started: dict[str, Any]
    rounds: list[Round] = field(default_factory=list)
    outcome: str | None = None
    because: str = ""
    resumed: list[dict[str, Any]] = field(default_factory=list)
    dismissed: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)
    last_time: str = ""
    reopened: bool = False

    @property
    def name(self) -> str:
        return self.started["feature"]

    @property
    def judged(self) -> list[Round]:
        """The iterations that a reviewer or the rules decided."""
        return [one for one in self.rounds if one.conclusion and not one.is_sent_back]

    @property
    def reviewed(self) -> list[Round]:
        return [one for one in self.rounds if one.is_reviewed]

    @property
    def files(self) -> list[str]:
        paths = self.started["paths"]
        read = [file["path"] for one in self.rounds[-1:] for file in one.checked["files"]]
        return paths or [path for path in read if path != "change.diff"]


def recorded(project: Project) -> list[Recorded]:
    """The sessions of a ledger, from its raw events."""
    found: dict[str, Recorded] = {}
    for event in project.events():
        kind, payload, name = event["type"].removeprefix("spec.review."), event["payload"], event["session"]
        if kind == "started":
            found[name] = Recorded(id=name, started=payload)
        if name in found:
            _read(found[name], kind, payload, f"{event['time'][:23]}Z")
    return list(found.values())


def _read(session: Recorded, kind: str, payload: dict[str, Any], time: str) -> None:
    session.last_time = time
    if kind != "discarded":
        for unit, amount in (payload.get("usage") or {}).items():
            session.usage[unit] = session.usage.get(unit, 0) + (amount or 0)
    this = session.rounds[-1] if session.rounds else None
    match kind:
        case "checked":
            session.rounds.append(Round(number=payload["iteration"], checked=payload))
        case "answered" | "malformed" | "unanswered":
            assert this
            this.answers.append(payload)
        case "iteration":
            assert this
            this.conclusion, this.concluded_at = payload, time
        case "discarded":
            assert this
            this.discarded = payload["keys"]
        case "revised" if this and payload["iteration"]:
            this.is_revised = True
        case "warned":
            session.warnings = payload["warnings"]
        case "passed":
            session.outcome, session.because = payload["outcome"], payload["because"]
        case "blocked" | "escalated":
            session.outcome, session.because = kind, payload["reason"]
        case "rejected" | "undone":
            session.outcome, session.because = kind, payload["because"]
            session.warnings = [] if kind == "undone" else session.warnings
        case "resumed" if payload["action"] != "continue" or session.outcome:
            session.resumed.append(payload)
            session.outcome, session.because, session.warnings = None, "", []
        case "dismissed":
            session.dismissed.append(payload)
        case _:
            pass


def compare(project: Project) -> list[Recorded]:
    """Hold every view against the ledger."""
    sessions = recorded(project)
    assert sessions
    wrong: list[str] = []
    for check in (_session_object, _review_log, _human_item, _terminal, _memory_file, _progress, _plan):
        for session in sessions:
            _held(lambda check=check, session=session: check(project, session), f"{check.__name__} {session.id}", wrong)
    for check in (_analytics, _memory_index, _stats, _inbox):
        _held(lambda check=check: check(project, sessions), check.__name__, wrong)
    assert not wrong, "\n\n".join(wrong)
    return sessions


def _held(check: Callable[[], None], name: str, wrong: list[str]) -> None:
    """Note a view that disagrees, and go on with the others."""
    try:
        check()
    except (AssertionError, LookupError) as error:
        line = traceback.extract_tb(error.__traceback__)[-1]
        wrong.append(f"{name}, line {line.lineno}: {error!r}")


def _session_object(project: Project, session: Recorded) -> None:
    seen = project.cli("status", session.id, "--json").session
    assert (session.outcome, session.because, session.warnings) == (seen["outcome"], seen["because"], seen["warnings"])
    judged = [(one.number, one.conclusion["verdict"], one.concluded_at) for one in session.judged if one.conclusion]
    assert judged == [(one["iteration"], one["result"]["verdict"], one["timestamp"]) for one in seen["iterations"]]
    assert (session.because if session.outcome in WAITING else "") == seen["block_reason"]
    for unit in ("tokens_in", "tokens_out", "cost_usd"):
        assert round(session.usage.get(unit, 0), 6) == round(seen["usage"].get(unit) or 0, 6), unit
    concluded = [one for one in session.rounds if one.conclusion]
    findings = concluded[-1].conclusion["findings"] if concluded and concluded[-1].conclusion else []
    assert [one["issue"] for one in findings] == [one["issue"] for one in seen["findings"]]
    gone = {event["finding"]["issue"] for event in session.dismissed}
    for finding in seen["findings"]:
        assert finding["suppressed"] or finding["issue"] not in gone, "a dismissed finding is shown as open"
    listed = {one["session"]: one for one in json.loads(project.cli("status", "--json").stdout)}
    assert session.id not in listed or seen == listed[session.id]


def _review_log(project: Project, session: Recorded) -> None:
    paths = [
        *project.root.glob(".reviewloop/review-logs/*.json"),
        *project.root.glob(".ai-sdd/state/review-logs/*.json"),
    ]
    path = next(path for path in paths if json.loads(path.read_text())["task_id"] == session.name)
    log = json.loads(path.read_text())
    if log["session"] != session.id:
        ids = [one["session"] for one in project.events() if one["type"] == "spec.review.started"]
        assert ids.index(log["session"]) > ids.index(session.id), "the log is about an older session of this name"
        return
    assert log == project.cli("log", session.id, "--json").session
    assert (session.name, session.outcome, session.because or None) == (log["task_id"], log["outcome"], log["because"])
    assert (session.last_time if session.outcome else None) == log["completed_at"]
    lines = (
        [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()] if log["iterations"] else []
    )
    assert log["iterations"] == [line for line in lines if line["session"] == session.id]
    expected = [
        (one.number, DECISIONS[one.conclusion["verdict"]], one.conclusion["scores"], one.concluded_at)
        for one in session.judged
        if one.conclusion
    ]
    fields = ("iteration", "decision", "scores", "timestamp")
    assert expected == [tuple(line[field] for field in fields) for line in log["iterations"]]
    for one, line in zip(session.judged, log["iterations"], strict=True):
        assert [one.checked["digest"], session.name] == [line["digest"], line["task_id"]]
        named = [", ".join(sorted(line[field].split(", "))) for field in ("reviewer_agent", "answered_by")]
        assert [one.reviewers, one.answered_by] == named
    said = [line["decision"] for line in log["iterations"]]
    person = session.resumed[-1]["action"] if session.resumed else ""
    last = [one for one in session.rounds if one.conclusion][-1:]
    by_person = [DECISIONS[one.conclusion["verdict"]] for one in last if one.conclusion and one.is_sent_back]
    expected_final = next(iter(by_person or said[-1:]), None)
    if session.outcome in PASSING and person == "accept":
        expected_final = "GO"
    elif session.outcome in ("rejected", "undone"):
        expected_final = "NO_GO"
    assert (expected_final if session.outcome else None) == log["final_decision"]


def _human_item(project: Project, session: Recorded) -> None:
    paths = [*project.root.glob(".reviewloop/inbox/*.json"), *project.root.glob(".ai-sdd/state/hil/*.json")]
    items = {item["id"]: item for path in paths if (item := json.loads(path.read_text()))}
    newest = [one.id for one in recorded(project) if one.name == session.name][-1]
    if session.outcome in WAITING and session.id != newest:
        assert ("resolved", newest) == (items[session.id]["status"], items[session.id]["replaced_by"])
    elif session.outcome in WAITING:
        item = items[session.id]
        assert ("pending", session.outcome, session.because) == (item["status"], item["outcome"], item["reason"])
        assert session.files == item["artifact"], "it does not name the files"
        assert [one.number for one in session.judged] == [line["iteration"] for line in item["history"]]
    elif session.id in items:
        item = items[session.id]
        assert ("resolved", session.outcome) == (item["status"], item["outcome"])


def _terminal(project: Project, session: Recorded) -> None:
    log = project.cli("log", session.id).stdout
    shown = project.cli("status", session.id).stdout
    if session.outcome:
        words = session.outcome.replace("_", " ")
        assert f"\n{words}: " in log
        assert f"{session.name}: {words}" in shown
    for one in session.rounds:
        assert f"iteration {one.number} " in log
    assert "None" not in shown, shown
    assert "running" not in shown


def _memory_file(project: Project, session: Recorded) -> None:
    for stage in ("spec", "quality"):
        expected = [one.number for one in session.reviewed if stage in one.stages]
        paths = [*project.root.rglob(f"*{stage}-reviewer/reviews/*.md")]
        blocks = [_block(path, session.id) for path in paths]
        block = next((found for found in blocks if found), "")
        assert bool(expected) == bool(block), f"{stage}: {expected}"
        if block:
            assert block.startswith(f"Outcome: {session.outcome or 'running'}."), block
            assert expected == [int(number) for number in re.findall(r"^## Iteration (\d+)$", block, re.MULTILINE)]


def _block(path: Path, name: str) -> str:
    found = re.search(rf"<!-- reviewloop {re.escape(name)} -->\n(.*?)\n<!-- /", path.read_text(), re.DOTALL)
    return found[1] if found else ""


def _progress(project: Project, session: Recorded) -> None:
    if session.started["profile"] != "phases":
        return
    texts = [path.read_text() for path in project.root.glob("specs/*/.progress.md")]
    text = next(text for text in texts if f"reviewloop: {session.id} " in text)
    for one in session.judged:
        assert one.conclusion
        after = text.partition(f"<!-- reviewloop: {session.id} {one.number} -->\n")[2].partition("\n###")[0]
        assert f"- Status: {STATUS[one.conclusion['verdict']]}\n" in after
        action = re.search("- Action: (.*)", after)
        assert action
        if one is session.rounds[-1] and not one.is_revised:
            ended = {
                "passed": "proceed",
                "passed_with_warnings": "proceed with warnings",
                "undone": "undone",
                "rejected": "rejected by",
            }
            assert action[1].startswith(ended.get(session.outcome or "", "a person decides")), action[1]
    numbers = [int(number) for number in re.findall(rf"reviewloop: {re.escape(session.id)} (\d+) ", text)]
    assert [one.number for one in session.judged] == numbers


def _plan(project: Project, session: Recorded) -> None:
    """The rows of a panel's or workflow's task, whose stages are marked only if a reviewer judged them."""
    plan = project.root / "plan.md"
    newest = [one for one in recorded(project) if one.name == session.name][-1]
    if not plan.exists() or f"| {session.name} |" not in plan.read_text() or newest.id != session.id:
        return
    line = next(line for line in plan.read_text().splitlines() if line.startswith(f"| {session.name} |"))
    status, spec, quality, fixes = [cell.strip() for cell in line.split("|")[3:7]]
    if status == "pending":
        assert "plan.md" not in project.read("reviewloop.yml"), "the plan has not heard of it"
        return
    expected = {"passed": "complete", "passed_with_warnings": "complete", "blocked": "escalated"}
    assert expected.get(session.outcome or "", session.outcome) == status
    assert str(sum(one.is_revised for one in session.rounds)) == fixes.removesuffix(" (max)")
    asked = [one for one in session.judged if one.answers]
    heard = asked[-1].stages if asked else []
    assert bool(asked) == (spec != "—")
    if any(answer["call"]["stage"] for one in asked for answer in one.answers):
        assert ("quality" in heard or not asked[-1].is_reviewed) == (quality != "—")


def _analytics(project: Project, sessions: list[Recorded]) -> None:
    paths = [project.root / ".reviewloop/analytics.json", project.root / ".claude/review-analytics.json"]
    path = next((path for path in paths if path.exists()), None)
    expected = [(session, one, stage) for session in sessions for one in session.reviewed for stage in one.stages]
    assert bool(expected) == bool(path)
    if path is None:
        return
    entries = json.loads(path.read_text())["reviews"]
    assert len(expected) == len(entries)
    for (session, one, stage), entry in zip(expected, entries, strict=True):
        assert one.conclusion
        assert stage == entry["stage"]
        assert entry["feature"]
        final = None if session.outcome is None else "pass" if session.outcome in PASSING else "fail"
        assert final == entry["final_verdict"]
        mine = [answer for answer in one.answers if (answer["call"]["stage"] or "spec") == stage]
        assert {answer.get("answered_by") or answer["call"]["agent"] for answer in mine} == set(entry["models"])
        raised = [f["issue"] for f in one.conclusion["findings"] if not f["rule"] and (f["stage"] or "spec") == stage]
        assert sorted(raised) == sorted(f["description"] for f in entry["findings"] if f["category"] != "missed")
        if session.started["commission"]:
            assert entry["task"] is not None
        fixes = sum(past.is_revised for past in session.rounds)
        assert fixes == entry["fix_iterations"]


def _memory_index(project: Project, sessions: list[Recorded]) -> None:
    for stage in ("spec", "quality"):
        expected = sum(stage in one.stages for session in sessions for one in session.reviewed)
        index = next(iter(project.root.rglob(f"*{stage}-reviewer/MEMORY.md")), None)
        assert bool(expected) == bool(index), f"{stage}: {expected}"
        assert index is None or f"Reviews: {expected}\n" in index.read_text()


def _stats(project: Project, sessions: list[Recorded]) -> None:
    stats = project.cli("stats", "--json").session
    assert len(sessions) == stats["overview"]["sessions"], stats
    outcomes: dict[str, int] = {}
    for session in sessions:
        outcomes[session.outcome or "running"] = outcomes.get(session.outcome or "running", 0) + 1
    assert outcomes == stats["outcomes"]
    assert sum(len(one.stages) for session in sessions for one in session.reviewed) == stats["overview"]["reviews"]


def _inbox(project: Project, sessions: list[Recorded]) -> None:
    newest = {session.name: session for session in sessions}
    waiting = {session.id for session in newest.values() if session.outcome in WAITING}
    assert waiting == {item["id"] for item in json.loads(project.cli("inbox", "--json").stdout)}
