"""The types of a parsed document. Lines and columns count from 1."""

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
    """The elements on lines `start` to `end`. `placed` must be in reading order."""
    low = bisect_left(placed, start, key=_line_of)
    return placed[low : bisect_right(placed, end, lo=low, key=_line_of)]


class Format(StrEnum):
    """The tool or convention that a document follows."""

    SMART_RALPH = "smart-ralph"
    KIRO = "kiro"
    SPEC_KIT = "spec-kit"
    OPENSPEC = "openspec"
    CHOO = "choo"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The YAML block at the top. `lines` maps keys to line numbers; `broken` is the error if it cannot be read."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    end: int
    broken: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading. Its section ends on line `end`, after all subsections."""

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
        """The index of the first column whose header starts with one of the names."""
        for index, cell in enumerate(self.header):
            if cell.text.strip("*_` ").lower().startswith(names):
                return index
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A code block. `line` and `end` include the fence lines; `closed` is False if the closing fence is missing."""

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
    """How an id appears: as a definition in a heading, row or item, or as a mention."""

    HEADING = "heading"
    ROW = "row"
    ITEM = "item"
    MENTION = "mention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Id:
    """An id in the text.

    `key` is the normal form: `FR-001` and `FR1` have the same key. `group` identifies the kind of list that defines the
    id. `implied` marks ids within a range, which the text does not spell out.
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
    """A file path in the text, with the line it points to, if any."""

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
    """An HTML comment, without its delimiters."""

    text: str
    line: int
    column: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named field of a task: Do, Files, Verify, ..."""

    name: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task in a list, or a task file. `implied` means that the parser made up the id."""

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
    """A parsed file. It is compared by identity, so that it can be a cache key.

    `lines` holds the text as written. `prose` is the text with front matter, code blocks and comments blanked; `words`
    also has inline code and link targets blanked. Columns are the same in all three.
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
        """The title of the innermost section that contains the line."""
        after = bisect_right(self.headings, line, key=_line_of)
        return self.headings[after - 1].title if after else None

    def value(self, key: str) -> Any:
        return self.frontmatter.values.get(key) if self.frontmatter else None

    def prose_between(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """The numbered prose lines `start` to `end`."""
        for number in range(max(start, 1), min(end, len(self.prose)) + 1):
            yield number, self.prose[number - 1]
