"""The ratchet: whether each finding is new, still failing, a regression or late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewloop.core.matching.pairs import SAME_FROM, pairing
from reviewloop.core.types.finding import Finding, Place, Severity, Standing
from reviewloop.core.types.sections import Section, section_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """The text that one iteration read, and the findings it raised."""

    digest: str
    size: int
    sections: tuple[Section, ...]
    findings: tuple[Finding, ...]

    @property
    def blocking(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_open and finding.severity > Severity.INFO)


def classify(findings: tuple[Finding, ...], now: Revision, earlier: Sequence[Revision]) -> tuple[Finding, ...]:
    """Give each finding its standing. In the first iteration every finding is new."""
    if not earlier:
        return tuple(finding.with_standing(Standing.NEW) for finding in findings)
    still = find_repeats(findings, earlier[-1].findings)
    others = [number for number in range(len(findings)) if number not in still]
    last = {_wording(finding) for finding in earlier[-1].findings}
    before = [past for revision in earlier[:-1] for past in revision.findings if _wording(past) not in last]
    returned = {others[number] for number in find_repeats([findings[number] for number in others], before)}
    standings = (
        Standing.STILL_FAILING
        if number in still
        else Standing.REGRESSION
        if number in returned
        else _first_seen(finding, now, earlier)
        for number, finding in enumerate(findings)
    )
    return tuple(finding.with_standing(standing) for finding, standing in zip(findings, standings, strict=True))


def _first_seen(finding: Finding, now: Revision, earlier: Sequence[Revision]) -> Standing:
    late = finding.rule is None and any(_unchanged(finding.place, now, revision) for revision in earlier)
    return Standing.LATE if late else Standing.NEW


def find_repeats(
    findings: Sequence[Finding], earlier: Sequence[Finding], same_from: float = SAME_FROM
) -> dict[int, Finding]:
    """The earlier finding that each finding repeats, by position; findings that repeat none are left out.

    Equal wording is matched first, so that only the rest needs the slower comparison.
    """
    words = {_wording(finding): finding for finding in earlier}
    found = {number: words[key] for number, finding in enumerate(findings) if (key := _wording(finding)) in words}
    taken = {id(finding) for finding in found.values()}
    rest = [number for number in range(len(findings)) if number not in found]
    open_earlier = [finding for finding in earlier if id(finding) not in taken]
    if rest and open_earlier:
        for row, column in pairing([findings[number] for number in rest], open_earlier, least=same_from):
            found[rest[row]] = open_earlier[column]
    return found


def _wording(finding: Finding) -> tuple[str | None, ...]:
    return finding.rule, finding.issue, finding.place.file, finding.place.section


def _unchanged(place: Place, now: Revision, then: Revision) -> bool:
    if now.digest == then.digest:
        return True
    section = section_at(place, now.sections)
    return section is not None and any(
        section.digest == other.digest and section.file == other.file for other in then.sections
    )
