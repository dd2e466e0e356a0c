"""Rules for the links between requirements and user stories, in both directions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, between
from reviewloop.documents.patterns import lazy_re
from reviewloop.documents.requirements import Requirement, requirements, stories
from reviewloop.rules.criteria import requirement_criteria
from reviewloop.rules.ids import format_ids, parents_of
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

_ALL_STORIES = lazy_re(r"\|\s*all(?: (?:user )?stories| US)?\s*\|", re.IGNORECASE)


@rule(
    "REQ016",
    "untraced-requirement",
    criteria=requirement_criteria("traceability", "completeness"),
    severity=Severity.IMPORTANT,
    precision=0.9,
)
def untraced_requirement(subject: Subject) -> Iterator[Hit]:
    """A requirement is not linked to a user story or criterion.

    What it checks: documents with user stories. Each functional requirement must mention a story or a criterion, or be
    mentioned by one. One finding per document.

    Why: either nobody asked for the requirement, or a story is missing.

    Known problems: a link in words ("see the export story") is not recognised.

    Example:
        | ID   | Requirement   | Priority |
        | FR-3 | Export as CSV | High     |

    Instead:

        | ID   | Requirement   | Priority | Source |
        | FR-3 | Export as CSV | High     | US-2   |
    """
    document = subject.document
    all_stories = stories(document)
    if not any(story.key.startswith("US-") for story in all_stories):
        return
    in_stories = {id_.key for story in all_stories for id_ in between(document.ids, story.line, story.end)}
    linked = in_stories | _traced_elsewhere(document)
    functional = [requirement for requirement in requirements(document) if requirement.family.startswith(("FR", "REQ"))]
    untraced = [requirement for requirement in functional if not _traces(requirement) and requirement.key not in linked]
    if untraced:
        yield Hit(
            issue=f"{len(untraced)} of {len(functional)} requirements are not linked to a story or criterion: "
            f"{format_ids(requirement.key for requirement in untraced)}",
            line=untraced[0].line,
            column=untraced[0].column,
            suggestion="Name the story or criterion behind each requirement.",
        )


def _traces(requirement: Requirement) -> bool:
    return bool(_ALL_STORIES.search(requirement.whole)) or any(
        key.startswith(("US-", "AC-", "UC-")) for key in requirement.related
    )


def _traced_elsewhere(document: Document) -> set[str]:
    """The requirements that share a line with a story or criterion, as in a traceability table."""
    by_line: dict[int, set[str]] = {}
    for id_ in document.ids:
        by_line.setdefault(id_.line, set()).add(id_.key)
    return {
        key
        for keys in by_line.values()
        if any(other.startswith(("US-", "AC-")) for other in keys)
        for key in keys
        if key.startswith(("FR", "REQ"))
    }


@rule(
    "REQ017",
    "unserved-story",
    criteria=requirement_criteria("traceability", "completeness"),
    severity=Severity.MINOR,
    precision=0.8,
)
def unserved_story(subject: Subject) -> Iterator[Hit]:
    """A user story has no requirement.

    What it checks: documents whose requirements mention stories. A requirement must mention each story, or one of its
    criteria.

    Why: a story without requirements is easily forgotten.

    Known problems: a story whose criteria say everything needs no requirement, but is reported.

    Example: the document has US-3, and FR-1 to FR-6 mention only US-1 and US-2.

    Instead: add the requirement, or remove the story.
    """
    document = subject.document
    all_requirements = requirements(document)
    linked = {key for requirement in all_requirements for key in requirement.related} | _beside_requirements(document)
    if sum(map(_traces, all_requirements)) < len(all_requirements) / 2:
        return
    parents = {parent for key in linked for parent in parents_of(key)}
    for story in stories(document):
        if not story.key.startswith("US-"):
            continue
        inside = any(id_.family in ("FR", "REQ") for id_ in between(document.ids, story.line, story.end))
        served = story.key in linked or story.key.replace("US-", "AC-") in parents
        if not inside and not served:
            yield Hit(issue=f"no requirement mentions {story.id}", line=story.line, quote=story.title)


def _beside_requirements(document: Document) -> set[str]:
    """All ids on lines that mention a requirement."""
    lines = {id_.line for id_ in document.ids if id_.family.startswith(("FR", "REQ", "NFR"))}
    return {id_.key for id_ in document.ids if id_.line in lines}
