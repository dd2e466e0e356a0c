"""A fast line-by-line scan for the blocks of plain documents.

Most documents use a small part of Markdown. For these, the scan finds the same blocks as markdown-it in a fraction of
the time. If a line is ambiguous (setext headings, quotes, HTML, tabs, lazy lines, indented code), the scan gives up and
markdown-it reads the document. A test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_ATX = re.compile(r"(#{1,6})(?: |$)")
_CLOSING = re.compile(r" +#+$")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)$")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)]) {1,4}(?=[^ ])")
_LISTED = frozenset("-*+0123456789")
_DELIMITER = re.compile(r"[|:-][|: -]*$")
_RULE = re.compile(r"(?:- *){3,}$|(?:\* *){3,}$|(?:_ *){3,}$")
_DOUBTFUL = re.compile(r"[<>]|=+ *$|-+ *$|[*+] *$|\d{1,9}[.)] *$|(?:[-*+]|\d{1,9}[.)]) {5}")
_IN_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?: |$)|`{3}|~{3}|[|<>#]|-{3}|_{3}|\*{3}|[-* ]+$")
_ODD_SPACE = re.compile(r"[^\S \n]|[\x00-\x08\x0e-\x1f]")
MAX_DEPTH = 8


class Doubt(Exception):
    """The scan cannot interpret a line with certainty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFence:
    start: int
    end: int
    info: str
    text: str


@dataclass(slots=True, kw_only=True)
class FoundItem:
    """A list item. Its marker is at column `indent` and its text starts at `at`. `end` is set when the item closes."""

    start: int
    indent: int
    at: int
    depth: int
    ordered: bool
    end: int = 0


@dataclass(slots=True)
class Scan:
    """The blocks that were found. As in markdown-it, lines count from 0 and ends are exclusive."""

    headings: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])
    tables: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    fences: list[FoundFence] = field(default_factory=list[FoundFence])
    items: list[FoundItem] = field(default_factory=list[FoundItem])


def scan(lines: Sequence[str]) -> Scan | None:
    """The blocks of a plain document; None if a line is ambiguous."""
    if not "".join(lines).isprintable() and _ODD_SPACE.search("\n".join(lines)):
        return None
    scanner = _Scanner(lines)
    try:
        return scanner.run()
    except Doubt:
        return None


class _Scanner:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.found = Scan()
        self.open: list[FoundItem] = []
        self.last = 0
        self.paragraph = False

    def run(self) -> Scan:
        number = 0
        lines, count = self.lines, len(self.lines)
        while number < count:
            line = lines[number]
            text = line.lstrip(" ")
            if not text:
                self.paragraph = False
                number += 1
                continue
            number = self.block(number, text, len(line) - len(text))
            self.last = number
        self.close(0)
        return self.found

    def block(self, number: int, text: str, indent: int) -> int:
        """Read the block or paragraph line that starts here, and return the number of the next line."""
        mark = text[0]
        item = _ITEM.match(text) if mark in _LISTED else None
        if self.open and indent < self.open[-1].at:
            if self.paragraph and not item and not _starts_block(text):
                raise Doubt
            self.leave(indent, listed=bool(item))
        if indent - (self.open[-1].at if self.open else 0) >= 4:
            if not self.paragraph:
                raise Doubt
            return number + 1
        if item:
            return self.item(number, text, indent, item)
        if mark.isalpha():  # most lines start with a letter
            return self.prose(number, text)
        if mark == "#":
            return self.heading(number, text)
        return self.marked(number, text, indent)

    def marked(self, number: int, text: str, indent: int) -> int:
        """Read a line that starts with neither a letter nor an item or heading marker."""
        if _DOUBTFUL.match(text):
            if not (text.startswith("---") and not self.paragraph and _RULE.match(text)):
                raise Doubt
            return number + 1
        if _RULE.match(text):
            if " " in text.strip() or text[0] == "-":
                raise Doubt
            self.paragraph = False
            return number + 1
        if text[0] in "`~" and (fence := _fence_at(text)):
            return self.fence(number, indent, fence)
        return self.prose(number, text)

    def leave(self, indent: int, *, listed: bool) -> None:
        while self.open and indent < self.open[-1].at:
            if listed and indent - self.open[-1].indent >= 4:
                raise Doubt
            self.close(len(self.open) - 1)
        self.paragraph = False

    def close(self, depth: int) -> None:
        while len(self.open) > depth:
            self.open.pop().end = self.last

    def item(self, number: int, text: str, indent: int, match: re.Match[str]) -> int:
        ordered = match[1][0].isdigit()
        if self.paragraph and ordered and int(match[1][:-1]) != 1:
            raise Doubt
        if _IN_ITEM.match(text, match.end()) or len(self.open) >= MAX_DEPTH:
            raise Doubt
        item = FoundItem(start=number, indent=indent, at=indent + match.end(), depth=len(self.open), ordered=ordered)
        self.open.append(item)
        self.found.items.append(item)
        self.paragraph = True
        return number + 1

    def heading(self, number: int, text: str) -> int:
        match = _ATX.match(text)
        if match is None:
            return self.prose(number, text)
        title = text[match.end() :].strip(" ")
        if title.endswith("#"):
            title = _CLOSING.sub("", title)
        if title.endswith("#"):
            raise Doubt
        if not self.open:
            self.found.headings.append((len(match[1]), title, number))
        self.paragraph = False
        return number + 1

    def fence(self, number: int, indent: int, match: re.Match[str]) -> int:
        base = self.open[-1].at if self.open else 0
        mark = match[1]
        body: list[str] = []
        for row in range(number + 1, len(self.lines)):
            line = self.lines[row]
            text = line.lstrip(" ")
            depth = len(line) - len(text)
            if text and depth < base:
                raise Doubt
            if (
                text.startswith(mark)
                and not text.strip(mark[0] + " ")
                and " " not in text.rstrip(" ")
                and depth - base < 4
            ):
                self.found.fences.append(
                    FoundFence(start=number, end=row + 1, info=match[2].strip(), text="".join(body))
                )
                self.paragraph = False
                return row + 1
            body.append(line[min(depth, indent) :] + "\n")
        raise Doubt

    def prose(self, number: int, text: str) -> int:
        """Read a table or a paragraph line."""
        follows = self.lines[number + 1].lstrip(" ") if number + 1 < len(self.lines) else ""
        if follows and _DELIMITER.match(follows) and ("|" in follows or "|" in text):
            return self.table(number, text, follows)
        self.paragraph = True
        return number + 1

    def table(self, number: int, header: str, delimiter: str) -> int:
        base = self.open[-1].at if self.open else 0
        cells = [cell.strip() for cell in _columns(delimiter)]
        if self.paragraph or not all(re.fullmatch(r":?-+:?", cell) for cell in cells) or len(cells) < 2:
            raise Doubt
        if len(_columns(header)) != len(cells) or not header.startswith("|") or not delimiter.startswith("|"):
            raise Doubt
        end = number + 2
        while end < len(self.lines) and (text := self.lines[end].lstrip(" ")):
            indent = len(self.lines[end]) - len(text)
            if not text.startswith("|") or not base <= indent < base + 4:
                raise Doubt
            end += 1
        first = len(self.lines[number + 1]) - len(delimiter)
        if not base <= first < base + 4:
            raise Doubt
        self.found.tables.append((number, end))
        return end


def _starts_block(text: str) -> bool:
    if text[0] not in "#`~*_":
        return False
    return bool(_ATX.match(text) or _fence_at(text) or _RULE.match(text))


def _fence_at(text: str) -> re.Match[str] | None:
    """Match an opening fence. Backticks followed by another backtick are inline code, not a fence."""
    match = _FENCE.match(text)
    return None if match and text[0] == "`" and "`" in match[2] else match


def _columns(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip(" "))
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return cells
