from dataclasses import replace

import pytest
from finding_samples import LISTS, finding
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.core.matching.merge import Merged, combine, merge, merge_panel, opposed, settle
from reviewloop.core.matching.pairs import Pair
from reviewloop.core.types.finding import Category, Change, Finding, Place, Severity, Standing

CRITICAL, IMPORTANT, MINOR = Severity.CRITICAL, Severity.IMPORTANT, Severity.MINOR


def by(name: str, issue: str, where: str, severity: Severity = IMPORTANT, **more) -> Finding:
    return finding(issue, where, severity, by=(name,), **more)


def issues(findings):
    return [one.issue for one in findings]


def test_what_both_say_is_agreed_with_the_higher_severity_and_both_names():
    a = [by("haiku", "The token has no expiry", "FR-3", MINOR, suggestion="Add one, of 30 minutes.")]
    b = [by("sonnet", "No expiry of the token is given", "FR-3", CRITICAL, suggestion="Add one.")]

    (agreed,) = merge(a, b).agreed

    assert (CRITICAL, ("haiku", "sonnet")) == (agreed.severity, agreed.by)
    assert ("No expiry of the token is given", "Add one, of 30 minutes.") == (agreed.issue, agreed.suggestion)


def test_what_one_says_is_kept_apart_by_who_says_it():
    a, b = [by("haiku", "The cache is never cleared", "Cache")], [by("sonnet", "Passwords are logged", "Audit")]

    merged = merge(a, b)

    assert Merged(model_b_only=tuple(b), model_a_only=tuple(a)) == merged


def test_findings_without_a_name_are_given_their_models():
    merged = merge(
        [finding("The cache is never cleared", "Cache")], [finding("Passwords are logged", "Audit")], names=("x", "y")
    )

    assert [("y",), ("x",)] == [one.by for one in merged.findings]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Change.ADD, Change.REMOVE),
        (Change.DECREASE, Change.INCREASE),
        (Change.KEEP, Change.REMOVE),
        (Change.CLARIFY, Change.KEEP),
    ],
)
def test_opposite_demands_on_one_subject_are_a_contradiction(one, other):
    a = by("haiku", "The token's lifetime of 30 minutes is wrong", "FR-3", action=one)
    b = by("sonnet", "The token's lifetime of 30 minutes is not right", "FR-3", action=other)

    merged = merge([a], [b])

    assert [(a, b)] == [(pair.left, pair.right) for pair in merged.contradiction]
    assert ((), (), ()) == (merged.agreed, merged.model_a_only, merged.model_b_only)
    assert (a, b) == merged.findings


@pytest.mark.parametrize(
    ("one", "other"),
    [(Change.ADD, Change.ADD), (Change.KEEP, Change.KEEP), (Change.REPLACE, Change.CLARIFY), (Change.KEEP, None)],
)
def test_demands_that_can_both_be_met_are_not_opposed(one, other):
    assert not opposed(finding("x", action=one), finding("y", action=other))


def test_what_is_possibly_the_same_is_shown_and_not_counted_as_agreed():
    a = [by("haiku", "No effort estimate", "Feasibility", category=Category.MISSING)]
    b = [by("sonnet", "How much work is this", "Structure", category=Category.MISSING)]

    merged = merge(a, b)

    assert [("P1", a[0], b[0])] == [(pair.id, pair.left, pair.right) for pair in merged.possible]
    assert ((), tuple(a), tuple(b)) == (merged.agreed, merged.model_a_only, merged.model_b_only)


def test_what_a_model_says_twice_in_the_same_words_counts_once():
    twice = [by("haiku", "The cache is never cleared", "Cache")] * 2

    assert 1 == len(merge(twice, []).model_a_only)


class TestFails:
    def merged(self, group: str, severity: Severity, **more) -> Merged:
        return Merged(**{group: (finding("Something", "FR-1", severity, **more),)})

    @pytest.mark.parametrize("group", ["agreed", "model_b_only"])
    def test_on_what_is_agreed_or_said_by_the_stronger_model(self, group):
        assert [True, True, False] == [self.merged(group, severity).fails for severity in (CRITICAL, IMPORTANT, MINOR)]

    def test_not_on_what_only_the_weaker_model_says(self):
        assert not self.merged("model_a_only", CRITICAL).fails

    def test_not_on_what_memory_or_the_ratchet_keeps_from_blocking(self):
        assert not self.merged("agreed", IMPORTANT, suppressed="dismissed three times").fails
        assert not self.merged("agreed", IMPORTANT, standing=Standing.LATE).fails
        assert self.merged("agreed", CRITICAL, standing=Standing.LATE).fails


class TestCombine:
    def test_the_more_precise_place_is_kept(self):
        vague, precise = Place(section="Storage"), Place(file="design.md", line=12)

        assert precise == combine(finding("x", place=precise), finding("y", place=vague)).place

    def test_a_quote_that_was_found_beats_one_that_was_not(self):
        both = combine(finding("x", quote="is there", verified=True), finding("y", quote="is not", verified=False))

        assert ("is there", True) == (both.quote, both.verified)

    def test_only_what_both_leave_out_is_left_out(self):
        assert combine(finding("x", suppressed="known"), finding("y")).suppressed is None
        assert "known" == combine(finding("x", suppressed="known"), finding("y", suppressed="known")).suppressed


class TestPanel:
    def test_of_three_two_are_enough_to_agree(self):
        first = by("a", "The token has no expiry", "FR-3")
        third = by("c", "The token never expires, no expiry is given", "FR-3")

        merged = merge_panel({"a": [first], "b": [], "c": [third]})

        assert [("a", "c")] == [one.by for one in merged.agreed]

    def test_only_the_last_is_the_strongest(self):
        said = {
            name: [by(name, issue, where)]
            for name, issue, where in [
                ("a", "Passwords are logged", "Audit"),
                ("b", "The cache is never cleared", "Cache"),
                ("c", "No index on orders", "Storage"),
            ]
        }

        merged = merge_panel(said)

        assert ["No index on orders"] == issues(merged.model_b_only)
        assert ["Passwords are logged", "The cache is never cleared"] == issues(merged.model_a_only)

    def test_all_three_in_one_finding(self):
        merged = merge_panel({name: [by(name, "The token has no expiry", "FR-3")] for name in "abc"})

        assert [("a", "b", "c")] == [one.by for one in merged.agreed]

    def test_two_seats_of_one_agent_are_two_voices(self):
        merged = merge_panel(
            {
                "one": [by("same", "The token has no expiry", "FR-3")],
                "two": [by("same", "The token has no expiry", "FR-3")],
            }
        )

        assert [("same",)] == [one.by for one in merged.agreed]

    def test_one_model_has_nobody_to_agree_with(self):
        said = [by("only", "The token has no expiry", "FR-3")]

        assert Merged(model_b_only=tuple(said)) == merge_panel({"only": said})

    def test_an_empty_panel_says_nothing(self):
        assert Merged() == merge_panel({})


class TestSettle:
    a = by("haiku", "No effort estimate", "Feasibility", CRITICAL, category=Category.MISSING)
    b = by("sonnet", "How much work is this", "Structure", IMPORTANT, category=Category.MISSING)

    def test_the_same(self):
        settled = settle(merge([self.a], [self.b]), {"P1": "same"})

        assert Merged(agreed=(combine(self.a, self.b),)) == settled
        assert settled.fails

    def test_different(self):
        assert Merged(model_b_only=(self.b,), model_a_only=(self.a,)) == settle(
            merge([self.a], [self.b]), {"P1": "different"}
        )

    def test_a_contradiction(self):
        (pair,) = merge([self.a], [self.b]).possible

        assert Merged(contradiction=(replace(pair, id=""),)) == settle(
            merge([self.a], [self.b]), {"P1": "contradiction"}
        )

    def test_no_ruling_leaves_everything_as_it_is(self):
        merged = merge([self.a], [self.b])

        assert merged == settle(merged, {}) == settle(merged, {"P9": "same"})

    def test_three_findings_in_two_pairs_become_one(self):
        c = by("opus", "An estimate is missing", "Plan", category=Category.MISSING)
        merged = Merged(
            model_b_only=(c,),
            model_a_only=(self.a, self.b),
            possible=(Pair(left=self.a, right=self.b, p=0.2, id="P1"), Pair(left=self.b, right=c, p=0.2, id="P2")),
        )

        settled = settle(merged, {"P1": "same", "P2": "same"})

        assert Merged(agreed=(combine(combine(self.a, self.b), c),)) == settled

    def test_a_finding_in_dispute_is_in_no_other_pair(self):
        c = by("opus", "An estimate is missing", "Plan", category=Category.MISSING)
        merged = Merged(
            model_b_only=(c,),
            model_a_only=(self.a, self.b),
            possible=(Pair(left=self.a, right=self.b, p=0.2, id="P1"), Pair(left=self.b, right=c, p=0.2, id="P2")),
        )

        settled = settle(merged, {"P1": "contradiction", "P2": "same"})

        assert ((), (c,)) == (settled.possible, settled.findings[:1])


PANELS = st.lists(LISTS, max_size=3).map(
    lambda lists: {f"seat{number}": findings for number, findings in enumerate(lists)}
)
RULINGS = st.dictionaries(
    st.sampled_from(["P1", "P2", "P3", "P4"]), st.sampled_from(["same", "different", "contradiction"])
)


@settings(max_examples=examples(50), deadline=None)
@given(panel=PANELS)
def test_every_finding_of_every_model_is_counted_once(panel):
    merged = merge_panel(panel)

    assert sum(len(dict.fromkeys(said)) for said in panel.values()) == sum(len(one.by) for one in merged.findings)


@settings(max_examples=examples(50), deadline=None)
@given(panel=PANELS, rulings=RULINGS)
def test_no_ruling_makes_up_a_finding_or_silences_a_model(panel, rulings):
    settled = settle(merge_panel(panel), rulings)

    assert {name for name, said in panel.items() if said} == {name for one in settled.findings for name in one.by}
    assert set(issues(settled.findings)) <= {one.issue for said in panel.values() for one in said}


@settings(max_examples=examples(50), deadline=None)
@given(panel=PANELS, rulings=RULINGS)
def test_groups_do_not_overlap_and_open_pairs_are_of_findings_that_are_there(panel, rulings):
    merged = settle(merge_panel(panel), rulings)
    alone = (*merged.agreed, *merged.model_b_only, *merged.model_a_only)

    assert len(alone) == len(set(alone))
    assert not set(alone) & {one for pair in merged.contradiction for one in (pair.left, pair.right)}
    assert {one for pair in merged.possible for one in (pair.left, pair.right)} <= set(alone)
