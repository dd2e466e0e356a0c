"""Merges a panel's findings: agreed, raised by one model alone, or contradicting each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewloop.core.matching.pairs import SAME_FROM, Pair, pairing
from reviewloop.core.types.decision import Ruling
from reviewloop.core.types.finding import Change, Finding, Place

_OPPOSITES = ({Change.ADD, Change.REMOVE}, {Change.INCREASE, Change.DECREASE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A panel's findings in four groups. A finding in `possible` is also in one of the first three.

    `model_b_only` holds findings of the strongest model alone, the last one; `model_a_only` those of one other model.
    """

    agreed: tuple[Finding, ...] = ()
    model_b_only: tuple[Finding, ...] = ()
    model_a_only: tuple[Finding, ...] = ()
    contradiction: tuple[Pair, ...] = ()
    possible: tuple[Pair, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether a critical or important finding is agreed, or raised by the strongest model."""
        return any(finding.is_serious for finding in (*self.agreed, *self.model_b_only))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, each once: agreed first, contradictions last."""
        disputed = dict.fromkeys(finding for pair in self.contradiction for finding in (pair.left, pair.right))
        return (*self.agreed, *self.model_b_only, *self.model_a_only, *disputed)


def merge(a: Sequence[Finding], b: Sequence[Finding], *, names: tuple[str, str] = ("model_a", "model_b")) -> Merged:
    """Merge the findings of two models.

    Args:
        a: Findings of the weaker model.
        b: Findings of the stronger model.
        names: The models' names, for findings whose `by` is empty.
    """
    pool = _Pool()
    for name, findings in zip(names, (a, b), strict=True):
        pool.add(name, findings)
    return pool.merged()


def merge_panel(reviews: Mapping[str, Sequence[Finding]]) -> Merged:
    """Merge the findings of any number of models, by name; the last model is the strongest.

    A finding is agreed if at least two models raise it. With one model, all its findings are `model_b_only`.
    """
    pool = _Pool()
    for name, findings in reviews.items():
        pool.add(name, findings)
    return pool.merged()


def opposed(left: Finding, right: Finding) -> bool:
    """Whether two findings at one place ask for opposite changes: add and remove, more and less, keep and change."""
    actions = {left.action, right.action}
    return None not in actions and (actions in _OPPOSITES or (len(actions) > 1 and Change.KEEP in actions))


def combine(left: Finding, right: Finding) -> Finding:
    """Combine two equal findings: the wording of the right one, the higher severity, the better of the other fields."""
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
    """Apply a tie-break's rulings to the pairs in `possible`, by id. A pair without a ruling stays unchanged."""
    for name in [pair.id for pair in merged.possible if pair.id in rulings]:
        # An earlier ruling may have replaced the pair's findings, or removed the pair.
        pair = next((pair for pair in merged.possible if pair.id == name), None)
        if pair:
            merged = _settled(merged, pair, rulings[name])
    return merged


def _settled(merged: Merged, pair: Pair, ruling: Ruling) -> Merged:
    rest = tuple(other for other in merged.possible if other.id != pair.id)
    if ruling == "different":
        return replace(merged, possible=rest)
    both = (pair.left, pair.right)
    without = replace(
        merged,
        agreed=tuple(finding for finding in merged.agreed if finding not in both),
        model_b_only=tuple(finding for finding in merged.model_b_only if finding not in both),
        model_a_only=tuple(finding for finding in merged.model_a_only if finding not in both),
    )
    if ruling == "contradiction":
        return replace(
            without,
            contradiction=(*merged.contradiction, replace(pair, id="")),
            possible=tuple(other for other in rest if other.left not in both and other.right not in both),
        )
    combined = combine(*both)
    replaced = {pair.left: combined, pair.right: combined}
    return replace(
        without,
        agreed=(*without.agreed, combined),
        possible=tuple(
            replace(other, left=replaced.get(other.left, other.left), right=replaced.get(other.right, other.right))
            for other in rest
        ),
    )


def _precision(place: Place) -> tuple[bool, bool, bool]:
    return place.line is not None, bool(place.file), bool(place.section)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """Two related entries of a pool."""

    left: int
    right: int
    p: float


@dataclass(slots=True)
class _Pool:
    """The distinct findings so far, the models that raise each, and their relations."""

    models: int = 0
    entries: list[Finding] = field(default_factory=list[Finding])
    voices: list[set[int]] = field(default_factory=list[set[int]])
    possible: list[_Link] = field(default_factory=list[_Link])
    contradiction: list[_Link] = field(default_factory=list[_Link])

    def add(self, name: str, findings: Sequence[Finding]) -> None:
        """Add one more model's findings, without duplicates."""
        new = list(dict.fromkeys(replace(finding, by=finding.by or (name,)) for finding in findings))
        partners = {column: (row, p) for (row, column), p in pairing(self.entries, new).items()}
        self.models += 1
        for column, finding in enumerate(new):
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
