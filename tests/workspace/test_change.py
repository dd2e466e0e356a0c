"""A change as an artifact: what differs, as a diff and as files, and nothing of the repository is run for it."""

from __future__ import annotations

import asyncio
import os
import subprocess

import pytest
from workspace_samples import Tree, texts

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.errors import ArtifactError
from reviewloop.workspace.change import resolve
from reviewloop.workspace.files import Limits
from reviewloop.workspace.project import ProjectWorkspace
from target_helpers import locate_change


@pytest.fixture
def repository(tree: Tree) -> Tree:
    tree.write("app.py", "print(1)\n")
    tree.write("old.py", "gone = True\n")
    tree.commit("first")
    return tree


def read(tree: Tree, asked: str, **options: object) -> Artifact:
    return asyncio.run(tree.change(asked, **options).read())


def test_work_that_is_not_committed_is_part_of_the_change(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n")
    repository.git("add", "app.py")
    repository.write("new/fresh.py", "fresh = 1")
    (repository.root / "old.py").unlink()

    artifact = read(repository, "HEAD")

    assert {"app.py": "print(2)\n", "new/fresh.py": "fresh = 1"} == dict(list(texts(artifact).items())[1:])
    assert (Kind.CHANGE, "change.diff") == (artifact.kind, artifact.files[0].path)
    diff = artifact.files[0].text
    assert "-print(1)\n+print(2)\n" in diff
    assert "--- /dev/null\n+++ b/new/fresh.py\n@@ -0,0 +1 @@\n+fresh = 1\n\\ No newline at end of file\n" in diff
    assert "deleted file mode 100644" in diff


@pytest.mark.parametrize("asked", ["HEAD~1", "HEAD~1..", "HEAD~1..HEAD", "HEAD~1...", "HEAD~1...HEAD", "HEAD~1..@"])
def test_a_range_up_to_now_sees_commits_and_files_alike(repository: Tree, asked: str) -> None:
    repository.write("app.py", "print(2)\n")
    repository.commit("second")
    repository.write("app.py", "print(3)\n")

    artifact = read(repository, asked)

    assert "-print(1)\n+print(3)\n" in artifact.files[0].text


def test_two_commits_are_what_they_are(repository: Tree) -> None:
    repository.git("branch", "start")
    repository.write("app.py", "print(2)\n")
    second = repository.commit("second")
    repository.write("app.py", "print(3)\n")
    workspace = repository.change(f"start..{second}")

    artifact = asyncio.run(workspace.read())

    assert "-print(1)\n+print(2)\n" in artifact.files[0].text
    assert "print(2)\n" == texts(artifact)["app.py"]
    assert not workspace.source.editable


def test_three_dots_leave_out_what_happened_on_the_other_branch(repository: Tree) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    repository.write("app.py", "print(2)\n")
    repository.commit("on the branch")
    repository.git("checkout", "-q", "main")
    repository.write("other.py", "other = 1\n")
    repository.commit("on main")
    repository.git("checkout", "-q", "feature")

    assert ["app.py"] == list(texts(read(repository, "main...")))[1:]
    assert "b/other.py" not in read(repository, "main...").files[0].text
    assert "b/other.py" in read(repository, "main").files[0].text


def test_the_session_stays_about_its_change_when_the_branch_moves_on(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n")
    workspace = repository.change("HEAD")
    repository.commit("second")

    assert "+print(2)\n" in asyncio.run(workspace.read()).files[0].text


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("nowhere", "bad revision 'nowhere'"),
        ("main..nowhere", "bad revision 'nowhere'"),
        ("main..a..b", "a..b"),
        ("..HEAD", "is not a git range"),
        ("--output=x", "is not a git range"),
        ("", "is not a git range"),
        ("main....", "git does not know"),
        ("main two", "bad revision 'main two'"),
    ],
)
def test_a_range_that_git_does_not_understand_is_told_in_its_words(repository: Tree, asked: str, words: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        resolve(repository.root, asked)

    assert words in caught.value.message
    assert "BASE..END" in (caught.value.hint or "")


def test_without_changes_there_is_nothing_to_review(repository: Tree) -> None:
    with pytest.raises(ArtifactError, match="nothing differs"):
        read(repository, "HEAD")


def test_a_change_needs_a_repository(tree: Tree) -> None:
    with pytest.raises(ArtifactError, match="no git repository") as caught:
        locate_change(tree.root, tree.root, "HEAD")

    assert caught.value.hint


def test_what_is_no_text_is_named_and_left_out(repository: Tree) -> None:
    repository.write("logo.png", b"\x89PNG\0\0")
    repository.write("latin.txt", b"caf\xe9\n")
    repository.write("huge.txt", "x\n" * 1000)
    repository.write(".env", "SECRET=1\n")
    (repository.root / "link").symlink_to("/etc")
    repository.write("app.py", "print(2)\n")

    artifact = read(repository, "HEAD", limits=Limits(file=1500))

    assert ["change.diff", "app.py"] == list(texts(artifact))
    assert artifact.files[0].text.splitlines()[0] == (
        "Not included as text: .env (never given to agents), huge.txt (too large), latin.txt (binary), "
        "link (symbolic link), logo.png (binary)"
    )
    assert "SECRET" not in artifact.files[0].text


def test_a_file_whose_name_is_no_text_is_named_as_far_as_it_goes(repository: Tree) -> None:
    for name in (b"caf\xe9.txt", b"th\xe9.txt"):
        (repository.root / os.fsdecode(name)).write_text("1\n")
        repository.git("add", "-A")
        repository.git("reset", "-q", "--", "th*")

    artifact = read(repository, "HEAD")

    assert ["change.diff"] == list(texts(artifact))
    assert artifact.files[0].text.startswith(
        "Not included as text: caf\\udce9.txt (a name that cannot be used), th\\udce9.txt (a name that cannot be used)\n"
    )


def test_a_diff_that_is_too_large_says_so(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n" * 20)
    repository.write("new.py", "print(2)\n" * 20)

    with pytest.raises(ArtifactError, match="the diff has"):
        read(repository, "HEAD", limits=Limits(file=200))


def test_a_project_in_a_folder_of_a_repository_sees_only_its_own_part(repository: Tree) -> None:
    inner = Tree(repository.root / "packages")
    repository.write("packages/a.py", "a = 1\n")
    repository.write("app.py", "print(2)\n")

    artifact = read(inner, "HEAD")

    assert ["change.diff", "a.py"] == list(texts(artifact))
    assert "app.py" not in artifact.files[0].text


def test_records_of_the_review_are_no_part_of_the_change(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n")
    for record in (".reviewloop/log", ".ai-sdd/state/x.json", ".claude/review-analytics.json", "specs/x/.progress.md"):
        repository.write(record, "x\n")

    artifact = read(repository, "HEAD")

    assert ["change.diff", "app.py"] == list(texts(artifact))
    assert artifact.files[0].text.startswith("diff --git a/app.py")


def test_the_task_comes_along_as_what_the_change_builds_on(repository: Tree) -> None:
    repository.write("tasks.md", "- [ ] 1.2 Print two\n")
    repository.commit("tasks")
    repository.write("app.py", "print(2)\n")
    source = locate_change(
        repository.root,
        repository.root,
        "HEAD",
        task="tasks.md#1.2",
        upstream=["tasks.md"],
    )

    artifact = asyncio.run(ProjectWorkspace(repository.root, source).read())

    assert [(Kind.TASKS, "tasks"), (Kind.TASKS, "tasks.md#1.2")] == [(doc.kind, doc.name) for doc in artifact.upstream]


def test_the_diff_takes_a_name_that_is_free(repository: Tree) -> None:
    repository.write("change.diff", "mine\n")

    assert "change.2.diff" == read(repository, "HEAD").files[0].path


def test_settings_of_the_user_do_not_change_the_diff(repository: Tree) -> None:
    for name, value in [
        ("diff.noprefix", "true"),
        ("color.ui", "always"),
        ("diff.context", "0"),
        ("core.pager", "false"),
    ]:
        repository.git("config", name, value)
    repository.write("app.py", "print(2)\n")

    assert "\n--- a/app.py\n+++ b/app.py\n" in read(repository, "HEAD").files[0].text


def test_nothing_that_a_hostile_repository_names_is_run(repository: Tree) -> None:
    evil = repository.write(".git/evil.sh", f"#!/bin/sh\ntouch {repository.root.parent}/evil\ncat\n", executable=True)
    repository.write("lib/inner.py", "x = 1\n")
    inner = Tree(repository.root / "lib")
    inner.commit("a repository inside")
    repository.git("-c", "advice.addEmbeddedRepo=false", "add", "lib", "app.py")
    repository.git("commit", "-q", "-m", "a submodule, as far as git is concerned")
    inner.git("config", "core.fsmonitor", str(evil))
    inner.write("inner.py", "x = 2\n")
    for name in (
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "core.sshCommand",
        "filter.evil.clean",
        "filter.evil.process",
    ):
        repository.git("config", name, str(evil))
    repository.git("config", "filter.evil.required", "true")
    repository.git("config", "diff.evil.textconv", str(evil))
    repository.git("config", "diff.evil.command", str(evil))
    repository.write(".git/info/attributes", "*.py filter=evil diff=evil\n")
    for hook in ("post-index-change", "reference-transaction", "pre-commit"):
        repository.write(f".git/hooks/{hook}", evil.read_bytes(), executable=True)
    repository.write("app.py", "print(2)\n")
    repository.write("fresh.py", "fresh = 1\n")
    workspace = repository.change("HEAD")

    async def use_it() -> Artifact:
        artifact = await workspace.read()
        async with workspace.review_copy(artifact) as copy, workspace.scratch(artifact) as scratch:
            await scratch.write({"app.py": "print(3)\n", "more.py": "more = 1\n"})
            await copy.tampered()
            work = await scratch.work()
        await workspace.bring_back(work.changes, work.blobs)
        return await workspace.read()

    assert "print(3)\n" == texts(asyncio.run(use_it()))["app.py"]
    assert not (repository.root.parent / "evil").exists()

    subprocess.run(["git", "diff"], cwd=repository.root, capture_output=True, check=False)
    assert (repository.root.parent / "evil").exists(), "the trap was never armed"


def test_reading_leaves_the_users_index_alone(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n")
    repository.write("fresh.py", "fresh = 1\n")
    index = repository.root / ".git/index"
    later = index.stat().st_mtime + 60
    os.utime(repository.root / "old.py", (later, later))
    before = (index.read_bytes(), index.stat().st_mtime_ns)

    read(repository, "HEAD")

    assert before == (index.read_bytes(), index.stat().st_mtime_ns)


def test_a_change_can_be_read_from_within_a_hook_of_git(repository: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("app.py", "print(2)\n")
    for name, value in [("GIT_DIR", "/nowhere"), ("GIT_INDEX_FILE", "/nowhere/index"), ("GIT_WORK_TREE", "/nowhere")]:
        monkeypatch.setenv(name, value)

    assert "+print(2)\n" in read(repository, "HEAD").files[0].text


def test_without_git_the_reason_is_told(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tree.temporary))

    with pytest.raises(ArtifactError, match="git was not found"):
        locate_change(tree.root, tree.root, "HEAD")


def test_the_diff_can_be_applied(repository: Tree) -> None:
    repository.write("app.py", "print(2)\n")
    repository.write("new.py", "a\nb")
    diff = read(repository, "HEAD").files[0].text
    repository.git("checkout", "-q", "app.py")
    (repository.root / "new.py").unlink()

    subprocess.run(["git", "apply"], cwd=repository.root, input=diff.encode(), check=True)

    assert (b"print(2)\n", b"a\nb") == (repository.read("app.py"), repository.read("new.py"))
