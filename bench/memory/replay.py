"""Does memory help? One recorded history of artifacts, reviewed with and without it by a simulated reviewer.

    python bench/memory/replay.py [SESSIONS]

The reviewer's rates are known: how often it sees a real issue, how often it raises a false alarm, and how often it
heeds what it is told. With `heeds` 0 it ignores all of it: what is left is what the engine does by itself. Every issue
is worded in several ways, so recognising it is part of the test; ids are not given. A person dismisses every alarm
that blocks. One real issue reads much like a false alarm, so that suppressing too much would show.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, replace
from datetime import date, timedelta

from reviewloop.core.judging.pattern_recognition import suppress
from reviewloop.core.memory.learning import Lesson, taught
from reviewloop.core.memory.recall import suppressions
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory
from reviewloop.core.types.review import Stage

REAL = (
    ("No error handling on Redis reads", "Redis reads have no error handling", "Errors of Redis reads are not handled"),
    ("Nothing limits the size of an upload", "The size of an upload is not limited", "Uploads have no size limit"),
    ("The retry count is not documented", "Nobody documents the retry count", "The documentation has no retry count"),
    ("No index on the orders table", "The orders table has no index", "An index on the orders table is missing"),
    ("Nothing limits the size of a download", "The size of a download is not limited", "Downloads have no size limit"),
)
FALSE = (
    ("Say which CSV dialect is used", "The CSV dialect that is used is not said", "Which CSV dialect is used?"),
    ("Missing @Transactional on the service", "The service has no @Transactional", "@Transactional is missing"),
    ("No index on the orders view", "The orders view has no index", "An index on the orders view is missing"),
)
SEES, ALARMS, PRESENT = 0.7, 0.4, 0.5
"""How often it sees an issue that is there, raises each false alarm, and how often an issue is there."""


@dataclass(slots=True, kw_only=True)
class Count:
    """What came of a history."""

    blocking_alarms: int = 0
    found: int = 0
    there: int = 0
    hidden: int = 0
    patterns: int = 0


def replay(sessions: int, *, remembers: bool, heeds: float, seed: int) -> Count:
    chance = random.Random(seed)
    memory = Memory(stage=Stage.SPEC, service="core")
    count = Count()
    day = date(2026, 1, 1)
    for number in range(sessions):
        day += timedelta(days=1)
        heard = chance.random() < heeds if remembers else False
        told_false = {one.issue for one in memory.false_positives(day)}
        told_real = {one.issue for one in memory.active(day)}
        raised: list[tuple[Finding, bool]] = []
        for wordings in REAL:
            there, sees, again = chance.random() < PRESENT, chance.random(), chance.random()
            if there:
                looked_for = heard and bool(told_real & {*wordings})
                if sees < SEES or (looked_for and again < SEES):  # looking for it first is a second look
                    raised.append((_finding(chance.choice(wordings)), True))
            count.there += there
        for wordings in FALSE:
            alarm, wording = chance.random() < ALARMS, chance.choice(wordings)
            if alarm and not (heard and told_false & {*wordings}):
                raised.append((_finding(wording), False))
        known_false = suppressions([memory], day) if remembers else ()
        for (finding, real), after in zip(raised, suppress(tuple(one for one, _ in raised), known_false), strict=True):
            blocks = after.suppressed is None
            count.found += real and blocks
            count.hidden += real and not blocks
            count.blocking_alarms += not real and blocks
            dismissal = None if real or not blocks else Dismissal(key=str(number), on=day, why="no issue")
            memory = taught(memory, Lesson(finding=finding, key=str(number), on=day, dismissal=dismissal))
    return replace(count, patterns=len(memory.patterns))


def _finding(issue: str) -> Finding:
    return Finding(issue=issue, severity=Severity.IMPORTANT)


def main(sessions: int, runs: int = 5) -> None:
    print(
        f"{sessions} sessions, {runs} runs; sees {SEES} of {len(REAL)} issues, raises {ALARMS} of {len(FALSE)} alarms"
    )
    print("memory  heeds  false alarms that block  real issues found  hidden by mistake  patterns")
    for remembers, heeds in ((False, 0.0), (True, 0.0), (True, 0.5), (True, 1.0)):
        all_runs = [replay(sessions, remembers=remembers, heeds=heeds, seed=seed) for seed in range(runs)]
        there, found = sum(one.there for one in all_runs), sum(one.found for one in all_runs)
        alarms = sum(one.blocking_alarms for one in all_runs) / runs
        hidden, patterns = (sum(some) / runs for some in zip(*((o.hidden, o.patterns) for o in all_runs), strict=True))
        print(
            f"{'yes' if remembers else 'no':6}  {heeds:5.1f}  {alarms:23.1f}  {found / there:17.2f}  {hidden:17.1f}"
            f"  {patterns:8.1f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
