"""A candidate on stored cases: what it finds again, what it gets wrong, and what that costs."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest
from test_panel import BOOM, CLEAN, OTHER, SAME, panel, says
from test_work_spec import prepare, signal

from project import PYTHON, Project, Result, failing, passing
from reviewloop.errors import ExitCode
from reviewloop.ledger.sqlite import SqliteLedger

pytestmark = pytest.mark.slow

REAL = "Nothing limits the size of an export"
ALARM = "Say which CSV dialect"


@pytest.fixture
def recorded(project: Project) -> Project:
    """Three cases: a real issue that was fixed, a false alarm that was dismissed, and a text that passed."""
    project.reviewer(failing(REAL), passing(), failing(ALARM), passing(), passing())
    project.author('echo "At most 10 MB." >> spec.md')
    project.configure(max_iterations=2)
    project.run()
    project.write("csv.md", project.read())
    project.configure(max_iterations=1)
    project.run("csv.md")
    project.cli("inbox", "answer", "csv", "--accept", "--dismiss", "F1", "--why", "RFC 4180", "--by", "lead")
    project.write("fine.md", project.read())
    project.run("fine.md")
    return project


def replayed(project: Project, *args: str) -> dict[str, Any]:
    result = project.cli("replay-cases", "--quiet", "--json", *args)
    assert ExitCode.PASSED == result.exit_code, result.stderr
    return json.loads(result.stdout)


def asked(project: Project, name: str) -> int:
    return len(project.prompts(name))


def with_candidate(project: Project, *answers: str, name: str = "candidate", **settings: Any) -> None:
    project.reviewer(*answers, name=name, **settings)
    project.configure(max_iterations=1)


def by_case(value: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["case"]: one for one in value["cases"]}


def test_a_candidate_is_compared_with_the_record_case_by_case(recorded: Project):
    # Newest first: fine, csv, spec. It is wrong about the first, repeats the alarm, and finds the real issue again.
    answers = failing("The title is dull"), failing(ALARM), failing("The size of an export is not limited by anything")
    with_candidate(recorded, *answers)
    before = recorded.events()
    value = replayed(recorded, "--agent", "candidate")
    cases = by_case(value)
    assert ["fine", "csv", "spec"] == list(cases)
    assert [{"issue": REAL, "recorded": True, "candidate": True}] == cases["spec"]["confirmed"]
    assert [{"issue": ALARM, "candidate": True}] == cases["csv"]["false_alarms"]
    assert ["The title is dull"] == cases["fine"]["new"]
    # By hand: spec should be revised, csv and fine were good. On record: right, wrong, right. Now: right, wrong, wrong.
    assert [False, True, True] == [cases[name]["good"] for name in ("spec", "csv", "fine")]
    right = value["right_verdict"]
    assert (1, 0, 1, 1) == (right["both"], right["only_candidate"], right["only_recorded"], right["neither"])
    assert (1, 3, 2, 3) == (
        right["candidate"]["hits"], right["candidate"]["n"], right["recorded"]["hits"], right["recorded"]["n"],
    )  # fmt: skip
    assert (2, 3, 1, 1) == (
        value["same_verdict"]["hits"], value["same_verdict"]["n"], value["repeated_false_alarms"]["hits"],
        value["new_findings"],
    )  # fmt: skip
    assert before == recorded.events(), "no session has changed"


def test_the_candidate_sees_the_text_of_that_time_and_not_what_is_there_now(recorded: Project):
    then = recorded.prompts("reviewer")[0]
    recorded.write("spec.md", "# Something else\n")
    with_candidate(recorded, passing())
    replayed(recorded, "--agent", "candidate")
    told = recorded.prompts("candidate")[-1]
    assert ("10,000 rows take at most 5 seconds" in told, "Something else" in told) == (True, False)
    assert "At most 10 MB" not in told
    assert "# Lessons from earlier reviews" not in told, "memory would tell it the answers"
    assert then.partition("# How to answer")[0] == told.partition("# How to answer")[0]


def test_what_was_answered_is_not_asked_again_unless_it_shall_be(recorded: Project):
    with_candidate(recorded, passing())
    first = replayed(recorded, "--agent", "candidate")
    again = replayed(recorded, "--agent", "candidate")
    assert (3, first) == (asked(recorded, "candidate"), again)
    replayed(recorded, "--agent", "candidate", "--fresh")
    assert 6 == asked(recorded, "candidate")
    replayed(recorded, "--agent", "candidate")
    assert 6 == asked(recorded, "candidate")


def test_a_candidate_that_did_not_answer_is_asked_again_next_time(recorded: Project):
    with_candidate(recorded, "no JSON")
    result = recorded.cli("replay-cases", "--agent", "candidate", "--quiet")
    assert (ExitCode.INCONCLUSIVE, True) == (result.exit_code, "0 of 3 cases answered" in result.stdout)
    assert "no answer" in result.stdout
    with_candidate(recorded, passing())
    assert 3 == replayed(recorded, "--agent", "candidate")["heard"]


def test_the_limit_and_the_budget_bound_it_and_it_goes_on_where_it_was(recorded: Project):
    with_candidate(recorded, passing())
    assert 1 == len(replayed(recorded, "--agent", "candidate", "--limit", "1")["cases"])
    result = recorded.cli("replay-cases", "--agent", "candidate", "--quiet", "--max-seconds", "0")
    assert (ExitCode.BLOCKED, 1) == (result.exit_code, asked(recorded, "candidate"))
    assert "1 case, 0 asked now, 1 from the record\nbudget spent: 0 of 0 seconds: 2 cases left\n" == result.stderr
    assert 3 == len(replayed(recorded, "--agent", "candidate")["cases"])
    assert 3 == asked(recorded, "candidate")


def test_a_recorded_transcript_can_be_the_candidate(recorded: Project):
    transcript = recorded.write("answers.json", json.dumps([{"role": "review", "text": passing()}]))
    recorded.write(
        "reviewloop.yml", recorded.read("reviewloop.yml").replace(
            "agents:", f"agents:\n  old: {{kind: replay, transcript: {json.dumps(str(transcript))}}}",
        ),
    )  # fmt: skip
    value = replayed(recorded, "--agent", "old")
    confirmed = value["confirmed_findings"]
    assert (0, 1, 0) == (
        confirmed["only_candidate"],
        confirmed["only_recorded"],
        value["repeated_false_alarms"]["hits"],
    )


def test_a_candidate_prompt_is_told_instead_of_the_standards(recorded: Project):
    recorded.write("constitution.md", "# Standards\n\nEverything is terse.\n")
    prompt = recorded.write("candidate.txt", "Raise only what would break a build.")
    with_candidate(recorded, passing())
    replayed(recorded, "--agent", "candidate", "--prompt", str(prompt))
    told = recorded.prompts("candidate")[0]
    assert ("Raise only what would break a build." in told, "Everything is terse." in told) == (True, False)
    replayed(recorded, "--agent", "candidate")
    assert 6 == asked(recorded, "candidate"), "another prompt is another question"


def test_a_candidate_rubric_is_the_configured_one(recorded: Project):
    with_candidate(recorded, json.dumps({"verdict": "pass", "score": {"brevity": 90}, "feedback": []}))
    own = {"name": "own", "criteria": [{"name": "brevity", "description": "It is short"}]}
    recorded.configure(max_iterations=1, rubric=own)
    value = replayed(recorded, "--agent", "candidate", "--configured")
    assert (3, True) == (value["heard"], "**brevity**" in recorded.prompts("candidate")[0])


def test_of_a_panel_each_stage_is_asked_and_one_recorded_reviewer_can_be_compared_with(project: Project):
    haiku = {"spec-1": says(BOOM), "spec": says(), "quality": says()}
    sonnet = {"spec-1": says(SAME, OTHER), "spec": says(), "quality": says()}
    panel(project, haiku=haiku, sonnet=sonnet, auto_reject=True, auto_approve=True)
    project.run()
    panel(project, haiku=CLEAN, sonnet={"spec": says(BOOM, OTHER), "quality": says()})
    whole, against = (
        replayed(project, "--agent", "sonnet", *more)["confirmed_findings"] for more in ((), ("--against", "haiku"))
    )
    assert (2, 0) == (whole["both"], whole["only_candidate"])
    assert (1, 1) == (against["both"], against["only_candidate"])


def test_a_replay_that_was_killed_goes_on_with_what_is_left(recorded: Project):
    killer = f'[ $N -gt 0 ] && kill -9 $(cat "{recorded.tools}/pid")\ncat "{recorded.tools}/answer"'
    (recorded.tools / "answer").write_text(passing())
    recorded.agent("candidate", killer)
    recorded.configure(max_iterations=1)
    program = f'echo $$ > "{recorded.tools}/pid"; exec {PYTHON} -m reviewloop replay-cases --agent candidate --quiet'
    died = subprocess.run(["sh", "-c", program], cwd=recorded.root, capture_output=True, timeout=60, check=False)
    assert -9 == died.returncode
    recorded.agent("candidate", f'cat "{recorded.tools}/answer"')
    assert 3 == replayed(recorded, "--agent", "candidate")["heard"]
    assert 4 == asked(recorded, "candidate"), "only the case that was cut short is asked about again"


def test_one_process_at_a_time_replays(recorded: Project):
    with_candidate(recorded, passing())

    async def meanwhile() -> Result:
        ledger = SqliteLedger(recorded.root / ".reviewloop/replays.db")
        async with ledger.hold("replay-cases"):
            result = await asyncio.to_thread(recorded.cli, "replay-cases", "--agent", "candidate")
        await ledger.close()
        return result

    result = asyncio.run(meanwhile())
    assert (ExitCode.BLOCKED, True) == (result.exit_code, "error: cases are being replayed by " in result.stderr)


def test_the_terminal_tells_it_in_tables(recorded: Project):
    with_candidate(recorded, passing())
    result = recorded.cli("replay-cases", "--agent", "candidate", "--quiet")
    assert "candidate compared with the record: 3 of 3 cases answered" in result.stdout
    assert "correct verdict" in result.stdout
    assert "spec  " in result.stdout
    assert "3 cases, 3 asked now, 0 from the record\n" == result.stderr


def refused(project: Project, *args: str) -> Result:
    result = project.cli("replay-cases", *args)
    assert ExitCode.USAGE == result.exit_code
    return result


def test_what_cannot_be_tried_is_named(project: Project):
    project.reviewer(passing())
    project.configure()
    assert "there are no cases on record" in refused(project).stderr
    assert "there is no agent `nobody`" in refused(project, "--agent", "nobody").stderr
    project.run()
    assert "there are no cases on record that opus reviewed" in refused(project, "--against", "opus").stderr


def test_a_tasks_check_is_not_run_again_and_the_candidate_is_told_what_it_printed(project: Project):
    check = "echo once >> runs.log && echo checked well"
    tasks = f"- [ ] 1.2 Write the check\n  - **Files**: `login.py`\n  - **Verify**: `{check}`\n"
    prepare(project, tasks=tasks)
    assert ExitCode.PASSED == project.cli("work", "--spec", "login").exit_code
    project.reviewer(signal(), name="candidate")
    project.configure()

    assert 1 == len(replayed(project, "--agent", "candidate")["cases"])
    assert "once\n" == project.read("runs.log")
    assert "checked well" in project.prompts("candidate")[0]
