"""Rules for requirements and stories: acceptance criteria, story form, priorities, duplicates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Role, between
from reviewloop.documents.patterns import lazy_re
from reviewloop.documents.requirements import Requirement, Story, requirements, stories
from reviewloop.rules.criteria import requirement_criteria
from reviewloop.rules.ids import format_ids
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule


@rule(
    "REQ013",
    "story-without-criteria",
    criteria=requirement_criteria("completeness"),
    severity=Severity.CRITICAL,
    precision=0.95,
)
def story_without_criteria(subject: Subject) -> Iterator[Hit]:
    """A user story has no acceptance criteria.

    What it checks: every story (US-1, "User Story 1", a Kiro requirement) for criteria in its section, or elsewhere
    under the story's number. In OpenSpec, every requirement needs a scenario.

    Why: without criteria, nobody can tell whether the story is done.

    Known problems: criteria in running prose are not recognised.

    Example:
        ### US-2: Export

        As a clerk, I want to export rows, so that I can file them.

    Instead:

        ### US-2: Export

        As a clerk, I want to export rows, so that I can file them.

        **Acceptance Criteria**:
        - AC-2.1: The file has one line for each selected row
    """
    for story in stories(subject.document):
        if not story.criteria and not _has_table(subject.document, story) and not _has_prose_criteria(story):
            noun = "scenario" if subject.document.format is Format.OPENSPEC else "acceptance criteria"
            yield Hit(
                issue=f"{story.id} has no {noun}",
                line=story.line,
                quote=story.title,
                suggestion="List what can be observed when it works.",
            )


def _has_table(document: Document, story: Story) -> bool:
    return bool(between(document.tables, story.line + 1, story.end))


_PROSE_CRITERIA = lazy_re(
    r"^\W*(?:given\b.*\bthen\b|when\b.*\bthen\b|acceptance[^:\n]{0,30}:\W*\w)", re.IGNORECASE | re.MULTILINE
)


def _has_prose_criteria(story: Story) -> bool:
    """Whether criteria are on lines of their own, without a list."""
    return bool(_PROSE_CRITERIA.search(story.body))


_ROLE = lazy_re(r"\bas (?:an?|the)\b", re.IGNORECASE)
_WANT = lazy_re(r"\bI (?:want|need|can|would like|expect|should|must)\b|\bI'd like\b", re.IGNORECASE)
_BENEFIT = lazy_re(r"\b(?:so that|so I|so we|so the|in order to|because|to avoid|without)\b|\bso\b", re.IGNORECASE)


@rule("REQ014", "story-template", criteria=requirement_criteria("testability"), severity=Severity.MINOR, precision=0.9)
def story_template(subject: Subject) -> Iterator[Hit]:
    """A user story does not say who wants what and why.

    What it checks: "As a ... I want ... so that ..." in each story, if the document uses this form. spec-kit and
    OpenSpec have their own forms and are not checked.

    Why: the role says whom to ask, and the benefit says when a simpler solution is enough.

    Known problems: the rule does not know every way to state a benefit.

    Example:
        As a clerk, I want to export rows.

    Instead:

        As a clerk, I want to export rows, so that I can file them.
    """
    if subject.document.format in (Format.OPENSPEC, Format.SPEC_KIT):
        return
    checked = [(story, _missing_parts(story)) for story in stories(subject.document)]
    if all(len(missing) == 3 for _, missing in checked):
        return
    for story, missing in checked:
        if missing:
            yield Hit(
                issue=f"{story.id} does not say {' or '.join(missing)}",
                line=story.line,
                quote=story.title,
                suggestion='Write "As a ..., I want ..., so that ...".',
            )


def _missing_parts(story: Story) -> list[str]:
    lines = story.body.split("\n")
    if story.criteria:
        lines = lines[: max(1, min(criterion.line for criterion in story.criteria) - story.line)]
    text = re.sub(r"[*_`]", "", "\n".join(lines))
    parts = (("who it is for", _ROLE), ("what the user wants", _WANT), ("why", _BENEFIT))
    return [name for name, pattern in parts if not pattern.search(text)]


_PRIORITISED = {Kind.REQUIREMENTS: "completeness", Kind.PRD: "completeness"}
_PRIORITY = lazy_re(
    r"\b(?:P[0-4]|must|should|could|won't|shall|may|high|medium|low|critical|optional|required|mandatory|"
    r"nice to have)\b",
    re.IGNORECASE,
)
_PRIORITY_TITLE = lazy_re(
    r"\b(?:must|should|could|P[0-4]|high|medium|low|critical|core|optional|priority)\b", re.IGNORECASE
)


@rule("REQ015", "no-priority", criteria=_PRIORITISED, severity=Severity.IMPORTANT, precision=0.92)
def no_priority(subject: Subject) -> Iterator[Hit]:
    """A functional requirement has no priority.

    What it checks: the priority column of requirement tables. Requirements in lists or sections need a priority word
    (P0-P4, High/Medium/Low, Must/Should/Could) in their text or heading. If most requirements of a document have no
    priority, there is one finding for all of them.

    Why: when time runs short, the author should decide what comes first, not the agent.

    Known problems: "must" in a requirement's text counts as a priority, as in spec-kit.

    Example:
        | ID   | Requirement   | Priority |
        | FR-3 | Export as CSV |          |

    Instead: write High, Medium or Low, Must, Should or Could, or P0 to P2.
    """
    document = subject.document
    if document.format in (Format.OPENSPEC, Format.KIRO):
        return
    functional = [requirement for requirement in requirements(document) if requirement.family.startswith(("FR", "REQ"))]
    without = [requirement for requirement in functional if not _has_priority(document, requirement)]
    if len(without) > max(2, len(functional) / 2):
        first = without[0]
        yield Hit(
            issue=f"{len(without)} of {len(functional)} requirements have no priority: "
            f"{format_ids(requirement.key for requirement in without)}",
            line=first.line,
            column=first.column,
            suggestion="Add a Priority column: High, Medium, Low, or Must, Should, Could.",
        )
        return
    for requirement in without:
        yield Hit(
            issue=f"{requirement.id} has no priority",
            line=requirement.line,
            column=requirement.column,
            quote=requirement.id,
        )


def _has_priority(document: Document, requirement: Requirement) -> bool:
    if requirement.priority is not None:
        return bool(requirement.priority.strip("-\u2013\u2014? *_`")) and requirement.priority.upper() not in (
            "TBD",
            "N/A",
        )
    if requirement.role is Role.ROW:
        return bool(_PRIORITY_TITLE.search(document.section(requirement.line) or ""))
    return bool(_PRIORITY.search(requirement.whole) or _PRIORITY_TITLE.search(document.section(requirement.line) or ""))


@rule(
    "REQ022",
    "near-duplicate",
    criteria=requirement_criteria("testability", "consistency"),
    severity=Severity.MINOR,
    precision=0.75,
)
def near_duplicate(subject: Subject) -> Iterator[Hit]:
    """Two requirements say nearly the same.

    What it checks: the words of each pair of requirements. Pairs with nearly the same words are reported once.

    Why: over time the two drift apart, and then one of them is wrong.

    Known problems: if one requirement only adds a decisive word to the other, the pair is reported.

    Example: "Export the selected rows as CSV" and "Export all selected rows as a CSV".

    Instead: merge the two.
    """
    seen: list[tuple[Requirement, frozenset[str]]] = []
    for requirement in requirements(subject.document)[:400]:
        words = _content(requirement.text)
        if len(words) < 4:
            continue
        for other, other_words in seen:
            if _same(words, other_words):
                yield Hit(
                    issue=f"{requirement.id} nearly repeats {other.id}",
                    line=requirement.line,
                    column=requirement.column,
                    quote=requirement.text[:200],
                )
                break
        seen.append((requirement, words))


_EMPTY_WORDS = frozenset(
    """
    a an the of to for in on at by with and or is are be as it its this that all each any
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


def _content(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9_./-]+", text.lower().replace("`", ""))
    return frozenset(word.rstrip(".") for word in words if word not in _EMPTY_WORDS)


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    if words == others:
        return True
    shared = len(words & others)
    return shared / max(len(words), len(others)) >= 0.85 and not (words - others and others - words)
