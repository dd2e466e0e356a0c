"""The figures equal a calculation by hand on a fixed history."""

from __future__ import annotations

from dataclasses import replace

from told_samples import LEAK, LIMIT, PANEL, SEATS, fixed_history, tell

from reviewloop.core.session.events import Resumed
from reviewloop.core.statistics.stats import Figures, figures
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Seat
from reviewloop.core.types.review import Stage


def the_figures() -> Figures:
    return figures(fixed_history())


def test_every_session_of_the_fixed_history_ends_as_meant():
    assert {"passed": 3, "passed_with_warnings": 2} == dict(the_figures().outcomes)


def test_who_was_right_by_hand():
    haiku, sonnet = the_figures().models
    counted = [
        (one.accuracy.true_positive, one.accuracy.false_positive, one.accuracy.missed, one.alone)
        for one in (haiku, sonnet)
    ]
    # haiku: LEAK right; LIMIT wrong in "accepted" and "dismissed"; missed LIMIT in "sent back" and the time zones.
    # sonnet: LEAK and LIMIT right; missed the time zones.
    assert [(1, 2, 2, 0), (2, 0, 1, 1)] == counted
    assert (1 / 3, 1.0) == (haiku.precision.value, sonnet.precision.value)
    assert (1 / 3, 2 / 3) == (haiku.recall.value, sonnet.recall.value)
    # Wilson, 95%, 1 of 3: (1/3 + z2/6 -+ z*sqrt(2/27 + z2/36)) / (1 + z2/3) with z = 1.96.
    assert ("0.0615", "0.7923") == (f"{haiku.precision.low:.4f}", f"{haiku.precision.high:.4f}")


def test_what_each_model_adds_to_the_other_by_hand():
    haiku, sonnet = the_figures().contributions
    # Of LEAK and LIMIT, which were right, both saw LEAK and only sonnet LIMIT. Only haiku raised the two false alarms.
    assert [(0, 2, 2), (1, 2, 0)] == [(one.alone.hits, one.alone.tries, one.alarms) for one in (haiku, sonnet)]
    answers = sum(
        ended.call.agent == "sonnet" for one in fixed_history() for i in one.history.iterations for ended in i.ended
    )
    assert (answers, answers * 0.25, answers * 5.0) == (sonnet.reviews, sonnet.cost_each, sonnet.seconds_each)
    assert (None, None) == (haiku.cost_each, haiku.seconds_each)


def test_a_model_that_reviews_alone_adds_to_nobody():
    alone = replace(PANEL, seats=tuple(seat for seat in SEATS if seat.agent == "haiku"))
    assert () == figures([tell("alone", {}, policy=alone)]).contributions


def test_agreement_by_hand():
    (pair,) = the_figures().agreement
    # Entries: fixed 1 spec, 2 spec, 2 quality; clean 2; accepted 2; sent back: spec, then after the fix spec, quality;
    # dismissed: spec, quality of the first review, and of the second if it is made. They differ where one alone fails.
    differing = [
        entry for one in fixed_history() for entry in one.entries if entry.verdicts["haiku"] != entry.verdicts["sonnet"]
    ]
    assert [("accepted", "quality"), ("sent back", "spec"), ("dismissed", "spec")] == [
        (one.feature, one.stage) for one in differing
    ]
    assert (pair.verdicts.tries - 3, 1) == (pair.verdicts.hits, pair.findings.hits)


def test_of_three_models_every_two_are_compared():
    models = ("haiku", "sonnet", "opus")
    three = replace(PANEL, seats=tuple(Seat(agent=model, stage=stage) for stage in Stage for model in models))
    told = tell("three", {(1, "spec", "haiku"): (LEAK,), (1, "spec", "sonnet"): (LEAK,)}, policy=three)
    # Two fail it for the same reason, the third passes it: a person is asked, and nothing else happens.
    assert [
        ("haiku", "opus", 0, 1, 0, 1), ("haiku", "sonnet", 1, 1, 1, 1), ("sonnet", "opus", 0, 1, 0, 1),
    ] == [
        (one.first, one.second, one.verdicts.hits, one.verdicts.tries, one.findings.hits, one.findings.tries)
        for one in figures([told]).agreement
    ]  # fmt: skip


def test_money_and_time_by_hand():
    found = the_figures()
    answers = sum(1 for one in fixed_history() for iteration in one.history.iterations for _ in iteration.ended)
    assert answers * 0.25 == found.whole.usage.cost_usd
    assert answers * 0.25 / 5 == found.whole.cost_per_accepted
    # Speculation saved the faster of two stages that take 5 s each, where the spec stage passed at once. It was paid in
    # vain (2 answers each) where the spec stage failed; nobody had to wait for it.
    passed_at_once = sum(1 for one in fixed_history() if not one.history.iterations[0].discarded)
    assert (5.0 * passed_at_once, 0.0) == (found.speculation.saved, found.speculation.waited)
    assert 0.5 * (5 - passed_at_once) == found.speculation.discarded.cost_usd


def test_fixes_and_reviews_to_pass_by_hand():
    found = the_figures()
    reviews = sorted(sum(bool(i.ended) for i in one.history.iterations) for one in fixed_history())
    assert reviews == sorted(found.to_pass.elements())
    # Three sessions had a second review, and nothing was left in it.
    assert {"converging": 3} == dict(found.convergence)


def test_nothing_is_advised_from_too_few_reviews():
    assert () == the_figures().advice


def test_advice_comes_with_its_evidence():
    accept = Resumed(action=Answer.ACCEPT, by="lead")
    told = [tell(f"s{number}", {(1, "quality", "haiku"): (LIMIT,)}, accept) for number in range(10)]
    (line,) = figures(told).advice
    assert line == (
        "consider dropping haiku: 10 of its 10 settled findings were false positives (precision at most 28%)"
    )


def test_a_services_common_issues_belong_into_its_claude_md():
    told = [tell(f"s{number}", {(1, "spec", "haiku"): (LEAK,), (1, "spec", "sonnet"): (LEAK,)}) for number in range(5)]
    (line,) = figures(told).advice
    assert (
        "add to the CLAUDE.md of core: The export leaks rows of others (each found at least twice in 15 reviews)"
        in line
    )


def test_a_reviewer_that_changes_its_mind_about_the_same_text_flips():
    once = tell("same", {(1, "spec", "haiku"): (LEAK,), (1, "spec", "sonnet"): (LEAK,)})
    again = tell("same", {})
    flips = figures([once, again]).flips
    # All four answers to the first text were given twice; those of the spec stage changed.
    assert (2, 4) == (flips.hits, flips.tries)


def test_no_sessions_at_all():
    found = figures([])
    assert (0, None, ()) == (found.whole.sessions, found.whole.cost_per_accepted, found.models)
