from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from agent_programs import lives, pid_in, python, shell

from reviewloop.agents.kinds.command import Command
from reviewloop.agents.process.confinement import confinement
from reviewloop.agents.registry import build
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.review import Stage
from reviewloop.errors import AgentFailed, AgentMissing, AgentTimedOut
from reviewloop.ports import Agent, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for


def command(argv: list[str], base: Path = Path("/"), **settings) -> Agent:
    return build("command", "mine", {"command": argv, **settings}, base)


class TestCommand(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return command(shell(tmp_path, "cat"))

    def numbering(self, tmp_path: Path) -> Agent:
        return command(shell(tmp_path, "grep -q $REVIEWLOOP_ITERATION && echo answer $REVIEWLOOP_ITERATION"))

    def hanging(self, tmp_path: Path) -> Agent:
        return command(shell(tmp_path, "exec sleep 600"))

    def missing(self, tmp_path: Path) -> Agent:
        return command(["./not-there"], base=tmp_path)

    def failing(self, tmp_path: Path) -> Agent:
        return command(shell(tmp_path, "exit 1"))


@pytest.mark.parametrize("text", ["", "It looks fine to me.\n", '{"verdict": "pa'], ids=["nothing", "prose", "half"])
def test_whatever_it_prints_is_the_answer(tmp_path: Path, text: str) -> None:
    file = tmp_path / "text"
    file.write_text(text)

    assert text == ask(command(["cat", str(file)]), job_for(tmp_path)).text


def test_it_runs_in_the_jobs_directory_and_reads_the_prompt(tmp_path: Path) -> None:
    job = job_for(tmp_path, prompt="Lies das ✓")

    assert f"Lies das ✓\n{tmp_path}/copy\n" == ask(command(shell(tmp_path, "cat; echo; pwd")), job).text


def test_it_is_told_what_the_job_is(tmp_path: Path) -> None:
    job = job_for(tmp_path, role=Role.AUTHOR, stage=Stage.QUALITY, iteration=2, subagent_type="coder", turns=7)
    files = (*job.artifact.files, SourceFile(path="docs/more.md", text="more"))
    job = replace(job, artifact=Artifact(kind=Kind.DESIGN, name="design", files=files))

    variables = ask(command(shell(tmp_path, "env | grep ^REVIEWLOOP_ | grep -v _RUN= | sort")), job).text.splitlines()

    assert [
        "REVIEWLOOP_AGENT=reviewer",
        f"REVIEWLOOP_ARTIFACT={tmp_path}/copy/spec.md{os.pathsep}{tmp_path}/copy/docs/more.md",
        "REVIEWLOOP_ITERATION=2",
        "REVIEWLOOP_KIND=design",
        "REVIEWLOOP_MAX_TURNS=7",
        "REVIEWLOOP_ROLE=author",
        "REVIEWLOOP_SESSION=export",
        "REVIEWLOOP_STAGE=quality",
        "REVIEWLOOP_SUBAGENT=coder",
    ] == variables


def test_without_a_directory_it_gets_an_empty_one_that_is_gone_afterwards(tmp_path: Path) -> None:
    where = ask(command(shell(tmp_path, "pwd; ls; echo x > file")), job_for(tmp_path, directory=None)).text

    assert 1 == len(where.splitlines())
    assert not Path(where.strip()).exists()


class TestEnvironment:
    @pytest.fixture(autouse=True)
    def keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_TOKEN", "s3cret")
        monkeypatch.setenv("MY_KEY", "key")
        monkeypatch.setenv("LC_TIME", "C")

    def variables(self, tmp_path: Path, **settings) -> dict[str, str]:
        text = ask(command(["env"], **settings), job_for(tmp_path)).text
        return dict(line.split("=", 1) for line in text.splitlines())

    def test_it_gets_what_every_program_needs_and_no_secrets(self, tmp_path: Path) -> None:
        seen = self.variables(tmp_path)

        allowed = {"PATH", "HOME", "LANG", "TERM", "USER", "SHELL", "TMPDIR"}
        assert {name for name in seen if not name.startswith(("REVIEWLOOP_", "LC_"))} <= allowed
        assert (os.environ["PATH"], "C") == (seen["PATH"], seen["LC_TIME"])

    def test_variables_can_be_passed_on_by_name(self, tmp_path: Path) -> None:
        seen = self.variables(tmp_path, env=["MY_KEY", "NOT_SET_ANYWHERE"])

        assert ("key", None, None) == tuple(seen.get(name) for name in ("MY_KEY", "NOT_SET_ANYWHERE", "SECRET_TOKEN"))

    def test_variables_can_be_given_values(self, tmp_path: Path) -> None:
        seen = self.variables(tmp_path, env={"MY_KEY": "other", "REVIEWLOOP_ROLE": "boss"})

        assert ("other", "review") == (seen["MY_KEY"], seen["REVIEWLOOP_ROLE"])

    def test_its_temporary_directory_is_its_own_and_is_gone_afterwards(self, tmp_path: Path) -> None:
        own = ask(command(shell(tmp_path, 'mktemp > /dev/null && printf %s "$TMPDIR"')), job_for(tmp_path)).text

        assert Path(own).name.startswith("reviewloop-")
        assert not Path(own).exists()


class TestFailures:
    def test_an_error_exit_is_a_failure_with_its_messages(self, tmp_path: Path) -> None:
        with pytest.raises(AgentFailed) as raised:
            ask(command(shell(tmp_path, "echo pass; echo trying >&2; echo no key >&2; exit 3")), job_for(tmp_path))

        assert ("mine exited with 3: no key", 3) == (raised.value.message, raised.value.returncode)
        assert "trying\nno key\n" == raised.value.stderr

    @pytest.mark.parametrize(("number", "name"), [("9", "SIGKILL"), ("40", "signal 40")])
    def test_a_signal_is_a_failure(self, tmp_path: Path, number: str, name: str) -> None:
        with pytest.raises(AgentFailed, match=f"mine was killed by {name}$"):
            ask(command(shell(tmp_path, f"kill -{number} $$")), job_for(tmp_path))

    def test_too_long_an_answer_is_a_failure_not_a_shortened_answer(self, tmp_path: Path) -> None:
        with pytest.raises(AgentFailed, match=r"mine printed more than 4\.2 MB"):
            ask(command(shell(tmp_path, "yes | head -c 10000000")), job_for(tmp_path))

    def test_its_own_time_limit_holds(self, tmp_path: Path) -> None:
        with pytest.raises(AgentTimedOut, match=r"within 0\.2 s"):
            ask(command(["sleep", "600"], timeout=0.2), job_for(tmp_path))

    def test_the_jobs_time_limit_holds_if_it_is_shorter(self, tmp_path: Path) -> None:
        with pytest.raises(AgentTimedOut, match=r"within 0\.2 s"):
            ask(command(["sleep", "600"], timeout=600), job_for(tmp_path, timeout=0.2))

    def test_a_file_that_is_not_executable_is_a_missing_agent(self, tmp_path: Path) -> None:
        (tmp_path / "review.sh").write_text("#!/bin/sh\n")

        with pytest.raises(AgentMissing, match="not executable"):
            ask(command(["./review.sh"], base=tmp_path), job_for(tmp_path))

    def test_a_directory_is_a_missing_agent(self, tmp_path: Path) -> None:
        with pytest.raises(AgentMissing, match="is a directory"):
            ask(command([str(tmp_path)]), job_for(tmp_path))

    def test_a_cancelled_question_leaves_no_process(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        agent = command(python(tmp_path, f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(600)"))

        async def cancel() -> None:
            question = asyncio.create_task(agent.ask(job_for(tmp_path)))
            await asyncio.to_thread(pid_in, file)
            question.cancel()
            await asyncio.wait([question])

        asyncio.run(cancel())

        assert not lives(pid_in(file))


class TestTheUsersTree:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Iterator[Path]:
        project = tmp_path / "project"
        project.mkdir()
        (project / "spec.md").write_text("# Spec\n")
        return project

    @pytest.mark.parametrize("role", Role)
    def test_neither_reviewers_nor_authors_can_write_to_it(self, tmp_path: Path, project: Path, role: Role) -> None:
        job = job_for(tmp_path, role=role, protected=project)
        agent = command(shell(tmp_path, f"echo x > {project}/spec.md; echo x > mine && echo done"))

        assert "done\n" == ask(agent, job).text
        assert ("# Spec\n" if confinement() else "x\n") == (project / "spec.md").read_text()

    def test_an_author_that_is_to_work_in_place_can(self, tmp_path: Path, project: Path) -> None:
        job = job_for(tmp_path, role=Role.AUTHOR, directory=project, protected=project)

        ask(command(shell(tmp_path, "echo '# Better' > spec.md")), job)

        assert "# Better\n" == (project / "spec.md").read_text()

    @pytest.mark.skipif(confinement() is None, reason="this machine cannot confine a program")
    def test_a_reviewer_cannot_even_there(self, tmp_path: Path, project: Path) -> None:
        job = job_for(tmp_path, directory=project, protected=project)

        with pytest.raises(AgentFailed):
            ask(command(shell(tmp_path, "echo '# Better' > spec.md")), job)


def test_it_has_hands() -> None:
    assert Command.edits_files
