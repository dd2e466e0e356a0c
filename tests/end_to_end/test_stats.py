"""`reviewloop stats` and `reviewloop progress`, in every format."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser

import pytest

from project import Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


@pytest.fixture
def reviewed(project: Project) -> Project:
    """One session that needed a fix, and one that a person accepted as it was."""
    project.reviewer(failing("FR-3 is unclear"), passing(), failing("=HYPERLINK(1) | <b>bold</b>"))
    project.author()
    project.configure(max_iterations=2)
    project.run()
    project.write("other.md", project.read())
    project.configure(max_iterations=1)
    project.run("other.md")
    project.cli("resume", "other", "--accept")
    return project


def test_the_figures_are_in_the_json(reviewed: Project):
    value = json.loads(reviewed.cli("stats", "--json").stdout)
    (model,) = value["models"]
    assert ("reviewer", 1, 1, 0.5) == (
        model["name"], model["true_positive"], model["false_positive"], model["precision"]["value"],
    )  # fmt: skip
    assert {"1": 1, "2": 1} == value["reviews_to_pass"]
    assert (2, 2, 1) == (value["overview"]["sessions"], value["overview"]["passed"]["hits"], value["overview"]["overrides"]["hits"])  # fmt: skip


def test_the_terminal_shows_tables_and_bars(reviewed: Project):
    shown = reviewed.cli("stats").stdout
    for title in ("overview", "outcomes", "reviews to pass", "models", "services"):
        assert f"\n{title}\n" in f"\n{shown}"
    assert "█" in shown
    assert "50% (1 of 2)" in shown


@pytest.mark.parametrize("by", ["model", "service", "kind", "rule"])
def test_by_shows_one_table(reviewed: Project, by: str):
    assert f"{by}s\n" == reviewed.cli("stats", "--by", by).stdout.splitlines(keepends=True)[0]
    assert isinstance(json.loads(reviewed.cli("stats", "--by", by, "--format", "json").stdout), list)


def test_a_spreadsheet_runs_nothing_of_it(reviewed: Project):
    reviewed.run("other.md", "--fresh")
    rows = list(csv.reader(io.StringIO(reviewed.cli("stats", "--format", "csv").stdout)))
    assert {"table", "overview", "models"} <= {row[0] for row in rows}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


def test_markdown_and_html_hold_other_peoples_words_harmless(reviewed: Project):
    for _ in range(2):
        reviewed.run("other.md", "--fresh")
    assert "\\| &lt;b>bold&lt;/b>" in reviewed.cli("stats", "--by", "service", "--format", "markdown").stdout
    page = reviewed.cli("stats", "--by", "service", "--format", "html").stdout
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    Tags().feed(page)
    assert ("html", False) == (tags[0], "b" in tags)


def test_since_leaves_out_what_is_older(reviewed: Project):
    assert 0 == json.loads(reviewed.cli("stats", "--since", "2999-01-01", "--json").stdout)["overview"]["sessions"]
    assert 2 == json.loads(reviewed.cli("stats", "--since", "1d", "--json").stdout)["overview"]["sessions"]
    assert ExitCode.USAGE == reviewed.cli("stats", "--since", "yesterday").exit_code


def test_progress_shows_the_summary_and_what_waits(reviewed: Project):
    reviewed.run("other.md", "--fresh")
    value = json.loads(reviewed.cli("progress", "--json").stdout)
    assert value["summary"] == json.loads(reviewed.read(".reviewloop/analytics.json"))["summary"]
    assert ["other"] == [one["name"] for one in value["waiting"]]
    shown = reviewed.cli("progress").stdout
    assert "waiting for a person" in shown
    assert "total reviews" in shown


def test_without_sessions_both_say_so(project: Project):
    assert "no sessions yet" in project.cli("progress").stderr
    assert (ExitCode.PASSED, True) == (
        (result := project.cli("stats")).exit_code,
        "no sessions on record" in result.stdout,
    )
