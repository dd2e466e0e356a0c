"""The log of a session as terminal text, in the order of events."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from reviewloop.core.session.events import AuthorFailed
from reviewloop.core.session.history import Ended, History, Iteration, Writing
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.review import Failure, Malformed, Review
from reviewloop.reports.safe_text import one_line, printable
from reviewloop.text import count


def print_log(session: str, history: History, out: Console, *, full: bool) -> None:
    """Print every iteration, decision, finding and attempt; with `full`, also the agents' answers word for word."""
    out.print(f"{history.feature}  {session}  started {history.started_at.astimezone():%Y-%m-%d %H:%M}", style="bold")
    for window in history.windows:
        if window.opened:
            note = f": {one_line(window.opened.note)}" if window.opened.note else ""
            out.print(f"\n{window.opened.by or 'a person'} said {window.opened.action}{note}", style="magenta")
        for writing in history.writings:
            if writing.window == window.number:
                _first_version(writing, out, full=full)
        for iteration in history.iterations:
            if iteration.window == window.number:
                _iteration(iteration, out, full=full)
    _findings_of_people(history, out)
    if history.outcome:
        out.print(f"\n{str(history.outcome).replace('_', ' ')}: {one_line(history.explanation)}", style="bold")


def _findings_of_people(history: History, out: Console) -> None:
    dismissed, added = history.dismissed, history.added
    lines = [
        f"{event.by or 'a person'} dismissed {event.finding.id}: {event.why or 'no reason'}" for event in dismissed
    ]
    lines += [f"{event.by or 'a person'} added {event.finding.id}: {event.finding.issue}" for event in added]
    if lines:
        out.print("\n" + "\n".join(map(one_line, lines)), style="magenta")


def _first_version(writing: Writing, out: Console, *, full: bool) -> None:
    out.print("\nfirst version")
    _author_failures(writing.failures, out, full=full)
    if writing.authored:
        wrote = ", ".join(change.path for change in writing.authored.changes) or "nothing"
        out.print(f"  {writing.authored.call.agent} ({writing.authored.usage.seconds:.1f} s): wrote {one_line(wrote)}")
        if full:
            _words(writing.authored.text, out)


def _iteration(iteration: Iteration, out: Console, *, full: bool) -> None:
    checked = iteration.checked
    facts = count(len(checked.facts), "rule finding")
    out.print(f"\niteration {iteration.number}  {checked.digest[:12]}  {checked.size} characters, {facts}")
    gone = iteration.discarded.keys if iteration.discarded else ()
    for ended in iteration.ended:
        out.print(f"  {_answer(ended)}{' (discarded)' if ended.call.key in gone else ''}")
        if full:
            _words(ended.result.detail if isinstance(ended.result, Failure) else ended.text, out)
    answered = {(ended.call.key, ended.call.attempt) for ended in iteration.ended}
    for call in iteration.asked:
        if (call.key, call.attempt) not in answered:
            out.print(f"  {call.agent} was asked and has not answered")
    _conclusion(iteration, out)
    _disputes(iteration, out)
    _revision(iteration, out, full=full)


def _answer(ended: Ended) -> str:
    match ended.result:
        case Review(verdict=verdict, summary=summary):
            result = f"{verdict}{f': {one_line(summary)}' if summary else ''}"
        case Malformed() as problem:
            result = f"malformed answer: {problem}"
        case failure:
            result = f"no answer: {one_line(failure.about(ended.call.agent))}"
    call = ended.call
    about = [f"attempt {call.attempt}", f"{ended.usage.seconds:.1f} s"]
    if call.stage:
        about.insert(0, call.stage)
    if call.sent and not call.sent.whole:
        about.append(f"{call.sent.saved_tokens:,} tokens saved")
    instead = f", instead of {call.agent}" if ended.answered_by else ""
    return f"{ended.agent}{instead} ({', '.join(about)}): {result}"


def _conclusion(iteration: Iteration, out: Console) -> None:
    if iteration.conclusion:
        heading = f", {iteration.conclusion.convergence}" if iteration.conclusion.convergence else ""
        out.print(f"  → {iteration.conclusion.verdict}{heading}: {one_line(iteration.conclusion.because)}")
    for finding in (*(iteration.conclusion.findings if iteration.conclusion else ()), *iteration.other_facts):
        standing = f", {finding.standing}" if finding.standing else ""
        where = one_line(str(finding.place))
        out.print(f"    {finding.id or finding.rule} {finding.severity}{standing} · {where}: {one_line(finding.issue)}")
        if finding.suppressed:
            out.print(f"      {one_line(finding.suppressed)}", style="dim")


def _disputes(iteration: Iteration, out: Console) -> None:
    for contest in iteration.contested:
        out.print(f"  {contest.by} contests {contest.finding.id}: {one_line(contest.reason)}")
    for ruled in iteration.ruled:
        ruling = ruled.ruling or "no ruling"
        out.print(f"  {ruled.agent} on {ruled.finding.id}: {ruling}: {one_line(ruled.reason)}")


def _revision(iteration: Iteration, out: Console, *, full: bool) -> None:
    _author_failures(iteration.author_failures, out, full=full)
    for work in iteration.works:
        changed = ", ".join(map(_change, work.changes)) or "nothing"
        out.print(f"  {work.call.agent} changed {one_line(changed)}")
        if full:
            _words(work.text, out)
    if conflict := iteration.conflict:
        paths = one_line(", ".join(conflict.paths))
        out.print(f"  not brought back: {paths} changed meanwhile; the author's version is at {conflict.kept_at}")


def _author_failures(failures: Sequence[AuthorFailed], out: Console, *, full: bool) -> None:
    for failed in failures:
        out.print(f"  {failed.call.agent} failed: {one_line(failed.failure.about(failed.call.agent))}")
        if full:
            _words(failed.failure.detail, out)


def _change(change: FileChange) -> str:
    if change.after is None:
        return f"{change.path} (deleted)"
    return change.path if change.before is not None else f"{change.path} (new)"


def _words(text: str, out: Console) -> None:
    if text:
        out.print("\n".join(f"    {printable(line)}" for line in text.splitlines()), style="dim")
