"""One id for a finding through all iterations of a session: F1 stays F1, and a new finding gets a new number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.history import History
from reviewloop.core.types.fast_replace import changed
from reviewloop.core.types.finding import Finding


def with_session_ids(findings: tuple[Finding, ...], history: History) -> tuple[Finding, ...]:
    """Give each finding the id that it had before in this session; a new finding keeps its own id if that is free."""
    known = session_findings(history)
    ids = _known_ids(findings, known)
    free = _free(known, findings)
    named: list[Finding] = []
    used = set(ids.values())
    for number, finding in enumerate(findings):
        own = finding.id if finding.id and finding.id not in used and finding.id not in known else ""
        name = ids.get(number) or own or next(free)
        used.add(name)
        named.append(finding if finding.id == name else changed(finding, id=name))
    return tuple(named)


def session_findings(history: History) -> dict[str, Finding]:
    """The latest wording of every finding of a session, by id."""
    found = {added.finding.id: added.finding for added in history.added}
    for iteration in history.iterations:
        if iteration.conclusion:
            found |= {finding.id: finding for finding in iteration.conclusion.findings}
    return found


def _known_ids(findings: tuple[Finding, ...], known: dict[str, Finding]) -> dict[int, str]:
    """The id of the earlier finding that each finding repeats, by position. Stages of a panel are kept apart."""
    ids: dict[int, str] = {}
    for stage in dict.fromkeys(finding.stage for finding in findings):
        mine = [number for number, finding in enumerate(findings) if finding.stage == stage]
        earlier = [past for past in known.values() if past.stage in (stage, None)]
        repeats = find_repeats([_comparable(findings[number]) for number in mine], [_comparable(e) for e in earlier])
        for position, past in repeats.items():
            if past.id not in ids.values():
                ids[mine[position]] = past.id
    return ids


def _comparable(finding: Finding) -> Finding:
    """A low score is the same finding whatever the number of points is."""
    return changed(finding, issue=f"{finding.criterion} is too low") if finding.rule == "score" else finding


def _free(known: dict[str, Finding], findings: tuple[Finding, ...]) -> Iterator[str]:
    taken = {*known, *(finding.id for finding in findings)}
    numbers = [int(name[1:]) for name in known if name[:1] == "F" and name[1:].isdecimal()]
    return (name for number in count(max(numbers, default=0) + 1) if (name := f"F{number}") not in taken)
