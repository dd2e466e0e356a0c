"""The analytics file: kept, extended, repaired by nobody but its owner, and never in two minds."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from analytics_samples import entry
from analytics_schema import SCHEMA
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.core.session.services import Services
from reviewloop.core.statistics.analytics import Accuracy, ReviewEntry, summary
from reviewloop.views.analytics import AnalyticsFile


class Kept:
    """An analytics file in a folder, and what was warned about."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".claude/review-analytics.json"
        self.index = folder / ".reviewloop/analytics.db"
        self.warnings: list[str] = []
        self.again()

    def again(self) -> None:
        """As another process sees it."""
        self.file = AnalyticsFile(self.path, self.index, Services(), self.warnings.append)

    def update(self, *found: ReviewEntry) -> None:
        self.file.update(found)

    @property
    def value(self) -> dict[str, Any]:
        value = json.loads(self.path.read_bytes())
        jsonschema.validate(value, SCHEMA)
        return value

    @property
    def features(self) -> list[str]:
        return [one["feature"] for one in self.value["reviews"]]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_entries_are_added_in_order_and_the_summary_follows(kept: Kept):
    for name in "abc":
        kept.update(entry(name, "No limit is given"))
    assert ["a", "b", "c"] == kept.features
    assert summary(entry(name, "No limit is given") for name in "abc") == kept.value["summary"]
    assert ["No limit is given"] == kept.value["summary"]["by_service"]["billing"]["common_issues"]


def test_an_entry_is_updated_in_its_place(kept: Kept):
    kept.update(entry("a"), entry("b"), entry("c"))
    kept.update(entry("b", human_override="approve", final_verdict="pass", fix_iterations=2))
    assert ["a", "b", "c"] == kept.features
    assert [None, "approve", None] == [one["human_override"] for one in kept.value["reviews"]]
    assert (3, 0.67) == (kept.value["summary"]["total_reviews"], kept.value["summary"]["avg_fix_iterations"])


def test_what_is_there_already_is_not_written_again(kept: Kept):
    kept.update(entry("a"))
    before = kept.path.stat()
    kept.again()
    kept.update(entry("a"))
    assert before == kept.path.stat()


def test_a_syntax_error_is_named_and_nothing_is_overwritten(kept: Kept):
    kept.update(entry("a"))
    broken = kept.path.read_text().replace('"date"', "date")
    kept.path.write_text(broken)
    kept.update(entry("b"))
    kept.update(entry("c"))
    assert broken == kept.path.read_text()
    (warning,) = kept.warnings
    assert "line 3, column 6: Expecting property name" in warning


def test_what_was_to_be_added_meanwhile_comes_once_the_file_is_repaired(kept: Kept):
    kept.update(entry("a"))
    good = kept.path.read_text()
    kept.path.write_text(good[:-5])
    kept.update(entry("b"))
    kept.path.write_text(good)
    kept.update(entry("c"))
    assert ["a", "b", "c"] == kept.features


@pytest.mark.parametrize(
    ("content", "damage"),
    [
        (b"", "line 1, column 1"),
        (b"\xff\xfe", "byte 0 is not UTF-8 text"),
        (b"[]", "it is not a JSON object"),
        (b'{"version": 9, "reviews": [], "summary": {}}', "unknown key 'version'"),
        (b'{"reviews": {}, "summary": {}}', "needs a list `reviews`"),
        (b'{"reviews": [{"date": "2026-01-01"}], "summary": {}}', "reviews[0] has no `feature`"),
        (b"[" * 200_000, "nested too deep"),
    ],
)
def test_a_file_of_another_kind_is_left_alone(kept: Kept, content: bytes, damage: str):
    kept.path.parent.mkdir()
    kept.path.write_bytes(content)
    kept.update(entry("a"))
    assert content == kept.path.read_bytes()
    assert damage in kept.warnings[0]


def test_entries_somebody_else_brought_are_kept_and_counted(kept: Kept):
    kept.path.parent.mkdir()
    theirs = entry("theirs", "A", auto_decision="auto_approve").to_json()
    kept.path.write_text(json.dumps({"reviews": [theirs], "summary": {}}, indent=4))
    kept.update(entry("ours"))
    assert [theirs, entry("ours").to_json()] == kept.value["reviews"]
    assert (1, 1) == (kept.value["summary"]["auto_approved"], kept.value["summary"]["human_decided"])


def test_without_its_index_the_file_is_recognised_and_nothing_is_doubled(kept: Kept):
    kept.update(entry("a", "X"), entry("b"))
    kept.index.unlink()
    kept.update(entry("a", "X", final_verdict="pass"), entry("b"))
    assert ["a", "b"] == kept.features
    assert "pass" == kept.value["reviews"][0]["final_verdict"]


def test_a_deleted_file_is_written_again(kept: Kept):
    kept.update(entry("a"))
    kept.path.unlink()
    kept.update(entry("b"))
    assert ["a", "b"] == kept.features


def test_an_entry_somebody_deleted_stays_deleted(kept: Kept):
    kept.update(entry("a"), entry("b"))
    value = kept.value
    del value["reviews"][0]
    kept.path.write_text(json.dumps(value))
    kept.update(entry("c"))
    assert ["b", "c"] == kept.features
    assert 2 == kept.value["summary"]["total_reviews"]


def test_a_reader_that_has_the_file_open_sees_it_whole(kept: Kept):
    kept.update(entry("a"))
    with kept.path.open() as reader:
        kept.update(entry("b"))
        assert ["a"] == [one["feature"] for one in json.load(reader)["reviews"]]


def test_a_crash_before_the_index_knew_leaves_no_doubles(kept: Kept):
    kept.update(entry("a"))
    index = kept.index.read_bytes()
    kept.update(entry("b"))
    kept.index.write_bytes(index)
    kept.again()
    kept.update(entry("b"), entry("c"))
    assert ["a", "b", "c"] == kept.features


def test_a_spare_that_somebody_touched_is_not_trusted(kept: Kept):
    for name in "abc":
        kept.update(entry(name))
    (spare,) = kept.index.parent.glob("*.spare")
    spare.write_bytes(b"nonsense" * 1000)
    kept.update(entry("d"))
    assert ["a", "b", "c", "d"] == kept.features


def test_a_damaged_index_is_an_error_that_says_where(kept: Kept):
    kept.update(entry("a"))
    kept.index.write_bytes(b"nonsense" * 1000)
    with pytest.raises(OSError, match=r"analytics\.db"):
        kept.update(entry("b"))


def test_a_symbolic_link_stays_one(kept: Kept, tmp_path: Path):
    real = tmp_path / "elsewhere.json"
    kept.path.parent.mkdir()
    kept.path.symlink_to(real)
    kept.again()
    kept.update(entry("a"))
    assert (True, ["a"]) == (kept.path.is_symlink(), kept.features)


@pytest.mark.slow
def test_two_processes_at_once_lose_nothing(kept: Kept, tmp_path: Path):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from analytics_samples import entry\n"
        "from reviewloop.core.session.services import Services\n"
        "from reviewloop.views.analytics import AnalyticsFile\n"
        "file = AnalyticsFile(Path(sys.argv[2]), Path(sys.argv[3]), Services(), print)\n"
        "for number in range(10):\n"
        "    file.update([entry(f'{sys.argv[4]}{number}')])\n"
    )
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", script, here, str(kept.path), str(kept.index)]
    running = [subprocess.Popen([*command, name]) for name in "xy"]
    assert [0, 0] == [process.wait(timeout=60) for process in running]
    assert {f"{name}{number}" for name in "xy" for number in range(10)} == set(kept.features)
    assert 20 == len(kept.features) == kept.value["summary"]["total_reviews"]


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
changes = st.tuples(
    st.sampled_from("abcdef"),
    st.lists(st.sampled_from(["no limit", "two names"]) | texts, max_size=2),
    st.sampled_from(["auto_approve", "auto_reject", "present_to_human"]),
    st.integers(0, 3),
    st.sampled_from(["billing", "web"]),
)


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(changes, min_size=1, max_size=8))
def test_however_entries_come_and_change_the_file_is_what_a_recount_gives(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any]
):
    kept = Kept(tmp_path_factory.mktemp("kept"))
    latest: dict[str, ReviewEntry] = {}
    for name, issues, decision, fixes, service in history:
        accuracy = {"haiku": Accuracy(true_positive=fixes, missed=len(issues))}
        new = replace(
            entry(name, *issues, auto_decision=decision, fix_iterations=fixes, service=service), accuracy=accuracy
        )
        latest[name] = new
        kept.update(new)
    assert [one.to_json() for one in latest.values()] == kept.value["reviews"]
    assert summary(latest.values()) == kept.value["summary"]
