"""Checks of requirements and their stories: complete, prioritised, said once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Role, between
from reviewloop.documents.patterns import lazily
from reviewloop.documents.requirements import Requirement, Story, requirements, stories
from reviewloop.rules.criteria import wanted
from reviewloop.rules.ids import listed
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule


@rule(
    "REQ013",
    "story-without-criteria",
    criteria=wanted("completeness"),
    severity=Severity.CRITICAL,
    precision=0.95,
)
def story_without_criteria(subject: Subject) -> Iterator[Hit]:
    """A user story has no acceptance criteria.

    What it checks: every story (US-1, "User Story 1", a Kiro requirement) for criteria in its section, or elsewhere
    under the story's number. In OpenSpec's format, every requirement for a scenario.

    Why: nobody can tell when it is done, so nobody can tell when it is not.

    Known problems: criteria that are only told in running prose are not seen.

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
        if not story.criteria and not _has_table(subject.document, story) and not _told(story):
            noun = "scenario" if subject.document.format is Format.OPENSPEC else "acceptance criteria"
            yield Hit(
                issue=f"{story.id} has no {noun}",
                line=story.line,
                quote=story.title,
                suggestion="Say what can be observed when it works.",
            )


def _has_table(document: Document, story: Story) -> bool:
    return bool(between(document.tables, story.line + 1, story.end))


def _told(story: Story) -> bool:
    """Whether criteria are told in lines of their own, without a list."""
    return bool(
        re.search(
            r"^\W*(?:given\b.*\bthen\b|when\b.*\bthen\b|acceptance[^:\n]{0,30}:\W*\w)",
            story.body,
            re.IGNORECASE | re.MULTILINE,
        )
    )


_ROLE = lazily(r"\bas (?:an?|the)\b", re.IGNORECASE)
_WANT = lazily(r"\bI (?:want|need|can|would like|expect|should|must)\b|\bI'd like\b", re.IGNORECASE)
_BENEFIT = lazily(r"\b(?:so that|so I|so we|so the|in order to|because|to avoid|without)\b|\bso\b", re.IGNORECASE)


@rule("REQ014", "story-template", criteria=wanted("testability"), severity=Severity.MINOR, precision=0.9)
def story_template(subject: Subject) -> Iterator[Hit]:
    """A user story does not say who wants what and why.

    What it checks: "As a ... I want ... so that ..." in each story, for documents that write their stories so. spec-kit
    and OpenSpec have their own shapes and are left alone.

    Why: without the role nobody knows whom to ask, and without the benefit nobody knows when less would do.

    Known problems: a benefit can be worded in ways that the rule does not know.

    Example:
        As a clerk, I want to export rows.

    Instead:

        As a clerk, I want to export rows, so that I can file them.
    """
    if subject.document.format in (Format.OPENSPEC, Format.SPEC_KIT):
        return
    told = [(story, _missing_parts(story)) for story in stories(subject.document)]
    if all(len(missing) == 3 for _, missing in told):
        return
    for story, missing in told:
        if missing:
            yield Hit(
                issue=f"{story.id} does not say {' or '.join(missing)}",
                line=story.line,
                quote=story.title,
                suggestion='Write "As a ..., I want ..., so that ...".',
            )


def _missing_parts(story: Story) -> list[str]:
    told = story.body.split("\n")
    if story.criteria:
        told = told[: max(1, min(one.line for one in story.criteria) - story.line)]
    text = re.sub(r"[*_`]", "", "\n".join(told))
    parts = (("who it is for", _ROLE), ("what they want", _WANT), ("why", _BENEFIT))
    return [name for name, pattern in parts if not pattern.search(text)]


_PRIORITISED = {Kind.REQUIREMENTS: "completeness", Kind.PRD: "completeness"}
_PRIORITY = lazily(
    r"\b(?:P[0-4]|must|should|could|won't|shall|may|high|medium|low|critical|optional|required|mandatory|"
    r"nice to have)\b",
    re.IGNORECASE,
)
_PRIORITY_TITLE = lazily(
    r"\b(?:must|should|could|P[0-4]|high|medium|low|critical|core|optional|priority)\b", re.IGNORECASE
)


@rule("REQ015", "no-priority", criteria=_PRIORITISED, severity=Severity.IMPORTANT, precision=0.92)
def no_priority(subject: Subject) -> Iterator[Hit]:
    """A functional requirement has no priority.

    What it checks: the priority column of requirement tables, and for requirements in lists or sections a priority
    word (P0-P4, High/Medium/Low, Must/Should/Could) in the requirement or its heading. If most requirements of a
    document have none, that is one finding.

    Why: when not everything fits, somebody has to choose; better the author than the last agent in the chain.

    Known problems: "must" in a requirement's text counts as a priority, as in spec-kit's format.

    Example:
        | ID   | Requirement   | Priority |
        | FR-3 | Export as CSV |          |

    Instead: write High, Medium or Low, Must, Should or Could, or P0 to P2.
    """
    document = subject.document
    if document.format in (Format.OPENSPEC, Format.KIRO):
        return
    all_of_them = [one for one in requirements(document) if one.family.startswith(("FR", "REQ"))]
    without = [one for one in all_of_them if not _has_priority(document, one)]
    if len(without) > max(2, len(all_of_them) / 2):
        first = without[0]
        yield Hit(
            issue=f"{len(without)} of {len(all_of_them)} requirements have no priority: "
            f"{listed(one.key for one in without)}",
            line=first.line,
            column=first.column,
            suggestion="Add a Priority column: High, Medium, Low, or Must, Should, Could.",
        )
        return
    for one in without:
        yield Hit(issue=f"{one.id} has no priority", line=one.line, column=one.column, quote=one.id)


def _has_priority(document: Document, one: Requirement) -> bool:
    if one.priority is not None:
        return bool(one.priority.strip("-\u2013\u2014? *_`")) and one.priority.upper() not in ("TBD", "N/A")
    if one.role is Role.ROW:
        return bool(_PRIORITY_TITLE.search(document.section(one.line) or ""))
    return bool(_PRIORITY.search(one.whole) or _PRIORITY_TITLE.search(document.section(one.line) or ""))


@rule(
    "REQ022", "near-duplicate", criteria=wanted("testability", "consistency"), severity=Severity.MINOR, precision=0.75
)
def near_duplicate(subject: Subject) -> Iterator[Hit]:
    """Two requirements say nearly the same.

    What it checks: the words of each pair of requirements. Those that differ in hardly a word are reported, once.

    Why: they will drift apart, and then one of them is wrong.

    Known problems: two requirements that differ in one telling word are not the same; the rule leaves them alone if the
    word is a name, a number or code.

    Example: "Export the selected rows as CSV" and "Export all selected rows as a CSV".

    Instead: keep one, and say in it what the other adds.
    """
    seen: list[tuple[Requirement, frozenset[str]]] = []
    for one in requirements(subject.document)[:400]:
        words = _content(one.text)
        if len(words) < 4:
            continue
        for other, others in seen:
            if _same(words, others):
                yield Hit(
                    issue=f"{one.id} says nearly the same as {other.id}",
                    line=one.line,
                    column=one.column,
                    quote=one.text[:200],
                )
                break
        seen.append((one, words))


_EMPTY_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "for",
        "in",
        "on",
        "at",
        "by",
        "with",
        "and",
        "or",
        "is",
        "are",
        "be",
        "as",
        "it",
        "its",
        "this",
        "that",
        "all",
        "each",
        "any",
    ]
)


def _content(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9_./-]+", text.lower().replace("`", ""))
    return frozenset(word.rstrip(".") for word in words if word not in _EMPTY_WORDS)


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    if words == others:
        return True
    shared = len(words & others)
    return shared / max(len(words), len(others)) >= 0.85 and not (words - others and others - words)
