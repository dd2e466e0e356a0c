"""Recognising a known pattern in a finding: by the id the reviewer gave, else by what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reviewloop.review.finding import NOWHERE, Finding, Severity
from reviewloop.review.policy import Suppression
from reviewloop.review.ratchet import known

CERTAIN = 0.95
"""How sure it must be that a finding is what people said is none: a wrong match would hide a new one."""


def recognise(findings: Sequence[Finding], patterns: Sequence[Finding], *, sure: float) -> dict[int, int]:
    """Which finding is which pattern, both by position. A place says nothing: the next time it is another file."""
    by_id = {one.pattern_id: number for number, one in enumerate(patterns)}
    found = {n: by_id[one.pattern_id] for n, one in enumerate(findings) if one.pattern_id in by_id and one.pattern_id}
    rest = [number for number in range(len(findings)) if number not in found]
    bare = [_bare(one) for one in patterns]
    owners = {id(one): number for number, one in enumerate(bare)}
    for number in rest:  # one by one: several findings may be the same pattern
        for same in known([_bare(findings[number])], bare, same_from=sure).values():
            found[number] = owners[id(same)]
    return found


def suppress(findings: tuple[Finding, ...], known_false: Sequence[Suppression]) -> tuple[Finding, ...]:
    """Mark what people have said often enough is no issue. Never what is critical, never what a rule found."""
    open_ones = [
        number
        for number, one in enumerate(findings)
        if one.severity < Severity.CRITICAL and one.rule is None and not one.suppressed
    ]
    if not known_false or not open_ones:
        return findings
    patterns = [
        Finding(issue=one.issue, severity=Severity.IMPORTANT, category=one.category, pattern_id=one.pattern)
        for one in known_false
    ]
    same = recognise([findings[number] for number in open_ones], patterns, sure=CERTAIN)
    marked = {open_ones[position]: known_false[which] for position, which in same.items()}
    return tuple(
        replace(one, suppressed=f"memory {marked[n].pattern}: {marked[n].because}") if n in marked else one
        for n, one in enumerate(findings)
    )


def _bare(finding: Finding) -> Finding:
    """What a finding says, without where."""
    return Finding(issue=finding.issue, severity=Severity.IMPORTANT, category=finding.category, place=NOWHERE)
