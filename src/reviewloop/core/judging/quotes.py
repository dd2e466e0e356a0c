"""Checks that a finding's quote is in the artifact, and finds its line. A quote may leave words out: `a … b`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reviewloop.core.types.artifact import Artifact, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.redaction import MARK, redact_in_place

_STRAIGHT = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'") | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
)
_MARKS = "\"'`"
_ELISION = re.compile(r"\s*(?:\[\s*(?:\u2026|\.{3,})\s*\]|\(\s*(?:\u2026|\.{3,})\s*\)|\u2026|\.{3,})\s*")
_SHOWN = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A file with its white space collapsed, the start of each word in that text, and the word's line in the file."""

    path: str
    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]

    @classmethod
    def of(cls, file: SourceFile) -> _Text:
        words: list[str] = []
        starts: list[int] = []
        lines: list[int] = []
        at = 0
        for number, line in enumerate(file.text.splitlines(), 1):
            for word in line.split():
                words.append(word)
                starts.append(at)
                lines.append(number)
                at += len(word) + 1
        return cls(path=file.path, text=_plain(" ".join(words)), starts=tuple(starts), lines=tuple(lines))

    def line_of(self, quote: str, near: int | None = None) -> int | None:
        """The line that the quote starts on, the nearest to `near` if there are several; None without the quote.

        Where words are left out, the passages have to follow each other.
        """
        first, *rest = [part for part in _ELISION.split(quote) if part] or [""]
        found: int | None = None
        at = self.text.find(first) if first else -1
        while at >= 0 and self._follow(rest, at + len(first)):
            line = self.lines[bisect_right(self.starts, at) - 1]
            if near is None or found is None or abs(line - near) < abs(found - near):
                found = line
            if near is None or line >= near:
                return found
            at = self.text.find(first, at + 1)
        return found

    def _follow(self, parts: Sequence[str], at: int) -> bool:
        for part in parts:
            at = self.text.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return True


def verify(findings: Sequence[Finding], artifact: Artifact) -> tuple[Finding, ...]:
    """Check each finding's quote against the artifact and its upstream documents.

    White space and the shape of quotation marks do not matter; case does. A finding whose quote is found gets the line
    of the quote. A quote with a mark for a secret is looked for in the redacted text, which the reviewer saw.
    """
    if not any(finding.quote for finding in findings):
        return tuple(replace(finding, verified=None) for finding in findings)
    originals = _Texts.of(artifact)
    marked = any(MARK in finding.quote for finding in findings if finding.quote)
    redacted = _Texts.of(artifact, redact_in_place) if marked else None
    return tuple(_verified(finding, originals, redacted) for finding in findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """The texts of the artifact and of its upstream documents."""

    own: tuple[_Text, ...]
    upstream: tuple[_Text, ...]

    @classmethod
    def of(cls, artifact: Artifact, text_of: Callable[[str], str] = str) -> _Texts:
        upstream = (file for source in artifact.all_upstream for file in source.files)
        return cls(
            own=tuple(_Text.of(replace(file, text=text_of(file.text))) for file in artifact.files),
            upstream=tuple(_Text.of(replace(file, text=text_of(file.text))) for file in upstream),
        )


def _verified(finding: Finding, *candidates: _Texts | None) -> Finding:
    quote = _plain(finding.quote or "")
    if not quote:
        return replace(finding, verified=None)
    for texts in filter(None, candidates):
        for wording in dict.fromkeys((quote, quote.strip(_MARKS).strip())):
            if place := _found(wording, finding.place, texts.own):
                return replace(finding, place=place, verified=True)
            if any(text.line_of(wording) for text in texts.upstream):
                return replace(finding, verified=True)
    return replace(finding, verified=False)


def unfounded(review: Review) -> Malformed | None:
    """The problem with a review that calls something critical and quotes what is not there. A no stays a no."""
    for index, finding in enumerate(review.findings):
        if finding.severity is Severity.CRITICAL and finding.verified is False:
            quote = " ".join((finding.quote or "").split())
            shown = quote if len(quote) <= _SHOWN else f"{quote[:_SHOWN]}\u2026"
            message = f"the quote of a critical finding is not in the text that was reviewed: {shown}"
            no = review if review.verdict is Verdict.NEEDS_REVISION else None
            return Malformed(field=f"findings[{index}].quote", message=message, refusal=no)
    return None


def _found(quote: str, place: Place, texts: Sequence[_Text]) -> Place | None:
    """The finding's place with the quote's line instead of a stated line; None if the quote is not in the artifact."""
    lines = {text.path: line for text in texts if (line := text.line_of(quote, place.line))}
    if not lines:
        return None
    path = place.file if place.file in lines else next(iter(lines))
    return replace(place, file=path, line=lines[path], column=place.column if lines[path] == place.line else None)


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_STRAIGHT)
