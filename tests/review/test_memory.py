"""What is learned, how long it holds, and what it may do."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from reviewloop.review.finding import Category, Finding, Place, Severity
from reviewloop.review.memory import (
    KEPT_SIGHTINGS,
    Dismissal,
    HandWritten,
    Memory,
    add_pattern,
    dismiss_pattern,
    prune,
    restore_pattern,
    suppressions,
    taken_out,
    told,
)
from reviewloop.review.policy import Suppression
from reviewloop.review.recognition import suppress
from reviewloop.review.review import Stage

DAY = date(2026, 2, 1)
BLANK = Memory(stage=Stage.SPEC, service="core")
ISSUE = "No error handling on Redis reads"
LATER = DAY + timedelta(days=31)


def seen(*days: date, severity: Severity = Severity.IMPORTANT) -> Memory:
    memory = BLANK
    for number, day in enumerate(days):
        memory = add_pattern(memory, ISSUE, severity, day, key=f"s{number}")
    return memory


def dismissed(memory: Memory, times: int, *, probation: bool = False) -> Memory:
    for number in range(times):
        memory = dismiss_pattern(memory, "S1", Dismissal(key=f"d{number}", on=DAY, why="fine", probation=probation))
    return memory


def test_the_same_issue_in_other_words_is_the_same_pattern():
    memory = add_pattern(seen(DAY), "Redis reads have no error handling", Severity.MINOR, DAY, key="other")
    assert [("S1", 2)] == [(one.id, one.frequency) for one in memory.patterns]


def test_another_issue_is_another_pattern():
    memory = add_pattern(seen(DAY), "The retry count is never documented", Severity.MINOR, DAY, key="other")
    assert ["S1", "S2"] == [one.id for one in memory.patterns]


def test_a_session_counts_once_however_often_it_is_learned():
    memory = add_pattern(seen(DAY), ISSUE, Severity.IMPORTANT, DAY, key="s0")
    assert seen(DAY) == memory


def test_not_seen_for_thirty_days_it_is_archived_and_seen_again_it_is_back():
    memory = seen(DAY)
    assert ([], ["S1"]) == ([one.id for one in memory.active(LATER)], [one.id for one in memory.archived(LATER)])
    assert ["S1"] == [one.id for one in memory.active(DAY + timedelta(days=30))]
    back = add_pattern(memory, ISSUE, Severity.IMPORTANT, LATER, key="again")
    assert (["S1"], 2, LATER) == (
        [one.id for one in back.active(LATER)], back.patterns[0].frequency, back.patterns[0].last_seen,
    )  # fmt: skip
    assert () == prune(memory, LATER).patterns
    assert back == prune(back, LATER)


def test_ids_are_not_given_twice():
    memory = add_pattern(prune(seen(DAY), LATER), "Something else entirely", Severity.MINOR, LATER, key="x")
    assert ["S2"] == [one.id for one in memory.patterns]


@pytest.mark.parametrize(("times", "probation", "suppressed"), [(2, False, 0), (3, False, 1), (9, True, 0)])
def test_three_dismissals_suppress_and_probation_never_does(times: int, probation: bool, suppressed: int):
    assert suppressed == len(suppressions([dismissed(seen(DAY), times, probation=probation)], DAY))


def test_what_is_critical_is_not_suppressed():
    assert () == suppressions([dismissed(seen(DAY, severity=Severity.CRITICAL), 3)], DAY)


def test_suppression_expires():
    memory = dismissed(seen(DAY), 3)
    assert (1, 0) == (
        len(suppressions([memory], DAY + timedelta(days=90))), len(suppressions([memory], DAY + timedelta(days=91))),
    )  # fmt: skip


def test_restored_it_is_an_issue_again():
    memory = restore_pattern(dismissed(seen(DAY), 3), "S1")
    assert ((), ["S1"]) == (suppressions([memory], DAY), [one.id for one in memory.active(DAY)])


def test_a_false_positive_somebody_took_out_of_the_file_is_none_any_more():
    memory = dismissed(seen(DAY), 3)
    listed = replace(memory, patterns=tuple(replace(one, listed=True) for one in memory.patterns))
    assert () == suppressions([taken_out(listed, set())], DAY)
    assert listed == taken_out(listed, {"S1"})


def test_old_sightings_are_counted_and_not_kept():
    memory = seen(*(DAY + timedelta(days=n) for n in range(KEPT_SIGHTINGS + 5)))
    (pattern,) = memory.patterns
    assert (KEPT_SIGHTINGS + 5, KEPT_SIGHTINGS) == (pattern.frequency, len(pattern.sightings))


KNOWN_FALSE = Suppression(pattern="S1", issue=ISSUE, because="3 times no issue here", category=Category.MISSING)


@pytest.mark.parametrize(
    ("finding", "marked"),
    [
        (Finding(issue=ISSUE, severity=Severity.IMPORTANT, place=Place(file="a.py", line=3)), True),
        (Finding(issue="Other words", severity=Severity.MINOR, pattern_id="S1"), True),
        (Finding(issue="Other words", severity=Severity.MINOR, pattern_id="S2"), False),
        (Finding(issue=ISSUE, severity=Severity.CRITICAL), False),
        (Finding(issue=ISSUE, severity=Severity.IMPORTANT, rule="DOC001"), False),
        (Finding(issue="No error handling on S3 writes", severity=Severity.IMPORTANT), False),
    ],
)
def test_only_what_is_surely_the_same_is_suppressed_and_it_is_kept(finding: Finding, marked: bool):
    (after,) = suppress((finding,), [KNOWN_FALSE])
    assert ("memory S1: 3 times no issue here" if marked else None) == after.suppressed
    assert finding == replace(after, suppressed=None)


def test_nothing_known_is_nothing_told():
    assert "" == told([BLANK], [HandWritten()], DAY)
