"""Checks for every kind of document: sections, ids, links, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents import guess_kind
from reviewloop.documents.headings import is_empty
from reviewloop.documents.model import Document, Format, Id
from reviewloop.documents.patterns import lazily
from reviewloop.rules.criteria import COMPLETENESS, LINKS, REFERENCES
from reviewloop.rules.ids import DEFINING, definitions, known_ids, wholes_of
from reviewloop.rules.keyword_pattern import lowered_text
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.sections import has_words, missing_sections, needed_sections, says_nothing


@rule("DOC001", "missing-section", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.9)
def missing_section(subject: Subject) -> Iterator[Hit]:
    """A section that this kind of document needs is missing or empty.

    What it checks: the sections that the rubric of the kind names, found by their usual names and synonyms at any
    heading level. Formats have their own lists: an OpenSpec design needs context and decisions, a smart-ralph design
    needs architecture, components, data flow, decisions and file structure. A task list needs tasks. A task
    list without tasks is critical, and so is a document without a single sentence below its headings (fewer than 40
    letters) if its name or title says what kind it is.

    Why: the next step builds on that section. What is not written down is made up by whoever comes next.

    Known problems: a section under an unusual name is taken for missing. Rename it, or ignore the rule for the file.

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
            issue="there is not a single task here",
            line=1,
            severity=Severity.CRITICAL,
            suggestion="Write tasks as `- [ ] 1.1 Title`.",
        )
    if is_stub := subject.kind is not Kind.TASKS and says_nothing(document):
        # Of a file of no known kind, somebody who knows what it is for may say that these words are enough.
        known = guess_kind(document.path, document.text) is not None
        yield Hit(
            issue="there is nothing here but headings, or a few words",
            line=1,
            severity=Severity.CRITICAL if known or not has_words(document) else Severity.IMPORTANT,
            suggestion="Write it before it is reviewed.",
        )
        if known:
            return
    title_line = document.headings[0].line if document.headings else 1
    for section in needed_sections(subject.kind, document) if is_stub else missing_sections(subject.kind, document):
        yield Hit(
            issue=f'no "{section.name}" section',
            line=title_line,
            severity=section.severity,
            suggestion=f'Add a section "{section.name.title()}", even if it only says why there is nothing to say.',
        )
    for heading in document.headings[1:]:
        if subject.kind is not Kind.DOCUMENT and is_empty(document, heading):
            yield Hit(
                issue=f'the section "{heading.title}" is empty',
                line=heading.line,
                severity=Severity.MINOR,
                suggestion="Fill it, or take the heading out.",
            )


def _has_tasks(document: Document) -> bool:
    if document.tasks or any(item.checked is not None for item in document.items):
        return True
    return document.format is Format.CHOO or any(table.column("#", "task") is not None for table in document.tables)


@rule("DOC002", "duplicate-id", criteria=REFERENCES, severity=Severity.CRITICAL, precision=0.95)
def duplicate_id(subject: Subject) -> Iterator[Hit]:
    """The same id is given to two different things.

    What it checks: ids of requirements, stories, criteria and tasks that are defined twice in the same way (two rows of
    tables with the same columns, two headings of the same level, two list items). OpenSpec requirements are known by
    their names.

    Why: every reference to the id now means two things, and whoever builds on it picks one.

    Known problems: a table that repeats ids to show coverage has other columns than the one that defines them, and is
    not taken for a definition. One that has the same columns is.

    Example:
        | ID   | Requirement        | Priority |
        |------|--------------------|----------|
        | FR-1 | Export as CSV      | High     |
        | FR-1 | Export as JSON     | High     |

    Instead: give the second one a number of its own.
    """
    document = subject.document
    if subject.kind in DEFINING:
        yield from _twice((one.key, one.group, one.line, one.column, one.text) for one in definitions(document))
    if subject.kind is Kind.TASKS:
        yield from _twice((task.id, "task", task.line, task.column, f"task {task.id}") for task in document.tasks)
    if document.format is Format.OPENSPEC and subject.kind is Kind.SPEC:
        named = (heading for heading in document.headings if heading.title.startswith("Requirement:"))
        yield from _twice((one.title.lower(), "h", one.line, one.level + 2, one.title) for one in named)


def _twice(defined: Iterator[tuple[str, str, int, int, str]]) -> Iterator[Hit]:
    seen: dict[tuple[str, str], int] = {}
    for key, group, line, column, text in defined:
        first = seen.setdefault((key, group), line)
        if first != line:
            yield Hit(
                issue=f"{text} is defined twice, first on line {first}",
                line=line,
                column=column,
                quote=text.removeprefix("task "),
                suggestion="Give one of them another id.",
            )


@rule("DOC003", "dangling-id", criteria=REFERENCES, severity=Severity.CRITICAL, precision=0.9)
def dangling_id(subject: Subject) -> Iterator[Hit]:
    """An id is mentioned that nothing defines.

    What it checks: every FR, NFR, US, AC, REQ, SC, UC and BR id outside code, against what this document and those
    above it define. A family of ids that nothing defines at all is left alone: its document is not at hand.

    Why: the trace ends in nothing. Either the number is wrong, or a requirement was dropped and its traces were not.

    Known problems: an id of another feature looks like one of this one. Link to it, or write it as code.

    Example:
        | FR-4 | Export as CSV | High | US-9 |        where there is no US-9

    Instead: name the story that exists, or write the one that is missing.
    """
    if subject.kind is Kind.RESEARCH or not subject.document.ids:
        return
    known = known_ids(subject)
    families = {one.family for one in known.values()}
    split = {whole for key in known for whole in wholes_of(key)}
    missing: dict[str, list[Id]] = {}
    for one in subject.document.ids:
        if not one.implied and one.family in families and not _known(one.key, known, split):
            missing.setdefault(one.key, []).append(one)
    for places in missing.values():
        first = places[0]
        more = f" ({len(places)} mentions)" if len(places) > 1 else ""
        yield Hit(
            issue=f"nothing defines {first.text}{more}",
            line=first.line,
            column=first.column,
            quote=first.text,
            suggestion="Correct the id, or define it.",
        )


def _known(key: str, known: dict[str, Id], split: set[str]) -> bool:
    if key in known or key in split:
        return True
    # FR-1.2 may be a part that FR-1 tells in its text; AC-1.9 beside AC-1.1 to AC-1.4 is not.
    whole = key.rsplit(".", 1)[0]
    return whole in known and whole not in split


_LINK_ABROAD = lazily(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)
_NOT_IN_ANCHOR = lazily(r"[^\w\- ]")


@rule("DOC005", "broken-link", criteria=LINKS, severity=Severity.MINOR, precision=0.9)
def broken_link(subject: Subject) -> Iterator[Hit]:
    """A relative link or an anchor leads nowhere.

    What it checks: anchors against the headings of the document they point into, and relative links against the files
    of the artifact and the repository. Links to other hosts are not followed.

    Why: the reader, and the agent, follow links to learn more, and here there is no more.

    Known problems: anchors are made as GitHub makes them; other renderers differ.

    Example:
        See [limits](#rate-limits).            where no heading is called "Rate limits"

    Instead: link to a heading that is there.
    """
    document = subject.document
    if not any(link.text for link in document.links):
        return
    anchors = _anchors(document)
    for link in document.links:
        target = link.target
        if not link.text or _LINK_ABROAD.match(target) or _is_example(target):
            continue
        path, _, anchor = target.partition("#")
        if not path:
            broken = bool(anchor) and anchor.lower() not in anchors
        else:
            broken = subject.repository.known and not _leads_somewhere(path, document.path, subject)
        if broken:
            yield Hit(issue=f"the link to {target} leads nowhere", line=link.line, column=link.column, quote=target)


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


def _leads_somewhere(path: str, source: str, subject: Subject) -> bool:
    from posixpath import dirname, join, normpath
    from urllib.parse import unquote

    wanted = unquote(path)
    beside = normpath(join(dirname(source), wanted)) if not wanted.startswith("/") else wanted.lstrip("/")
    known = {document.path for document in subject.documents} | {one.document.path for one in subject.upstream}
    return beside in known or subject.repository.exists(beside) or subject.repository.exists(wanted.lstrip("/"))


_COUNTS = {
    "total_tasks": "task", "totaltasks": "task", "task_count": "task", "tasks_total": "task", "user_stories": "US",
    "story_count": "US", "requirements_count": "FR", "total_requirements": "FR", "functional_requirements": "FR",
}  # fmt: skip


@rule("DOC008", "wrong-count", criteria=COMPLETENESS, severity=Severity.MINOR, precision=0.95)
def wrong_count(subject: Subject) -> Iterator[Hit]:
    """A count in the front matter, or a "Total tasks" line, does not match the body.

    What it checks: `total_tasks` and its like against the tasks, stories and requirements that the body has.

    Why: tools read the count and stop too early, or wait for a task that is not there.

    Known problems: counts of things that the rule does not know are left alone.

    Example:

        ---
        total_tasks: 12
        ---                    and eleven tasks

    Instead: write the number that is there, or leave the count out.
    """
    document = subject.document
    for key, line, value in _claims(document):
        what = _COUNTS[key]
        actual = _count(document, what)
        if actual and actual != value:
            noun = {"task": "tasks", "US": "user stories", "FR": "requirements"}[what]
            yield Hit(
                issue=f"{key} says {value}, but there are {actual} {noun}",
                line=line,
                quote=str(value),
                suggestion=f"Write {actual}, or find the one that is missing.",
            )


_TOTAL = lazily(r"^[\s*_-]*Total tasks[*_]*\s*:[*_]*\s*(\d{1,4})\b", re.IGNORECASE)


def _claims(document: Document) -> Iterator[tuple[str, int, int]]:
    if document.frontmatter:
        for key, value in document.frontmatter.values.items():
            if key.lower() in _COUNTS and isinstance(value, int) and not isinstance(value, bool):
                yield key.lower(), document.frontmatter.lines.get(key, 1), value
    for number, line in enumerate(document.words[:80] if "total tasks" in lowered_text(document) else (), 1):
        if match := _TOTAL.match(line):
            yield "total_tasks", number, int(match[1])


def _count(document: Document, what: str) -> int:
    if what == "task":
        return len(document.tasks)
    return len({one.key for one in definitions(document) if one.family == what})
