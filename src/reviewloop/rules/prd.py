"""Checks of specs against the PRD they come from, and of names and types within them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.headings import plain_title
from reviewloop.documents.model import Document, Fence, Format, Heading
from reviewloop.documents.patterns import lazily
from reviewloop.rules.ids import defined_keys, listed, mentions
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

_COVERAGE: dict[Kind, str | None] = {Kind.SPEC: "completeness", Kind.REQUIREMENTS: "completeness"}
_NAMES: dict[Kind, str | None] = {Kind.SPEC: "consistency", Kind.PRD: "consistency", Kind.DESIGN: "consistency"}
MAX_CHECKS = 5


@rule(
    "PRD041",
    "prd-requirement-not-specified",
    criteria=_COVERAGE,
    severity=Severity.CRITICAL,
    precision=0.85,
    scope="artifact",
)
def prd_requirement_not_specified(subject: Subject) -> Iterator[Hit]:
    """No spec refers to a requirement of the PRD.

    What it checks: every requirement and story that the PRD gives an id, against the ids that the specs mention. A PRD
    without ids is compared by the words of its requirement headings; what seems to be nowhere is a note to check, never
    more.

    Why: what the specs leave out is not built, however good the rest is.

    Known problems: a spec that covers only part of a PRD misses the rest. Review the specs of a PRD together.

    Example: the PRD has REQ-1 to REQ-9, and no spec mentions REQ-4.

    Instead: specify it, or say in the spec that it is left to another one, with its id.
    """
    prds = list(subject.above(Kind.PRD))
    wanted = [key for key, one in defined_keys(prds).items() if one.family.startswith(("FR", "REQ", "US", "NFR", "BR"))]
    mentioned = mentions(subject.documents if wanted else ())
    missing = [key for key in wanted if not mentioned.cover(key)]
    if missing:
        yield Hit(
            issue=f"nothing here refers to {listed(missing)} of the PRD",
            line=subject.document.headings[0].line if subject.document.headings else 1,
            suggestion="Specify them, or say which spec does.",
        )
    if not wanted and subject.document.format is not Format.OPENSPEC:
        yield from _to_check(subject, prds)


def _to_check(subject: Subject, prds: list[Document]) -> Iterator[Hit]:
    headings = [heading for document in subject.documents for heading in document.headings]
    said = {word for document in subject.documents for line in document.words for word in _words(line)}
    count = 0
    for prd in prds:
        for heading in _requirement_headings(prd):
            words = _words(heading.title)
            if count < MAX_CHECKS and len(words) >= 2 and len(words & said) / len(words) < 0.5:
                count += 1
                yield Hit(
                    issue=f'check: nothing here seems to be about "{heading.title}" of the PRD; '
                    f'the nearest section is "{_nearest(words, headings)}"',
                    line=1,
                    severity=Severity.INFO,
                )


def _requirement_headings(prd: Document) -> Iterator[Heading]:
    for parent in prd.headings:
        if parent.level > 1 and re.search(r"requirement|features|user stor|capabilit", plain_title(parent.title)):
            yield from (
                one for one in prd.headings if parent.line < one.line <= parent.end and one.level == parent.level + 1
            )


def _words(text: str) -> set[str]:
    words = re.findall(r"[a-z]{4,}", text.lower())
    return {word.removesuffix("s").removesuffix("ing") for word in words} - {
        "requirement",
        "with",
        "from",
        "that",
        "this",
    }


def _nearest(words: set[str], headings: list[Heading]) -> str:
    nearest = max(headings, key=lambda heading: len(words & _words(heading.title)), default=None)
    return nearest.title if nearest else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Typed:
    owner: str
    name: str
    type: str
    line: int


@rule("PRD042", "two-types", criteria=_NAMES, severity=Severity.IMPORTANT, precision=0.8)
def two_types(subject: Subject) -> Iterator[Hit]:
    """One identifier has two types or two spellings.

    What it checks: fields of a type that is written down more than once, in code blocks and tables, here and in the
    documents above; and names in code that differ only in how they are spelled (`userId` and `user_id`, `userID` and
    `userId`).

    Why: the parts that are built from the two places do not fit together.

    Known problems: a document that shows a type before and after a change shows two types on purpose. Names that follow
    another language's convention are left alone if the document has several of each kind.

    Example:
        type Job struct { Retries int }        and further down        type Job struct { Retries string }

    Instead: one type, and one spelling, everywhere.
    """
    document = subject.document
    first: dict[tuple[str, str], tuple[_Typed, Document]] = {}
    for one in subject.upstream:
        for typed in _typed(one.document):
            first.setdefault((typed.owner, typed.name), (typed, one.document))
    for typed in _typed(document):
        known, where = first.setdefault((typed.owner, typed.name), (typed, document))
        if _plain(known.type) != _plain(typed.type):
            place = f"on line {known.line}" if where is document else f"in {where.path}, line {known.line}"
            name = f"{typed.owner}.{typed.name}" if typed.owner else typed.name
            yield Hit(
                issue=f"{name} is {typed.type} here and {known.type} {place}",
                line=typed.line,
                quote=typed.name,
                suggestion="Decide on one type.",
            )
    yield from _spellings(document)


_OPENS = lazily(
    r"^\s*(?:export\s+|pub\s+)?(?:type\s+(?P<go>\w+)\s+struct|(?:interface|struct|message|class|"
    r"type)\s+(?P<other>\w+))\b"
    r"[^;{:]*[={:]?\s*[{:]?\s*$"
)
_FIELD = lazily(
    r"^\s*(?:(?:readonly|pub|public|private)\s+)?(?P<name>[A-Za-z_]\w*)\??(?:\s*:\s*|\s+)"
    r"(?P<type>[\w.\[\]*|<>?, ]+?)\s*"
    r"(?:[=;,`/#].*)?$"
)
_PROTO = lazily(r"^\s*(?P<type>(?:repeated |optional )?[\w.<>, ]+?)\s+(?P<name>\w+)\s*=\s*\d+;")
_TYPES = lazily(
    r"^(?:[\[\]*?]*(?:string|str|int\d*|uint\d*|float\d*|number|bool|boolean|bytes?|date|datetime|"
    r"time\.\w+|uuid|object|"
    r"any|integer|decimal|double|long|char|text|timestamp)\b.*|[\[\]*?]*[A-Z]\w*(?:[<\[].*)?|"
    r"(?:list|dict|map|array|set|tuple|optional)\b.*)$",
    re.IGNORECASE,
)
_KEYWORDS = frozenset(("return", "const", "func", "def", "var", "let", "if", "for"))


def _typed(document: Document) -> Iterator[_Typed]:
    for fence in document.fences:
        yield from _in_code(fence)
    for table in document.tables:
        names, types = table.column("field", "name", "parameter", "property", "column", "key"), table.column("type")
        owner = plain_title(document.section(table.line) or "")
        for row in table.rows:
            if names is not None and types is not None and max(names, types) < len(row):
                name, kind = row[names].text.strip("`* "), row[types].text.strip("`* ")
                if re.fullmatch(r"\w+", name) and _TYPES.match(kind):
                    yield _Typed(owner=owner, name=name, type=kind, line=row[0].line)


def _in_code(fence: Fence) -> Iterator[_Typed]:
    """The fields of types that a code block writes down, by indentation below the line that opens the type."""
    owner, depth = "", 0
    for number, row in enumerate(fence.text.split("\n"), fence.line + 1):
        indent = len(row) - len(row.lstrip())
        if opened := _OPENS.match(row):
            owner, depth = opened["go"] or opened["other"], indent
        elif owner and row.strip() and indent <= depth:
            owner = ""
        elif owner and (match := _PROTO.match(row)):
            yield _Typed(owner=owner, name=match["name"], type=match["type"], line=number)
        elif owner and indent <= depth + 8 and (match := _FIELD.match(row)) and _is_field(match):
            yield _Typed(owner=owner, name=match["name"], type=match["type"].strip(), line=number)


def _is_field(match: re.Match[str]) -> bool:
    return match["name"] not in _KEYWORDS and bool(_TYPES.match(match["type"].strip()))


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text).rstrip(",;").lower().replace("boolean", "bool").replace("integer", "int")


_SNAKE = lazily(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_CAMEL = lazily(r"[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+")
MIXED = 3


def _spellings(document: Document) -> Iterator[Hit]:
    """Names that differ only in case or underscores; two conventions side by side are no mistake."""
    seen: dict[str, dict[str, tuple[int, int]]] = {}
    for span in document.spans:
        if _SNAKE.fullmatch(span.text) or _CAMEL.fullmatch(span.text):
            places = seen.setdefault(span.text.replace("_", "").lower(), {})
            places.setdefault(span.text, (span.line, span.column))
    spellings = [name for places in seen.values() for name in places]
    mixed = min(sum("_" in name for name in spellings), sum("_" not in name for name in spellings)) >= MIXED
    for places in seen.values():
        names = list(places)
        if len(names) < 2 or (mixed and len({"_" in name for name in names}) > 1):
            continue
        line, column = places[names[1]]
        if any(f"`{names[0]}`" in text and f"`{names[1]}`" in text for text in document.prose):
            continue  # it is about the spellings
        yield Hit(
            issue=f"`{names[1]}` is spelled `{names[0]}` on line {places[names[0]][0]}",
            line=line,
            column=column,
            quote=names[1],
            suggestion="Use one spelling.",
        )
