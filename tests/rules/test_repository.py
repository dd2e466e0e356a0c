from reviewloop.rules.repository import MAX_BYTES, Directory, NoRepository
from reviewloop.rules.shell import Bash, NoShell


def test_a_project_is_looked_at_and_never_left(tmp_path):
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("x\n")
    (project / "src" / "a.py").write_text("one\ntwo")
    (project / "link").symlink_to(outside)
    (project / "loop").symlink_to(project / "loop")
    repository = Directory(project)

    assert (True, True, 2) == (
        repository.exists("src"),
        repository.is_file("src/a.py"),
        repository.line_count("src/a.py"),
    )
    assert ("a.py",) == repository.names("src")
    assert "one\ntwo" == repository.read("src/a.py")
    assert [False] * 4 == [
        repository.exists(path)
        for path in ("link/secret.txt", "../outside/secret.txt", "loop", str(outside / "secret.txt"))
    ]
    assert (True, False, False) == (repository.inside("a/../b"), repository.inside("../x"), repository.inside("/etc/x"))
    assert (None, None, ()) == (repository.read("nothing"), repository.line_count("src"), repository.names("nothing"))


def test_large_and_strange_names_are_answered(tmp_path):
    (tmp_path / "big").write_bytes(b"x" * (MAX_BYTES + 1))
    repository = Directory(tmp_path)

    assert repository.line_count("big") is None
    assert not repository.exists("a\0b")
    assert not repository.exists("x" * 5000)


def test_nothing_is_known_without_a_repository():
    repository = NoRepository()

    assert (False, False, None, None, (), True) == (
        repository.exists("a"),
        repository.is_file("a"),
        repository.line_count("a"),
        repository.read("a"),
        repository.names("a"),
        repository.inside("a"),
    )


def test_commands_are_parsed_and_never_run(tmp_path):
    target = tmp_path / "touched"
    commands = [f"touch {target}", "echo $(", f"touch {target} && if"]

    errors = Bash().syntax_errors(commands)

    assert [False, True, True] == [error is not None for error in errors]
    assert not target.exists()


def test_one_broken_command_among_many_is_found():
    commands = ["echo ok"] * 20 + ["echo 'open"] + ["make test"] * 20

    errors = Bash().syntax_errors(commands)

    assert [20] == [number for number, error in enumerate(errors) if error]


def test_a_comment_is_a_valid_command():
    assert [None] == Bash().syntax_errors(["# only a comment"])


def test_without_bash_nothing_is_said():
    assert [None] == NoShell().syntax_errors(["if"])
