"""Assigns findings to authors: each criterion can have its own author."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.session.events import Iterated
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    author: str
    findings: tuple[Finding, ...]


def turns(conclusion: Iterated, policy: Policy) -> tuple[Turn, ...]:
    """The authors of one fix in the order they are asked, the default author first.

    Late findings go along as optional, and are no reason to ask an author. Without findings to fix, for example with
    only a person's notes, the default author is asked.
    """
    assert policy.author is not None
    told = [finding for finding in conclusion.findings if not finding.suppressed]
    authors = dict.fromkeys((policy.author, *policy.authors.values()))
    assigned = (
        Turn(author=author, findings=tuple(finding for finding in told if author_of(finding, policy) == author))
        for author in authors
    )
    due = tuple(turn for turn in assigned if any(finding.is_open for finding in turn.findings))
    return due or (Turn(author=policy.author, findings=tuple(told)),)


def author_of(finding: Finding, policy: Policy) -> str | None:
    return policy.authors.get(finding.criterion or "", policy.author)
