"""Rules for specs against their PRD, and for inconsistent types and spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.headings import plain_title
from reviewloop.documents.model import Document, Fence, Format, Heading
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.ids import defined_keys, format_ids, mentions
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
    """A requirement of the PRD is missing from the specs.

    What it checks: every requirement and story with an id in the PRD, against the ids in the specs. If the PRD has no
    ids, the words of its requirement headings are compared, and a missing one is only an info finding.

    Why: what the specs leave out is not built.

    Known problems: a spec that covers only part of a PRD is reported. Review all specs of a PRD together.

    Example: the PRD has REQ-1 to REQ-9, and no spec mentions REQ-4.

    Instead: specify it, or name the id and the spec that covers it.
    """
    prds = list(subject.upstream_documents(Kind.PRD))
    required = [
        key
        for key, definition in defined_keys(prds).items()
        if definition.family.startswith(("FR", "REQ", "US", "NFR", "BR"))
    ]
    mentioned = mentions(subject.documents if required else ())
    missing = [key for key in required if not mentioned.covers(key)]
    if missing:
        yield Hit(
            issue=f"no spec mentions {format_ids(missing)} of the PRD",
            line=subject.document.headings[0].line if subject.document.headings else 1,
            suggestion="Specify each of them, or name the spec that does.",
        )
    if not required and subject.document.format is not Format.OPENSPEC:
        yield from _unmatched_headings(subject, prds)


def _unmatched_headings(subject: Subject, prds: list[Document]) -> Iterator[Hit]:
    headings = [heading for document in subject.documents for heading in document.headings]
    document_words = {word for document in subject.documents for line in document.words for word in _words(line)}
    count = 0
    for prd in prds:
        for heading in _requirement_headings(prd):
            words = _words(heading.title)
            if count < MAX_CHECKS and len(words) >= 2 and len(words & document_words) / len(words) < 0.5:
                count += 1
                yield Hit(
                    issue=f'nothing here seems to cover "{heading.title}" of the PRD; '
                    f'the closest section is "{_closest(words, headings)}"',
                    line=1,
                    severity=Severity.INFO,
                )


def _requirement_headings(prd: Document) -> Iterator[Heading]:
    for parent in prd.headings:
        if parent.level > 1 and re.search(r"requirement|features|user stor|capabilit", plain_title(parent.title)):
            yield from (
                heading
                for heading in prd.headings
                if parent.line < heading.line <= parent.end and heading.level == parent.level + 1
            )


def _words(text: str) -> set[str]:
    words = re.findall(r"[a-z]{4,}", text.lower())
    return {word.removesuffix("s").removesuffix("ing") for word in words} - _COMMON_WORDS


_COMMON_WORDS = frozenset(("requirement", "with", "from", "that", "this"))


def _closest(words: set[str], headings: list[Heading]) -> str:
    closest = max(headings, key=lambda heading: len(words & _words(heading.title)), default=None)
    return closest.title if closest else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _TypedField:
    owner: str
    name: str
    type: str
    line: int


@rule("PRD042", "two-types", criteria=_NAMES, severity=Severity.IMPORTANT, precision=0.8)
def two_types(subject: Subject) -> Iterator[Hit]:
    """A field has two types, or a name has two spellings.

    What it checks: fields of types that are defined more than once, in code blocks and tables, here and in the upstream
    documents; and names in code that differ only in case or underscores (`userId` and `user_id`).

    Why: code built from the two places does not fit together.

    Known problems: a document that shows a type before and after a change is reported. Snake case beside camel case is
    accepted if the document has several names of each.

    Example:
        type Job struct { Retries int }        and further down        type Job struct { Retries string }

    Instead: use the same type and spelling everywhere.
    """
    document = subject.document
    first: dict[tuple[str, str], tuple[_TypedField, Document]] = {}
    for upstream in subject.upstream:
        for typed in _typed_fields(upstream.document):
            first.setdefault((typed.owner, typed.name), (typed, upstream.document))
    for typed in _typed_fields(document):
        known, source = first.setdefault((typed.owner, typed.name), (typed, document))
        if _normalized(known.type) != _normalized(typed.type):
            place = f"on line {known.line}" if source is document else f"in {source.path}, line {known.line}"
            name = f"{typed.owner}.{typed.name}" if typed.owner else typed.name
            yield Hit(
                issue=f"{name} has type {typed.type} here, but {known.type} {place}",
                line=typed.line,
                quote=typed.name,
                suggestion="Use the same type everywhere.",
            )
    yield from _spellings(document)


_OPENS = lazy_re(
    r"^\s*(?:export\s+|pub\s+)?(?:type\s+(?P<go>\w+)\s+struct|(?:interface|struct|message|class|"
    r"type)\s+(?P<other>\w+))\b"
    r"[^;{:]*[={:]?\s*[{:]?\s*$"
)
_FIELD = lazy_re(
    r"^\s*(?:(?:readonly|pub|public|private)\s+)?(?P<name>[A-Za-z_]\w*)\??(?:\s*:\s*|\s+)"
    r"(?P<type>[\w.\[\]*|<>?, ]+?)\s*"
    r"(?:[=;,`/#].*)?$"
)
_PROTO = lazy_re(r"^\s*(?P<type>(?:repeated |optional )?[\w.<>, ]+?)\s+(?P<name>\w+)\s*=\s*\d+;")
_TYPES = lazy_re(
    r"^(?:[\[\]*?]*(?:string|str|int\d*|uint\d*|float\d*|number|bool|boolean|bytes?|date|datetime|"
    r"time\.\w+|uuid|object|"
    r"any|integer|decimal|double|long|char|text|timestamp)\b.*|[\[\]*?]*[A-Z]\w*(?:[<\[].*)?|"
    r"(?:list|dict|map|array|set|tuple|optional)\b.*)$",
    re.IGNORECASE,
)
_KEYWORDS = frozenset(("return", "const", "func", "def", "var", "let", "if", "for"))


def _typed_fields(document: Document) -> Iterator[_TypedField]:
    for fence in document.fences:
        yield from _in_code(fence)
    for table in document.tables:
        names, types = table.column("field", "name", "parameter", "property", "column", "key"), table.column("type")
        owner = plain_title(document.section(table.line) or "")
        for row in table.rows:
            if names is not None and types is not None and max(names, types) < len(row):
                name, kind = row[names].text.strip("`* "), row[types].text.strip("`* ")
                if re.fullmatch(r"\w+", name) and _TYPES.match(kind):
                    yield _TypedField(owner=owner, name=name, type=kind, line=row[0].line)


def _in_code(fence: Fence) -> Iterator[_TypedField]:
    """The fields of types in a code block: the lines indented below the line that opens the type."""
    owner, depth = "", 0
    for number, row in enumerate(fence.text.split("\n"), fence.line + 1):
        indent = len(row) - len(row.lstrip())
        if opened := _OPENS.match(row):
            owner, depth = opened["go"] or opened["other"], indent
        elif owner and row.strip() and indent <= depth:
            owner = ""
        elif owner and (match := _PROTO.match(row)):
            yield _TypedField(owner=owner, name=match["name"], type=match["type"], line=number)
        elif owner and indent <= depth + 8 and (match := _FIELD.match(row)) and _is_field(match):
            yield _TypedField(owner=owner, name=match["name"], type=match["type"].strip(), line=number)


def _is_field(match: re.Match[str]) -> bool:
    return match["name"] not in _KEYWORDS and bool(_TYPES.match(match["type"].strip()))


def _normalized(text: str) -> str:
    return re.sub(r"\s+", "", text).rstrip(",;").lower().replace("boolean", "bool").replace("integer", "int")


_SNAKE = lazy_re(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_CAMEL = lazy_re(r"[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+")
MIXED = 3
"""With this many snake-case and camel-case names, the document uses both conventions on purpose."""


def _spellings(document: Document) -> Iterator[Hit]:
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
            continue  # the line compares the spellings
        yield Hit(
            issue=f"`{names[1]}` is spelled `{names[0]}` on line {places[names[0]][0]}",
            line=line,
            column=column,
            quote=names[1],
            suggestion="Use the same spelling everywhere.",
        )
