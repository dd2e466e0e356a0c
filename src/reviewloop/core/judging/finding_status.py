"""The status of findings: their standing among the iterations, and whether they are dismissed."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.judging.pattern_recognition import CERTAIN, suppress
from reviewloop.core.judging.ratchet import Revision, classify, find_repeats
from reviewloop.core.session.events import Dismissed
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Verdict
from reviewloop.text import count


def with_status(findings: tuple[Finding, ...], iteration: Iteration, history: History) -> tuple[Finding, ...]:
    """Give each finding its standing, and mark those that a person, a ruling or the memory dismisses."""
    classified = classify(findings, revision_of(iteration), earlier_revisions(history))
    return suppress(dismiss(classified, history), history.policy.suppressions)


def dismiss(findings: tuple[Finding, ...], history: History) -> tuple[Finding, ...]:
    """Mark the findings that a person dismissed, and those that a ruling withdrew.

    A ruling holds for the stage that it was made in, and never for the finding of a rule: that cannot be contested.
    """
    marks: dict[int, str] = {}
    for stage in dict.fromkeys(ruled.finding.stage for ruled in history.withdrawn):
        own = [n for n, finding in enumerate(findings) if finding.stage == stage and finding.rule is None]
        rulings = [ruled for ruled in history.withdrawn if ruled.finding.stage == stage]
        reasons = {id(ruled.finding): f"withdrawn by {ruled.agent}: {ruled.reason}" for ruled in rulings}
        repeats = find_repeats([findings[n] for n in own], [r.finding for r in rulings], same_from=CERTAIN)
        marks |= {own[number]: reasons[id(past)] for number, past in repeats.items()}
    if history.dismissed:
        reasons = {id(event.finding): dismissal(event) for event in history.dismissed}
        repeats = find_repeats(findings, [event.finding for event in history.dismissed], same_from=CERTAIN)
        marks |= {number: reasons[id(past)] for number, past in repeats.items()}
    return (
        tuple(replace(finding, suppressed=marks.get(n, finding.suppressed)) for n, finding in enumerate(findings))
        if marks
        else findings
    )


def dismissal(event: Dismissed) -> str:
    """Who dismissed a finding, and why."""
    return f"dismissed by {event.by or 'a person'}: {event.why or 'no reason given'}"


def set_aside(findings: tuple[Finding, ...]) -> str:
    """Why none of these findings blocks: `1 late finding kept as a note; 2 findings dismissed`."""
    suppressed = [(finding.suppressed or "").partition(" ")[0] for finding in findings]
    late = sum(finding.is_late and not finding.suppressed for finding in findings)
    noted = suppressed.count("") - late
    parts = {
        late_note(late): late,
        f"{count(suppressed.count('dismissed'), 'finding')} dismissed": "dismissed" in suppressed,
        f"{count(suppressed.count('withdrawn'), 'finding')} withdrawn after a contest": "withdrawn" in suppressed,
        f"{count(suppressed.count('memory'), 'finding')} suppressed by memory": "memory" in suppressed,
        f"{count(noted, 'finding')} for information only": noted,
    }
    return "; ".join(part for part, applies in parts.items() if applies)


def waived_findings(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """A warning for each finding that does not block because of a person, a ruling or the memory."""
    return tuple(f"{finding.issue} ({finding.suppressed})" for finding in findings if finding.suppressed)


def late_note(number: int) -> str:
    return f"{count(number, 'late finding')} kept as {'a note' if number == 1 else 'notes'}"


def earlier_findings(history: History) -> tuple[Finding, ...]:
    """The open findings: those that people added, those of the last iteration, and of the last review with a verdict.

    Findings that a person dismissed or a ruling withdrew are told apart.
    """
    found = [added.finding for added in history.added]
    for iteration in reversed(history.iterations):
        if iteration.conclusion is None:
            continue
        found += iteration.conclusion.findings
        if iteration.is_reviewed and iteration.conclusion.verdict is not Verdict.INCONCLUSIVE:
            break
    once = tuple({(past.rule, past.issue, past.place): past for past in reversed(found)}.values())[::-1]
    return tuple(finding for finding in dismiss(once, history) if not finding.suppressed)


def answered_findings(history: History) -> tuple[Finding, ...]:
    """The findings of earlier iterations that the last verdict no longer has: they count as fixed."""
    found: dict[str, Finding] = {}
    for iteration in history.iterations:
        if iteration.conclusion and iteration.conclusion.verdict is not Verdict.INCONCLUSIVE:
            found |= {finding.id: finding for finding in iteration.conclusion.findings}
    still = {finding.id for finding in earlier_findings(history)}
    rest = tuple(finding for name, finding in found.items() if name not in still)
    return tuple(replace(finding, standing=None) for finding in dismiss(rest, history) if not finding.suppressed)


def revision_of(iteration: Iteration, findings: tuple[Finding, ...] = ()) -> Revision:
    checked = iteration.checked
    return Revision(digest=checked.digest, size=checked.size, sections=checked.sections, findings=findings)


def earlier_revisions(history: History) -> list[Revision]:
    """The earlier iterations with a review. Where the static gate closed, reviewers had no chance to raise anything."""
    return [
        revision_of(past, past.conclusion.findings)
        for past in history.iterations
        if past.conclusion and past.is_reviewed
    ]
