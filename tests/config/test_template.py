from __future__ import annotations

import re

import pytest

from config.conftest import Project
from reviewloop.config.template import template
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import PROFILES, profile

COMMENTED = re.compile(r"^( *)# ([a-z_]+: .*)$")
EXAMPLES = [
    pytest.param(name, number, id=f"{name}: {found[2]}")
    for name in PROFILES
    for number, line in enumerate(template(name).splitlines())
    if (found := COMMENTED.match(line))
]


@pytest.mark.parametrize("name", PROFILES)
def test_a_new_projects_file_changes_nothing_but_the_profile(project: Project, name: str) -> None:
    text = template(name)
    unset = profile(name, Kind.SPEC)
    policy = project.policy(text)

    assert (name, unset.max_iterations, unset.author) == (policy.profile, policy.max_iterations, policy.author)
    assert project.policy(f"profile: {name}") == policy


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_every_example_works_when_its_mark_is_removed(project: Project, name: str, number: int) -> None:
    lines = template(name).splitlines()
    lines[number] = COMMENTED.sub(r"\1\2", lines[number])

    project.policy("\n".join(lines))


@pytest.mark.parametrize("name", PROFILES)
def test_all_examples_work_together(project: Project, name: str) -> None:
    project.policy("\n".join(COMMENTED.sub(r"\1\2", line) for line in template(name).splitlines()))


@pytest.mark.parametrize("name", PROFILES)
def test_it_is_short_and_fits_the_screen(name: str) -> None:
    lines = template(name).splitlines()

    assert len(lines) <= 60
    assert max(len(line) for line in lines) <= 120
