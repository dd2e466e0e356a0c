"""Who of several authors is asked to address what: each criterion may have an author of its own."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.session.events import Iterated
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One author's part of a fix."""

    author: str
    findings: tuple[Finding, ...]


def turns(conclusion: Iterated, policy: Policy) -> tuple[Turn, ...]:
    """The authors of one fix in the order they are asked, the default author first.

    If there is nothing to address but a person's notes, they are the default author's.
    """
    assert policy.author is not None
    to_fix = [one for one in conclusion.findings if not one.is_late and not one.suppressed]
    authors = dict.fromkeys((policy.author, *policy.authors.values()))
    found = (
        Turn(author=author, findings=tuple(one for one in to_fix if author_of(one, policy) == author))
        for author in authors
    )
    return tuple(turn for turn in found if turn.findings) or (Turn(author=policy.author, findings=()),)


def author_of(finding: Finding, policy: Policy) -> str | None:
    return policy.authors.get(finding.criterion or "", policy.author)
