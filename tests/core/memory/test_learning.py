"""What is learned, how long it holds, and what it may do."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from reviewloop.core.judging.pattern_recognition import suppress
from reviewloop.core.memory.learning import KEPT_LESSONS, KEPT_SIGHTINGS, Lesson, changed, taught
from reviewloop.core.memory.recall import LONGEST, MAX_ITEMS, HandWritten, memory_brief, suppressions
from reviewloop.core.session.events.memory import (
    MemoryImported,
    PatternAdded,
    PatternDismissed,
    PatternRestored,
    PatternsPruned,
    PatternsTakenOut,
)
from reviewloop.core.types.finding import Category, Finding, Place, Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory
from reviewloop.core.types.policy import Suppression
from reviewloop.core.types.review import Stage

DAY = date(2026, 2, 1)
BLANK = Memory(stage=Stage.SPEC, service="core")
ISSUE = "No error handling on Redis reads"
LATER = DAY + timedelta(days=31)


ABOUT: dict[str, Any] = {"stage": Stage.SPEC, "service": "core", "on": DAY}


def add(memory: Memory, issue: str, severity: Severity, on: date, *, key: str) -> Memory:
    return changed(memory, PatternAdded(**ABOUT | {"on": on}, issue=issue, severity=severity), key=key)


def seen(*days: date, severity: Severity = Severity.IMPORTANT) -> Memory:
    memory = BLANK
    for number, day in enumerate(days):
        memory = add(memory, ISSUE, severity, day, key=f"s{number}")
    return memory


def dismissed(memory: Memory, times: int, *, probation: bool = False) -> Memory:
    for number in range(times):
        said = Dismissal(key=f"d{number}", on=DAY, why="fine", probation=probation)
        memory = taught(memory, Lesson(finding=memory.patterns[0].as_finding, key="s0", on=DAY, dismissal=said))
    return memory


def pruned(memory: Memory, today: date) -> Memory:
    return changed(memory, PatternsPruned(**ABOUT, patterns=tuple(one.id for one in memory.archived(today))), key="p")


def test_the_same_issue_in_other_words_is_the_same_pattern():
    memory = add(seen(DAY), "Redis reads have no error handling", Severity.MINOR, DAY, key="other")
    assert [("S1", 2)] == [(one.id, one.frequency) for one in memory.patterns]


def test_another_issue_is_another_pattern():
    memory = add(seen(DAY), "The retry count is never documented", Severity.MINOR, DAY, key="other")
    assert ["S1", "S2"] == [one.id for one in memory.patterns]


def test_a_session_counts_once_however_often_it_is_learned():
    memory = add(seen(DAY), ISSUE, Severity.IMPORTANT, DAY, key="s0")
    assert seen(DAY) == memory


def test_not_seen_for_thirty_days_it_is_archived_and_seen_again_it_is_back():
    memory = seen(DAY)
    assert ([], ["S1"]) == ([one.id for one in memory.active(LATER)], [one.id for one in memory.archived(LATER)])
    assert ["S1"] == [one.id for one in memory.active(DAY + timedelta(days=30))]
    back = add(memory, ISSUE, Severity.IMPORTANT, LATER, key="again")
    assert (["S1"], 2, LATER) == (
        [one.id for one in back.active(LATER)], back.patterns[0].frequency, back.patterns[0].last_seen,
    )  # fmt: skip
    assert () == pruned(memory, LATER).patterns
    assert back == pruned(back, LATER)


def test_ids_are_not_given_twice():
    memory = add(pruned(seen(DAY), LATER), "Something else entirely", Severity.MINOR, LATER, key="x")
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
    memory = changed(dismissed(seen(DAY), 3), PatternRestored(**ABOUT, pattern="S1"), key="r")
    assert ((), ["S1"]) == (suppressions([memory], DAY), [one.id for one in memory.active(DAY)])


def test_a_false_positive_somebody_took_out_of_the_file_is_none_any_more():
    memory = dismissed(seen(DAY), 3)
    gone = changed(memory, PatternsTakenOut(**ABOUT, patterns=("S1",)), key="t")
    assert ((), ["S1"]) == (suppressions([gone], DAY), [one.id for one in gone.active(DAY)])


def test_an_issue_somebody_took_out_of_the_file_is_out_until_it_comes_up_again():
    gone = changed(seen(DAY), PatternsTakenOut(**ABOUT, patterns=("S1",)), key="t")
    assert [] == [one.id for one in gone.active(DAY)]
    assert ["S1"] == [one.id for one in add(gone, ISSUE, Severity.MINOR, DAY, key="again").active(DAY)]


def test_one_person_has_one_voice_a_day():
    memory = seen(DAY)
    for who in ("ada", "ada", "bob", "ada"):
        memory = changed(memory, PatternDismissed(**ABOUT, pattern="S1", why="fine", by=who), key="d")
    assert ["bob", "ada"] == [one.by for one in memory.patterns[0].dismissals]


def test_what_is_said_of_a_pattern_that_is_gone_changes_nothing():
    for change in (PatternDismissed(**ABOUT, pattern="S9", why="x"), PatternRestored(**ABOUT, pattern="S9")):
        assert seen(DAY) == changed(seen(DAY), change, key="k")


def test_an_import_replaces_and_a_file_is_only_taken_where_nothing_is_known():
    theirs = add(BLANK, "Something else entirely", Severity.MINOR, DAY, key="x")
    assert theirs == changed(seen(DAY), MemoryImported(**ABOUT, memory=theirs), key="i")
    for_the_new = MemoryImported(**ABOUT, memory=theirs, replaces=False)
    assert (seen(DAY), theirs) == (changed(seen(DAY), for_the_new, key="i"), changed(BLANK, for_the_new, key="i"))


def test_a_lesson_is_recognised_once_whatever_is_learned_meanwhile():
    lesson = Lesson(finding=Finding(issue=ISSUE, severity=Severity.MINOR), key="s", on=DAY, name="s/1/F1")
    memory = taught(BLANK, lesson)
    for number in range(3):
        memory = add(memory, f"{ISSUE} in module {number}", Severity.MINOR, DAY, key=f"k{number}")
    assert memory == taught(memory, lesson)


def test_only_the_last_lessons_are_remembered_by_name():
    memory = BLANK
    for number in range(KEPT_LESSONS + 10):
        finding = Finding(issue=ISSUE, severity=Severity.MINOR, pattern_id="S1")
        memory = taught(memory, Lesson(finding=finding, key=f"s{number}", on=DAY, name=f"s{number}/1/F1"))
    assert (KEPT_LESSONS, True) == (len(memory.placed), f"s{KEPT_LESSONS + 9}/1/F1" in memory.placed)


def test_old_sightings_are_counted_and_not_kept():
    memory = seen(*(DAY + timedelta(days=n) for n in range(KEPT_SIGHTINGS + 5)))
    (pattern,) = memory.patterns
    assert (KEPT_SIGHTINGS + 5, KEPT_SIGHTINGS) == (pattern.frequency, len(pattern.sightings))


KNOWN_FALSE = Suppression(pattern="S1", issue=ISSUE, because="dismissed 3 times", category=Category.MISSING)


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
    assert ("memory S1: dismissed 3 times" if marked else None) == after.suppressed
    assert finding == replace(after, suppressed=None)


def test_nothing_known_is_nothing_told():
    assert "" == memory_brief([BLANK], [HandWritten()], DAY)


def test_what_is_told_is_bounded_and_says_what_is_left_out():
    memory = BLANK
    for number in range(MAX_ITEMS + 20):
        finding = Finding(issue=f"issue {number} " + "very long " * 100, severity=Severity.MINOR)
        memory = replace(
            memory, patterns=(*memory.patterns, *taught(BLANK, Lesson(finding=finding, key="k", on=DAY)).patterns)
        )
    text = memory_brief([memory], [HandWritten(issues=("by hand",), rules=("r",) * 200)], DAY)
    lines = text.splitlines()
    assert (MAX_ITEMS, True) == (sum("issue " in line for line in lines) + 1, "- by hand" in lines)
    assert ["(21 more on record)", "(100 more on record)"] == [line for line in lines if "more on" in line]
    assert max(map(len, lines)) <= LONGEST + 2


def test_among_thousands_of_patterns_the_right_one_is_recognised():
    memory = seen(DAY)
    crowd = tuple(
        replace(memory.patterns[0], id=f"S{n}", issue=f"Nothing says how the export {n} handles column {n * 7}")
        for n in range(2, 2002)
    )
    memory = replace(memory, patterns=(*crowd[:1000], *memory.patterns, *crowd[1000:]), numbered=2001)
    same = add(memory, "Redis reads have no error handling", Severity.MINOR, DAY, key="other")
    other = add(memory, "The retry count is never documented", Severity.MINOR, DAY, key="other")
    assert [("S1", 2)] == [(one.id, one.frequency) for one in same.patterns if one.frequency > 1]
    assert ("S2002", 2002) == (other.patterns[-1].id, other.numbered)
