from __future__ import annotations

import pytest

from config.conftest import Project, lines
from reviewloop.errors import ConfigError
from reviewloop.reports.config_error import render


def test_an_agent_nobody_declared_is_found_by_its_nearest_name(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:4:11: no agent is named "sonet"
          4 |   author: sonet
            |           ^^^^^
        hint: did you mean "sonnet"?
    """) == project.complaint("agents:\n  sonnet: {kind: claude}\nreview:\n  author: sonet\n")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("review: {author: bob}", "1:18"),
        ("review: {reviewer: bob}", "1:20"),
        ("review: {reviewers: [static, bob]}", "1:30"),
        ("review: {reviewers: [{agent: bob}]}", "1:30"),
        ("tasks: {a: {agent: bob}}", "1:20"),
        ("tasks: {a: {overlays: {agentic_review: {coder_agent: bob}}}}", "1:54"),
        ("tasks: {a: {overlays: {agentic_review: {reviewer_agent: bob}}}}", "1:57"),
    ],
)
def test_every_place_that_names_an_agent_is_checked(project: Project, text: str, place: str) -> None:
    said = project.complaint(text).splitlines()

    assert f'error: reviewloop.yml:{place}: no agent is named "bob"' == said[0]
    assert 'hint: add it under "agents"' == said[3]


def test_the_offline_rules_need_no_entry(project: Project) -> None:
    assert "static" == project.config("review: {reviewer: static}").agents["static"].kind


def test_a_panel_knows_models_by_their_names(project: Project) -> None:
    config = project.config("profile: panel\nreview: {parallel_models: [haiku, gpt], single_model: opus, author: gpt}")

    assert ("claude", {"model": "gpt"}) == (config.agents["gpt"].kind, config.agents["gpt"].settings)


def test_other_profiles_do_not_know_models_by_their_names(project: Project) -> None:
    assert 'no agent is named "sonnet"' in project.complaint("profile: phases\nreview: {author: sonnet}")


def test_what_a_panel_is_told_about_a_model_counts(project: Project) -> None:
    config = project.config("profile: panel\nagents: {haiku: {kind: codex}}")

    assert ("codex", "claude") == (config.agents["haiku"].kind, config.agents["sonnet"].kind)


def test_an_agent_needs_a_kind(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:3: agent "mine" has no kind
          2 |   mine: {command: [./review.sh]}
            |   ^^^^
        hint: kinds: static, replay, command, claude, codex, gemini, acp, model
    """) == project.complaint("agents:\n  mine: {command: [./review.sh]}\n")


def test_a_kind_is_found_by_its_nearest_name(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:16: unknown kind of agent "comand"
          2 |   mine: {kind: comand}
            |                ^^^^^^
        hint: did you mean "command"?
    """) == project.complaint("agents:\n  mine: {kind: comand}\n")


def test_an_agent_is_a_mapping(project: Project) -> None:
    assert 'agent "mine" must be a mapping, found "claude"' in project.complaint("agents: {mine: claude}")


def test_nobody_else_is_called_static(project: Project) -> None:
    assert '"static" is always the offline rules' in project.complaint("agents: {static: {kind: claude}}")


def test_an_adapter_can_point_at_a_setting(project: Project) -> None:
    agent = project.config("agents:\n  mine:\n    kind: command\n    command: {a: b}\n").agents["mine"]

    assert lines("""
        error: reviewloop.yml:4:18: no
          4 |     command: {a: b}
            |                  ^
    """) == render(agent.error("no", "command", "a"))
    assert "reviewloop.yml:3:5" == agent.error("no", "absent").where


def test_an_adapter_can_refuse_settings_it_does_not_have(project: Project) -> None:
    agent = project.config("agents:\n  mine: {kind: command, comand: [x]}\n").agents["mine"]

    with pytest.raises(ConfigError) as caught:
        agent.only(["command", "timeout"])

    assert ("reviewloop.yml:2:25", 'did you mean "command"?') == (caught.value.where, caught.value.hint)


def test_tasks_keep_what_belongs_to_others(project: Project) -> None:
    config = project.config("tasks: {a: {agent: static, overlays: {paired: {any: thing}}}}")

    assert config.tasks is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks: [a]", "tasks must be a mapping, found a list"),
        ("tasks: {a: b}", 'task a must be a mapping, found "b"'),
        ("tasks: {a: {agent: [b]}}", "agent must be text, found a list"),
        ("tasks: {a: {overlays: b}}", 'overlays must be a mapping, found "b"'),
        ("tasks: {a: {overlays: {agentic_review: true}}}", "agentic_review must be a mapping, found true"),
        ("tasks: {a: {overlays: {agentic_review: {enabled: 1}}}}", "enabled must be true or false, found 1"),
        ("tasks: {a: {overlays: {agentic_review: {max_iterations: 9}}}}", "max_iterations must be 1-6"),
    ],
)
def test_the_overlay_has_a_shape(project: Project, text: str, message: str) -> None:
    assert message in project.complaint(text)
