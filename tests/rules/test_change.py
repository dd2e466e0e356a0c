from dataclasses import replace

import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity
from reviewloop.rules import RuleSettings, check
from reviewloop.rules.repository import Directory

TASKS = Artifact(
    kind=Kind.TASKS,
    name="tasks.md#1.1",
    files=(
        SourceFile(
            path="specs/a/tasks.md",
            text="- [ ] 1.1 Parse\n  - **Files**: `src/parse.py`, `tests/`\n- [ ] 1.2 Write\n  - **Files**: `src/write.py`\n",
        ),
    ),
)


def diff(*paths: str, added: str = "x = 1") -> str:
    return "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+{added}\n" for path in paths
    )


def findings(text: str, rule: str, repository=None, upstream=(TASKS,)):
    change = Artifact(
        kind=Kind.CHANGE, name="c", files=(SourceFile(path="main...HEAD.diff", text=text),), upstream=upstream
    )
    return check(change, repository, RuleSettings(only=(rule,))).findings


def test_a_file_that_the_task_does_not_list_is_important():
    (finding,) = findings(diff("src/parse.py", "src/cli.py"), "CHG038")

    assert ("src/cli.py", Severity.IMPORTANT, 1, "correctness") == (
        finding.place.file,
        finding.severity,
        finding.place.line,
        finding.criterion,
    )


def test_lock_files_and_listed_directories_may_change():
    assert () == findings(diff("src/parse.py", "uv.lock", "tests/test_parse.py", "specs/a/tasks.md"), "CHG038")


def test_the_task_can_be_named():
    second = replace(TASKS, name="specs/a/tasks.md#1.2")

    found = findings(diff("src/parse.py", "src/write.py"), "CHG038", upstream=(second,))

    assert ["src/parse.py"] == [finding.quote for finding in found]


def test_without_a_task_nothing_is_said():
    assert () == findings(diff("src/cli.py"), "CHG038", upstream=())


def test_a_listed_file_that_did_not_change_is_important():
    assert ["task 1.1 lists src/parse.py, but it did not change"] == [
        finding.issue for finding in findings(diff("tests/test_parse.py"), "CHG039")
    ]
    assert () == findings(diff("src/parse.py", "tests/test_parse.py"), "CHG039")


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["PyYAML>=6", "markdown-it-py"]\n')
    (tmp_path / "package.json").write_text(
        '{"dependencies": {"left-pad": "1"}, "devDependencies": {"@types/node": "1"}}'
    )
    (tmp_path / "src" / "tool").mkdir(parents=True)
    (tmp_path / "src" / "tool" / "__init__.py").write_text("")
    (tmp_path / "src" / "tool" / "real.py").write_text("")
    (tmp_path / "src" / "util.ts").write_text("")
    return Directory(tmp_path)


@pytest.mark.parametrize(
    "line", ["import fastjsonx", "from tool.fake import x", "from .fake import y", "from fastjsonx.core import ("]
)
def test_a_python_import_of_nothing_is_critical(repository, line):
    (finding,) = findings(diff("src/tool/new.py", added=line), "CHG040", repository)

    assert (Severity.CRITICAL, "no_hallucinations", 1) == (finding.severity, finding.criterion, finding.place.line)


@pytest.mark.parametrize(
    "line",
    [
        "import os.path",
        "import yaml",
        "from markdown_it import MarkdownIt",
        "from tool.real import x",
        "from tool import real",
        "from .real import x",
        "from . import real",
        "from .new import x",
        "# import nothing",
        "imported = 1",
    ],
)
def test_a_python_import_of_something_is_fine(repository, line):
    assert () == findings(diff("src/tool/new.py", added=line), "CHG040", repository)


@pytest.mark.parametrize(
    "line", ["import a from 'right-pad';", "const b = require('./nowhere');", "import c from '@x/y/z';"]
)
def test_a_javascript_import_of_nothing_is_critical(repository, line):
    assert 1 == len(findings(diff("src/new.ts", added=line), "CHG040", repository))


@pytest.mark.parametrize(
    "line",
    [
        "import a from 'left-pad/x';",
        "import fs from 'node:fs';",
        "import p from 'path';",
        "import u from './util.js';",
        "import '@/x';",
    ],
)
def test_a_javascript_import_of_something_is_fine(repository, line):
    assert () == findings(diff("src/new.ts", added=line), "CHG040", repository)


def test_a_removed_import_and_an_unknown_repository_are_left_alone(repository):
    text = "--- a/x.py\n+++ b/x.py\n@@ -1 +0,0 @@\n-import fastjsonx\n"

    assert () == findings(text, "CHG040", repository)
    assert () == findings(diff("x.py", added="import fastjsonx"), "CHG040")
