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

    Without findings, for example with only a person's notes, the default author is asked.
    """
    assert policy.author is not None
    to_fix = [finding for finding in conclusion.findings if finding.is_open]
    authors = dict.fromkeys((policy.author, *policy.authors.values()))
    assigned = (
        Turn(author=author, findings=tuple(finding for finding in to_fix if author_of(finding, policy) == author))
        for author in authors
    )
    return tuple(turn for turn in assigned if turn.findings) or (Turn(author=policy.author, findings=()),)


def author_of(finding: Finding, policy: Policy) -> str | None:
    return policy.authors.get(finding.criterion or "", policy.author)
