"""After `kill -9` at any point of a feature, `run` and `resume` go on, come to the same end, and pay for nothing twice."""

from __future__ import annotations

import pytest
from killing import NOTE_THE_CALL, killed_at, run_to_the_end
from test_feature import PRD, TASKS, WRITE, failed, passed
from test_feature import prepare as prepare_feature

from kill_points import points
from project import Project
from reviewloop.errors import ExitCode

APPENDS = 14
FEATURE = ("run", "--prd", "docs/prd/export.md")


def prepare(project: Project) -> None:
    """Specs that are reviewed twice, and tasks that pass at once."""
    author = f"sleep 0.05\n{WRITE}{NOTE_THE_CALL}"
    prepare_feature(project, failed("no limit is given"), passed(), author=author)
    case = 'case "$REVIEWLOOP_KIND $REVIEWLOOP_ITERATION" in "spec 1") M=0;; *) M=1;; esac'
    project.agent("reviewer", f'{case}; sleep 0.05; {NOTE_THE_CALL}; cat "{project.tools}/reviewer-answer-$M"')


def check_the_end(project: Project) -> None:
    assert project.read("specs/export/spec.md").endswith("FR-2.\nFix 1.\n")
    assert TASKS == project.read("specs/export/tasks.md")
    prd = project.read("docs/prd/export.md")
    assert "\nfeature_status: specs_committed\n" in prd
    assert PRD.partition("---\n\n")[2] == prd.partition("---\n\n")[2]


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    run_to_the_end(project, APPENDS, *FEATURE)
    check_the_end(project)


@pytest.mark.slow
@pytest.mark.parametrize("point", points(APPENDS, "author:0", "author:1", "review:1", "review:2", sample=1))
def test_kill_and_go_on(project: Project, point: str):
    prepare(project)
    with killed_at(point, project, *FEATURE):
        begun = bool(project.events()) and point.startswith("before")
        go_on = ("resume", "export") if begun else FEATURE
        assert ExitCode.PASSED == project.cli(*go_on, "-q").exit_code
    check_the_end(project)
