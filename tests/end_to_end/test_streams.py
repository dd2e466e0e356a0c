"""Wherever standard output and error lead, the exit code is the verdict, and a loop goes on to its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from project import Project, failing, passing

pytestmark = pytest.mark.slow

REVIEWLOOP = [sys.executable, "-m", "reviewloop"]
UNDEFINED_ID = "# SPEC: Export\n\n## Requirements\n\n- FR-1: as FR-9 says.\n"


def started(project: Project, *args: str, **streams: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([*REVIEWLOOP, *args], cwd=project.root, text=True, **streams)


def unread_pipe() -> int:
    """Where nobody reads any more, as after `| head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("form", ["terminal", "concise", "json", "sarif"])
def test_a_review_whose_reader_has_left_still_fails_the_gate(project: Project, form: str):
    project.write("spec.md", UNDEFINED_ID)

    done = started(project, "review", "spec.md", "--format", form, stdout=unread_pipe()).wait()

    assert 1 == done


def test_a_loop_whose_watcher_has_left_goes_on_to_its_end(project: Project):
    project.reviewer(failing(), passing())
    project.author()
    project.configure()
    nobody = unread_pipe()

    done = started(project, "run", "spec.md", stdout=nobody, stderr=nobody).wait()

    assert (0, "passed") == (done, project.cli("status", "spec", "--json").session["outcome"])


def test_a_blocked_loop_whose_watcher_has_left_is_no_success(project: Project):
    project.reviewer("prose")
    project.configure(retry_on_malformed=0)
    nobody = unread_pipe()

    assert 4 == started(project, "run", "spec.md", stdout=nobody, stderr=nobody).wait()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_change_the_verdict(project: Project, closed: str):
    project.write("spec.md", UNDEFINED_ID)

    done = subprocess.run(["/bin/sh", "-c", f'"$@" {closed}', "sh", *REVIEWLOOP, "review", "spec.md"], cwd=project.root)

    assert 1 == done.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_report_that_finds_no_room_is_an_error_and_a_message_that_finds_none_is_not(project: Project):
    project.reviewer(passing())
    project.configure()
    with Path("/dev/full").open("wb") as full:
        report = subprocess.run(
            [*REVIEWLOOP, "review", "spec.md"], cwd=project.root, stdout=full, stderr=subprocess.PIPE, text=True
        )
        ran = started(project, "run", "spec.md", stdout=subprocess.DEVNULL, stderr=full).wait()

    assert (3, 0) == (report.returncode, ran)
    assert "error: standard output cannot be written: No space left on device" in report.stderr


def test_a_terminal_that_knows_few_letters_gets_question_marks(project: Project):
    project.reviewer(passing())
    project.run()

    done = subprocess.run(
        [*REVIEWLOOP, "log", "spec"],
        cwd=project.root,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )

    assert b"  ? pass: passed by reviewer" in done.stdout


@pytest.mark.parametrize("request_to_end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_loop_that_is_asked_to_end_cleans_up_and_can_go_on(
    project: Project, tmp_path: Path, request_to_end: signal.Signals
):
    project.reviewer(passing())
    project.agent("reviewer", f'[ $N -gt 0 ] && exec cat "{project.tools}/reviewer-answer-0"\necho here\nexec sleep 60')
    project.configure()
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    running = started(project, "run", "spec.md", env=os.environ | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE)
    for _ in range(2000):
        if project.prompts("reviewer"):
            break
        time.sleep(0.01)
    running.send_signal(request_to_end)
    said = running.communicate()[1]

    assert 130 == running.returncode
    assert "error: interrupted\n" in said
    assert [] == list(temporary.iterdir())
    assert 0 == project.cli("resume", "spec").exit_code


def test_the_status_of_a_session_that_is_not_over_is_no_success(project: Project):
    project.agent("reviewer", "kill -9 $PPID; sleep 60")
    project.configure()
    started(project, "run", "spec.md", stderr=subprocess.DEVNULL).wait()

    told = project.cli("status", "spec")

    assert (4, "spec: interrupted") == (told.exit_code, told.stdout.partition("  ")[0])


def test_what_a_killed_run_left_of_its_agents_goes_with_the_next(project: Project, tmp_path: Path):
    project.agent("reviewer", '[ $N -gt 0 ] && exit 3\ntouch "$TMPDIR/private"\nkill -9 $PPID; sleep 60')
    project.configure()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {"TMPDIR": str(temporary)}
    started(project, "run", "spec.md", env=environment, stderr=subprocess.DEVNULL).wait()
    left = list(temporary.rglob("private"))

    started(project, "resume", "spec", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait()

    assert (1, []) == (len(left), list(temporary.iterdir()))


@pytest.mark.parametrize("command", [("review", "spec.md", "--watch"), ("events", "--follow")])
def test_watching_ends_without_a_complaint(project: Project, command: tuple[str, ...]):
    project.reviewer(passing())
    project.run()

    watching = started(project, *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert watching.stdout
    watching.stdout.readline()
    watching.send_signal(signal.SIGINT)

    assert "error" not in watching.communicate()[1]
    assert 130 == watching.returncode
