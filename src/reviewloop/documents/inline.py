"""Finds code spans, comments and links, and blanks them for rules that only read prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewloop.documents.model import CodeSpan, Comment, Fence, Link
from reviewloop.documents.patterns import lazy_re

_TICKS = lazy_re(r"`+")
_LINK = lazy_re(r"!?\[([^\[\]]{0,300})\]\(\s{0,5}<?([^()\s<>]{1,500}(?:\([^()\s]{0,200}\))?)>?[^()]{0,200}\)")
_AUTO = lazy_re(r"<((?:https?|mailto):[^\s<>]{1,500})>|(?<![(<\[\w])(https?://[^\s<>`|)\]]{1,500})")
_DEFINITION = lazy_re(r"^ {0,3}\[([^\]]{1,200})\]:\s{0,5}<?(\S{1,500}?)>?(?:\s|$)")
_MARKS = ("`", "](", "]:", "://", "<mailto")
"""A line without any of these has neither code nor links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    prose: tuple[str, ...]
    words: tuple[str, ...]
    comments: tuple[Comment, ...]
    spans: tuple[CodeSpan, ...]
    links: tuple[Link, ...]


def read_inline(lines: Sequence[str], fences: Sequence[Fence], skip: int) -> Inline:
    """Find the inline parts of all lines. The first `skip` lines are front matter."""
    prose = list(lines)
    for number in range(skip):
        prose[number] = " " * len(prose[number])
    for fence in fences:
        for number in range(fence.line - 1, fence.end):
            prose[number] = " " * len(prose[number])
    text = "\n".join(prose)
    comments = _cut_comments(prose) if "<!--" in text else []
    marks = [mark for mark in _MARKS if mark in text]
    words = list(prose)
    spans: list[CodeSpan] = []
    links: list[Link] = []
    for number, line in enumerate(prose if marks else (), 1):
        if not any(mark in line for mark in marks):
            continue
        masked = line
        for start, end, ticks in code_spans(line):
            spans.append(
                CodeSpan(text=line[start + ticks : end - ticks].strip(), line=number, column=start + ticks + 1)
            )
            masked = masked[:start] + " " * (end - start) + masked[end:]
        for link in _links(masked, number):
            links.append(link)
            at = masked.find(link.target, link.column - 1)
            masked = masked[:at] + " " * len(link.target) + masked[at + len(link.target) :]
        words[number - 1] = masked
    return Inline(
        prose=tuple(prose), words=tuple(words), comments=tuple(comments), spans=tuple(spans), links=tuple(links)
    )


def code_spans(line: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of backticks of each code span. As in CommonMark, runs of equal length pair up."""
    if "`" not in line:
        return
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(line)]
    closers: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        closers.setdefault(runs[index][1] - runs[index][0], []).append(index)
    index = 0
    while index < len(runs):
        start, end = runs[index]
        waiting = closers[end - start]
        while waiting and waiting[-1] <= index:
            waiting.pop()
        if not waiting:
            index += 1
            continue
        close = waiting.pop()
        yield start, runs[close][1], end - start
        index = close + 1


def _cut_comments(prose: list[str]) -> list[Comment]:
    """Blank the comments in place and return them. An unclosed comment is ignored."""
    comments: list[Comment] = []
    number = 0
    column = 0
    unclosed = False
    while number < len(prose) and not unclosed:
        at = _comment_start(prose[number], column)
        if at is None:
            number, column = number + 1, 0
            continue
        end = _comment_end(prose, number, at + 4)
        if end is None:
            unclosed = True
            continue
        last, stop = end
        parts = [
            prose[row][at + 4 if row == number else 0 : stop - 3 if row == last else None]
            for row in range(number, last + 1)
        ]
        comments.append(Comment(text="\n".join(parts), line=number + 1, column=at + 1, end=last + 1))
        for row in range(number, last + 1):
            begin, finish = (at if row == number else 0), (stop if row == last else len(prose[row]))
            prose[row] = prose[row][:begin] + " " * (finish - begin) + prose[row][finish:]
        number, column = last, stop
    return comments


def _comment_start(line: str, column: int) -> int | None:
    at = line.find("<!--", column)
    if at < 0:
        return None
    inside = [(start, end) for start, end, _ in code_spans(line)]
    while at >= 0 and any(start < at < end for start, end in inside):
        at = line.find("<!--", at + 4)
    return at if at >= 0 else None


def _comment_end(prose: Sequence[str], number: int, column: int) -> tuple[int, int] | None:
    for row in range(number, len(prose)):
        at = prose[row].find("-->", column if row == number else 0)
        if at >= 0:
            return row, at + 3
    return None


def _links(line: str, number: int) -> Iterator[Link]:
    if "](" in line:
        for match in _LINK.finditer(line):
            yield Link(text=match[1], target=match[2], line=number, column=match.start() + 1)
    if "]:" in line and (match := _DEFINITION.match(line)):
        yield Link(text=match[1], target=match[2], line=number, column=match.start(2) + 1)
    if "://" in line or "<mailto" in line:
        for match in _AUTO.finditer(line):
            group = 1 if match[1] else 2
            yield Link(text="", target=match[group].rstrip(".,;:"), line=number, column=match.start(group) + 1)
