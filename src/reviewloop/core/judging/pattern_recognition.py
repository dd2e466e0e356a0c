"""Recognises known patterns in findings: by the id that the reviewer gave, else by the wording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.types.finding import NOWHERE, Finding, Severity
from reviewloop.core.types.policy import Suppression

CANDIDATES = 200
"""The number of patterns that a finding is compared with closely."""

CERTAIN = 0.95
"""The probability needed to treat a finding as a dismissed one. A wrong match would hide a new finding."""


def recognise(findings: Sequence[Finding], patterns: Sequence[Finding], *, sure: float) -> dict[int, int]:
    """The pattern of each recognised finding, both by position. Places are ignored: patterns recur in other files."""
    by_id = {pattern.pattern_id: number for number, pattern in enumerate(patterns)}
    ids = [finding.pattern_id for finding in findings]
    found = {number: by_id[name] for number, name in enumerate(ids) if name and name in by_id}
    rest = [number for number in range(len(findings)) if number not in found]
    bare = [_bare(pattern) for pattern in patterns]
    owners = {id(pattern): number for number, pattern in enumerate(bare)}
    for number in rest:  # one at a time, because several findings may be the same pattern
        finding = _bare(findings[number])
        for same in find_repeats([finding], _nearest(finding, bare), same_from=sure).values():
            found[number] = owners[id(same)]
    return found


def _nearest(finding: Finding, patterns: Sequence[Finding]) -> Sequence[Finding]:
    """The patterns with the most words in common, if there are too many to compare with all."""
    if len(patterns) <= CANDIDATES:
        return patterns
    words = _words(finding.issue)
    shared = [(len(words & _words(pattern.issue)), number) for number, pattern in enumerate(patterns)]
    best = sorted((-number, place) for number, place in shared if number)[:CANDIDATES]
    return [patterns[place] for place in sorted(place for _, place in best)]


@lru_cache(maxsize=10_000)
def _words(text: str) -> frozenset[str]:
    """The first letters of each word, so that most inflected forms are equal."""
    return frozenset(word[:6] for word in re.findall(r"\w+", text.lower()))


def suppress(findings: tuple[Finding, ...], known_false: Sequence[Suppression]) -> tuple[Finding, ...]:
    """Mark known false positives; never a critical finding, never a rule's finding."""
    candidates = [
        number
        for number, finding in enumerate(findings)
        if finding.severity < Severity.CRITICAL and finding.rule is None and not finding.suppressed
    ]
    if not known_false or not candidates:
        return findings
    patterns = [
        Finding(issue=known.issue, severity=Severity.IMPORTANT, category=known.category, pattern_id=known.pattern)
        for known in known_false
    ]
    same = recognise([findings[number] for number in candidates], patterns, sure=CERTAIN)
    marked = {candidates[position]: known_false[which] for position, which in same.items()}
    return tuple(
        replace(finding, suppressed=f"memory {marked[n].pattern}: {marked[n].because}") if n in marked else finding
        for n, finding in enumerate(findings)
    )


def _bare(finding: Finding) -> Finding:
    """The finding without its place."""
    return Finding(issue=finding.issue, severity=Severity.IMPORTANT, category=finding.category, place=NOWHERE)
