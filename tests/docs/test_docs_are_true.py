"""What there is, is documented: events, reasons, commands, exit codes, kinds of agents, variables."""

from __future__ import annotations

import dataclasses
import json
import re
from importlib import import_module
from pathlib import Path

import click
import pytest

from reviewloop.agents.registry import KINDS
from reviewloop.cli.main import COMMANDS, cli
from reviewloop.core.dialects import DIALECTS
from reviewloop.core.session.events import SESSION_PAYLOADS
from reviewloop.core.session.events.memory import MEMORY_PAYLOADS
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.core.types.policy import PROFILES
from reviewloop.errors import ExitCode

ROOT = Path(__file__).parents[2]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(kind: str) -> str:
    """What the page about agents says of one kind."""
    return page("docs/agents.md").partition(f"\n## `{kind}`\n")[2].partition("\n## ")[0]


def test_every_event_is_documented_and_no_other():
    documented = set(re.findall(r"^\| `(spec\.review\.\w+)`", page("docs/events.md"), re.MULTILINE))
    assert {*SESSION_PAYLOADS, *MEMORY_PAYLOADS} == documented


def test_every_outcome_and_reason_is_documented():
    text = page("docs/loop.md")
    assert [] == [name for name in (*Outcome, *Reason) if f"| `{name}` |" not in text]


def test_every_profile_and_dialect_is_documented():
    text = page("docs/loop.md")
    assert [] == [name for name in (*PROFILES, *DIALECTS) if f"`{name}`" not in text]


def test_every_exit_code_is_in_the_readme():
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page("README.md"), re.MULTILINE)}
    assert {int(code) for code in ExitCode} == documented


def test_every_kind_of_agent_has_its_section():
    headings = re.findall(r"^## `(\w+)`", page("docs/agents.md"), re.MULTILINE)
    assert set(KINDS) == set(headings)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_of_a_kind_is_in_its_section(kind: str):
    module, _, name = KINDS[kind].partition(":")
    settings = dataclasses.fields(getattr(import_module(module), name).Settings)
    assert [] == [field.name for field in settings if not re.search(rf"`{field.name}\b", section(kind))]


def test_agents_are_documented_and_pinned_at_the_version_they_were_tested_with():
    pinned = json.loads(page("tests/live/agents.json"))
    for kind, package in {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex"}.items():
        tested = import_module(f"reviewloop.agents.kinds.{kind}").VENDOR.tested
        assert tested == pinned[package]
        assert f"Tested with {tested}," in section(kind)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_loads_and_its_help_says_what_the_table_says(name: str):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    options = {option for parameter in command.params for option in parameter.opts}
    assert "--json" in options or name == "review", f"{name} speaks to programs too"


def test_links_in_the_documentation_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    broken = [
        f"{file.name}: {target}"
        for file in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8"))
        if not (file.parent / target).exists()
    ]
    assert [] == broken
