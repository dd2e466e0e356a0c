from __future__ import annotations

import pytest

from config.conftest import Project
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import PROFILES, Budget, Policy, Seat, Strategy, profile
from reviewloop.core.types.review import Stage
from reviewloop.core.types.rubric import BY_KIND, QUALITY_STAGE, SPEC_STAGE


def test_without_any_setting_the_policy_is_the_profiles(project: Project) -> None:
    assert Policy() == project.policy()


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "panel"])
@pytest.mark.parametrize("kind", list(Kind))
def test_a_profile_alone_is_the_profile(project: Project, name: str, kind: Kind) -> None:
    assert profile(name, kind) == project.policy(f"profile: {name}", kind)


def test_phases_are_judged_by_kind(project: Project) -> None:
    for kind in Kind:
        assert BY_KIND[kind] == project.policy("profile: phases", kind).rubric


def test_a_panel_seats_every_model_in_every_stage(project: Project) -> None:
    policy = project.policy("profile: panel\nreview: {parallel_models: [a, b, c]}")

    assert ["spec:a", "spec:b", "spec:c", "quality:a", "quality:b", "quality:c"] == [seat.name for seat in policy.seats]
    assert Seat(agent="a", stage=Stage.SPEC, rubric=SPEC_STAGE) == policy.seats[0]
    assert Seat(agent="c", stage=Stage.QUALITY, rubric=QUALITY_STAGE) == policy.seats[-1]
    assert (Strategy.PARALLEL, 3, 10) == (policy.strategy, policy.max_iterations, policy.fix_timeout_turns)


def test_a_panel_has_models_by_default(project: Project) -> None:
    assert ["spec:haiku", "spec:sonnet", "quality:haiku", "quality:sonnet"] == [
        seat.name for seat in project.policy("profile: panel").seats
    ]
    assert ["spec:opus", "quality:opus"] == [
        seat.name for seat in project.policy("profile: panel\nreview: {strategy: single}").seats
    ]


def test_a_panel_without_models_takes_the_reviewers(project: Project) -> None:
    agents = "profile: panel\nagents: {a: {kind: claude}, b: {kind: codex}}\n"

    assert ["spec:a", "spec:b", "quality:a", "quality:b"] == [
        seat.name for seat in project.policy(agents + "review: {reviewers: [a, b]}").seats
    ]
    assert ["spec:a", "quality:a"] == [
        seat.name for seat in project.policy(agents + "review: {strategy: single, reviewer: a}").seats
    ]


def test_one_reviewer_has_one_seat(project: Project) -> None:
    policy = project.policy("agents: {a: {kind: claude}}\nreview: {reviewer: a}")

    assert ((Seat(agent="a"),), Strategy.SINGLE) == (policy.seats, policy.strategy)


def test_several_reviewers_sit_side_by_side(project: Project) -> None:
    policy = project.policy(
        "agents: {a: {kind: claude}}\nreview: {reviewers: [a, {agent: static, allow_failure: true}]}"
    )

    assert (Seat(agent="a"), Seat(agent="static", allow_failure=True)) == policy.seats
    assert Strategy.PARALLEL == policy.strategy


def test_fixes_become_reviews(project: Project) -> None:
    assert (6, 5) == (
        project.policy("review: {max_fix_iterations: 5}").max_iterations,
        project.policy("review: {max_iterations: 6}").max_fix_iterations,
    )


def test_every_plain_setting_reaches_the_policy(project: Project) -> None:
    policy = project.policy("""
        profile: overlay
        agents: {a: {kind: claude}, b: {kind: claude}, c: {kind: claude}}
        tasks: {t: {agent: a, overlays: {agentic_review: {enabled: true, reviewer_agents: [b, c], coder_agent: a}}}}
        review:
          speculative_quality: false
          max_iterations: 5
          fix_timeout_turns: 7
          auto_approve: true
          auto_reject: true
          author: a
          author_retries: 2
          dialect: scored
          static_gate: important
          on_inconclusive: pass
          on_exhausted: warn
          on_author_failure: block
          borderline: 4.5
          min_total: 80
          ask_confidence: true
          receipt: required
          retry_on_malformed: 0
          timeout: 90
          budget: {seconds: 60, tokens: 1000, usd: 0.5}
    """)

    expected = profile(
        "overlay",
        Kind.SPEC,
        speculative_quality=False,
        max_iterations=5,
        fix_timeout_turns=7,
        auto_approve=True,
        auto_reject=True,
        author="a",
        author_retries=2,
        dialect="scored",
        static_gate="important",
        on_inconclusive="pass",
        on_exhausted="warn",
        on_author_failure="block",
        borderline=4.5,
        min_total=80,
        ask_confidence=True,
        receipt="required",
        retry_on_malformed=0,
        timeout=90,
        budget=Budget(seconds=60, tokens=1000, usd=0.5),
    )
    assert expected == policy


def test_every_seat_has_an_agent_whatever_the_profile(project: Project) -> None:
    config = project.config()
    for name in PROFILES:
        assert {seat.agent for seat in project.policy(profile=name).seats} <= set(config.agents)
