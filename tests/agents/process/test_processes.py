from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_programs import eventually, lives, pid_in, python, shell

from reviewloop.agents.process import processes
from reviewloop.agents.process.processes import Completed, find_program
from reviewloop.errors import AgentFailed, AgentMissing, AgentTimedOut

MEGABYTE = 1024 * 1024
SLEEPER = "import os, time; open({file!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(600)"


def options(**changes) -> dict:
    return {"stdin": "", "cwd": Path("/"), "env": {"PATH": os.environ["PATH"]}, "timeout": 60.0, **changes}


def run(command: list[str], **changes) -> Completed:
    return asyncio.run(processes.run(command, **options(**changes)))


def cancelled_once(ready: Callable[[], object], command: list[str], **changes) -> bool:
    """Start a program, cancel the run as soon as it is ready, and tell whether that went through."""

    async def start_and_cancel() -> bool:
        task = asyncio.create_task(processes.run(command, **options(**changes)))
        await asyncio.to_thread(ready)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    return asyncio.run(start_and_cancel())


def result_of(done: Completed) -> tuple[str, str, int]:
    return done.stdout, done.stderr, done.returncode


def held() -> tuple[list[str], str]:
    """The open files and the children of this process."""
    files = sorted(file.name for file in Path("/proc/self/fd").iterdir())
    return files, Path(f"/proc/self/task/{os.getpid()}/children").read_text()


class TestWhatGoesInAndOut:
    def test_the_prompt_is_its_input_and_what_it_prints_is_kept(self, tmp_path: Path) -> None:
        done = run(shell(tmp_path, "cat; echo note >&2"), stdin="Prüfe das.")

        assert ("Prüfe das.", "note\n", 0) == result_of(done)
        assert not done.truncated
        assert done.seconds > 0

    def test_a_program_that_says_nothing_leaves_an_empty_answer(self, tmp_path: Path) -> None:
        assert ("", "", 0) == result_of(run(shell(tmp_path, "exit 0")))

    def test_an_error_exit_keeps_what_was_said(self, tmp_path: Path) -> None:
        assert ("half", "no key\n", 3) == result_of(run(shell(tmp_path, "printf half; echo no key >&2; exit 3")))

    def test_a_program_ended_by_a_signal_says_so(self, tmp_path: Path) -> None:
        assert -signal.SIGUSR1 == run(shell(tmp_path, "kill -USR1 $$")).returncode

    def test_exit_code_127_of_a_program_that_ran_is_its_own(self, tmp_path: Path) -> None:
        assert 127 == run(shell(tmp_path, "exit 127")).returncode

    def test_bytes_that_are_no_text_are_replaced(self, tmp_path: Path) -> None:
        assert "a\N{REPLACEMENT CHARACTER}b" == run(shell(tmp_path, r"printf 'a\377b'")).stdout

    def test_a_program_that_reads_nothing_of_a_long_prompt_does_not_block(self, tmp_path: Path) -> None:
        assert ("ok\n", "", 0) == result_of(run(shell(tmp_path, "echo ok"), stdin="x" * 5 * MEGABYTE))

    def test_a_program_that_stops_reading_midway_does_not_block(self, tmp_path: Path) -> None:
        program = shell(tmp_path, "head -c 5; exec 0<&-; sleep 0.1; echo; echo ok")

        assert ("xxxxx\nok\n", "", 0) == result_of(run(program, stdin="x" * 5 * MEGABYTE))

    def test_a_program_that_prints_a_lot_before_it_reads_does_not_block(self, tmp_path: Path) -> None:
        source = (
            f"os.write(2, b'e' * {MEGABYTE}); sys.stdout.write('x' * {10 * MEGABYTE}); print(len(sys.stdin.read()))"
        )

        done = run(python(tmp_path, source), stdin="y" * 5 * MEGABYTE, limit=20 * MEGABYTE)

        assert (10 * MEGABYTE, f"{5 * MEGABYTE}\n") == (done.stdout.count("x"), done.stdout.lstrip("x"))

    def test_too_much_output_ends_the_program_and_is_marked(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        source = f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\nwhile True: print('x' * 1000)"

        done = run(python(tmp_path, source))

        assert (True, processes.STDOUT_LIMIT) == (done.truncated, len(done.stdout))
        assert not lives(pid_in(file))

    def test_output_up_to_the_limit_is_not_too_much(self, tmp_path: Path) -> None:
        done = run(shell(tmp_path, "printf 12345"), limit=5)

        assert ("12345", False) == (done.stdout, done.truncated)

    def test_the_last_of_many_messages_is_kept(self, tmp_path: Path) -> None:
        done = run(python(tmp_path, f"sys.stderr.write('x' * {MEGABYTE}); sys.stderr.write('the reason')"))

        assert (64 * 1024, "the reason") == (len(done.stderr), done.stderr.lstrip("x"))

    def test_pipes_inside_a_script_break_silently_as_in_a_terminal(self, tmp_path: Path) -> None:
        assert ("y\n", "", 0) == result_of(run(shell(tmp_path, "yes | head -n 1")))

    def test_a_run_leaves_no_file_open_and_no_child_behind(self, tmp_path: Path) -> None:
        program = shell(tmp_path, "cat")
        run(program)
        before = held()

        run(program)

        assert before == held()


class TestEnding:
    def test_a_program_that_hangs_is_ended_and_its_messages_are_kept(self, tmp_path: Path) -> None:
        with pytest.raises(AgentTimedOut) as raised:
            run(shell(tmp_path, "echo waiting for the network >&2; exec sleep 600"), timeout=1)

        assert "no answer within 1 s" == raised.value.message
        assert "waiting for the network\n" == raised.value.stderr

    def test_a_program_that_closes_its_output_and_lives_on_is_ended(self, tmp_path: Path) -> None:
        with pytest.raises(AgentTimedOut):
            run(shell(tmp_path, "echo answer; exec >&- 2>&- sleep 600"), timeout=0.5)

    def test_a_program_may_tidy_up_when_it_is_asked_to_end(self, tmp_path: Path) -> None:
        program = shell(tmp_path, "trap 'echo tidied up >&2; exit 0' TERM; while :; do sleep 0.05; done")

        with pytest.raises(AgentTimedOut) as raised:
            run(program, timeout=1)

        assert raised.value.stderr.endswith("tidied up\n")

    def test_a_program_that_ignores_the_request_is_killed(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        program = shell(tmp_path, f"trap '' TERM; echo $$ > {file}; while :; do sleep 0.1; done")

        assert cancelled_once(lambda: pid_in(file), program, grace=0.1)
        assert not lives(pid_in(file))

    @pytest.mark.parametrize("hangs", [False, True], ids=["it answers", "it hangs"])
    @pytest.mark.parametrize(
        "start",
        [
            pytest.param("subprocess.Popen(sleeper)", id="in its group"),
            pytest.param("subprocess.Popen(sleeper, start_new_session=True)", id="in a session of its own"),
            pytest.param("subprocess.run(['setsid', '-f', *sleeper])", id="as a daemon"),
        ],
    )
    def test_what_a_program_started_ends_with_it(self, tmp_path: Path, start: str, hangs: bool) -> None:
        """Those it started hold its standard output open, which must not keep us waiting either."""
        file = tmp_path / "pid"
        sleeper = python(tmp_path, SLEEPER.format(file=str(file)))
        wait = f"while not os.path.exists({str(file)!r}): time.sleep(0.01)"
        then = "time.sleep(600)" if hangs else "print('answer')"
        program = python(tmp_path, f"sleeper = {sleeper!r}\n{start}\n{wait}\n{then}")

        if hangs:
            assert cancelled_once(lambda: pid_in(file), program)
        else:
            assert ("answer\n", "", 0) == result_of(run(program))

        assert not lives(pid_in(file))

    def test_a_daemon_that_wiped_its_environment_ends_with_a_program_that_hangs(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        sleeper = python(tmp_path, SLEEPER.format(file=str(file)))
        program = shell(tmp_path, f"setsid -f env -i {sleeper[0]}; sleep 600")

        assert cancelled_once(lambda: pid_in(file), program)
        assert not lives(pid_in(file))

    def test_one_that_ignores_the_request_in_a_session_of_its_own_is_killed(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        stubborn = shell(tmp_path, f"trap '' TERM; echo $$ > {file}; while :; do sleep 0.1; done")[0]
        program = shell(tmp_path, f"setsid -f {stubborn}; while [ ! -s {file} ]; do sleep 0.01; done; echo answer")

        assert ("answer\n", "", 0) == result_of(run(program, grace=0.1))
        assert not lives(pid_in(file))


class TestInterruption:
    @pytest.mark.parametrize("steps", range(12))
    def test_a_conversation_that_is_cancelled_before_it_begins_leaves_nothing_behind(self, steps: int) -> None:
        async def converse() -> None:
            async with processes.converse(["/bin/sleep", "600"], cwd=Path("/"), env={}, line_limit=1000):
                await asyncio.sleep(600)

        async def cancel() -> bool:
            task = asyncio.create_task(converse())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            return task.cancelled()

        before = held()
        assert asyncio.run(cancel())
        assert before == held()

    def test_a_run_that_is_cancelled_again_while_it_waits_kills_at_once(self, tmp_path: Path) -> None:
        file, asked = tmp_path / "pid", tmp_path / "asked"
        program = python(
            tmp_path,
            f"signal.signal(signal.SIGTERM, lambda *_: open({str(asked)!r}, 'w').close())\n"
            f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\nwhile True: time.sleep(600)",
        )

        async def cancel_twice() -> bool:
            task = asyncio.create_task(processes.run(program, **options(grace=600)))
            await asyncio.to_thread(pid_in, file)
            task.cancel()
            await asyncio.to_thread(eventually, asked.exists)
            task.cancel()
            await asyncio.wait([task])
            return task.cancelled()

        assert asyncio.run(cancel_twice())
        assert not lives(pid_in(file))

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
    def test_nothing_outlives_reviewloop_however_it_is_ended(self, tmp_path: Path, how: signal.Signals) -> None:
        child, daemon = tmp_path / "child", tmp_path / "daemon"
        helper = python(tmp_path, SLEEPER.format(file=str(daemon)))[0]
        agent = python(tmp_path, f"subprocess.run(['setsid', '-f', {helper!r}])\n{SLEEPER.format(file=str(child))}")
        host = tmp_path / "host.py"
        host.write_text(
            "import asyncio, pathlib\nfrom reviewloop.agents.process.processes import run\n"
            f"asyncio.run(run({agent!r}, stdin='', cwd=pathlib.Path('/'), env={options()['env']!r}, timeout=600))\n"
        )
        reviewloop = subprocess.Popen([sys.executable, str(host)], stderr=subprocess.DEVNULL)
        pids = [pid_in(child), pid_in(daemon)]

        reviewloop.send_signal(how)

        reviewloop.wait()
        for pid in pids:
            eventually(lambda pid=pid: not lives(pid))


class TestStarting:
    def test_a_script_without_a_first_line_cannot_be_started(self, tmp_path: Path) -> None:
        program = shell(tmp_path, "echo hello")
        Path(program[0]).write_text("echo hello\n")

        with pytest.raises(AgentMissing) as raised:
            run(program)

        assert raised.value.message.endswith("could not be started: Exec format error")
        assert raised.value.hint
        assert "#!/bin/sh" in raised.value.hint

    def test_a_script_whose_interpreter_is_not_there_cannot_be_started(self, tmp_path: Path) -> None:
        program = shell(tmp_path, "")
        Path(program[0]).write_text("#!/no/such/interpreter\n")

        with pytest.raises(AgentMissing):
            run(program)

    def test_a_directory_that_is_not_there_is_a_failure(self, tmp_path: Path) -> None:
        with pytest.raises(AgentFailed, match="gone"):
            run(shell(tmp_path, "echo hello"), cwd=tmp_path / "gone")

    def test_an_argument_with_a_null_character_is_a_failure(self, tmp_path: Path) -> None:
        with pytest.raises(AgentFailed, match="null"):
            run([*shell(tmp_path, "echo hello"), "a\0b"])


class TestFindingPrograms:
    def test_a_name_is_looked_up_on_the_path(self, tmp_path: Path) -> None:
        program = Path(shell(tmp_path, "")[0])

        assert str(program) == find_program(program.name, base=Path("/"), path=str(program.parent))

    def test_a_path_is_relative_to_the_project(self, tmp_path: Path) -> None:
        program = Path(shell(tmp_path, "")[0])

        assert str(program) == find_program(f"./programs/{program.name}", base=tmp_path)

    def test_a_path_in_the_home_directory_is_understood(self, tmp_path: Path, monkeypatch) -> None:
        program = Path(shell(tmp_path, "")[0])
        monkeypatch.setenv("HOME", str(program.parent))

        assert str(program) == find_program(f"~/{program.name}", base=Path("/"))

    @pytest.mark.parametrize("name", ["no-such-program", "./no-such-program"])
    def test_a_program_that_is_not_there_is_missing(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(AgentMissing, match=r"^program .* not found$") as raised:
            find_program(name, base=tmp_path)

        assert raised.value.hint

    def test_a_file_that_is_not_executable_is_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / "review.sh").write_text("#!/bin/sh\n")

        with pytest.raises(AgentMissing, match="not executable") as raised:
            find_program("./review.sh", base=tmp_path)

        assert f"run `chmod +x {tmp_path}/review.sh`" == raised.value.hint

    def test_a_directory_is_told_apart(self, tmp_path: Path) -> None:
        with pytest.raises(AgentMissing, match="is a directory"):
            find_program("./", base=tmp_path)
