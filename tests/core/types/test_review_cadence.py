"""When the work on several tasks is reviewed."""

from __future__ import annotations

import pytest

from reviewloop.core.types.review_cadence import Cadence


@pytest.mark.parametrize("text", ["every", "every 3", "phase", "final"])
def test_what_people_write_is_what_is_shown(text: str):
    assert text == str(Cadence.parse(text))


@pytest.mark.parametrize("text", ["", "never", "phase 2", "every 0", "every -1", "every three", "final."])
def test_anything_else_is_no_cadence(text: str):
    assert Cadence.parse(text) is None


def test_a_hyphen_saves_the_quotes():
    assert Cadence.parse("every 2") == Cadence.parse("every-2")


@pytest.mark.parametrize(
    ("text", "waiting", "following", "due"),
    [
        ("every 2", 1, "one", False),
        ("every 2", 2, "one", True),
        ("every 2", 1, None, True),
        ("phase", 5, "one", False),
        ("phase", 1, "two", True),
        ("final", 9, "two", False),
        ("final", 1, None, True),
        ("final", 0, None, False),
    ],
)
def test_when_it_is_time(text: str, waiting: int, following: str | None, due: bool):
    cadence = Cadence.parse(text)
    assert cadence is not None
    assert due == cadence.is_due(waiting, "one", following)
