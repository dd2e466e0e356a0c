"""Rules for a design: against its requirements, the repository and its own components."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.files import Action, FileAction, file_actions
from reviewloop.documents.headings import find_section, plain_title
from reviewloop.documents.model import Document, Heading
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.ids import DEFINING_KINDS, defined_keys, format_ids, mentions
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import check_paths
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
    """The design never mentions a requirement.

    What it checks: every functional requirement of the upstream documents, against the ids in the design, its diagrams
    and its code. A criterion or a range (FR-1 to FR-4) counts. One finding per document.

    Why: a requirement without a place in the design is not built, or is built twice.

    Known problems: a design that meets a requirement without naming its id is reported.

    Example: the requirements have FR-1 to FR-6, and the design mentions FR-1, FR-2 and FR-5.

    Instead: name each requirement where the design meets it, for instance in the component table.
    """
    defined = defined_keys(subject.upstream_documents(*DEFINING_KINDS))
    required = [key for key, definition in defined.items() if definition.family.startswith(("FR", "REQ"))]
    mentioned = mentions(subject.documents)
    missing = [key for key in required if not mentioned.covers(key)]
    if not missing:
        return
    all_missing = len(missing) == len(required) > 1
    which = f"any of the {len(required)} requirements" if all_missing else format_ids(missing)
    yield Hit(
        issue=f"the design never mentions {which}",
        line=subject.document.headings[0].line if subject.document.headings else 1,
        suggestion="Name each requirement where the design meets it.",
    )


@rule("DES025", "file-action-impossible", criteria=FEASIBILITY, severity=Severity.CRITICAL, precision=0.85)
def file_action_impossible(subject: Subject) -> Iterator[Hit]:
    """The design changes a file that does not exist, or creates one that does.

    What it checks: tables and lists of file actions, against the repository. Paths that seem to belong to another
    repository are skipped. If all files to be created exist, the design has been built and the rule reports nothing.

    Why: the author had another repository in mind, or an old version. The rest of the design may be wrong too.

    Known problems: a file listed as both created and changed is not checked.

    Example:
        | File            | Action |
        | src/commands.py | Modify |        where src/commands.py does not exist

    Instead: name an existing file, or write Create.
    """
    document = subject.document
    actions = file_actions(document)
    exists = check_paths((entry.path for entry in actions), subject.repository, document.path)
    created = {entry.path for entry in actions if entry.action is Action.CREATE}
    built = len(created) > 1 and all(exists.get(path, False) for path in created)
    for entry in actions:
        if entry.path not in exists:
            continue
        if entry.action is Action.CREATE and exists[entry.path] and not built:
            yield _impossible(entry, "already exists and cannot be created", "Write Modify, or choose another name.")
        if entry.action is not Action.CREATE and not exists[entry.path] and entry.path not in created:
            verb = "changed" if entry.action is Action.MODIFY else "deleted"
            problem = f"does not exist and cannot be {verb}"
            yield _impossible(entry, problem, "Name a file that exists, or write Create.")


def _impossible(entry: FileAction, problem: str, suggestion: str) -> Hit:
    return Hit(
        issue=f"{entry.path} {problem}", line=entry.line, column=entry.column, quote=entry.path, suggestion=suggestion
    )


@rule("DES026", "bad-create-target", criteria=FEASIBILITY, severity=Severity.IMPORTANT, precision=0.95)
def bad_create_target(subject: Subject) -> Iterator[Hit]:
    """The design creates a file in an impossible place.

    What it checks: files to be created whose path is absolute, leaves the repository, or has a file as its parent.

    Why: an agent that follows the design fails, or writes outside the project.

    Known problems: an absolute path into the repository is reported too.

    Example:
        | ../other-repo/config.yml | Create |

    Instead: use a path inside the repository.
    """
    repository = subject.repository
    for entry in file_actions(subject.document):
        if entry.action is not Action.CREATE:
            continue
        if entry.path.startswith(("/", "~")) or not repository.inside(entry.path) or entry.path.startswith("../"):
            yield _impossible(entry, "is outside the repository", "Use a path relative to the repository root.")
            continue
        parents = entry.path.split("/")[:-1]
        for depth in range(1, len(parents) + 1):
            parent = "/".join(parents[:depth])
            if repository.is_file(parent):
                yield _impossible(entry, f"cannot be created: {parent} is a file", "Choose another directory.")
                break


@rule(
    "DES027",
    "component-without-section",
    criteria={Kind.DESIGN: "completeness"},
    severity=Severity.MINOR,
    precision=0.7,
)
def component_without_section(subject: Subject) -> Iterator[Hit]:
    """A component has no section, or is missing from the diagram.

    What it checks: designs with a section per component: the component table, and diagrams whose boxes are mostly
    such components.

    Why: either the component is not described, or it is left over from an earlier design.

    Known problems: names are compared by their words, so a component with two names looks like two components.

    Example: the diagram has a box "Scheduler", and the sections are Parser, Store and Writer.

    Instead: describe the scheduler, or remove the box.
    """
    document = subject.document
    sections = _component_sections(document)
    if len(sections) < 2:
        return
    titles = [_words(heading.title) for heading in sections]
    for table in document.tables:
        if not table.header or not table.header[0].text.strip("*_ ").lower().startswith("component"):
            continue
        cells = [row[0] for row in table.rows if row and row[0].text]
        matched = [cell for cell in cells if _has_match(_words(cell.text), titles)]
        if len(matched) * 2 >= len(cells):
            for cell in cells:
                if cell not in matched:
                    yield Hit(
                        issue=f'the component "{cell.text}" has no section',
                        line=cell.line,
                        column=cell.column,
                        quote=cell.text,
                    )
    yield from _diagrams(document, sections, titles)


_BOX = lazy_re(
    r"\b\w+\s*(?:\[\[?|\(\[?)\s*\"?([^\[\](){}\"|]{2,60}?)\"?\s*(?:\]|\))|participant\s+(?:\w+\s+as\s+)?([\w ]{2,60})$",
    re.MULTILINE,
)


def _diagrams(document: Document, sections: list[Heading], titles: list[frozenset[str]]) -> Iterator[Hit]:
    for fence in document.fences:
        if not fence.info.startswith("mermaid"):
            continue
        labels = {re.sub(r"<br\s*/?>", " ", match[1] or match[2]).strip() for match in _BOX.finditer(fence.text)}
        boxes = {label: _words(label) for label in labels}
        known = [label for label, words in boxes.items() if _has_match(words, titles)]
        if len(boxes) < 3 or len(known) < 0.8 * len(boxes):
            continue
        for label in sorted(set(boxes) - set(known)):
            if has_extension(label):
                continue
            yield Hit(issue=f'"{label}" is in the diagram but has no section', line=fence.line, quote=label)
        for heading, title in zip(sections, titles, strict=True):
            if not _has_match(title, list(boxes.values())) and not title & _CHORES:
                yield Hit(
                    issue=f'"{heading.title}" is missing from the diagram', line=heading.line, quote=heading.title
                )


def _component_sections(document: Document) -> list[Heading]:
    parent = find_section(document, "components")
    if parent is None or not plain_title(parent.title).startswith(("component", "modules")):
        return []
    inside = [heading for heading in document.headings if parent.line < heading.line <= parent.end]
    level = min((heading.level for heading in inside), default=0)
    return [heading for heading in inside if heading.level == level]


_CHORES = frozenset(("version", "bump", "migration", "test", "documentation"))
_COMMON = frozenset(
    """
    component components the a an of and new module service class agent system layer
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


def _words(title: str) -> frozenset[str]:
    plain = re.sub(r"\([^)]*\)|`", " ", title.lower())
    words = re.findall(r"[a-z0-9]{2,}", plain)
    return frozenset(word.rstrip("s") for word in words if word not in _COMMON) or frozenset(words)


def _has_match(words: frozenset[str], others: list[frozenset[str]]) -> bool:
    return any(words & other and len(words & other) * 2 >= min(len(words), len(other)) for other in others)
