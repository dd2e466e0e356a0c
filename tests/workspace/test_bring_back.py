"""An author's changes reach the user's tree: all or none, and never over somebody else's work."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace_samples import SPEC, Tree, blobs_of, change_of, files_below

from example_counts import examples
from kill_points import EVERY_POINT
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict
from reviewloop.temporary import file_name
from reviewloop.workspace.bring_back import bring_back, restore

BETTER = "# Export\n\nBetter.\n"


def at_every_line(mode: str, folder: Path, step: int) -> dict[str, object]:
    script = Path(__file__).with_name("at_every_line.py")
    done = subprocess.run(
        [sys.executable, str(script), mode, str(folder), str(step)], capture_output=True, text=True, timeout=900
    )
    assert "" == done.stderr
    return json.loads(done.stdout)


def test_changed_new_and_deleted_files_arrive_together(tree: Tree) -> None:
    tree.write("a.md", "old\n")
    tree.write("gone.md", "old\n")
    changes = [
        change_of("a.md", "old\n", "new\n"),
        change_of("deep/er/b.md", None, "fresh\n"),
        change_of("gone.md", "old\n", None),
    ]

    assert None is bring_back(tree.root, changes, blobs_of("new\n", "fresh\n"))

    assert {"a.md": b"new\n", "deep/er/b.md": b"fresh\n"} == tree.files()


def test_bringing_back_twice_is_bringing_back_once(tree: Tree) -> None:
    file = tree.write("a.md", "old\n")
    changes = [change_of("a.md", "old\n", "new\n"), change_of("b.md", None, "fresh\n"), change_of("c.md", "x", None)]
    bring_back(tree.root, changes, blobs_of("new\n", "fresh\n"))
    first = file.stat()

    assert None is bring_back(tree.root, changes, blobs_of("new\n", "fresh\n"))

    assert {"a.md": b"new\n", "b.md": b"fresh\n"} == tree.files()
    assert (first.st_ino, first.st_mtime_ns) == (file.stat().st_ino, file.stat().st_mtime_ns)


def test_line_ends_and_odd_bytes_arrive_as_they_are(tree: Tree) -> None:
    tree.write("a.md", b"\xef\xbb\xbfa\r\n")

    bring_back(tree.root, [change_of("a.md", b"\xef\xbb\xbfa\r\n", b"a\r\nb\n\xff")], blobs_of(b"a\r\nb\n\xff"))

    assert b"a\r\nb\n\xff" == tree.read("a.md")


def test_a_files_rights_stay_and_only_whether_it_runs_is_the_authors(tree: Tree) -> None:
    for name, mode in {"a": 0o640, "b": 0o644, "c": 0o755, "d": 0o600}.items():
        tree.write(name, "1\n").chmod(mode)
    changes = [
        change_of("a", "1\n", "2\n"),
        change_of("b", "1\n", "2\n", executable=True),
        change_of("c", "1\n", "2\n"),
        change_of("d", "1\n", "1\n", executable=True),
        change_of("new.sh", None, "2\n", executable=True),
    ]

    bring_back(tree.root, changes, blobs_of("1\n", "2\n"))

    umask = os.umask(0o022)
    os.umask(umask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tree.root.iterdir()}
    assert {"a": 0o640, "b": 0o755, "c": 0o644, "d": 0o700, "new.sh": 0o777 & ~umask} == modes


def test_what_the_user_changed_meanwhile_is_kept_and_so_is_the_authors_version(tree: Tree) -> None:
    tree.write("a.md", "old\n")
    tree.write("b.md", "the user's\n")
    changes = [
        change_of("a.md", "old\n", "new a\n"),
        change_of("b.md", "old\n", "new b\n"),
        change_of("c/d.md", None, "new\n"),
    ]

    conflict = bring_back(tree.root, changes, blobs_of("new a\n", "new b\n", "new\n"))

    assert conflict is not None
    assert ("b.md",) == conflict.paths
    assert {
        "a.md": b"old\n",
        "b.md": b"the user's\n",
        f"{conflict.kept_at}/a.md": b"new a\n",
        f"{conflict.kept_at}/b.md": b"new b\n",
        f"{conflict.kept_at}/c/d.md": b"new\n",
    } == tree.files()
    assert conflict.kept_at.startswith(".reviewloop/conflicts/")


def test_the_same_conflict_keeps_its_folder_and_what_a_person_wrote_there(tree: Tree) -> None:
    tree.write("a.md", "the user's\n")
    changes = [change_of("a.md", "old\n", "new\n")]
    first = bring_back(tree.root, changes, blobs_of("new\n"))
    assert first is not None
    tree.write(f"{first.kept_at}/a.md", "merged by hand\n")

    assert first == bring_back(tree.root, changes, blobs_of("new\n"))

    assert b"merged by hand\n" == tree.read(f"{first.kept_at}/a.md")


@pytest.mark.parametrize("made", ["file", "folder", "link", "dangling", "parent is a file", "parent is a link", "pipe"])
def test_whatever_stands_in_the_way_stays(tree: Tree, made: str) -> None:
    outside = tree.root.parent / "outside"
    outside.mkdir()
    target = tree.root / "docs/a.md"
    if made.startswith("parent"):
        tree.write("docs", "a file\n") if made == "parent is a file" else (tree.root / "docs").symlink_to(outside)
    else:
        target.parent.mkdir()
        match made:
            case "file":
                target.write_text("the user's\n")
            case "folder":
                target.mkdir()
            case "link":
                target.symlink_to(tree.write("elsewhere.md", "elsewhere\n"))
            case "dangling":
                target.symlink_to(outside / "a.md")
            case _:
                os.mkfifo(target)
    before = tree.files()

    conflict = bring_back(tree.root, [change_of("docs/a.md", None, "new\n")], blobs_of("new\n"))

    assert conflict is not None
    assert ("docs/a.md",) == conflict.paths
    assert before | {f"{conflict.kept_at}/docs/a.md": b"new\n"} == tree.files()
    assert [] == list(outside.iterdir())


def test_a_file_the_user_deleted_is_not_made_again(tree: Tree) -> None:
    conflict = bring_back(tree.root, [change_of("a.md", "old\n", "new\n")], blobs_of("new\n"))

    assert conflict is not None
    assert {f"{conflict.kept_at}/a.md": b"new\n"} == tree.files()


def test_a_file_the_author_deleted_and_the_user_changed_stays(tree: Tree) -> None:
    tree.write("a.md", "the user's\n")

    conflict = bring_back(tree.root, [change_of("a.md", "old\n", None)], {})

    assert (("a.md",), {"a.md": b"the user's\n"}) == (conflict and conflict.paths, tree.files())


@pytest.mark.parametrize(
    "path", ["../a.md", "/tmp/a.md", "a/../../b", "", ".git/hooks/pre-commit", ".claude/settings.json"]
)
def test_a_path_that_is_not_the_authors_is_refused(tree: Tree, path: str) -> None:
    with pytest.raises(WorkspaceError):
        bring_back(tree.root, [change_of(path, None, "new\n")], blobs_of("new\n"))

    assert {} == tree.files()


@pytest.mark.parametrize("blobs", [{}, {next(iter(blobs_of("new\n"))): b"damaged"}])
def test_a_missing_or_damaged_content_changes_nothing(tree: Tree, blobs: dict[str, bytes]) -> None:
    tree.write("a.md", "old\n")

    with pytest.raises(WorkspaceError, match="missing or damaged"):
        bring_back(tree.root, [change_of("a.md", "old\n", "new\n")], blobs)

    assert {"a.md": b"old\n"} == tree.files()


def test_when_there_is_no_room_the_users_files_are_as_they_were(tree: Tree) -> None:
    tree.write("a.md", "old\n")
    tree.write("b.md", "old\n")
    large = "x" * 100_000
    changes = [change_of("a.md", "old\n", "new\n"), change_of("b.md", "old\n", large)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(WorkspaceError, match="could not be applied") as caught:
            bring_back(tree.root, changes, blobs_of("new\n", large))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert "larger than" in (caught.value.hint or "")
    assert {"a.md": b"old\n", "b.md": b"old\n"} == tree.files()


@pytest.mark.slow
def test_a_killed_process_loses_nothing_and_the_next_run_completes_it(tmp_path: Path) -> None:
    seen = at_every_line("killed", tmp_path, 1 if EVERY_POINT else 29)

    assert ([], []) == (seen["torn"], seen["wrong"])
    assert seen["kills"] > 15


@pytest.mark.slow
def test_a_user_who_saves_at_any_moment_keeps_their_text(tmp_path: Path) -> None:
    seen = at_every_line("edited", tmp_path, 1 if EVERY_POINT else 31)

    assert [] == seen["wrong"]
    assert {"_check_untouched", "_signature", "move"} >= set(seen["lost"]), "only the last look itself is too late"
    assert seen["conflicts"] > 10


def test_temporary_files_of_the_dead_are_removed_and_those_of_the_living_stay(tree: Tree) -> None:
    tree.write("docs/a.md", "old\n")
    own = file_name()
    space, pid, start, rest = own.removeprefix(".reviewloop-").split("-")
    dead = f".reviewloop-{space}-{pid}-{int(start) + 1}-{rest}"
    for name in (own, dead, ".reviewloop-notes.tmp"):
        tree.write(f"docs/{name}", "half a fi")

    bring_back(tree.root, [change_of("docs/a.md", "old\n", "new\n")], blobs_of("new\n"))

    assert {"docs/a.md", f"docs/{own}", "docs/.reviewloop-notes.tmp"} == tree.files().keys()


def test_a_workspace_brings_back_what_its_author_did(tree: Tree) -> None:
    tree.write("spec.md", SPEC)
    workspace = tree.workspace("spec.md")

    async def revise() -> Conflict | None:
        async with workspace.scratch(await workspace.read()) as scratch:
            await scratch.write({"spec.md": BETTER})
            found = await scratch.work()
        return await workspace.bring_back(found.changes, found.blobs)

    assert None is asyncio.run(revise())
    assert {"spec.md": BETTER.encode()} == tree.files()


contents = st.sampled_from(["one\n", "two\n", "three\n"]) | st.none()
names = st.sampled_from(["a.md", "b.md", "d/c.md", "d/e/f.md"])


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(names, st.tuples(contents, contents, contents), min_size=1))
def test_all_or_none_whatever_was_there(files: dict[str, tuple[str | None, str | None, str | None]]) -> None:
    """Each file has a content that the author found, one that it left, and one that is there now."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for path, (_, _, now) in files.items():
            if now is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(now)
        before = files_below(root)
        changes = [change_of(path, found, left) for path, (found, left, _) in files.items()]

        conflict = bring_back(root, changes, blobs_of("one\n", "two\n", "three\n"))

        after = {path: data for path, data in files_below(root).items() if not path.startswith(".reviewloop/")}
        foreign = [path for path, (found, left, now) in files.items() if now not in (found, left)]
        if foreign:
            assert (tuple(foreign), before) == (conflict and conflict.paths, after)
        else:
            assert conflict is None
            assert {path: left.encode() for path, (_, left, _) in files.items() if left is not None} == after


def test_restoring_puts_back_deletes_and_removes_folders_that_are_empty_then(tree: Tree) -> None:
    tree.write("a.md", "new\n")
    tree.write("deep/er/b.md", "fresh\n")
    tree.write("kept/c.md", "fresh\n")
    tree.write("kept/other.md", "mine\n")
    changes = [
        change_of("a.md", "new\n", "old\n"),
        change_of("deep/er/b.md", "fresh\n", None),
        change_of("kept/c.md", "fresh\n", None),
        change_of("gone/d.md", None, "old\n"),
    ]

    assert () == restore(tree.root, changes, blobs_of("old\n"))
    assert () == restore(tree.root, changes, blobs_of("old\n")), "twice is once"

    assert {"a.md": b"old\n", "gone/d.md": b"old\n", "kept/other.md": b"mine\n"} == tree.files()
    assert not (tree.root / "deep").exists()


def test_restoring_over_somebody_elses_work_changes_nothing_and_names_it(tree: Tree) -> None:
    tree.write("a.md", "new\n")
    tree.write("b.md", "mine\n")
    changes = [change_of("a.md", "new\n", "old\n"), change_of("b.md", "new\n", "old\n")]

    assert ("b.md",) == restore(tree.root, changes, blobs_of("old\n"))

    assert {"a.md": b"new\n", "b.md": b"mine\n"} == tree.files()


def test_restoring_gives_a_file_the_permission_bits_it_had(tree: Tree) -> None:
    tree.write("a.sh", "1\n").chmod(0o755)
    changes = [
        replace(change_of("a.sh", "1\n", "1\n"), executable=False, mode_after=0o600),
        replace(change_of("gone.sh", None, "2\n", executable=True), mode_after=0o744),
    ]

    assert () == restore(tree.root, changes, blobs_of("1\n", "2\n"))

    modes = {name: stat.S_IMODE((tree.root / name).stat().st_mode) for name in ("a.sh", "gone.sh")}
    assert {"a.sh": 0o600, "gone.sh": 0o744} == modes
