"""The ratchet: how each finding relates to the iterations before, and where the loop is heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewloop.core.matching.pairs import SAME_FROM, pairing
from reviewloop.core.types.finding import Finding, Place, Severity, Standing
from reviewloop.core.types.sections import Section, section_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one iteration saw and raised."""

    digest: str
    size: int
    sections: tuple[Section, ...]
    findings: tuple[Finding, ...]

    @property
    def blocking(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if not f.is_late and not f.suppressed and f.severity > Severity.INFO)


def classify(findings: tuple[Finding, ...], now: Look, earlier: Sequence[Look]) -> tuple[Finding, ...]:
    """Give each finding its standing. The first iteration has nothing to compare with: all are new."""
    if not earlier:
        return tuple(finding.classed(Standing.NEW) for finding in findings)
    still = known(findings, earlier[-1].findings)
    others = [number for number in range(len(findings)) if number not in still]
    last = {_wording(finding) for finding in earlier[-1].findings}
    before = [one for look in earlier[:-1] for one in look.findings if _wording(one) not in last]
    returned = {others[number] for number in known([findings[number] for number in others], before)}
    standings = (
        Standing.STILL_FAILING
        if number in still
        else Standing.REGRESSION
        if number in returned
        else _first_seen(finding, now, earlier)
        for number, finding in enumerate(findings)
    )
    return tuple(finding.classed(standing) for finding, standing in zip(findings, standings, strict=True))


def _first_seen(finding: Finding, now: Look, earlier: Sequence[Look]) -> Standing:
    late = finding.rule is None and any(_unchanged(finding.place, now, look) for look in earlier)
    return Standing.LATE if late else Standing.NEW


def known(findings: Sequence[Finding], earlier: Sequence[Finding], same_from: float = SAME_FROM) -> dict[int, Finding]:
    """Those of the findings that were raised before, by position, each with the earlier one it repeats.

    Word for word the same is settled at once; only what is left has to be compared.
    """
    words = {_wording(finding): finding for finding in earlier}
    found = {number: words[key] for number, one in enumerate(findings) if (key := _wording(one)) in words}
    taken = {id(finding) for finding in found.values()}
    rest = [number for number in range(len(findings)) if number not in found]
    open_earlier = [finding for finding in earlier if id(finding) not in taken]
    if rest and open_earlier:
        for row, column in pairing([findings[number] for number in rest], open_earlier, least=same_from):
            found[rest[row]] = open_earlier[column]
    return found


def _wording(finding: Finding) -> tuple[str | None, ...]:
    return finding.rule, finding.issue, finding.place.file, finding.place.section


def _unchanged(place: Place, now: Look, then: Look) -> bool:
    """Whether the text a finding points at is the same as it was then."""
    if now.digest == then.digest:
        return True
    section = section_at(place, now.sections)
    return section is not None and any(
        section.digest == other.digest and section.file == other.file for other in then.sections
    )
