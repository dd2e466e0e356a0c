"""What a reviewer need not be sent again: sections it has reviewed before, word for word, by the same rubric.

A reviewer has accounted for every section of a text it gave a review of: it was sent the section, or had accounted for
it before. So the last text it reviewed is all there is to compare with.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TypeVar

from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.artifact import Artifact, digest_of
from reviewloop.core.types.calls import Sent
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Rubric
from reviewloop.core.types.sections import Section, section_at, sections_of

SMALL = 4_000
"""Characters up to which a text is always sent whole."""

CONTEXT = 600
"""Characters up to which the neighbour of a changed section is sent with it."""

WORTHWHILE = 0.8
"""The share of the text below which an excerpt is sent instead of all of it."""

CHARS_PER_TOKEN = 4
_PREFIX = 12

Identity = TypeVar("Identity", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The sections a reviewer is sent in full, those it has seen before, and the titles of those that are gone."""

    shown: tuple[Section, ...]
    unchanged: tuple[Section, ...]
    gone: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The last text a reviewer gave a review of that counted, and the scores it gave."""

    sections: tuple[Section, ...]
    scores: Mapping[str, float]


def cache_key(
    *, agent: str, rubric: Rubric, dialect: str, artifact: Artifact, stage: str | None = None, told: Sequence[str] = ()
) -> str:
    """Who reviews, by what, against what. `told` is what else a judgement rests on, such as the Standards."""
    parts = [agent, stage, dialect, _digest_of_rubric(rubric), list(_upstream_digests(artifact)), list(told)]
    return digest_of(json.dumps(parts))


@lru_cache(maxsize=64)  # every reviewer has one, in every iteration
def _digest_of_rubric(rubric: Rubric) -> str:
    return digest_of(json.dumps(asdict(rubric), sort_keys=True))


def _upstream_digests(artifact: Artifact) -> Iterator[str]:
    for source in artifact.upstream:
        yield source.digest
        yield from _upstream_digests(source)


def last_seen(history: History, key: str) -> Seen | None:
    """What the reviewer with this key accounted for last.

    An answer counts only with the iteration it was given in: what was inconclusive or discarded left no findings for
    anybody to check.
    """
    for iteration in reversed(history.iterations):
        if review := _counted(iteration, key):
            return Seen(sections=iteration.checked.sections, scores=review.scores)
    return None


def _counted(iteration: Iteration, key: str) -> Review | None:
    conclusion = iteration.conclusion
    if conclusion is None or conclusion.verdict is Verdict.INCONCLUSIVE:
        return None
    discarded = iteration.discarded.keys if iteration.discarded else ()
    for ended in iteration.ended:
        mine = ended.call.sent is not None and ended.call.sent.key == key and ended.call.key not in discarded
        if mine and isinstance(ended.result, Review) and ended.result.verdict is not Verdict.INCONCLUSIVE:
            return ended.result
    return None


def excerpt(artifact: Artifact, seen: Seen | None, findings: Sequence[Finding] = ()) -> Excerpt | None:
    """What of the artifact has to be sent; None if that is all of it.

    Beside what changed, that is the text that open findings point at, and small neighbours of changed sections. If
    nothing changed at all, somebody wants a second look, and everything is sent.
    """
    if seen is None or artifact.size <= SMALL:
        return None
    sections = sections_of(artifact)
    sizes = _sizes(sections, artifact)
    too_much = WORTHWHILE * artifact.size
    seen_before = {one.digest for one in seen.sections}
    if sum(size for one, size in zip(sections, sizes, strict=True) if one.digest not in seen_before) > too_much:
        return None
    known = Counter(identities(seen.sections))
    changed = [number for number, one in enumerate(identities(sections)) if not _take(known, one)]
    gone = _gone(sections, seen.sections)
    if not changed and not gone:
        return None
    near = {other for number in changed for other in (number - 1, number + 1) if 0 <= other < len(sections)}
    open_at = {sections.index(one) for finding in findings if (one := _place(finding, sections))}
    shown = {*changed, *open_at, *(number for number in near if sizes[number] <= CONTEXT)}
    if sum(sizes[number] for number in shown) > too_much:
        return None
    return Excerpt(
        shown=tuple(one for number, one in enumerate(sections) if number in shown),
        unchanged=tuple(one for number, one in enumerate(sections) if number not in shown),
        gone=gone,
        scores=seen.scores,
    )


def identities(sections: Sequence[Section]) -> list[str]:
    """What makes a section the same: its file, the headings above it, and its words."""
    found: list[str] = []
    above: list[Section] = []
    for section in sections:
        above = [one for one in above if one.file == section.file and one.level < section.level]
        found.append("\0".join((section.file, *(one.title for one in above), section.digest)))
        if section.level:
            above.append(section)
    return found


def sent(key: str, part: Excerpt | None, saved_chars: int) -> Sent:
    """The record of what a reviewer was sent."""
    if part is None:
        return Sent(key=key)
    digests = tuple(section.digest[:_PREFIX] for section in part.shown)
    return Sent(
        key=key, whole=False, sections=digests, saved_chars=saved_chars, saved_tokens=saved_chars // CHARS_PER_TOKEN
    )


def _take(known: Counter[Identity], identity: Identity) -> bool:
    """Whether this is there; each time it is there counts for one place only."""
    known[identity] -= 1
    return known[identity] >= 0


def _gone(now: Sequence[Section], before: Sequence[Section]) -> tuple[str, ...]:
    left = Counter((one.file, one.title) for one in now)
    return tuple(one.title for one in before if one.title and not _take(left, (one.file, one.title)))


def _place(finding: Finding, sections: Sequence[Section]) -> Section | None:
    if finding.is_late or finding.suppressed:
        return None
    return section_at(finding.place, sections)


def _sizes(sections: Sequence[Section], artifact: Artifact) -> list[int]:
    lines = {file.path: [len(line) + 1 for line in file.text.splitlines()] for file in artifact.files}
    return [sum(lines[section.file][section.start - 1 : section.end]) for section in sections]
