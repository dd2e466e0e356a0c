"""Applies a person's answer: accept, retry or reject the work; dismiss or add findings."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from reviewloop.core.judging.finding_ids import session_findings
from reviewloop.core.judging.open_points import dismissals, last_verdict, low_scores_left, open_findings
from reviewloop.core.loop.endings import ending, restart
from reviewloop.core.loop.steps import Finish
from reviewloop.core.session.events import Added, Dismissed, Passed, Rejected, Resumed
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.decision import Action
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.outcome import PASSING, Answer, Outcome
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.engine.context import SessionContext
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.errors import ChangedSinceReview, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswer:
    """A person's answer to a session.

    Args:
        action: What to do with the work. Without one, a note or an added finding sends it back, and dismissals are
            only recorded.
        note: What to tell the author and the reviewers.
        by: Who answers.
        role: In which role, for the record.
        channel: How the answer came in, for the record: `cli`, `library`, ...
        dismiss: The ids of findings that are wrong.
        why: Why they are wrong.
        add: Findings that every reviewer missed.
        digest: The text that the person saw; by default the one that was reviewed last.
        anyway: Accept the text although it changed since the review.
    """

    action: Answer = Answer.CONTINUE
    note: str = ""
    by: str = ""
    role: str = ""
    channel: str = ""
    dismiss: Sequence[str] = ()
    why: str = ""
    add: Sequence[str] = ()
    digest: str = ""
    anyway: bool = False

    @property
    def only_records(self) -> bool:
        """Whether it dismisses findings and decides nothing."""
        return bool(self.dismiss) and self.action is Answer.CONTINUE and not self.add and not self.note


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """The text that an answer is about, and how it differs from the one that was reviewed."""

    digest: str
    changes: tuple[FileChange, ...] = ()


async def apply_answer(session: Session, answer: PersonAnswer, policy: Policy, context: SessionContext) -> History:
    """Record a person's answer and continue the session."""
    await session.tell()
    if session.history.undo:
        await run(session, context)
    action = _action(session.history, answer)
    _refuse_outdated(session.history, answer)
    text = await _accepted_text(session, answer, context) if action is Answer.ACCEPT else None
    _findings(session, answer)
    if answer.only_records:
        await session.flush()
        return session.history
    if session.history.outcome is None or action is not Answer.CONTINUE:
        session.record(
            Resumed(
                action=action,
                note=answer.note,
                by=answer.by,
                role=answer.role,
                channel=answer.channel,
                digest=text.digest if text else _reviewed_digest(session.history),
                anyway=answer.anyway and bool(text and text.changes),
                changes=text.changes if text else (),
                policy=policy,
            )
        )
    match action:
        case Answer.ACCEPT:
            assert text is not None
            _accept(session, answer, text)
        case Answer.REJECT:
            because = f"rejected by {answer.by or 'a person'}" + (f": {answer.note}" if answer.note else "")
            feature = session.history.feature
            session.record(
                Rejected(feature=feature, because=because, by=answer.by, role=answer.role, channel=answer.channel)
            )
        case _:
            pass
    await session.flush()
    return await run(session, context)


def _action(history: History, answer: PersonAnswer) -> Answer:
    """Return the action that the answer means: to continue a waiting session is to retry."""
    if answer.action.waives:
        return _waived(history, answer)
    said = bool(answer.note or answer.add)
    if history.outcome is None:
        if answer.action in (Answer.CONTINUE, Answer.RETRY):
            return Answer.RETRY if said else Answer.CONTINUE
        return answer.action
    if answer.only_records and history.outcome.waits:
        return Answer.CONTINUE
    if history.outcome.waits:
        return Answer.RETRY if answer.action is Answer.CONTINUE else answer.action
    if history.outcome in PASSING:
        return _overruled(history, answer)
    if answer.action is Answer.CONTINUE and not said and not answer.dismiss:
        return Answer.CONTINUE
    raise _over(history)


def _overruled(history: History, answer: PersonAnswer) -> Answer:
    """Return the action that overrules a pass. To reopen it, a person has to say so."""
    if answer.action in (Answer.RETRY, Answer.REJECT):
        return answer.action
    if answer.action is Answer.CONTINUE and not answer.note and not answer.add and not answer.dismiss:
        return Answer.CONTINUE
    name = shlex.quote(history.feature)
    said = "already passed" if history.outcome is Outcome.PASSED else "already passed, with warnings"
    raise UsageError(
        f"session {history.feature} has {said}",
        hint=f"send it back: reviewloop resume {name} --retry; or reject it: reviewloop resume {name} --reject",
    )


def _waived(history: History, answer: PersonAnswer) -> Answer:
    """Return an action that skips reviews. Only features from a PRD have them."""
    name, option = history.feature, f"--{answer.action.replace('_', '-')}"
    if history.started.commission is None or not history.started.commission.feature:
        waits = history.outcome is None or history.outcome.waits
        raise UsageError(
            f"{option} only works for features from a PRD, and session {name} is not one",
            hint=f"accept the work as it is: reviewloop resume {shlex.quote(name)} --accept" if waits else None,
        )
    if history.outcome is None or history.outcome.waits:
        return answer.action
    if answer.action is Answer.FROM_TASKS and history.outcome in PASSING:
        return answer.action
    raise _over(history)


def _over(history: History) -> UsageError:
    return UsageError(f"session {history.feature} is over: {history.outcome}", hint=f"start again: {restart(history)}")


def _reviewed_digest(history: History) -> str:
    return history.iterations[-1].checked.digest if history.iterations else ""


def _refuse_outdated(history: History, answer: PersonAnswer) -> None:
    """Refuse an answer about a text that is no longer the one under review."""
    if answer.digest and answer.digest != _reviewed_digest(history) and not answer.anyway:
        raise UsageError(
            f"this answer is about another text than the one that session {history.feature} is at",
            hint=f"look at it again: reviewloop status {shlex.quote(history.feature)}",
        )


async def _accepted_text(session: Session, answer: PersonAnswer, context: SessionContext) -> _Text:
    """Return the text that is accepted, and keep it. A text that changed since its review has to be accepted `anyway`.

    Raises:
        ChangedSinceReview: The text changed since its review.
    """
    history = session.history
    reviewed = history.iterations[-1].checked if history.iterations else None
    if reviewed is None and history.started.commission is not None:
        return _Text(digest="")  # there may be no work yet
    now = await context.workspace.read()
    session.keep({file.digest: file.text.encode("utf-8", "surrogatepass") for file in now.files})
    if reviewed is None or reviewed.digest == now.digest:
        return _Text(digest=now.digest)
    is_diff = now.kind is Kind.CHANGE  # then the first file is no file of the project
    was = {state.path: state.digest for state in reviewed.files[is_diff:]}
    new = {file.path: file.digest for file in now.files[is_diff:]}
    paths = [path for path in {**was, **new} if was.get(path) != new.get(path)]
    if not answer.anyway:
        diff = "".join([await _diff(session, path, was.get(path), now) for path in paths])
        raise ChangedSinceReview(history.feature, paths, diff)
    changes = tuple(FileChange(path=path, before=was.get(path), after=new.get(path)) for path in paths)
    return _Text(digest=now.digest, changes=changes)


async def _diff(session: Session, path: str, before: str | None, now: Artifact) -> str:
    data = await session.text(before) if before else b""
    file = now.file(path)
    old = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    new = (file.text if file else "").splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _accept(session: Session, answer: PersonAnswer, text: _Text) -> None:
    """Accept the work as it is. Open findings, low scores and a missing verdict become warnings."""
    history = session.history
    last = history.iterations[-1].conclusion if history.iterations else None
    who = answer.by or "a person"
    because = f"accepted as it is by {who}" + (f": {answer.note}" if answer.note else "")
    warnings = _warnings(history, text, who)
    proposed = last and (
        (last.decision and last.decision.action is Action.APPROVE)
        or (history.policy.approval and last.verdict is Verdict.PASS)
    )
    if last and proposed:
        warnings = tuple(dict.fromkeys((*last.warnings, *warnings)))
    if not proposed and not warnings:
        warnings = (because,)
    outcome = Outcome.PASSED_WITH_WARNINGS if warnings else Outcome.PASSED
    for payload in ending(history, Finish(outcome=outcome, because=because, warnings=warnings)):
        if isinstance(payload, Passed):
            payload = replace(payload, digest=text.digest)
        session.record(payload)


def _warnings(history: History, text: _Text, who: str) -> tuple[str, ...]:
    """What a person accepts along with the work."""
    left = [finding for finding in open_findings(history) if finding.is_serious]
    issues = {finding.issue for finding in left}
    scores = [str(low) for low in low_scores_left(history) if str(low) not in issues]
    changed = [f"{change.path} changed since its review; {who} accepted it anyway" for change in text.changes]
    iteration = history.iterations[-1] if history.iterations else None
    unseen = iteration is not None and iteration.conclusion is None and last_verdict(history) is not None
    unread = iteration.checked.unread if iteration else ()
    return (
        *changed,
        *(f"accepted although not reviewed: {file}" for file in unread),
        *(["accepted although the last revision got no verdict"] if unseen else []),
        *(f"accepted although open: {finding.issue}" for finding in left),
        *(f"accepted although {low}" for low in scores),
        *dismissals(history),
    )


def _findings(session: Session, answer: PersonAnswer) -> None:
    history = session.history
    known = session_findings(history)
    if answer.dismiss and not answer.why.strip():
        raise UsageError(
            "a dismissal needs a reason", hint='say why the finding is wrong, with --why "..."; reviewers are told'
        )
    if unknown := [name for name in answer.dismiss if name not in known]:
        raise UsageError(
            f"session {history.feature} has no finding {unknown[0]}",
            hint=f"its findings are {', '.join(known) or 'none'}",
        )
    for name in dict.fromkeys(answer.dismiss):
        session.record(
            Dismissed(
                finding=known[name], why=answer.why.strip(), by=answer.by, role=answer.role, channel=answer.channel
            )
        )
    free = (name for number in count(1) if (name := f"P{number}") not in known)  # a reviewer may have used one
    for issue, name in zip(answer.add, free, strict=False):
        finding = Finding(issue=issue, severity=Severity.IMPORTANT, id=name, by=(answer.by or "a person",))
        session.record(Added(finding=finding, by=answer.by, role=answer.role, channel=answer.channel))
