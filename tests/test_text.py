import pytest

from reviewloop.text import did_you_mean

COMMANDS = ("status", "stats", "stability", "log", "run", "resume", "rules")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("stauts", "status"),
        ("statsu", "status"),
        ("stast", "stats"),
        ("stat", "stats"),
        ("statu", "status"),
        ("STATUS", "status"),
        ("lgo", "log"),
        ("rnu", "run"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_what_somebody_meant(word: str, expected: str | None):
    assert expected == did_you_mean(word, COMMANDS)


def test_of_several_that_are_as_near_the_first_is_meant():
    assert "DOC001" == did_you_mean("doc01", ("DOC001", "DOC101", "DOC901"))


def test_nothing_is_meant_where_there_is_nothing():
    assert did_you_mean("a", ()) is None
