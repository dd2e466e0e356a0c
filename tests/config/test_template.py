"""The file that `init` writes: every profile with every set of programs is a configuration that works at once."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from config.conftest import Project
from reviewloop.config.template import TITLES, setup, template
from reviewloop.config.workflow import workflow_of
from reviewloop.core.types.policy import PROFILES, Strategy

COMMENTED = re.compile(r"^( *)# ([a-z_]+: .*)$")
PROGRAMS = [found for number in range(len(TITLES) + 1) for found in combinations(TITLES, number)]
EVERY = [
    pytest.param(name, found, id=f"{name} with {'+'.join(found) or 'nothing'}")
    for name in PROFILES
    for found in PROGRAMS
]


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_it_loads_with_exactly_what_was_found(project: Project, name: str, found: tuple[str, ...]) -> None:
    chosen = setup(name, found)
    config = project.config(template(chosen))
    policy = project.policy()

    assert (name, chosen.author) == (policy.profile, policy.author)
    assert set(chosen.reviewers) == {seat.agent for seat in policy.seats}
    declared = {entry.kind for entry in config.agents.values() if not entry.implied}
    assert {*found, "static"} == declared


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_the_optional_parts_work_when_their_mark_is_removed(
    project: Project, name: str, found: tuple[str, ...]
) -> None:
    text = template(setup(name, found))
    without_marks = "\n".join(COMMENTED.sub(r"\1\2", line) for line in text.splitlines())

    project.policy(without_marks)
    assert text != without_marks


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_it_is_short_and_fits_the_screen(name: str, found: tuple[str, ...]) -> None:
    lines = template(setup(name, found)).splitlines()

    assert len(lines) <= 32
    assert max(len(line) for line in lines) <= 120


@pytest.mark.parametrize("name", ["spec-gate", "phases", "overlay"])
def test_the_second_program_reviews_what_the_first_writes(name: str) -> None:
    chosen = setup(name, ["claude", "codex", "gemini"])

    assert (("codex",), "claude") == (chosen.reviewers, chosen.author)


def test_all_programs_are_the_panel(project: Project) -> None:
    policy = project.policy(template(setup("panel", ["claude", "codex"])))

    assert (Strategy.PARALLEL, ["codex", "claude"] * 2) == (policy.strategy, [seat.agent for seat in policy.seats])


def test_one_program_with_several_models_is_a_panel_too(project: Project) -> None:
    policy = project.policy(template(setup("panel", ["claude"])))

    assert (Strategy.PARALLEL, {"haiku", "sonnet"}) == (policy.strategy, {seat.agent for seat in policy.seats})


def test_the_overlays_example_is_a_task_that_somebody_else_reviews(project: Project) -> None:
    (task,) = workflow_of(project.config(template(setup("overlay", ["gemini"]))))

    assert task.overlay
    assert ("gemini", "gemini-reviewer") == (task.agent, task.overlay.reviewer)


def test_phases_have_an_agent_for_every_document(project: Project) -> None:
    config = project.config(template(setup("phases", ["codex"])))

    assert {"codex"} == {*config.phases.values(), config.execution.agent}
    assert 4 == len(config.phases)
