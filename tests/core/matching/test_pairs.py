from finding_samples import LISTS, finding
from hypothesis import given, settings

from example_counts import examples
from reviewloop.core.matching.pairs import Matching, match, pairing, probabilities
from reviewloop.core.types.finding import Category, Place, Severity


def issues(findings):
    return [one.issue for one in findings]


def said(pairs):
    return [(pair.left.issue, pair.right.issue) for pair in pairs]


def test_two_wordings_of_one_issue_are_the_same():
    left = [finding("Unused import hashlib", "upload.py:12", Severity.MINOR, category=Category.STYLE)]
    right = [
        finding("hashlib is imported, nothing refers to it", "upload.py:13", Severity.MINOR, category=Category.STYLE)
    ]

    matching = match(left, right)

    assert [(left[0].issue, right[0].issue)] == said(matching.same)
    assert ((), ()) == (matching.left_only, matching.right_only)


def test_pairs_hold_the_very_findings_that_were_given():
    left, right = [finding("The cache has no limit", "Cache")], [finding("The cache has no limit", "Cache")]

    (pair,) = match(left, right).same

    assert pair.left is left[0]
    assert pair.right is right[0]


def test_one_line_can_have_two_different_problems():
    left = [finding("The file name is logged and may hold personal data", "app.py:42", category=Category.SECURITY)]
    right = [finding("Opening fails if it is longer than 255 bytes", "app.py:42", category=Category.INCORRECT)]

    matching = match(left, right)

    assert () == matching.same
    assert (tuple(left), tuple(right)) == (matching.left_only, matching.right_only)


def test_what_is_possibly_the_same_has_an_id_and_counts_as_unmatched():
    left = [finding("No effort estimate", "Feasibility", category=Category.MISSING)]
    right = [finding("How much work is this", "Structure", category=Category.MISSING)]

    matching = match(left, right)

    assert [("P1", True)] == [(pair.id, 0.05 <= pair.p < 0.6) for pair in matching.possibly]
    assert (tuple(left), tuple(right)) == (matching.left_only, matching.right_only)


def test_the_assignment_as_a_whole_decides_not_the_first_come():
    left = [finding("The retry has no limit", "Retries"), finding("The retry has no limit and no pause", "Retries")]
    right = [finding("Retry without a pause and without a limit", "Retries"), finding("Retry has no limit", "Retries")]

    assert [(left[0].issue, right[1].issue), (left[1].issue, right[0].issue)] == said(match(left, right).same)


def test_the_same_words_about_another_requirement_are_another_finding():
    left, right = (
        [finding("US-2 has no acceptance criteria", "Stories")],
        [finding("US-3 has no acceptance criteria", "Stories")],
    )

    assert () == match(left, right).same


def test_the_same_words_about_another_file_are_another_finding():
    assert () == match([finding("There is no test", "a.py:1")], [finding("There is no test", "b.py:1")]).same


def test_a_known_pattern_is_evidence_like_a_category():
    left = [finding("Errors vanish", "app.py:10", pattern_id="swallowed")]
    right = [finding("A bare except hides what went wrong", "app.py:11", pattern_id="swallowed")]

    (with_pattern,) = probabilities(left, right).values()
    without = probabilities([finding("Errors vanish", "app.py:10")], right)[0, 0]

    assert with_pattern > without


def test_a_caller_may_ask_for_more_certainty():
    left = [finding("Handler swallows errors", "app.py:10", category=Category.INCORRECT)]
    right = [finding("An off-by-one here", "app.py:10", category=Category.INCORRECT)]

    assert 1 == len(match(left, right).same)
    assert 0 == len(match(left, right, same_from=0.95).same)


class TestRules:
    def test_a_count_that_changed_is_the_same_finding(self):
        before = [finding("3 of 12 tasks have no Files", "Tasks", rule="TSK004")]
        after = [finding("2 of 12 tasks have no Files", "Tasks", rule="TSK004")]

        assert 1 == len(match(before, after).same)

    def test_a_line_that_moved_is_the_same_finding(self):
        before = [
            finding(
                "The heading has no text below it", rule="DOC002", place=Place(file="a.md", line=10, section="Risks")
            )
        ]
        after = [
            finding(
                "The heading has no text below it", rule="DOC002", place=Place(file="a.md", line=210, section="Risks")
            )
        ]

        assert 1 == len(match(before, after).same)

    def test_another_section_is_another_finding(self):
        before = [
            finding(
                "The heading has no text below it", rule="DOC002", place=Place(file="a.md", line=10, section="Risks")
            )
        ]
        after = [
            finding(
                "The heading has no text below it", rule="DOC002", place=Place(file="a.md", line=14, section="Scope")
            )
        ]

        assert Matching(left_only=tuple(before), right_only=tuple(after)) == match(before, after)

    def test_two_rules_never_say_the_same(self):
        before = [finding("FR-3 is vague", "FR-3", rule="REQ001")]
        after = [finding("FR-3 is vague", "FR-3", rule="REQ002")]

        assert Matching(left_only=tuple(before), right_only=tuple(after)) == match(before, after)

    def test_one_rule_about_two_criteria_says_two_things(self):
        before = [finding("completeness scores 60, below its minimum of 70", rule="score", criterion="completeness")]
        after = [finding("consistency scores 60, below its minimum of 70", rule="score", criterion="consistency")]

        assert () == match(before, after).same

    def test_of_several_the_nearest_are_paired(self):
        before = [finding("Vague word", f"a.md:{line}", rule="REQ007") for line in (10, 50, 90)]
        after = [finding("Vague word", f"a.md:{line}", rule="REQ007") for line in (52, 92)]

        assert [(50, 52), (90, 92)] == [
            (pair.left.place.line, pair.right.place.line) for pair in match(before, after).same
        ]

    def test_a_reviewer_may_say_what_a_rule_says(self):
        rule = [finding("US-2 has no acceptance criteria", "US-2", rule="REQ013")]
        reviewer = [finding("There are no acceptance criteria for US-2", "US-2")]

        assert 1 == len(match(rule, reviewer).same)


def test_nothing_matches_nothing():
    some = [finding("Anything", "Anywhere")]

    assert Matching() == match([], [])
    assert Matching(left_only=tuple(some)) == match(some, [])
    assert Matching(right_only=tuple(some)) == match([], some)


@settings(max_examples=examples(60), deadline=None)
@given(findings=LISTS)
def test_a_list_matches_itself_fully(findings):
    matching = match(findings, findings)

    assert len(findings) == len(matching.same)
    assert ((), (), ()) == (matching.possibly, matching.left_only, matching.right_only)


@settings(max_examples=examples(60), deadline=None)
@given(left=LISTS, right=LISTS)
def test_scores_are_the_same_both_ways(left, right):
    assert probabilities(left, right) == {(row, column): p for (column, row), p in probabilities(right, left).items()}


@settings(max_examples=examples(60), deadline=None)
@given(left=LISTS, right=LISTS)
def test_every_finding_is_matched_at_most_once_and_none_is_lost(left, right):
    matching = match(left, right)

    assert len(left) == len(matching.same) + len(matching.left_only)
    assert len(right) == len(matching.same) + len(matching.right_only)
    assert all(pair.p >= 0.6 for pair in matching.same)
    assert all(0.05 <= pair.p < 0.6 for pair in matching.possibly)
    cells = pairing(left, right)
    assert len(cells) == len({row for row, _ in cells}) == len({column for _, column in cells})
