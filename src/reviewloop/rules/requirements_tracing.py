"""Which requirements serve which stories, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, between
from reviewloop.documents.patterns import lazily
from reviewloop.documents.requirements import Requirement, requirements, stories
from reviewloop.rules.criteria import wanted
from reviewloop.rules.ids import listed, wholes_of
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

_ALL_STORIES = lazily(r"\|\s*all(?: (?:user )?stories| US)?\s*\|", re.IGNORECASE)


@rule(
    "REQ016",
    "untraced-requirement",
    criteria=wanted("traceability", "completeness"),
    severity=Severity.IMPORTANT,
    precision=0.9,
)
def untraced_requirement(subject: Subject) -> Iterator[Hit]:
    """Requirements trace to no user story or criterion.

    What it checks: in a document that has stories, whether each functional requirement names a story or a criterion, or
    is named by one. One finding per document.

    Why: a requirement that no story asks for is either scope that crept in or a story that is missing.

    Known problems: a trace in words ("see the export story") is not seen.

    Example:
        | ID   | Requirement   | Priority |
        | FR-3 | Export as CSV | High     |

    Instead:

        | ID   | Requirement   | Priority | Source |
        | FR-3 | Export as CSV | High     | US-2   |
    """
    document = subject.document
    told = stories(document)
    if not any(story.key.startswith("US-") for story in told):
        return
    named = {one.key for story in told for one in between(document.ids, story.line, story.end)}
    named |= _traced_elsewhere(document)
    wanting = [one for one in requirements(document) if one.family.startswith(("FR", "REQ"))]
    loose = [one for one in wanting if not _traces(one) and one.key not in named]
    if loose:
        yield Hit(
            issue=f"{len(loose)} of {len(wanting)} requirements trace to no story or criterion: "
            f"{listed(one.key for one in loose)}",
            line=loose[0].line,
            column=loose[0].column,
            suggestion="Name the story or criterion that each requirement serves.",
        )


def _traces(one: Requirement) -> bool:
    return bool(_ALL_STORIES.search(one.whole)) or any(key.startswith(("US-", "AC-", "UC-")) for key in one.related)


def _traced_elsewhere(document: Document) -> set[str]:
    """Requirements that share a line with a story or criterion, as in a traceability table."""
    by_line: dict[int, set[str]] = {}
    for one in document.ids:
        by_line.setdefault(one.line, set()).add(one.key)
    return {
        key
        for keys in by_line.values()
        if any(other.startswith(("US-", "AC-")) for other in keys)
        for key in keys
        if key.startswith(("FR", "REQ"))
    }


@rule(
    "REQ017", "unserved-story", criteria=wanted("traceability", "completeness"), severity=Severity.MINOR, precision=0.8
)
def unserved_story(subject: Subject) -> Iterator[Hit]:
    """No requirement serves a user story.

    What it checks: in a document whose requirements name stories, whether each story or one of its criteria is named
    by a requirement.

    Why: the story will be read, nodded at and not built.

    Known problems: a story that its criteria cover completely needs no requirement of its own.

    Example: US-3 is told, and FR-1 to FR-6 name only US-1 and US-2.

    Instead: add the requirement, or take the story out.
    """
    document = subject.document
    wanting = requirements(document)
    named = {key for one in wanting for key in one.related} | _lines_with_requirements(document)
    if sum(_traces(one) for one in wanting) < len(wanting) / 2:
        return
    parts = {whole for key in named for whole in wholes_of(key)}
    for story in stories(document):
        if not story.key.startswith("US-"):
            continue
        inside = any(one.family in ("FR", "REQ") for one in between(document.ids, story.line, story.end))
        served = story.key in named or story.key.replace("US-", "AC-") in parts
        if not inside and not served:
            yield Hit(issue=f"no requirement serves {story.id}", line=story.line, quote=story.title)


def _lines_with_requirements(document: Document) -> set[str]:
    lines = {one.line for one in document.ids if one.family.startswith(("FR", "REQ", "NFR"))}
    return {one.key for one in document.ids if one.line in lines}
