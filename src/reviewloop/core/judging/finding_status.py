"""Where findings stand among the iterations of a session, and what a person has said about them."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.judging.pattern_recognition import CERTAIN, suppress
from reviewloop.core.judging.ratchet import Look, classify, known
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Review, Verdict


def classed(findings: tuple[Finding, ...], iteration: Iteration, history: History) -> tuple[Finding, ...]:
    """The findings with their standing among the iterations; what people say is none, now or often, is marked."""
    standing = dismiss(classify(findings, look_at(iteration), looks_before(history)), history)
    return suppress(standing, history.policy.suppressions)


def dismiss(findings: tuple[Finding, ...], history: History) -> tuple[Finding, ...]:
    """Mark what a person said is no finding, and what a ruling withdrew."""
    settled = [
        (one.finding, f"dismissed by {one.by or 'a person'}: {one.why or 'no reason'}") for one in history.dismissed
    ]
    settled += [(one.finding, f"withdrawn by {one.call.agent}: {one.reason}") for one in history.withdrawn]
    if not settled or not findings:
        return findings
    again = known(findings, [finding for finding, _ in settled], same_from=CERTAIN)
    said = {id(finding): why for finding, why in settled}
    return tuple(
        replace(finding, suppressed=said[id(again[number])]) if number in again else finding
        for number, finding in enumerate(findings)
    )


def earlier_findings(history: History) -> tuple[Finding, ...]:
    """What people added, what the last iteration raised, and what the reviewers raised when they last judged."""
    found = [one.finding for one in history.added]
    for iteration in reversed(history.iterations):
        if iteration.conclusion is None:
            continue
        found += iteration.conclusion.findings
        judged = any(isinstance(ended.result, Review) for ended in iteration.ended)
        if judged and iteration.conclusion.verdict is not Verdict.INCONCLUSIVE:
            break
    return tuple({(one.rule, one.issue, one.place): one for one in reversed(found)}.values())[::-1]


def look_at(iteration: Iteration, findings: tuple[Finding, ...] = ()) -> Look:
    checked = iteration.checked
    return Look(digest=checked.digest, size=checked.size, sections=checked.sections, findings=findings)


def looks_before(history: History) -> list[Look]:
    """What earlier iterations saw and raised. What the rules' gate closed says nothing of what reviewers missed."""
    return [
        look_at(past, past.conclusion.findings)
        for past in history.iterations
        if past.conclusion and any(isinstance(ended.result, Review) for ended in past.ended)
    ]
