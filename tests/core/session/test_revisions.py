"""What authors did to a file, from the events of a session; and a session that is undone, step by step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from loop_story import Story, issue

from reviewloop.core.loop.steps import Restore
from reviewloop.core.session.events import (
    Authored,
    Conflicted,
    Event,
    Payload,
    Resumed,
    Revised,
    UndoBegun,
    Undone,
    UndoStopped,
)
from reviewloop.core.session.revisions import edits_of, revisions
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.outcome import Answer, Outcome
from reviewloop.ledger.codec import decode

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CALL = Call(key="1/author:a", agent="a", attempt=1)


def change(path: str, before: str | None, after: str | None) -> FileChange:
    return FileChange(path=path, before=before, after=after)


def authored(iteration: int, *changes: FileChange) -> Authored:
    return Authored(iteration=iteration, call=CALL, text="", changes=changes)


def events(*payloads: Payload) -> list[Event]:
    return [
        Event(id=str(at), session="s", seq=at, time=NOW + timedelta(seconds=at), payload=payload)
        for at, payload in enumerate(payloads, 1)
    ]


REVISED = Revised(iteration=1, paths=("f",))
CONFLICTED = Conflicted(iteration=1, paths=("f",), kept_at="x")
UNDONE = Undone(feature="f", paths=("f",))


def test_the_last_author_of_a_fix_speaks_for_all_of_them():
    found = revisions(events(authored(1, change("f", "a", "b")), authored(1, change("f", "a", "c")), REVISED))
    assert [(1, (change("f", "a", "c"),), True)] == [(one.iteration, one.changes, one.delivered) for one in found]


def test_work_that_was_never_delivered_counts_only_while_it_can_be():
    begun = authored(1, change("f", "a", "b"))
    assert [False] == [one.delivered for one in revisions(events(begun))]
    assert () == revisions(events(begun, CONFLICTED))
    assert () == revisions(events(authored(1, change("f", "a", "b")), authored(1, change("f", "a", "c")), CONFLICTED))
    assert [2] == [one.iteration for one in revisions(events(begun, authored(2, change("f", "a", "c")), REVISED))]


def test_undone_work_is_gone_and_later_work_is_not():
    first = (authored(1, change("f", "a", "b")), REVISED, UNDONE)
    assert () == revisions(events(*first))
    assert 1 == len(revisions(events(*first, authored(2, change("f", "a", "c")), REVISED)))


def test_the_edits_of_a_file_are_one_way_from_before_to_after_unless_somebody_else_was_there():
    done = (authored(1, change("f", "a", "b"), change("g", None, "x")), REVISED)
    more = edits_of(revisions(events(*done, authored(2, change("f", "b", "c"), change("g", "x", None)), REVISED)))
    assert ["f", "g"] == list(more)
    assert [("a", "c", False, False), (None, None, False, True)] == [
        (one.before, one.after, one.is_broken, one.was_gone) for one in more.values()
    ]
    broken = edits_of(revisions(events(*done, authored(2, change("f", "by hand", "c")), REVISED)))
    assert broken["f"].is_broken


def test_an_undo_that_is_begun_is_all_there_is_to_do_until_it_is_done_or_called_off():
    story = Story().check().answer(issue("a")).conclude().revise().check().answer().conclude().finish()
    begun = UndoBegun(changes=(change("f.md", "b", "a"),), outcome=story.history.outcome)
    story.then(begun, seconds=3600)
    assert (None, Restore(undo=begun)) == (story.history.outcome, story.step)
    assert 3600 > story.history.window.active_seconds, "nobody worked in between"
    story.then(Resumed(action=Answer.CONTINUE))
    assert Restore(undo=begun) == story.step

    story.then(UndoStopped(paths=("f.md",)))
    assert (Outcome.PASSED, Outcome.PASSED) == (story.history.outcome, story.step.outcome)

    story.then(begun).then(Undone(feature="f", paths=("f.md",), because="undone by root"))
    assert (Outcome.UNDONE, Outcome.PASSED, "undone by root", "") == (
        story.history.outcome,
        story.history.outcome_before_undo,
        story.history.because,
        story.history.digest,
    )
    assert Outcome.UNDONE is story.step.outcome


def test_a_change_that_was_recorded_without_permission_bits_can_be_read():
    old = '{"iteration": 1, "call": {"key": "k", "agent": "a", "attempt": 1}, "text": "", "changes": [{"path": "f", "before": null, "after": "b", "executable": true}]}'
    read = decode("spec.review.authored", old)
    assert isinstance(read, Authored)
    assert (FileChange(path="f", before=None, after="b", executable=True),) == read.changes
