"""No setting is ignored without a word: every setting of `review` in every profile is used or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.conftest import Project, lines
from reviewloop.app.workflow import with_exits
from reviewloop.config.resolve import resolve
from reviewloop.config.schema import REVIEW
from reviewloop.config.workflow import workflow_of
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import PROFILES
from reviewloop.errors import ConfigError

AGENTS = "agents: {a: {kind: claude}, b: {kind: claude}, c: {kind: claude}}\n"
TASK = "{agent: a, overlays: {agentic_review: {enabled: true, %s}}}"
PAGE = (Path(__file__).parents[2] / "docs/configuration.md").read_text(encoding="utf-8")

VALUES = {
    "strategy": "parallel", "parallel_models": "[b, c]", "single_model": "b", "speculative_quality": "true",
    "max_iterations": "2", "max_fix_iterations": "2", "fix_timeout_turns": "10", "auto_approve": "true",
    "auto_reject": "true", "cache": "true", "authors": "{completeness: b}", "arbiter": "c", "parallel_criteria": "true",
    "tie_break": "c", "auto_confidence": "0.8", "author": "a", "author_retries": "1", "reviewer": "b",
    "reviewers": "[b, c]", "dialect": "scored", "rubric": "spec", "criteria": "[completeness]", "min_score": "80",
    "weights": "{completeness: 2}", "static_gate": "important", "on_inconclusive": "block", "on_exhausted": "block",
    "on_author_failure": "block", "borderline": "5", "min_total": "80", "ask_confidence": "true", "receipt": "required",
    "retry_on_malformed": "1", "timeout": "60", "budget": "{seconds: 60}", "workspace": "copy",
}  # fmt: skip
"""A value for every setting of `review`."""

PANEL = frozenset({"panel"})
SCORED = frozenset({"spec-gate"})
EVERYWHERE = frozenset(PROFILES)

USED_IN = dict.fromkeys(REVIEW, EVERYWHERE) | {
    "strategy": PANEL,
    "parallel_models": PANEL,
    "single_model": PANEL,
    "speculative_quality": PANEL,
    "auto_approve": PANEL,
    "auto_reject": PANEL,
    "auto_confidence": PANEL,
    "tie_break": PANEL,
    "parallel_criteria": frozenset({"spec-gate", "phases"}),
    "min_score": SCORED,
    "weights": SCORED,
    "borderline": SCORED,
    "min_total": SCORED,
}
"""The profiles that use a setting, if the project has an author and everything else that the setting needs."""

NEED_AN_AUTHOR = (
    "authors", "arbiter", "author_retries", "fix_timeout_turns", "workspace", "on_exhausted", "on_author_failure",
)  # fmt: skip
BESIDE = {"author": "", "authors": "author: a, ", "auto_confidence": "author: a, auto_approve: true, "}


def written(profile: str, key: str) -> str:
    beside = BESIDE.get(key, "author: a, ")
    return f"profile: {profile}\n{AGENTS}review: {{{beside}{key}: {VALUES[key]}}}\n"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("key", REVIEW)
def test_a_setting_is_used_by_a_profile_or_refused_at_its_place(project: Project, profile: str, key: str) -> None:
    text = written(profile, key)
    if profile in USED_IN[key]:
        assert () == project.config(text).unused
        return
    with pytest.raises(ConfigError) as caught:
        project.config(text)
    assert re.match(r"auto_approve|" + key, caught.value.message), "the first setting without a use is named"
    assert "is not used: " in caught.value.message
    assert ("reviewloop.yml", 3, True) == (caught.value.file, caught.value.line, bool(caught.value.hint))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("key", REVIEW)
def test_the_users_own_setting_is_reported_and_holds_nothing_up(project: Project, profile: str, key: str) -> None:
    _, agents, review = written(profile, key).splitlines()
    project.write_user_file(f"{agents}\n{review}\n")
    reported = project.config(f"profile: {profile}\n").unused
    named = [text for text in reported if f": {key} is not used: " in text]
    assert (profile not in USED_IN[key]) == bool(named), reported
    assert all(".config/reviewloop/config.yml:2:" in text for text in named)


@pytest.mark.parametrize("key", NEED_AN_AUTHOR)
def test_settings_of_an_author_need_one(project: Project, key: str) -> None:
    said = project.complaint(f"{AGENTS}review: {{{key}: {VALUES[key]}}}\n")
    assert "no author is configured" in said or '"authors" needs "author" as well' in said
    for author in (
        "review: {author: a, %s}",
        "phases: {design: a}\nreview: {%s}",
        "execution: {agent: a}\nreview: {%s}",
    ):
        if key != "authors" or "author: a" in author:
            assert () == project.config(AGENTS + author % f"{key}: {VALUES[key]}").unused


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("profile: panel\nreview: {strategy: single, tie_break: c}", "tie_break is not used: it needs two models or more in each stage, and there is one", 'name several under `parallel_models`, or remove "tie_break"'),
        ("profile: panel\nreview: {reviewer: a, tie_break: c}", "tie_break is not used: it needs two models or more in each stage, and there is one", 'name several under `parallel_models`, or remove "tie_break"'),
        ("profile: panel\nreview: {auto_confidence: 0.8}", "auto_confidence is not used: it limits `auto_approve` and `auto_reject`, and neither is set", 'set one of them, or remove "auto_confidence"'),
        ("profile: panel\nreview: {strategy: single, single_model: static, speculative_quality: true}", "speculative_quality is not used: the offline rules are the panel's only reviewer", 'name models under `parallel_models` or `single_model`, or remove "speculative_quality"'),
        ("profile: panel\nreview: {parallel_models: [a, b], reviewer: c}", "reviewer is not used: the panel's models review", 'remove "reviewer", or the models'),
        ("profile: panel\nreview: {strategy: single, reviewers: [a, b]}", "reviewers is not used: with `strategy: single` only the first of them reviews", "name one as `reviewer`, or use `strategy: parallel`"),
        ("profile: spec-gate\nreview: {dialect: findings, min_score: 80}", "min_score is not used: reviewers give no scores in the dialect findings", 'set "dialect: scored", or remove "min_score"'),
        ("profile: phases\nreview: {borderline: 5}", "borderline is not used: reviewers give no scores in the dialect signal", 'set "dialect: scored", or remove "borderline"'),
    ],
)  # fmt: skip
def test_combinations_without_a_use_are_errors(project: Project, text: str, message: str, hint: str) -> None:
    first, *_, last = project.complaint(AGENTS + text).splitlines()
    assert (message, f"hint: {hint}") == (first.split(": ", 2)[2], last)


@pytest.mark.parametrize(
    "text",
    [
        "profile: phases\nreview: {dialect: scored, min_score: 80, borderline: 5, weights: {scope: 2}}",
        f"review: {{auto_approve: true, auto_reject: true, auto_confidence: 0.9, tie_break: c}}\ntasks: {{t: {TASK % 'reviewer_agents: [b, c]'}}}",
        f"""profile: overlay\nreview: {{borderline: 5}}\ntasks: {{t: {TASK % "reviewer_agent: b, exit_conditions: ['review.total > 80']"}}}""",
        f"profile: panel\nreview: {{parallel_models: [b, c], reviewer: b}}\ntasks: {{t: {TASK % 'coder_agent: a'}}}",
        "profile: panel\nreview: {strategy: single, parallel_models: [b, c], single_model: b}",
    ],
)
def test_combinations_with_a_use_are_fine(project: Project, text: str) -> None:
    assert () == project.config(AGENTS + text).unused


def test_the_seeds_own_block_is_valid_and_an_author_that_is_missing_is_reported(project: Project) -> None:
    project.write(
        ".claude/project.yml",
        """
        review:
          strategy: parallel
          parallel_models: [haiku, sonnet]
          single_model: opus
          speculative_quality: true
          max_fix_iterations: 2
          fix_timeout_turns: 10
          auto_approve: true
          auto_reject: true
        """,
    )
    assert (".claude/project.yml:8:22: fix_timeout_turns is not used: no author is configured",) == (
        project.config().unused
    )


def test_an_environment_that_changes_the_profile_makes_no_file_wrong(project: Project) -> None:
    project.set(REVIEWLOOP_PROFILE="spec-gate", REVIEWLOOP_AUTO_REJECT="true")
    unused = project.config("profile: panel\nreview: {auto_approve: true}\n").unused
    assert (
        "environment variable REVIEWLOOP_AUTO_REJECT: auto_reject is not used: only panels use it, and the profile is spec-gate",
        "reviewloop.yml:2:24: auto_approve is not used: only panels use it, and the profile is spec-gate",
    ) == tuple(sorted(unused))


def test_the_message_shows_the_line(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:3:17: auto_approve is not used: only panels use it, and the profile is spec-gate
          3 |   auto_approve: true
            |                 ^^^^
        hint: set "profile: panel", give a task `reviewer_agents`, or remove "auto_approve"
    """) == project.complaint("profile: spec-gate\nreview:\n  auto_approve: true\n")


def test_the_page_lists_every_setting_that_needs_something() -> None:
    table = PAGE[PAGE.index("| settings of `review` | need |") : PAGE.index("| all others |")]
    listed = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    needing = {key for key, profiles in USED_IN.items() if profiles != EVERYWHERE}
    assert needing | {*NEED_AN_AUTHOR, "reviewer", "reviewers"} == listed


def test_minimum_scores_and_weights_also_hold_for_a_task_that_is_scored(project: Project) -> None:
    conditions = "reviewer_agent: b, exit_conditions: ['review.total > 80']"
    config = project.config(
        f"profile: overlay\n{AGENTS}review: {{min_score: 95, weights: {{completeness: 3}}}}\ntasks: {{t: {TASK % conditions}}}"
    )
    (task,) = workflow_of(config)
    rubric = with_exits(resolve(config, Kind.DOCUMENT, {}), task, config.review).rubric
    assert [95] * 4 == [criterion.min_score for criterion in rubric.criteria]
    assert [3, 1, 1, 1] == [criterion.weight for criterion in rubric.criteria]
