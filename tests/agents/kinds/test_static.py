from __future__ import annotations

from pathlib import Path

import pytest

from reviewloop.agents.registry import build
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import BY_KIND, FOUR_CRITERIA
from reviewloop.errors import AgentRefused
from reviewloop.ports import Agent, Role
from reviewloop.rules import checkable_criteria
from reviewloop.rules.scoring import review_of
from reviewloop.testing.agents import AgentConformance, ask, job_for

KNOWN = frozenset({"completeness", "testability"})


def fact(severity: Severity, criterion: str | None = "completeness", **more) -> Finding:
    return Finding(issue="something", severity=severity, criterion=criterion, rule="ANY001", **more)


def review(*facts: Finding) -> Review:
    return review_of(facts, FOUR_CRITERIA, KNOWN)


class TestStatic(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return build("static", "static", {}, tmp_path)

    def test_it_judges_what_the_rules_for_the_kind_can_judge(self, tmp_path: Path) -> None:
        job = job_for(tmp_path, facts=(fact(Severity.IMPORTANT),))

        reply = ask(self.answering(tmp_path), job)

        assert review_of(job.facts, job.rubric, checkable_criteria(Kind.SPEC)) == reply.review

    def test_it_does_not_write(self, tmp_path: Path) -> None:
        with pytest.raises(AgentRefused):
            ask(self.answering(tmp_path), job_for(tmp_path, role=Role.AUTHOR))

    def test_it_has_no_hands(self, tmp_path: Path) -> None:
        assert not self.answering(tmp_path).edits_files


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_is_reviewed(tmp_path: Path, kind: Kind) -> None:
    names = BY_KIND[kind].names

    assert set(review_of((), BY_KIND[kind], checkable_criteria(kind)).judged) <= set(names)


def test_nothing_found_is_a_pass_on_what_was_judged_and_names_the_rest() -> None:
    assert (
        Review(
            verdict=Verdict.PASS,
            scores={"completeness": 100, "testability": 100},
            judged=("completeness", "testability"),
            summary="The offline rules checked completeness, testability: 0 findings. "
            "Not checked: consistency, architecture.",
        )
        == review()
    )


def test_findings_cost_by_their_severity() -> None:
    found = review(*(fact(severity) for severity in Severity), fact(Severity.MINOR, "testability"))

    assert {"completeness": 100 - 40 - 15 - 4, "testability": 96} == found.scores
    assert 5 == len(found.findings)


def test_a_score_never_falls_below_zero() -> None:
    assert 0 == review(*[fact(Severity.CRITICAL)] * 3).scores["completeness"]


def test_a_score_at_the_minimum_passes_and_one_below_does_not() -> None:
    assert (Verdict.PASS, 70) == (
        (found := review(*[fact(Severity.IMPORTANT)] * 2)).verdict,
        found.scores["completeness"],
    )
    assert Verdict.NEEDS_REVISION is review(*[fact(Severity.IMPORTANT)] * 3).verdict


@pytest.mark.parametrize("criterion", ["completeness", "architecture", None])
def test_a_critical_finding_never_passes_whatever_it_belongs_to(criterion: str | None) -> None:
    assert Verdict.NEEDS_REVISION is review(fact(Severity.CRITICAL, criterion)).verdict


def test_what_was_dismissed_is_kept_and_costs_nothing() -> None:
    dismissed = fact(Severity.CRITICAL, suppressed="dismissed by Ann: not here")

    found = review(dismissed)

    assert (Verdict.PASS, 100, (dismissed,)) == (found.verdict, found.scores["completeness"], found.findings)


def test_where_the_rules_can_judge_nothing_it_does_not_pass() -> None:
    found = review_of((), FOUR_CRITERIA, frozenset())

    assert (Verdict.INCONCLUSIVE, ()) == (found.verdict, found.judged)
    assert found.summary.startswith("The offline rules checked no criterion")
