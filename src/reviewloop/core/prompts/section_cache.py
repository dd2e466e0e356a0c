"""The section cache: sections that a reviewer has reviewed before, by the same rubric, are not sent again.

A review covers every section of its text: the reviewer was sent the section then or earlier. So the new text is only
compared with the last text that the reviewer reviewed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
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
"""A text of at most this many characters is always sent in full."""

CONTEXT = 600
"""A neighbour of a changed section is sent with it if it has at most this many characters."""

WORTHWHILE = 0.8
"""An excerpt is sent if it is at most this share of the text."""

CHARS_PER_TOKEN = 4
_PREFIX = 12

Identity = TypeVar("Identity", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The sections to send in full, the unchanged sections, and the titles of removed sections."""

    shown: tuple[Section, ...]
    unchanged: tuple[Section, ...]
    gone: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The sections and scores of a reviewer's last review that counted."""

    sections: tuple[Section, ...]
    scores: Mapping[str, float]


def cache_key(
    *,
    agent: str,
    rubric: Rubric,
    dialect: str,
    artifact: Artifact,
    stage: str | None = None,
    context: Sequence[str] = (),
) -> str:
    """Identify a reviewer, its criteria and the upstream text. `context` holds other grounds, such as the Standards."""
    parts = [
        agent,
        stage,
        dialect,
        _digest_of_rubric(rubric),
        [source.digest for source in artifact.all_upstream],
        list(context),
    ]
    return digest_of(json.dumps(parts))


@lru_cache(maxsize=64)  # needed for every reviewer in every iteration
def _digest_of_rubric(rubric: Rubric) -> str:
    return digest_of(json.dumps(asdict(rubric), sort_keys=True))


def last_seen(history: History, key: str) -> Seen | None:
    """The last review with this key that counted.

    Answers of inconclusive iterations, and discarded answers, do not count: they left no findings to follow up.
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
        if mine and ended.review:
            return ended.review
    return None


def excerpt(artifact: Artifact, seen: Seen | None, findings: Sequence[Finding] = ()) -> Excerpt | None:
    """The part of the artifact to send; None to send all of it.

    The part consists of the changed sections, their small neighbours, and the sections with open findings. An unchanged
    document is sent in full, because the user asked for a second opinion.
    """
    if seen is None or artifact.size <= SMALL:
        return None
    sections = sections_of(artifact)
    sizes = _sizes(sections, artifact)
    too_much = WORTHWHILE * artifact.size
    seen_before = {section.digest for section in seen.sections}
    if sum(size for part, size in zip(sections, sizes, strict=True) if part.digest not in seen_before) > too_much:
        return None
    known = Counter(identities(seen.sections))
    changed = [number for number, identity in enumerate(identities(sections)) if not _take(known, identity)]
    gone = _gone(sections, seen.sections)
    if not changed and not gone:
        return None
    near = {other for number in changed for other in (number - 1, number + 1) if 0 <= other < len(sections)}
    open_at = {sections.index(section) for finding in findings if (section := _section_of(finding, sections))}
    shown = {*changed, *open_at, *(number for number in near if sizes[number] <= CONTEXT)}
    if sum(sizes[number] for number in shown) > too_much:
        return None
    return Excerpt(
        shown=tuple(section for number, section in enumerate(sections) if number in shown),
        unchanged=tuple(section for number, section in enumerate(sections) if number not in shown),
        gone=gone,
        scores=seen.scores,
    )


def identities(sections: Sequence[Section]) -> list[str]:
    """An identity for each section: its file, the headings above it, and its text."""
    found: list[str] = []
    above: list[Section] = []
    for section in sections:
        above = [parent for parent in above if parent.file == section.file and parent.level < section.level]
        found.append("\0".join((section.file, *(parent.title for parent in above), section.digest)))
        if section.level:
            above.append(section)
    return found


def sent(key: str, part: Excerpt | None, saved_chars: int) -> Sent:
    """The record of the text that a reviewer was sent."""
    if part is None:
        return Sent(key=key)
    digests = tuple(section.digest[:_PREFIX] for section in part.shown)
    return Sent(
        key=key, whole=False, sections=digests, saved_chars=saved_chars, saved_tokens=saved_chars // CHARS_PER_TOKEN
    )


def _take(known: Counter[Identity], identity: Identity) -> bool:
    """Take one occurrence of an identity; false if none is left."""
    known[identity] -= 1
    return known[identity] >= 0


def _gone(now: Sequence[Section], before: Sequence[Section]) -> tuple[str, ...]:
    left = Counter((section.file, section.title) for section in now)
    return tuple(past.title for past in before if past.title and not _take(left, (past.file, past.title)))


def _section_of(finding: Finding, sections: Sequence[Section]) -> Section | None:
    return section_at(finding.place, sections) if finding.is_open else None


def _sizes(sections: Sequence[Section], artifact: Artifact) -> list[int]:
    lines = {file.path: [len(line) + 1 for line in file.text.splitlines()] for file in artifact.files}
    return [sum(lines[section.file][section.start - 1 : section.end]) for section in sections]
