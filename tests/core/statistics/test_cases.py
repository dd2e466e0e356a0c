"""Stored cases by hand: what is known of a text, and how a candidate compares."""

from __future__ import annotations

from dataclasses import replace

from told_samples import LEAK, LIMIT, fixed_history

from reviewloop.core.statistics.cases import Case, Paired, Retried, case_of, comparison
from reviewloop.core.types.review import Usage, Verdict

NAMES = ("fixed", "clean", "accepted", "sent back", "dismissed")


def cases(against: str | None = None) -> dict[str, Case]:
    told = {one.session: case_of(one.session, one.history, against) for one in fixed_history()}
    return {name: case for name in NAMES if (case := told[name])}


def test_what_is_known_of_each_case_by_hand():
    # LEAK was fixed; nothing was found; LIMIT was accepted as it was; LIMIT was fixed after a person sent it back; and
    # LIMIT was dismissed, while a person saw what nobody had.
    assert {
        "fixed": (False, [LEAK.issue], [True], []),
        "clean": (True, [], [], []),
        "accepted": (True, [], [], [LIMIT.issue]),
        "sent back": (False, [LIMIT.issue], [True], []),
        "dismissed": (False, ["No word about time zones"], [False], [LIMIT.issue]),
    } == {
        name: (one.good, [f.issue for f in one.confirmed], list(one.found), [f.issue for f in one.alarms])
        for name, one in cases().items()
    }


def test_against_one_reviewer_only_its_words_and_costs_count():
    haiku = cases("haiku")
    assert ([False], [], Verdict.PASS) == (
        list(haiku["sent back"].found), list(haiku["sent back"].alarms), haiku["sent back"].verdict,
    )  # fmt: skip
    assert (2, 4) == (
        int(haiku["clean"].usage.seconds / 2.0), int((cases()["clean"].usage.cost_usd or 0) / 0.25),
    )  # fmt: skip
    assert {} == cases("opus")


def silent_on_everything(case: Case) -> Retried:
    return Retried(
        case=case, verdict=Verdict.PASS, found=(False,) * len(case.confirmed), repeated=(False,) * len(case.alarms),
        usage=Usage(seconds=1.0),
    )  # fmt: skip


def test_a_candidate_that_passes_everything_by_hand():
    found = comparison([silent_on_everything(one) for one in cases().values()])
    # It finds none of three; two of them are on record. Of two false alarms it repeats none.
    assert Paired(only_recorded=2, neither=1) == found.confirmed
    assert (0, 2) == (found.alarms.hits, found.alarms.tries)
    # It is right about "clean" and "accepted", the record about all but "accepted".
    assert Paired(both=1, only_candidate=1, only_recorded=3) == found.right_verdict
    assert (2, 5, 4, 5) == (
        found.right_verdict.candidate.hits, found.right_verdict.candidate.tries,
        found.right_verdict.recorded.hits, found.right_verdict.recorded.tries,
    )  # fmt: skip
    assert (1, 4) == (found.right_verdict.better.hits, found.right_verdict.better.tries)
    assert 5.0 == found.usage.seconds


def test_cases_without_an_answer_count_for_nothing_but_their_cost():
    unheard = [Retried(case=one, verdict=None, usage=Usage(seconds=2.0), unheard="gone") for one in cases().values()]
    found = comparison(unheard)
    assert (5, 0, Paired(), 10.0) == (found.cases, found.heard, found.confirmed, found.usage.seconds)
    assert None is found.same_verdict.value


def test_a_session_that_is_still_running_is_no_case():
    running = replace(fixed_history()[0].history, outcome=None)
    assert None is case_of("running", running)
