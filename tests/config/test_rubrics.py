from __future__ import annotations

import pytest

from config.conftest import Project, lines
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.rubric import EXECUTION, FOUR_CRITERIA, QUALITY_STAGE, SPEC_STAGE, Criterion, Rubric

RUBRIC = """
    name: api
    criteria:
      - name: errors
        description: Failures are specified
        min_score: 80
        weight: 2.5
        good: a code for each
        bad: none
      - {name: naming, description: One name for one thing}
"""

API = Rubric(
    name="api",
    criteria=(
        Criterion(
            name="errors",
            description="Failures are specified",
            min_score=80,
            weight=2.5,
            good="a code for each",
            bad="none",
        ),
        Criterion(name="naming", description="One name for one thing"),
    ),
)


def test_a_bundled_rubric_is_taken_by_its_name(project: Project) -> None:
    assert EXECUTION == project.policy("review: {rubric: execution}").rubric


def test_a_rubric_is_read_from_a_file(project: Project) -> None:
    project.write("rubrics/api.yml", RUBRIC)

    assert API == project.policy("review: {rubric: rubrics/api.yml}").rubric


def test_a_rubric_can_be_written_out(project: Project) -> None:
    text = "review: {rubric: {name: tiny, criteria: [{name: all, description: All of it}]}}"

    assert (
        Rubric(name="tiny", criteria=(Criterion(name="all", description="All of it"),)) == project.policy(text).rubric
    )


def test_a_rubric_without_a_name_is_called_after_its_file(project: Project) -> None:
    project.write("mine.yml", "criteria: [{name: all, description: All of it}]")

    assert "mine" == project.policy("review: {rubric: mine.yml}").rubric.name


def test_a_mistake_in_a_rubric_is_shown_in_the_rubrics_file(project: Project) -> None:
    project.write("rubrics/api.yml", "criteria:\n  - name: errors\n    descripton: Failures\n")

    assert lines("""
        error: rubrics/api.yml:3:5: unknown key "descripton"
          3 |     descripton: Failures
            |     ^^^^^^^^^^
        hint: did you mean "description"?
    """) == project.complaint("review: {rubric: rubrics/api.yml}")


def test_a_rubric_that_is_not_there_is_shown_where_it_was_asked_for(project: Project) -> None:
    assert lines(f"""
        error: reviewloop.yml:2:11: cannot read the rubric: No such file or directory
          2 |   rubric: rubrics/api.yml
            |           ^^^^^^^^^^^^^^^
        hint: looked for {project.root}/rubrics/api.yml
    """) == project.complaint("review:\n  rubric: rubrics/api.yml\n")


@pytest.mark.parametrize(
    ("rubric", "message"),
    [
        ("{criteria: []}", "1:29: criteria must have at least 1 item"),
        ("{name: x}", "1:18: rubric has no criteria"),
        ("{criteria: [{name: a, description: b}, {name: a, description: c}]}", '1:64: duplicate criterion "a"'),
        ("{criteria: [{name: a, description: b, min_score: 101}]}", "1:67: min_score must be 0-100"),
        ("{criteria: [{name: a, description: b, weight: 0}]}", "1:64: weight must be greater than 0"),
        ("{criteria: [{name: a, description: b, weight: -1}]}", "1:64: weight must be greater than 0"),
        ("{criteria: [{name: a}]}", "1:30: the criterion has no description"),
        ("{criteria: [{description: a}]}", "1:30: the criterion has no name"),
        (
            "{criteria: [{name: a b, description: c}]}",
            "1:37: a criterion's name must be one word of letters, digits, - and _",
        ),
        ("{criteria: [a]}", '1:30: each of criteria must be a mapping, found "a"'),
    ],
)
def test_a_rubric_has_a_shape(project: Project, rubric: str, message: str) -> None:
    assert f"error: reviewloop.yml:{message}" == project.complaint(f"review: {{rubric: {rubric}}}").splitlines()[0]


def test_names_keep_only_what_they_name(project: Project) -> None:
    assert ("testability", "completeness") == project.policy(
        "review: {criteria: [testability, completeness]}"
    ).rubric.names


def test_a_criterion_that_is_written_out_is_added(project: Project) -> None:
    rubric = project.policy("review: {criteria: [{name: access, description: Works with a keyboard}]}").rubric

    assert (*FOUR_CRITERIA.names, "access") == rubric.names


def test_names_and_criteria_can_be_mixed(project: Project) -> None:
    rubric = project.policy("review: {criteria: [consistency, {name: access, description: Keyboard}]}").rubric

    assert ("consistency", "access") == rubric.names


def test_a_criterion_of_the_same_name_takes_the_bundled_ones_place(project: Project) -> None:
    rubric = project.policy("review: {criteria: [{name: completeness, description: Ours}]}").rubric

    assert (FOUR_CRITERIA.names, "Ours") == (rubric.names, rubric.criteria[0].description)


def test_a_name_means_what_it_means_for_the_kind(project: Project) -> None:
    text = "profile: phases\nreview: {criteria: [completeness, security]}"
    rubric = project.policy(text, Kind.TASKS).rubric

    assert "Every task has Do, Files, Done when, Verify and Commit" == rubric.criteria[0].description
    assert ("completeness", "security") == rubric.names


def test_scores_and_weights_are_set_by_criterion(project: Project) -> None:
    rubric = project.policy("review: {min_score: {completeness: 90}, weights: {testability: 3}}").rubric

    assert [90, 70, 70, 70] == [one.min_score for one in rubric.criteria]
    assert [1, 1, 3, 1] == [one.weight for one in rubric.criteria]


def test_one_score_is_for_all(project: Project) -> None:
    assert [55.5] * 4 == [one.min_score for one in project.policy("review: {min_score: 55.5}").rubric.criteria]


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("criteria: [compleetness]", "1:21"),
        ("min_score: {compleetness: 5}", "1:22"),
        ("weights: {compleetness: 5}", "1:20"),
    ],
)
def test_a_criterion_nobody_knows_is_an_error(project: Project, setting: str, place: str) -> None:
    said = project.complaint(f"review: {{{setting}}}").splitlines()

    assert f'error: reviewloop.yml:{place}: no criterion is named "compleetness"' == said[0]
    assert 'hint: did you mean "completeness"?' == said[3]


def test_a_panels_own_criteria_belong_to_the_quality_stage(project: Project) -> None:
    text = "profile: panel\nreview: {criteria: [understood, tests, {name: access, description: Keyboard}]}"
    spec, _, quality, _ = project.policy(text).seats

    assert spec.rubric is not None
    assert quality.rubric is not None
    assert (("understood",), ("tests", "access")) == (spec.rubric.names, quality.rubric.names)


def test_a_stage_of_which_nothing_is_named_stays_whole(project: Project) -> None:
    spec, _, quality, _ = project.policy("profile: panel\nreview: {criteria: [tests]}").seats

    assert (SPEC_STAGE, ("tests",)) == (spec.rubric, quality.rubric and quality.rubric.names)


def test_a_panels_own_rubric_is_the_quality_stages(project: Project) -> None:
    policy = project.policy("profile: panel\nreview: {rubric: execution}")

    assert [SPEC_STAGE, SPEC_STAGE, EXECUTION, EXECUTION] == [seat.rubric for seat in policy.seats]
    assert QUALITY_STAGE.names != policy.criteria.names
