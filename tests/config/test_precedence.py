"""Flag before environment before project before user, and a bad value names its source."""

from __future__ import annotations

import pytest

from config.conftest import Project, lines
from reviewloop.config.environment import CONTRACT, VARIABLES


def test_each_source_beats_the_next(project: Project) -> None:
    project.write_user_file("review: {timeout: 1, max_iterations: 2, borderline: 3, retry_on_malformed: 2}")
    project.write("reviewloop.yml", "review: {timeout: 10, max_iterations: 3, borderline: 30}")
    project.set(REVIEWLOOP_TIMEOUT="100", REVIEWLOOP_MAX_ITERATIONS="4")

    policy = project.policy(timeout=1000)

    assert (1000, 4, 30, 2) == (policy.timeout, policy.max_iterations, policy.borderline, policy.retry_on_malformed)


def test_a_flag_that_was_not_given_changes_nothing(project: Project) -> None:
    assert 5 == project.policy("review: {max_iterations: 5}", max_iterations=None, author=None).max_iterations


def test_a_profile_can_come_from_anywhere(project: Project) -> None:
    project.write_user_file("profile: phases")
    assert "phases" == project.policy().profile

    project.write("reviewloop.yml", "profile: overlay")
    assert "overlay" == project.policy().profile

    project.set(REVIEWLOOP_PROFILE="panel")
    assert "panel" == project.policy().profile

    assert "spec-gate" == project.policy(profile="spec-gate").profile


def test_the_projects_agents_stand_beside_the_users(project: Project) -> None:
    project.write_user_file("agents: {a: {kind: claude}, b: {kind: claude}}")
    agents = project.config("agents: {b: {kind: codex}, c: {kind: gemini}}").agents

    assert ("claude", "codex", "gemini") == (agents["a"].kind, agents["b"].kind, agents["c"].kind)


def test_a_stronger_count_of_fixes_replaces_a_weaker_count_of_reviews(project: Project) -> None:
    project.write_user_file("review: {max_iterations: 5}")

    assert 2 == project.policy("review: {max_fix_iterations: 1}").max_iterations
    assert 6 == project.policy(max_iterations=6).max_iterations


def test_a_flag_for_one_reviewer_replaces_the_files_several(project: Project) -> None:
    text = "agents: {a: {kind: claude}}\nreview: {reviewers: [a, static]}"

    assert ["static"] == [seat.name for seat in project.policy(text, reviewer="static").seats]


def test_a_flag_for_one_reviewer_replaces_a_panels_models(project: Project) -> None:
    text = "profile: panel\nreview: {parallel_models: [haiku, sonnet]}"

    assert ["spec:static", "quality:static"] == [seat.name for seat in project.policy(text, reviewer="static").seats]


def test_a_bad_flag_is_named(project: Project) -> None:
    assert lines("""
        error: --max-iterations: max_iterations must be 1-6
        hint: use a whole number from 1 to 6
    """) == project.complaint(max_iterations=9)
    assert lines("""
        error: --author: no agent is named "statik"
        hint: did you mean "static"?
    """) == project.complaint(author="statik")


def test_a_bad_variable_is_named(project: Project) -> None:
    project.set(REVIEWLOOP_MAX_ITERATIONS="many")

    assert (
        'error: environment variable REVIEWLOOP_MAX_ITERATIONS: max_iterations must be a whole number, found "many"'
        == project.complaint()
    )


@pytest.mark.parametrize("variable", ["REVIEWLOOP_MAX_FIX_ITERATIONS", "REVIEWLOOP_FIX_TIMEOUT_TURNS"])
def test_the_fixed_messages_hold_in_the_environment(project: Project, variable: str) -> None:
    project.set(**{variable: "99"})
    expected = {"REVIEWLOOP_MAX_FIX_ITERATIONS": "max_fix_iterations must be 1-5"}

    assert (
        f"error: environment variable {variable}: {expected.get(variable, 'fix_timeout_turns must be 5-30')}"
        == project.complaint().splitlines()[0]
    )


def test_a_misspelt_variable_is_an_error(project: Project) -> None:
    project.set(REVIEWLOOP_MAX_ITERATION="2")

    assert (
        lines("""
        error: environment variable REVIEWLOOP_MAX_ITERATION: unknown setting
        hint: did you mean "REVIEWLOOP_MAX_ITERATIONS"?
    """)
        == project.complaint()
    )


def test_other_variables_are_none_of_our_business(project: Project) -> None:
    project.set(REVIEWLOOP_COLOUR="blue", REVIEWLOOP_AUTHOR="", MAX_ITERATIONS="9", **dict.fromkeys(CONTRACT, "review"))

    assert (3, None) == (project.policy().max_iterations, project.policy().author)


def test_what_agents_are_told_is_never_a_setting() -> None:
    assert frozenset() == CONTRACT & VARIABLES.keys()


def test_values_in_the_environment_read_like_yaml(project: Project) -> None:
    project.set(REVIEWLOOP_STATIC_GATE="off", REVIEWLOOP_AUTO_APPROVE="yes", REVIEWLOOP_LEDGER="postgres://u:p@h/d")

    assert ("off", True) == (project.policy().static_gate, project.policy().auto_approve)
    assert "postgres://u:p@h/d" == project.config().ledger


def test_a_flag_can_switch_a_panel_project_to_another_profile(project: Project) -> None:
    text = "profile: panel\nreview: {strategy: parallel, parallel_models: [haiku, sonnet]}"

    assert ["static"] == [seat.name for seat in project.policy(text, profile="phases").seats]


def test_a_flag_for_something_that_is_no_setting_is_refused(project: Project) -> None:
    assert lines("""
        error: --max-iteration: unknown key "max_iteration"
        hint: did you mean "max_iterations"?
    """) == project.complaint(max_iteration=2)
