from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reviewloop.agents.registry import KINDS, build, kinds
from reviewloop.errors import ConfigError
from reviewloop.ports import Agent
from reviewloop.testing.agents import ask, job_for

THEIRS = """
from pydantic import BaseModel
from reviewloop.ports import Reply

class Parrot:
    edits_files = False

    class Settings(BaseModel, extra="forbid"):
        word: str

    def __init__(self, name, settings, base):
        self.says = f"{name} in {base.name} says {settings.word}"

    async def ask(self, job):
        return Reply(text=self.says)
"""


@pytest.fixture
def their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else's is installed, with two kinds, one of them broken."""
    site = tmp_path / "site"
    (site / "parrots-1.0.dist-info").mkdir(parents=True)
    (site / "parrots.py").write_text(THEIRS)
    (site / "parrots-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: parrots\nVersion: 1.0\n")
    (site / "parrots-1.0.dist-info" / "entry_points.txt").write_text(
        "[reviewloop.agents]\nparrot = parrots:Parrot\nbroken = no_such_module:Parrot\n"
    )
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "parrots", raising=False)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_ours_can_be_built(tmp_path: Path, kind: str) -> None:
    (tmp_path / "answers.json").write_text("[]")
    settings = {
        "acp": {"command": ["true"]},
        "command": {"command": ["true"]},
        "model": {"model": "openai:gpt-5"},
        "replay": {"transcript": "answers.json"},
    }

    assert isinstance(build(kind, "mine", settings.get(kind, {}), tmp_path), Agent)


@pytest.mark.usefixtures("their_package")
def test_other_peoples_kinds_are_found(tmp_path: Path) -> None:
    assert {"parrot", *KINDS} <= set(kinds())

    agent = build("parrot", "polly", {"word": "pass"}, tmp_path / "project")

    assert "polly in project says pass" == ask(agent, job_for(tmp_path)).text


@pytest.mark.usefixtures("their_package")
def test_settings_of_other_peoples_kinds_are_checked_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        build("parrot", "polly", {"wrd": "pass", "word": "pass"}, tmp_path)

    assert ("agent `polly`: unknown key `wrd`", "did you mean `word`?") == (raised.value.message, raised.value.hint)


@pytest.mark.usefixtures("their_package")
def test_a_kind_that_cannot_be_loaded_says_where_it_comes_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="agent `polly`: kind `broken` cannot be loaded") as raised:
        build("broken", "polly", {}, tmp_path)

    assert raised.value.hint
    assert "no_such_module:Parrot" in raised.value.hint


def test_a_misspelt_kind_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        build("comand", "mine", {}, tmp_path)

    message, hint = "agent `mine`: unknown kind `comand`", "did you mean `command`?"
    assert (message, hint) == (raised.value.message, raised.value.hint)


def test_an_unknown_kind_gets_the_list(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        build("oracle", "mine", {}, tmp_path)

    assert f"choose one of: {', '.join(kinds())}" == raised.value.hint


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "agent `mine`: `command` is missing"),
        ({"command": []}, "agent `mine`: `command` must not be empty"),
        ({"command": "./review.sh"}, "agent `mine`: `command` must be a list"),
        ({"command": ["a", 1]}, "agent `mine`: `command.1` must be text"),
        ({"command": ["a"], "timeout": 0}, "agent `mine`: `timeout` must be greater than 0"),
        ({"command": ["a"], "env": "KEY"}, "agent `mine`: `env` must be a list"),
        ({"command": ["a"], "timeout": "soon"}, "agent `mine`: `timeout` must be a number"),
        ({"command": ["a"], "env": {"KEY": 1}}, "agent `mine`: `env.KEY` must be text"),
        ({"command": ["a"], "timout": 5}, "agent `mine`: unknown key `timout`"),
        (
            {"command": ["a"], "env": ["KEY=secret"]},
            "agent `mine`: `env.0` contains a value: write names with values as a mapping, {NAME: value}",
        ),
        ({"commands": ["a"]}, "agent `mine`: unknown key `commands`"),
    ],
)
def test_a_wrong_setting_is_named_with_its_agent(tmp_path: Path, settings: dict, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build("command", "mine", settings, tmp_path)

    assert message == raised.value.message


def test_an_agent_without_settings_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        build("static", "mine", {"model": "x"}, tmp_path)

    assert ("agent `mine`: unknown key `model`", "no settings are allowed here") == (
        raised.value.message,
        raised.value.hint,
    )
