"""Who was asked in an iteration: every reviewer, and nobody who only ruled on findings."""

from __future__ import annotations

from loop_story import Story, issue

from reviewloop.core.session.events import Asked
from reviewloop.core.session.history import RULING, TIE_BREAK, call_key
from reviewloop.core.types.calls import Call
from reviewloop.core.types.review import Stage


def call(seat: str, attempt: int = 1) -> Call:
    return Call(key=call_key(1, seat), agent=seat.partition(":")[2] or seat, attempt=attempt)


def test_calls_of_later_stages_and_second_attempts_are_added():
    spec, quality = call(f"{Stage.SPEC}:a"), call(f"{Stage.QUALITY}:a")
    story = Story().check().then(Asked(iteration=1, calls=(spec,)))
    story.then(Asked(iteration=1, calls=(spec,)))  # after a crash
    story.then(Asked(iteration=1, calls=(call(f"{Stage.SPEC}:a", attempt=2),)))
    story.then(Asked(iteration=1, calls=(quality,)))
    current = story.history.current
    assert current
    assert [(spec.key, 1), (spec.key, 2), (quality.key, 1)] == [(one.key, one.attempt) for one in current.asked]
    assert 2 == current.seats_asked


def test_a_tie_break_and_an_arbiter_are_no_reviewers():
    story = Story().check().then(Asked(iteration=1, calls=(call(f"{TIE_BREAK}:spec"),)))
    story.then(Asked(iteration=1, calls=(call(f"{RULING}:F1:arbiter"),)))
    current = story.history.current
    assert current
    assert (False, 0) == (current.asked_reviewers, current.seats_asked)
    assert 1 == story.answer(issue("a")).history.reviews
