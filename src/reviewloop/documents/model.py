"""A Markdown file, taken apart once. Lines and columns count from 1."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any, Protocol, TypeVar


class HasLine(Protocol):
    @property
    def line(self) -> int: ...


Placed = TypeVar("Placed", bound=HasLine)
_line_of: Callable[[HasLine], int] = attrgetter("line")


def between(placed: Sequence[Placed], start: int, end: int) -> Sequence[Placed]:
    """What stands on lines `start` to `end`, of things that are in reading order."""
    low = bisect_left(placed, start, key=_line_of)
    return placed[low : bisect_right(placed, end, lo=low, key=_line_of)]


class Format(StrEnum):
    """Whose conventions a document follows."""

    SMART_RALPH = "smart-ralph"
    KIRO = "kiro"
    SPEC_KIT = "spec-kit"
    OPENSPEC = "openspec"
    CHOO = "choo"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The YAML block at the top. `lines` says where each key stands; `broken` why it could not be read."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    end: int
    broken: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading; its section runs to `end`, subsections included."""

    level: int
    title: str
    line: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    line: int
    end: int

    def column(self, *names: str) -> int | None:
        """The index of the first column whose header is, or starts with, one of the names."""
        for index, cell in enumerate(self.header):
            if cell.text.strip("*_` ").lower().startswith(names):
                return index
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A code block. `line` and `end` include its marks; `closed` is False if the file ended first."""

    info: str
    text: str
    line: int
    end: int
    closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A list item. `checked` is None without a checkbox; `depth` counts from 0."""

    text: str
    line: int
    end: int
    column: int
    depth: int
    ordered: bool
    checked: bool | None = None


class Role(StrEnum):
    """What an id does where it stands."""

    HEADING = "heading"
    ROW = "row"
    ITEM = "item"
    MENTION = "mention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Id:
    """An id in the text.

    `key` is its normal form, so that `FR-001` and `FR1` are the same. `role` says how it could be a definition; `group`
    tells definitions of the same kind of list apart. `implied` marks ids inside a range, which are not written out.
    """

    text: str
    key: str
    family: str
    line: int
    column: int
    role: Role = Role.MENTION
    group: str = ""
    label: str = ""
    implied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    text: str
    target: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMention:
    """A file path in the text, with the line or lines it points at, if any."""

    path: str
    line: int
    column: int
    target_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSpan:
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """An HTML comment, without its marks."""

    text: str
    line: int
    column: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named part of a task: Do, Files, Verify, ..."""

    name: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task of a list, or a task file as a whole. `implied` says that its id is ours: it has none of its own."""

    id: str
    title: str
    line: int
    end: int
    column: int
    phase: str = ""
    checked: bool = False
    verify: bool = False
    parallel: bool = False
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    depends_on: tuple[str, ...] = ()
    has_children: bool = False
    implied: bool = False

    def field(self, *names: str) -> Field | None:
        return next((self.fields[name] for name in names if name in self.fields), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A file, taken apart. Compared by identity, so that what is made of it can be kept.

    `lines` are as written. `prose` are the same lines with front matter, code blocks and comments blanked, and `words`
    with inline code and link targets blanked too; columns stay the same in all three.
    """

    path: str
    text: str
    format: Format
    lines: tuple[str, ...]
    prose: tuple[str, ...]
    words: tuple[str, ...]
    frontmatter: Frontmatter | None = None
    headings: tuple[Heading, ...] = ()
    tables: tuple[Table, ...] = ()
    items: tuple[Item, ...] = ()
    fences: tuple[Fence, ...] = ()
    comments: tuple[Comment, ...] = ()
    spans: tuple[CodeSpan, ...] = ()
    links: tuple[Link, ...] = ()
    ids: tuple[Id, ...] = ()
    paths: tuple[PathMention, ...] = ()
    tasks: tuple[Task, ...] = ()
    truncated: bool = False

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def section(self, line: int) -> str | None:
        """The title of the innermost section that holds the line."""
        after = bisect_right(self.headings, line, key=_line_of)
        return self.headings[after - 1].title if after else None

    def value(self, key: str) -> Any:
        return self.frontmatter.values.get(key) if self.frontmatter else None

    def prose_between(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Lines `start` to `end`, numbered, without code blocks and comments."""
        for number in range(max(start, 1), min(end, len(self.prose)) + 1):
            yield number, self.prose[number - 1]
