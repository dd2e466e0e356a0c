"""Rules for every kind of document: sections, ids, links, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents import guess_kind
from reviewloop.documents.headings import is_empty
from reviewloop.documents.model import Document, Format, Id
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.criteria import COMPLETENESS, LINKS, REFERENCES
from reviewloop.rules.ids import DEFINING_KINDS, definitions, known_ids, parents_of
from reviewloop.rules.keyword_pattern import lowered_text
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.sections import is_stub, missing_sections, needed_sections


@rule("DOC001", "missing-section", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.9)
def missing_section(subject: Subject) -> Iterator[Hit]:
    """A required section is missing or empty.

    What it checks: the sections that each kind of document needs, under their usual names and synonyms, at any heading
    level. Formats have their own lists: an OpenSpec design needs context and decisions; a smart-ralph design needs
    architecture, components, data flow, decisions and file structure. Two findings are critical: a task list without
    tasks, and a document with fewer than 40 letters below its headings whose name or title shows its kind.

    Why: the next step builds on the section. Without it, the next author or agent guesses.

    Known problems: a section with an unusual name counts as missing. Rename it, or ignore the rule for the file.

    Example:
        # Research: export
        ## Codebase Analysis

    Instead:

        # Research: export
        ## Executive Summary
        ## Codebase Analysis
        ## Feasibility Assessment
    """
    document = subject.document
    if not document.text.strip():
        yield Hit(issue="the document is empty", line=1, severity=Severity.CRITICAL)
        return
    if subject.kind is Kind.TASKS and not _has_tasks(document):
        yield Hit(
            issue="the document contains no tasks",
            line=1,
            severity=Severity.CRITICAL,
            suggestion="Write tasks as `- [ ] 1.1 Title`.",
        )
    sections = missing_sections(subject.kind, document)
    if subject.kind is not Kind.TASKS and is_stub(document):
        # In a file of unknown kind, a few words may be enough: a person can dismiss the finding.
        kind_is_known = guess_kind(document.path, document.text) is not None
        yield Hit(
            issue="the document contains only headings or a few words",
            line=1,
            severity=Severity.CRITICAL if kind_is_known else Severity.IMPORTANT,
            suggestion="Write the content before asking for a review.",
        )
        if kind_is_known:
            return
        sections = needed_sections(subject.kind, document)
    title_line = document.headings[0].line if document.headings else 1
    for section in sections:
        yield Hit(
            issue=f'the section "{section.name}" is missing',
            line=title_line,
            severity=section.severity,
            suggestion=f'Add the section "{section.name.title()}", even if it only explains why it does not apply.',
        )
    for heading in document.headings[1:]:
        if subject.kind is not Kind.DOCUMENT and is_empty(document, heading):
            yield Hit(
                issue=f'the section "{heading.title}" is empty',
                line=heading.line,
                severity=Severity.MINOR,
                suggestion="Fill the section, or remove its heading.",
            )


def _has_tasks(document: Document) -> bool:
    if document.tasks or any(item.checked is not None for item in document.items):
        return True
    return document.format is Format.CHOO or any(table.column("#", "task") is not None for table in document.tables)


@rule("DOC002", "duplicate-id", criteria=REFERENCES, severity=Severity.CRITICAL, precision=0.95)
def duplicate_id(subject: Subject) -> Iterator[Hit]:
    """Two items have the same id.

    What it checks: ids of requirements, stories, criteria and tasks that are defined twice in the same way: in two rows
    under the same columns, two headings of the same level, or two list items. OpenSpec requirements are identified by
    their names.

    Why: every reference to the id is ambiguous.

    Known problems: a coverage table that repeats ids is taken for a definition if it has the same columns as the
    defining table.

    Example:
        | ID   | Requirement        | Priority |
        |------|--------------------|----------|
        | FR-1 | Export as CSV      | High     |
        | FR-1 | Export as JSON     | High     |

    Instead: give the second item its own id.
    """
    document = subject.document
    if subject.kind in DEFINING_KINDS:
        yield from _duplicates((id_.key, id_.group, id_.line, id_.column, id_.text) for id_ in definitions(document))
    if subject.kind is Kind.TASKS:
        yield from _duplicates((task.id, "task", task.line, task.column, f"task {task.id}") for task in document.tasks)
    if document.format is Format.OPENSPEC and subject.kind is Kind.SPEC:
        yield from _duplicates(
            (heading.title.lower(), "h", heading.line, heading.level + 2, heading.title)
            for heading in document.headings
            if heading.title.startswith("Requirement:")
        )


def _duplicates(defined: Iterator[tuple[str, str, int, int, str]]) -> Iterator[Hit]:
    seen: dict[tuple[str, str], int] = {}
    for key, group, line, column, text in defined:
        first = seen.setdefault((key, group), line)
        if first != line:
            yield Hit(
                issue=f"{text} is already defined on line {first}",
                line=line,
                column=column,
                quote=text.removeprefix("task "),
                suggestion="Give one of the two another id.",
            )


@rule("DOC003", "dangling-id", criteria=REFERENCES, severity=Severity.CRITICAL, precision=0.9)
def dangling_id(subject: Subject) -> Iterator[Hit]:
    """An id is used but never defined.

    What it checks: every FR, NFR, US, AC, REQ, SC, UC and BR id outside code, against the definitions in this document
    and its upstream documents. If no id of a family is defined anywhere, the family is skipped, because the document
    that defines it is not part of the review.

    Why: either the number is wrong, or a requirement was removed and its references were not.

    Known problems: an id from another feature is reported. Link to it, or write it as code.

    Example:
        | FR-4 | Export as CSV | High | US-9 |        where US-9 does not exist

    Instead: refer to an existing story, or add the missing one.
    """
    if subject.kind is Kind.RESEARCH or not subject.document.ids:
        return
    known = known_ids(subject)
    families = {definition.family for definition in known.values()}
    parents = {parent for key in known for parent in parents_of(key)}
    undefined: dict[str, list[Id]] = {}
    for id_ in subject.document.ids:
        if not id_.implied and id_.family in families and not _is_defined(id_.key, known, parents):
            undefined.setdefault(id_.key, []).append(id_)
    for mentions in undefined.values():
        first = mentions[0]
        count = f" ({len(mentions)} mentions)" if len(mentions) > 1 else ""
        yield Hit(
            issue=f"{first.text} is not defined{count}",
            line=first.line,
            column=first.column,
            quote=first.text,
            suggestion="Correct the id, or define it.",
        )


def _is_defined(key: str, known: dict[str, Id], parents: set[str]) -> bool:
    if key in known or key in parents:
        return True
    # FR-1.2 may be a part of FR-1's text. But if AC-1.1 to AC-1.4 are defined, AC-1.9 is missing.
    parent = key.rsplit(".", 1)[0]
    return parent in known and parent not in parents


_EXTERNAL_LINK = lazy_re(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)
_NOT_IN_ANCHOR = lazy_re(r"[^\w\- ]")


@rule("DOC005", "broken-link", criteria=LINKS, severity=Severity.MINOR, precision=0.9)
def broken_link(subject: Subject) -> Iterator[Hit]:
    """A relative link or anchor is broken.

    What it checks: anchors against the document's headings, and relative links against the files of the artifact and
    the repository. External links are not checked.

    Why: people and agents follow links for details, and find none here.

    Known problems: anchors follow GitHub's rules; other renderers differ.

    Example:
        See [limits](#rate-limits).            where no heading is called "Rate limits"

    Instead: link to an existing heading.
    """
    document = subject.document
    if not any(link.text for link in document.links):
        return
    anchors = _anchors(document)
    for link in document.links:
        target = link.target
        if not link.text or _EXTERNAL_LINK.match(target) or _is_example(target):
            continue
        path, _, anchor = target.partition("#")
        if not path:
            broken = bool(anchor) and anchor.lower() not in anchors
        else:
            broken = subject.repository.known and not _file_exists(path, document.path, subject)
        if broken:
            yield Hit(issue=f"broken link: {target}", line=link.line, column=link.column, quote=target)


def _anchors(document: Document) -> set[str]:
    anchors: set[str] = set()
    for heading in document.headings:
        anchor = _NOT_IN_ANCHOR.sub("", heading.title.lower().strip()).replace(" ", "-")
        count = sum(1 for number in range(50) if f"{anchor}-{number}" in anchors) + (anchor in anchors)
        anchors.add(f"{anchor}-{count}" if count else anchor)
    for match in re.finditer(r"(?:id|name)=[\"']([^\"']{1,100})[\"']|\{#([\w-]{1,100})\}", document.text):
        anchors.add((match[1] or match[2]).lower())
    return anchors


def _is_example(target: str) -> bool:
    return bool(re.search(r"[<>{}*$]|\.\.\.", target)) or target in ("url", "link", "path", "URL")


def _file_exists(path: str, source: str, subject: Subject) -> bool:
    from posixpath import dirname, join, normpath
    from urllib.parse import unquote

    target = unquote(path)
    beside = normpath(join(dirname(source), target)) if not target.startswith("/") else target.lstrip("/")
    known = {document.path for document in subject.documents} | {
        upstream.document.path for upstream in subject.upstream
    }
    return beside in known or subject.repository.exists(beside) or subject.repository.exists(target.lstrip("/"))


_COUNTS = {
    "total_tasks": "task", "totaltasks": "task", "task_count": "task", "tasks_total": "task", "user_stories": "US",
    "story_count": "US", "requirements_count": "FR", "total_requirements": "FR", "functional_requirements": "FR",
}  # fmt: skip


@rule("DOC008", "wrong-count", criteria=COMPLETENESS, severity=Severity.MINOR, precision=0.95)
def wrong_count(subject: Subject) -> Iterator[Hit]:
    """A count in the front matter or a "Total tasks" line is wrong.

    What it checks: `total_tasks` and similar keys, against the number of tasks, stories and requirements in the body.

    Why: tools that rely on the count stop too early, or wait for a task that does not exist.

    Known problems: other counts are not checked.

    Example:

        ---
        total_tasks: 12
        ---                    and eleven tasks

    Instead: correct the count, or remove it.
    """
    document = subject.document
    for key, line, value in _stated_counts(document):
        family = _COUNTS[key]
        actual = _count(document, family)
        if actual and actual != value:
            noun = {"task": "tasks", "US": "user stories", "FR": "requirements"}[family]
            yield Hit(
                issue=f"{key} says {value}, but there are {actual} {noun}",
                line=line,
                quote=str(value),
                suggestion=f"Write {actual}, or add what is missing.",
            )


_TOTAL = lazy_re(r"^[\s*_-]*Total tasks[*_]*\s*:[*_]*\s*(\d{1,4})\b", re.IGNORECASE)


def _stated_counts(document: Document) -> Iterator[tuple[str, int, int]]:
    if document.frontmatter:
        for key, value in document.frontmatter.values.items():
            if key.lower() in _COUNTS and isinstance(value, int) and not isinstance(value, bool):
                yield key.lower(), document.frontmatter.lines.get(key, 1), value
    for number, line in enumerate(document.words[:80] if "total tasks" in lowered_text(document) else (), 1):
        if match := _TOTAL.match(line):
            yield "total_tasks", number, int(match[1])


def _count(document: Document, family: str) -> int:
    if family == "task":
        return len(document.tasks)
    return len({definition.key for definition in definitions(document) if definition.family == family})
