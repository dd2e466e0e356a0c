"""What a killed process leaves behind goes with the next one; what others still need stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from reviewloop.temporary import folder_path, is_leftover, make_folder, remove_folder, sweep

MAKE_ONE_AND_WAIT = """
import sys
from pathlib import Path
from reviewloop.temporary import folder_path, make_folder
folder = make_folder(folder_path(None, Path(sys.argv[1])))
(folder / "src").mkdir()
(folder / "src/spec.md").write_text("text")
(folder / "src").chmod(0o500)
print(folder, flush=True)
sys.stdin.read()
"""


def test_the_copy_of_a_killed_process_is_removed_by_the_next_use(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE_ONE_AND_WAIT, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        left = Path(process.stdout.readline().strip())
        mine = make_folder(folder_path(None, tmp_path))
        assert {left, mine} == set(tmp_path.iterdir()), "a living process keeps its folder"
        process.send_signal(signal.SIGKILL)

    other = make_folder(folder_path(None, tmp_path))

    assert {mine, other} == set(tmp_path.iterdir())


def test_a_process_that_died_and_was_not_yet_buried_is_dead(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE_ONE_AND_WAIT, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

        sweep(tmp_path)

        assert [] == list(tmp_path.iterdir())


def test_the_same_number_of_another_process_is_not_the_same_process(tmp_path: Path) -> None:
    mine = folder_path(None, tmp_path).name
    word, space, pid, start, rest = mine.split("-")

    assert not is_leftover(mine)
    assert is_leftover("-".join([word, space, pid, str(int(start) + 1), rest]))


def test_names_that_are_not_ours_are_nobodys_leftovers(tmp_path: Path) -> None:
    word, space, _, start, rest = folder_path(None, tmp_path).name.split("-")
    names = ["reviewloop-notes", "reviewloop", "-".join([word, str(int(space) + 1), "999999", start, rest])]
    for name in names:
        (tmp_path / name).mkdir()

    sweep(tmp_path)

    assert set(names) == {path.name for path in tmp_path.iterdir()}


def test_a_folder_that_could_not_be_removed_goes_next_time(tmp_path: Path) -> None:
    folder = make_folder(folder_path(None, tmp_path))
    folder.rename(folder.with_name(folder.name + ".done"))

    make_folder(folder_path(None, tmp_path))

    assert 1 == len(list(tmp_path.iterdir()))


def test_removing_what_is_gone_is_no_error(tmp_path: Path) -> None:
    folder = make_folder(folder_path(None, tmp_path))
    folder.rmdir()

    remove_folder(folder)

    assert [] == list(tmp_path.iterdir())


def test_a_link_in_the_place_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("text")
    home = tmp_path / "home"
    home.mkdir()
    (home / (folder_path(None, home).name + ".done")).symlink_to(precious)

    sweep(home)

    assert (precious / "file").exists()
