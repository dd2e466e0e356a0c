"""The page about configuration knows every setting, no others, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.conftest import Project
from reviewloop.config import schema
from reviewloop.config.environment import CONTRACT
from reviewloop.config.parse import parse
from reviewloop.config.source_marks import Items, Node, Table
from reviewloop.core.types.policy import DIALECT_NAMES, PROFILES, Policy
from reviewloop.core.types.rubric import RUBRICS

PAGE = (Path(__file__).parents[2] / "docs/configuration.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SETTINGS = list(schema.keys())


def documented() -> list[str]:
    return [key for key, *_ in ROWS if "." in key or key in schema.TOP]


def test_every_setting_is_documented_once_and_nothing_else() -> None:
    assert sorted(SETTINGS) == sorted(documented())


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_works(project: Project, text: str) -> None:
    project.write("CONSTITUTION.md", "# Standards")
    project.write("docs/standards.md", "# Standards")

    project.policy(text)


def test_every_setting_is_in_an_example() -> None:
    shown = {path for text in EXAMPLES for path in paths(parse(text.encode(), "example"))}

    assert [] == [key for key in SETTINGS if key not in shown]


USERS_NAMES = {"agents": "<name>", "tasks": "<name>", "rules.per_path": "<glob>", "egress.per_path": "<glob>"}


def paths(node: Node, above: str = "") -> set[str]:
    """The settings in an example, by the names the page calls them."""
    match node:
        case Table():
            named = {f"{above}.{USERS_NAMES.get(above, key)}".lstrip("."): entry for key, entry in node.entries.items()}
            return {*named, *(path for name, entry in named.items() for path in paths(entry.value, name))}
        case Items():
            return {path for item in node.nodes for path in paths(item, f"{above}[]")}
        case _:
            return set()


@pytest.mark.parametrize("row", ROWS, ids=[key for key, *_ in ROWS])
def test_the_defaults_of_plain_settings_are_the_real_ones(row: tuple[str, str, str, str]) -> None:
    key, _, default, _ = row
    name = key.removeprefix("review.")
    if key.startswith("review.") and hasattr(Policy(), name) and re.fullmatch(r"\d+|`[a-z]+`", default):
        real = getattr(Policy(profile="panel", strategy=schema.Strategy.PARALLEL), name)
        assert default.strip("`") == str(int(real) if isinstance(real, float) else real).lower()


def test_the_profiles_table_is_the_real_one() -> None:
    table = re.findall(
        r"^\| `(\w+)` \| (.+) \|$", PAGE[PAGE.index("The profiles differ") : PAGE.index("## agents")], re.MULTILINE
    )
    for key, cells in table:
        real = [str(PROFILES[name].get(key, getattr(Policy(), key))) for name in PROFILES]
        assert real == [cell.strip("` ").replace("none", "None") for cell in cells.split("|")]


def test_what_can_be_named_is_listed() -> None:
    for name in (*RUBRICS, *PROFILES, *DIALECT_NAMES):
        assert f"`{name}`" in PAGE
    for variable in CONTRACT:
        assert f"`{variable}`" in PAGE or f"`{variable.removeprefix('REVIEWLOOP')}`" in PAGE
