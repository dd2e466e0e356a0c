"""Recognising a known pattern in a finding: by the id the reviewer gave, else by what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from reviewloop.core.judging.ratchet import known
from reviewloop.core.types.finding import NOWHERE, Finding, Severity
from reviewloop.core.types.policy import Suppression

CANDIDATES = 200
"""How many patterns a finding is compared with closely."""

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
        one = _bare(findings[number])
        for same in known([one], _nearest(one, bare), same_from=sure).values():
            found[number] = owners[id(same)]
    return found


def _nearest(finding: Finding, patterns: Sequence[Finding]) -> Sequence[Finding]:
    """Those worth a closer look: the ones with the most words in common, if there are very many."""
    if len(patterns) <= CANDIDATES:
        return patterns
    words = _words(finding.issue)
    shared = [(len(words & _words(one.issue)), number) for number, one in enumerate(patterns)]
    best = sorted((-number, place) for number, place in shared if number)[:CANDIDATES]
    return [patterns[place] for _, place in sorted(best, key=lambda one: one[1])]


@lru_cache(maxsize=10_000)
def _words(text: str) -> frozenset[str]:
    """The first letters of its words, so that most of their forms are the same."""
    return frozenset(word[:6] for word in re.findall(r"\w+", text.lower()))


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
