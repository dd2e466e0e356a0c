"""One list out of a panel's several: what they agree on, what one alone says, where they contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from reviewloop.core.matching.pairs import SAME_FROM, Pair, pairing
from reviewloop.core.types.finding import Change, Finding, Place, Severity

Ruling = Literal["same", "different", "contradiction"]

_OPPOSITES = ({Change.ADD, Change.REMOVE}, {Change.INCREASE, Change.DECREASE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A panel's findings, each in one of four groups. A finding in `possible` is in one of the first three as well.

    `model_b_only` is what only the strongest model says, the last one; `model_a_only` what only one of the others says.
    """

    agreed: tuple[Finding, ...] = ()
    model_b_only: tuple[Finding, ...] = ()
    model_a_only: tuple[Finding, ...] = ()
    contradiction: tuple[Pair, ...] = ()
    possible: tuple[Pair, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether anything critical or important is agreed on, or said by the strongest model."""
        return any(_blocks(finding) for finding in (*self.agreed, *self.model_b_only))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything anybody said, once: agreed first, contradictions last."""
        disputed = dict.fromkeys(finding for pair in self.contradiction for finding in (pair.left, pair.right))
        return (*self.agreed, *self.model_b_only, *self.model_a_only, *disputed)


def merge(a: Sequence[Finding], b: Sequence[Finding], *, names: tuple[str, str] = ("model_a", "model_b")) -> Merged:
    """Merge the findings of two models.

    Args:
        a: Findings of the weaker model.
        b: Findings of the stronger model.
        names: Who they are, for findings whose `by` is empty.
    """
    pool = _Pool()
    for name, findings in zip(names, (a, b), strict=True):
        pool.add(name, findings)
    return pool.merged()


def merge_panel(reviews: Mapping[str, Sequence[Finding]]) -> Merged:
    """Merge the findings of any number of models, given by seat in order; the last one is the strongest.

    Agreed is what at least two say. With one model there is nobody to agree with: all it says is `model_b_only`.
    """
    pool = _Pool()
    for name, findings in reviews.items():
        pool.add(name, findings)
    return pool.merged()


def opposed(left: Finding, right: Finding) -> bool:
    """Whether two findings at one place ask for opposite things: add and remove, more and less, keep and change."""
    actions = {left.action, right.action}
    return None not in actions and (actions in _OPPOSITES or (len(actions) > 1 and Change.KEEP in actions))


def combine(left: Finding, right: Finding) -> Finding:
    """Two findings that are the same, as one: the right one's words, the higher severity, the best of the rest."""
    return replace(
        right,
        severity=max(left.severity, right.severity),
        place=max(right.place, left.place, key=_precision),
        id=right.id or left.id,
        criterion=right.criterion or left.criterion,
        suggestion=max(right.suggestion, left.suggestion, key=lambda text: len(text or "")),
        quote=left.quote if left.verified and not right.verified else right.quote or left.quote,
        category=right.category or left.category,
        action=right.action or left.action,
        pattern_id=right.pattern_id or left.pattern_id,
        rule=right.rule or left.rule,
        by=tuple(dict.fromkeys((*left.by, *right.by))),
        verified=left.verified or right.verified,
        standing=right.standing or left.standing,
        suppressed=left.suppressed and right.suppressed,
    )


def settle(merged: Merged, rulings: Mapping[str, Ruling]) -> Merged:
    """Apply a tie-break's rulings to the pairs in `possible`, by their id. A pair without a ruling stays as it is."""
    for name in [pair.id for pair in merged.possible if pair.id in rulings]:
        # An earlier ruling may have renewed the pair's findings, or disposed of the pair.
        pair = next((pair for pair in merged.possible if pair.id == name), None)
        if pair:
            merged = _settled(merged, pair, rulings[name])
    return merged


def _settled(merged: Merged, pair: Pair, ruling: Ruling) -> Merged:
    rest = tuple(other for other in merged.possible if other.id != pair.id)
    if ruling == "different":
        return replace(merged, possible=rest)
    two = (pair.left, pair.right)
    without = replace(
        merged,
        agreed=tuple(finding for finding in merged.agreed if finding not in two),
        model_b_only=tuple(finding for finding in merged.model_b_only if finding not in two),
        model_a_only=tuple(finding for finding in merged.model_a_only if finding not in two),
    )
    if ruling == "contradiction":
        return replace(
            without,
            contradiction=(*merged.contradiction, replace(pair, id="")),
            possible=tuple(other for other in rest if other.left not in two and other.right not in two),
        )
    both = combine(*two)
    renewed = {pair.left: both, pair.right: both}
    return replace(
        without,
        agreed=(*without.agreed, both),
        possible=tuple(
            replace(other, left=renewed.get(other.left, other.left), right=renewed.get(other.right, other.right))
            for other in rest
        ),
    )


def _precision(place: Place) -> tuple[bool, bool, bool]:
    return place.line is not None, bool(place.file), bool(place.section)


def _blocks(finding: Finding) -> bool:
    return finding.severity >= Severity.IMPORTANT and not finding.suppressed and not finding.is_late


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """Two entries of a pool that have to do with each other."""

    left: int
    right: int
    p: float


@dataclass(slots=True)
class _Pool:
    """What the panel has said so far: distinct findings, which models say each, and how they relate."""

    models: int = 0
    entries: list[Finding] = field(default_factory=list[Finding])
    voices: list[set[int]] = field(default_factory=list[set[int]])
    possible: list[_Link] = field(default_factory=list[_Link])
    contradiction: list[_Link] = field(default_factory=list[_Link])

    def add(self, name: str, findings: Sequence[Finding]) -> None:
        """Take in one more model's findings; what it says twice in the same words counts once."""
        said = list(dict.fromkeys(replace(finding, by=finding.by or (name,)) for finding in findings))
        partners = {column: (row, p) for (row, column), p in pairing(self.entries, said).items()}
        self.models += 1
        for column, finding in enumerate(said):
            row, p = partners.get(column, (-1, 0.0))
            if p >= SAME_FROM and not opposed(self.entries[row], finding):
                self.entries[row] = combine(self.entries[row], finding)
                self.voices[row].add(self.models)
                continue
            if p:
                links = self.contradiction if p >= SAME_FROM else self.possible
                links.append(_Link(left=row, right=len(self.entries), p=p))
            self.entries.append(finding)
            self.voices.append({self.models})

    def merged(self) -> Merged:
        disputed = {number for link in self.contradiction for number in (link.left, link.right)}
        groups: dict[str, list[Finding]] = {"agreed": [], "model_b_only": [], "model_a_only": []}
        for number, finding in enumerate(self.entries):
            if number not in disputed:
                groups[self._group(number)].append(finding)
        undecided = [link for link in self.possible if not disputed & {link.left, link.right}]
        return Merged(
            agreed=tuple(groups["agreed"]),
            model_b_only=tuple(groups["model_b_only"]),
            model_a_only=tuple(groups["model_a_only"]),
            contradiction=tuple(self._pair(link, "") for link in self.contradiction),
            possible=tuple(self._pair(link, f"P{number}") for number, link in enumerate(undecided, 1)),
        )

    def _group(self, number: int) -> str:
        voices = self.voices[number]
        if len(voices) > 1:
            return "agreed"
        return "model_b_only" if self.models in voices else "model_a_only"

    def _pair(self, link: _Link, name: str) -> Pair:
        return Pair(left=self.entries[link.left], right=self.entries[link.right], p=link.p, id=name)
