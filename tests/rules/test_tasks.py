import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity
from reviewloop.rules import RuleSettings, check
from reviewloop.rules.repository import Directory


def task(
    number: str, title: str = "Work", *, verify: str = "`make test`", leave: tuple[str, ...] = (), more: str = ""
) -> str:
    parts = {
        "Do": "Write `src/a.py`",
        "Files": "`src/a.py`",
        "Done when": "It runs",
        "Verify": verify,
        "Commit": "`feat: a`",
    }
    fields = "".join(f"  - **{name}**: {text}\n" for name, text in parts.items() if name not in leave)
    return f"- [ ] {number} {title}\n{fields}{more}"


def tasks(*blocks: str) -> str:
    return "# Tasks\n\n## Phase 1: Make It Work (POC)\n\n" + "".join(blocks)


def test_a_task_without_its_files_is_important(found):
    text = tasks(task("1.1"), task("1.2", leave=("Files",)), task("1.3", leave=("Commit",)))

    assert [("task 1.2 has no Files", Severity.IMPORTANT), ("task 1.3 has no Commit", Severity.MINOR)] == [
        (finding.issue, finding.severity) for finding in found(Kind.TASKS, text, "TSK028")
    ]


def test_a_part_that_most_tasks_lack_is_one_finding(found):
    text = tasks(*(task(f"1.{n}", leave=("Files",)) for n in range(1, 5)))

    assert ["4 of 4 tasks have no Files"] == [finding.issue for finding in found(Kind.TASKS, text, "TSK028")]


@pytest.mark.parametrize(
    "title", ["[VERIFY] Checkpoint", "POC checkpoint", "Create PR", "Verify the export", "Run all checks"]
)
def test_gates_need_no_files(found, title):
    text = tasks(task("1.1"), task("1.2"), task("1.3", title, leave=("Files", "Do", "Commit")))

    assert [] == found(Kind.TASKS, text, "TSK028")


def test_formats_without_fields_are_left_alone(found):
    assert [] == found(Kind.TASKS, "- [ ] T001 Write src/a.py\n- [ ] T002 Write src/b.py\n", "TSK028")


ABOVE = Artifact(
    kind=Kind.REQUIREMENTS,
    name="r",
    files=(
        SourceFile(
            path="requirements.md", text="| ID | Text |\n|--|--|\n| FR-1 | a |\n| FR-2 | b |\n| FR-3 | AC-1.1 |\n"
        ),
    ),
)


def test_a_requirement_in_no_task_is_important(found):
    text = tasks(task("1.1", more="  - _Requirements: FR-1_\n"), task("1.2", more="  - _Requirements: AC-1.1_\n"))

    (finding,) = found(Kind.TASKS, text, "TSK029", upstream=(ABOVE,))

    assert ("no task mentions FR-2", Severity.IMPORTANT) == (finding.issue, finding.severity)
    assert [] == found(Kind.TASKS, text.replace("FR-1_", "FR-1 to FR-3_"), "TSK029", upstream=(ABOVE,))


def test_kiro_tasks_cover_numbered_requirements(found):
    above = Artifact(
        kind=Kind.REQUIREMENTS,
        name="r",
        files=(
            SourceFile(
                path=".kiro/specs/a/requirements.md",
                text="### Requirement 1\n\n1. WHEN a\n2. WHEN b\n\n### Requirement 2\n\n1. WHEN c\n",
            ),
        ),
    )
    text = "- [ ] 1. Do\n  - _Requirements: 1.1, 1.2_\n"

    (finding,) = found(Kind.TASKS, text, "TSK029", upstream=(above,), path=".kiro/specs/a/tasks.md")

    assert "no task mentions Requirement-2, Requirement-2.1" == finding.issue


def test_a_task_that_nobody_asked_for_is_noticed(found):
    traced = "  - _Requirements: FR-1_\n"
    text = tasks(
        task("1.1", more=traced),
        task("1.2", more=traced),
        task("1.3"),
        task("1.4", "[VERIFY] x"),
        task("1.5", "Bump version"),
    )

    assert ["task 1.3 mentions no requirement"] == [finding.issue for finding in found(Kind.TASKS, text, "TSK030")]


@pytest.mark.parametrize(
    "verify",
    ["Manual review of the file", "Read the file and confirm it", "It works", "Visual inspection of all pages"],
)
def test_verify_by_hand_is_important(found, verify):
    (finding,) = found(Kind.TASKS, tasks(task("1.1", verify=verify)), "TSK031")

    assert (Severity.IMPORTANT, 9, 17) == (finding.severity, finding.place.line, finding.place.column)


@pytest.mark.parametrize(
    "command", ['make test || echo "FAIL"', "a && b || true", "for f in a; do grep -q x $f || echo no; done"]
)
def test_a_command_that_cannot_fail_is_noticed(found, command):
    (finding,) = found(Kind.TASKS, tasks(task("1.1", verify=f"`{command}`")), "TSK031")

    assert (Severity.MINOR, 9, 18) == (finding.severity, finding.place.line, finding.place.column)
    assert [] == found(Kind.TASKS, tasks(task("1.1", verify="`a || echo no && false`")), "TSK031")


def test_a_habit_of_looking_is_one_finding(found):
    text = tasks(*(task(f"1.{n}", verify="Manual review") for n in range(1, 6)))

    (finding,) = found(Kind.TASKS, text, "TSK031")

    assert "5 tasks have no command in Verify: 1.1, 1.2, 1.3, 1.4, 1.5" == finding.issue


@pytest.mark.parametrize(
    "verify",
    [
        "`make test`",
        "npm test",
        "Run `pytest -q` and see no failure",
        "\n    ```bash\n    make test\n    ```",
        "All commands above pass",
    ],
)
def test_a_command_is_a_command(found, verify):
    assert [] == found(Kind.TASKS, tasks(task("1.1", verify=verify)), "TSK031")


@pytest.mark.parametrize(
    "command", ['grep -q "limit docs/api.md', "if true; then echo", "a && ", "$(", "for x in a; do"]
)
def test_a_broken_command_is_critical(found, command):
    text = tasks(task("1.1"), task("1.2", verify=f"`{command}`"), task("1.3"))

    (finding,) = found(Kind.TASKS, text, "TSK032")

    assert (Severity.CRITICAL, 15, 18) == (finding.severity, finding.place.line, finding.place.column)
    assert "task 1.2" in finding.issue


@pytest.mark.parametrize(
    "verify",
    [
        "`cat <file>`",
        "Code contains `|| true`",
        "`for f in a b; do echo $f; done`",
        "`[[ -f a ]] && echo ok`",
        "`a \\| b`",
        "`# x`",
    ],
)
def test_valid_and_unfinished_commands_pass(found, verify):
    assert [] == found(Kind.TASKS, tasks(task("1.1", verify=verify)), "TSK032")


def test_backpressure_is_checked_too(found):
    text = '---\ntask: 1\ndepends_on: []\nbackpressure: "go test ./... && ("\n---\n# T\n'

    assert [4] == [finding.place.line for finding in found(Kind.TASKS, text, "TSK032")]


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "package.json").write_text('{"scripts": {"test": "x", "lint": "y"}}')
    (tmp_path / "Makefile").write_text("all: build\n\nbuild:\n\tcc\n")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "check.sh").write_text("")
    return Directory(tmp_path)


@pytest.mark.parametrize(
    "command", ["npm run unit", "make deploy", "bash scripts/gone.sh", "npm run lint && make deploy"]
)
def test_a_script_that_is_not_there_is_important(found, repository, command):
    (finding,) = found(Kind.TASKS, tasks(task("1.1", verify=f"`{command}`")), "TSK033", repository=repository)

    assert Severity.IMPORTANT == finding.severity


@pytest.mark.parametrize(
    "command", ["npm run test", "make build", "make all", "./scripts/check.sh", "cd x && make y", "just z"]
)
def test_a_script_that_is_there_is_fine(found, repository, command):
    assert [] == found(Kind.TASKS, tasks(task("1.1", verify=f"`{command}`")), "TSK033", repository=repository)


def test_a_script_that_a_task_writes_is_fine(found, repository):
    text = tasks(task("1.1", "Write `scripts/new.sh`", verify="`bash scripts/new.sh`"))

    assert [] == found(Kind.TASKS, text, "TSK033", repository=repository)


def plan(*rows: str) -> str:
    return "| # | Task | Dependencies |\n|--|--|--|\n" + "".join(f"| {row} |\n" for row in rows)


@pytest.mark.parametrize(
    ("rows", "issues"),
    [
        (
            ("1 | a | #2", "2 | b | #1"),
            ["task 1 and task 2 depend on each other", "task 2 and task 1 depend on each other"],
        ),
        (("1 | a | #2", "2 | b | None"), ["task 1 depends on 2, which comes later"]),
        (("1 | a | None", "2 | b | #7"), ["task 2 depends on 7, which does not exist"]),
        (("1 | a | #1", "2 | b | None"), ["task 1 depends on itself"]),
        (("1 | a | None", "2 | b | #1"), []),
    ],
)
def test_impossible_dependencies_are_critical(found, rows, issues):
    assert issues == [finding.issue for finding in found(Kind.TASKS, plan(*rows), "TSK034")]


def test_task_files_of_a_folder_are_judged_together():
    files = tuple(
        SourceFile(path=f"specs/tasks/a/0{n}-x.md", text=f"---\ntask: {n}\ndepends_on: [{needs}]\n---\n# T\n")
        for n, needs in ((1, 2), (2, ""), (3, "1, 9"))
    )
    report = check(Artifact(kind=Kind.TASKS, name="a", files=files), None, RuleSettings(only=("TSK034",)))

    assert [("specs/tasks/a/01-x.md", 3), ("specs/tasks/a/03-x.md", 3)] == [
        (finding.place.file, finding.place.line) for finding in report.findings
    ]


def test_a_task_file_alone_is_not_held_against_files_it_cannot_see(found):
    text = "---\ntask: 3\ndepends_on: [1, 2]\n---\n# T\n"

    assert [] == found(Kind.TASKS, text, "TSK034", path="specs/tasks/a/03-x.md")


def test_a_long_run_without_a_gate_is_noticed(found):
    run = [task(f"1.{n}") for n in range(1, 7)]

    assert ["6 tasks in a row without a [VERIFY] task: 1.1 to 1.6"] == [
        finding.issue for finding in found(Kind.TASKS, tasks(*run, task("1.7", "[VERIFY] x")), "TSK035")
    ]
    assert [] == found(Kind.TASKS, tasks(*run[:5], task("1.7", "[VERIFY] x")), "TSK035")


def test_phases_start_with_something_that_works(found):
    text = f"# T\n\n## Phase 1: Testing\n\n{task('1.1')}\n## Phase 2: Make It Work (POC)\n\n{task('2.1')}\n"

    assert ['"Phase 2: Make It Work (POC)" should come before "Phase 1: Testing"'] == [
        finding.issue for finding in found(Kind.TASKS, text, "TSK036")
    ]
    assert [] == found(Kind.TASKS, text.replace("# T\n", "# T (TDD)\n"), "TSK036")
    assert [] == found(Kind.TASKS, tasks(task("1.1")) + f"\n## Phase 2: Refactoring\n\n{task('2.1')}\n", "TSK036")


def test_a_vague_step_is_noticed_if_asked_for(found):
    text = tasks(task("1.1", "Handle edge cases"), task("1.2", "Refuse an empty file"))

    assert [("Handle edge cases", 5)] == [
        (finding.quote, finding.place.line) for finding in found(Kind.TASKS, text, "TSK037")
    ]
