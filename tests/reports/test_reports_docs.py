import json
import re
from pathlib import Path

import pytest
import yaml
from docs_sample import DOCS_SAMPLE

from reviewloop.reports import FORMATS, render

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")


HEADINGS = "|".join((*FORMATS, "pre-commit"))


def section(name):
    return re.split(rf"(?m)^## (?:{HEADINGS})$", PAGE.partition(f"\n## {name}\n")[2])[0]


def example(name, language):
    """The section's first fenced block."""
    found = re.search(rf"(?ms)^(`{{3,}}){language}\n(.*?)^\1$", section(name))
    return found[2] if found else None


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_section_and_a_row(name):
    assert f"\n## {name}\n" in PAGE
    assert f"| [`{name}`](#{name}) |" in PAGE


@pytest.mark.parametrize(
    ("name", "language"),
    [("terminal", "text"), ("concise", "text"), ("github", "text"), ("junit", "xml"), ("markdown", "markdown")],
)
def test_the_examples_are_what_is_printed(name, language):
    assert render(DOCS_SAMPLE, name) == example(name, language)


@pytest.mark.parametrize("name", ["json", "gitlab", "rdjson"])
def test_the_examples_in_json_are_what_is_printed(name):
    assert json.loads(render(DOCS_SAMPLE, name)) == json.loads(example(name, "json"))


def test_the_examples_of_one_result_are_what_is_printed():
    assert render(DOCS_SAMPLE, "jsonl").splitlines()[1] == example("jsonl", "json").strip()
    assert json.loads(render(DOCS_SAMPLE, "sarif"))["runs"][0]["results"][1] == json.loads(example("sarif", "json"))


def test_every_key_of_the_json_report_is_explained():
    def keys(value):
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    words = set(re.findall(r"`([a-z_]+)`", section("json")))

    assert set() == keys(json.loads(render(DOCS_SAMPLE, "json"))) - words


def test_every_input_of_the_action_is_explained():
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    words = set(re.findall(r"`([a-z-]+)`", section("github")))

    assert set() == {*action["inputs"], *action["outputs"]} - words


def test_the_hook_that_is_explained_is_there():
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    example_hooks = yaml.safe_load(example("pre-commit", "yaml"))["repos"][0]["hooks"]

    assert {hook["id"] for hook in example_hooks} <= {hook["id"] for hook in hooks}
