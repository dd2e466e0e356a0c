"""Checks of a design: against the requirements above it and the repository around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.files import Action, FileAction, file_actions
from reviewloop.documents.headings import find_section, plain_title
from reviewloop.documents.model import Document, Heading
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazily
from reviewloop.rules.ids import DEFINING, defined_keys, listed, mentions
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import judged
from reviewloop.rules.registry import rule

CONSISTENCY: dict[Kind, str | None] = {Kind.DESIGN: "consistency"}
FEASIBILITY: dict[Kind, str | None] = {Kind.DESIGN: "feasibility"}


@rule(
    "DES024",
    "requirement-not-designed",
    criteria=CONSISTENCY,
    severity=Severity.IMPORTANT,
    precision=0.85,
    scope="artifact",
)
def requirement_not_designed(subject: Subject) -> Iterator[Hit]:
    """The design never refers to some of the requirements.

    What it checks: every functional requirement of the documents above, against the ids that the design mentions, in
    diagrams and code too. A criterion or a range (FR-1 to FR-4) counts. One finding per document.

    Why: what the design does not place, nobody builds, or everybody builds somewhere else.

    Known problems: a design that meets a requirement without naming it looks the same as one that forgot it.

    Example: the requirements have FR-1 to FR-6, and the design mentions FR-1, FR-2 and FR-5.

    Instead: name the requirement where it is met, for instance in a column of the component table.
    """
    above = defined_keys(subject.above(*DEFINING))
    wanted = [key for key, one in above.items() if one.family.startswith(("FR", "REQ"))]
    mentioned = mentions(subject.documents)
    missing = [key for key in wanted if not mentioned.cover(key)]
    if not missing:
        return
    told = f"none of the {len(wanted)} requirements is" if len(missing) == len(wanted) else f"{listed(missing)} are not"
    if len(missing) == 1 and len(wanted) > 1:
        told = f"{missing[0]} is not"
    yield Hit(
        issue=f"{told} referred to",
        line=subject.document.headings[0].line if subject.document.headings else 1,
        suggestion="Name each requirement where the design meets it.",
    )


@rule("DES025", "file-action-impossible", criteria=FEASIBILITY, severity=Severity.CRITICAL, precision=0.85)
def file_action_impossible(subject: Subject) -> Iterator[Hit]:
    """A file is to be changed that does not exist, or created although it does.

    What it checks: tables and lists of files with what happens to them, against the repository. Paths of another
    repository are left alone. If all files to be created exist already, the design has been built, and nothing is said.

    Why: the author had another repository in mind, or an old one. The rest of the design may rest on it too.

    Known problems: a file that an earlier task creates and a later one changes is listed as both, and passed over.

    Example:
        | File            | Action |
        | src/commands.py | Modify |        where there is no src/commands.py

    Instead: name the file that is there, or say Create.
    """
    document = subject.document
    actions = file_actions(document)
    there = judged((one.path for one in actions), subject.repository, document.path)
    created = {one.path for one in actions if one.action is Action.CREATE}
    built = len(created) > 1 and all(there.get(path, False) for path in created)
    for one in actions:
        if one.path not in there:
            continue
        if one.action is Action.CREATE and there[one.path] and not built:
            yield _impossible(one, "is to be created and exists already", "Say Modify, or choose another name.")
        if one.action is not Action.CREATE and not there[one.path] and one.path not in created:
            verb = "changed" if one.action is Action.MODIFY else "deleted"
            yield _impossible(one, f"is to be {verb} and does not exist", "Name the file that is there, or say Create.")


def _impossible(one: FileAction, what: str, suggestion: str) -> Hit:
    return Hit(issue=f"{one.path} {what}", line=one.line, column=one.column, quote=one.path, suggestion=suggestion)


@rule("DES026", "bad-create-target", criteria=FEASIBILITY, severity=Severity.IMPORTANT, precision=0.95)
def bad_create_target(subject: Subject) -> Iterator[Hit]:
    """A file is to be created where none can be.

    What it checks: files to be created for paths that leave the repository, are absolute, or lie under something
    that is a file.

    Why: an agent that follows the design writes outside the project, or fails.

    Known problems: an absolute path on the author's own machine is reported too. It should be.

    Example:
        | ../other-repo/config.yml | Create |

    Instead: a path inside the repository.
    """
    repository = subject.repository
    for one in file_actions(subject.document):
        if one.action is not Action.CREATE:
            continue
        if one.path.startswith(("/", "~")) or not repository.inside(one.path) or one.path.startswith("../"):
            yield _impossible(one, "lies outside the repository", "Give a path relative to the repository's root.")
            continue
        parents = one.path.split("/")[:-1]
        for depth in range(1, len(parents) + 1):
            parent = "/".join(parents[:depth])
            if repository.is_file(parent):
                yield _impossible(one, f"cannot be created: {parent} is a file", "Choose another directory.")
                break


@rule(
    "DES027",
    "component-without-section",
    criteria={Kind.DESIGN: "completeness"},
    severity=Severity.MINOR,
    precision=0.7,
)
def component_without_section(subject: Subject) -> Iterator[Hit]:
    """A component is named in a table or diagram and described nowhere, or the reverse.

    What it checks: the component table of a design that also has a section per component; and diagrams, if most of
    their boxes are such components.

    Why: it is either a part that nobody described, or a leftover of an earlier design.

    Known problems: names are compared by their words, so a renamed component looks like two.

    Example: the diagram has a box "Scheduler", and the sections are Parser, Store and Writer.

    Instead: describe the scheduler, or take the box out.
    """
    document = subject.document
    sections = _component_sections(document)
    if len(sections) < 2:
        return
    titles = [_words(heading.title) for heading in sections]
    for table in document.tables:
        if not table.header or not table.header[0].text.strip("*_ ").lower().startswith("component"):
            continue
        named = [row[0] for row in table.rows if row and row[0].text]
        matched = [cell for cell in named if _among(_words(cell.text), titles)]
        if len(matched) * 2 >= len(named):
            for cell in named:
                if cell not in matched:
                    yield Hit(
                        issue=f'the component "{cell.text}" has no section',
                        line=cell.line,
                        column=cell.column,
                        quote=cell.text,
                    )
    yield from _diagrams(document, sections, titles)


_BOX = lazily(
    r"\b\w+\s*(?:\[\[?|\(\[?)\s*\"?([^\[\](){}\"|]{2,60}?)\"?\s*(?:\]|\))|participant\s+(?:\w+\s+as\s+)?([\w ]{2,60})$",
    re.MULTILINE,
)


def _diagrams(document: Document, sections: list[Heading], titles: list[frozenset[str]]) -> Iterator[Hit]:
    for fence in document.fences:
        if not fence.info.startswith("mermaid"):
            continue
        labels = {re.sub(r"<br\s*/?>", " ", match[1] or match[2]).strip() for match in _BOX.finditer(fence.text)}
        boxes = {label: _words(label) for label in labels}
        known = [label for label, words in boxes.items() if _among(words, titles)]
        if len(boxes) < 3 or len(known) < 0.8 * len(boxes):
            continue
        for label in sorted(set(boxes) - set(known)):
            if has_extension(label):
                continue
            yield Hit(issue=f'"{label}" is in the diagram and has no section', line=fence.line, quote=label)
        for heading, title in zip(sections, titles, strict=True):
            if not _among(title, list(boxes.values())) and not title & _CHORES:
                yield Hit(issue=f'"{heading.title}" is not in the diagram', line=heading.line, quote=heading.title)


def _component_sections(document: Document) -> list[Heading]:
    parent = find_section(document, "components")
    if parent is None or not plain_title(parent.title).startswith(("component", "modules")):
        return []
    inside = [one for one in document.headings if parent.line < one.line <= parent.end]
    level = min((one.level for one in inside), default=0)
    return [one for one in inside if one.level == level]


_CHORES = frozenset(("version", "bump", "migration", "test", "documentation"))
_COMMON = frozenset(
    [
        "component",
        "components",
        "the",
        "a",
        "an",
        "of",
        "and",
        "new",
        "module",
        "service",
        "class",
        "agent",
        "system",
        "layer",
    ]
)


def _words(title: str) -> frozenset[str]:
    plain = re.sub(r"\([^)]*\)|`", " ", title.lower())
    words = re.findall(r"[a-z0-9]{2,}", plain)
    return frozenset(word.rstrip("s") for word in words if word not in _COMMON) or frozenset(words)


def _among(words: frozenset[str], others: list[frozenset[str]]) -> bool:
    return any(words & other and len(words & other) * 2 >= min(len(words), len(other)) for other in others)
