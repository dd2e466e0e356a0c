"""Two revisions of an artifact as a diff that people and tools can read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.workspace.diff import file_diff, unified

NO_REPOSITORY = {**os.environ, "GIT_CEILING_DIRECTORIES": "/"}


def artifact(kind: Kind = Kind.SPEC, **files: str) -> Artifact:
    sources = (SourceFile(path=name.replace("_", "."), text=text) for name, text in files.items())
    return Artifact(kind=kind, name="spec", files=tuple(sources))


def test_the_same_revision_has_no_diff() -> None:
    assert "" == unified(artifact(a_md="a\n"), artifact(a_md="a\n"))


def test_changed_added_and_deleted_files_are_told_apart() -> None:
    diff = unified(artifact(a_md="one\ntwo\n", c_md="c\n"), artifact(a_md="one\n2\n", b_md="b"))

    assert diff == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n"
        "--- a/c.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n"
    )


def test_only_newlines_end_lines() -> None:
    diff = unified(artifact(a_md="x\x0cy\u2028z\r\n"), artifact(a_md="x\x0cy\u2028w\r\n"))

    assert "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\x0cy\u2028z\r\n+x\x0cy\u2028w\r\n" == diff


def test_the_diff_of_a_change_is_about_its_files() -> None:
    before = artifact(Kind.CHANGE, change_diff="+1\n", app_py="1\n")
    after = artifact(Kind.CHANGE, change_diff="+2\n", app_py="2\n")

    assert "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-1\n+2\n" == unified(before, after)


def test_texts_that_would_take_ages_to_compare_are_replaced_whole(tmp_path: Path) -> None:
    old = "".join(f"{number * 3 % 1000}\n" for number in range(40_000))
    new = "".join(f"{number * 7 % 1000}\n" for number in range(40_000))
    (tmp_path / "a.md").write_text(old)

    diff = unified(artifact(a_md=old), artifact(a_md=new))
    subprocess.run(["git", "apply"], cwd=tmp_path, input=diff.encode(), check=True)

    assert new == (tmp_path / "a.md").read_text()


text = st.lists(st.sampled_from(["a\n", "b\n", "\r\n", "\n", "c"]), max_size=12).map("".join)


@settings(max_examples=examples(25), deadline=None)
@given(text, text)
def test_a_diff_applied_to_the_old_text_is_the_new_text(old: str, new: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.md")
        file.write_bytes(old.encode())
        diff = unified(artifact(a_md=old), artifact(a_md=new))
        if diff:
            subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=folder, input=diff.encode(), check=True)

        assert new.encode() == file.read_bytes()


@settings(max_examples=60, deadline=None)
@given(
    before=st.one_of(st.none(), text.filter(bool)),
    after=st.one_of(st.none(), text.filter(bool)),
    runs=st.tuples(st.booleans(), st.booleans()),
    name=st.sampled_from(["a.md", "b c.md", 'odd "name".md', "tab\tname.md", "caf\u00e9.md"]),
)
def test_git_applies_the_diff_of_a_file_and_takes_it_back(
    before: str | None, after: str | None, runs: tuple[bool, bool], name: str
) -> None:
    diff = file_diff(
        name,
        None if before is None else before.encode(),
        None if after is None else after.encode(),
        was_executable=runs[0],
        executable=runs[1],
    )
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        if before is not None:
            file.write_bytes(before.encode())
            file.chmod(0o755 if runs[0] else 0o644)
        if not diff:
            assert before == after
            return
        for arguments, expected, executable in (
            (["git", "apply"], after, runs[1]),
            (["git", "apply", "-R"], before, runs[0]),
        ):
            subprocess.run(arguments, cwd=folder, input=diff.encode(), check=True, env=NO_REPOSITORY)
            assert expected == (file.read_bytes().decode() if file.exists() else None)
            assert expected is None or executable == bool(file.stat().st_mode & 0o100)


def test_binary_files_are_only_named() -> None:
    assert "diff --git a/x b/x\nBinary files a/x and b/x differ\n" == file_diff("x", b"\0", b"a")
    assert "diff --git a/x b/x\nnew file mode 100644\nBinary files /dev/null and b/x differ\n" == file_diff(
        "x", None, b"\xff"
    )
