"""What a setting may be, and what is said when it is something else."""

from __future__ import annotations

from dataclasses import fields

import pytest

from config.conftest import Project, lines
from reviewloop.config.schema import REVIEW, ReviewSettings
from reviewloop.config.view_paths import PATHS, ViewPaths

THE_DESIGN = """
    profile: panel
    agents:
      haiku:  {kind: claude, model: haiku}
      sonnet: {kind: claude, model: sonnet}
      local:  {kind: model, model: "openai:qwen3", base_url: "http://127.0.0.1:11434/v1"}
      mine:   {kind: command, command: ["./review.sh"], timeout: 60}
      dev:    {kind: claude}
      reviewer: {kind: codex}
    review:
      strategy: parallel            # parallel | single
      parallel_models: [haiku, sonnet]
      single_model: opus
      speculative_quality: true
      max_fix_iterations: 2
      fix_timeout_turns: 10
      auto_approve: false
      auto_reject: false
      author: sonnet
    tasks:
      design: {agent: dev}
      implement:
        agent: dev
        depends_on: [design]
        overlays:
          agentic_review: {enabled: true, coder_agent: dev, reviewer_agent: reviewer,
                           max_iterations: 3, exit_conditions: ["review.decision == GO"]}
"""


def test_everything_a_panel_project_writes_is_understood(project: Project) -> None:
    config = project.config(THE_DESIGN)

    assert {"model": "openai:qwen3", "base_url": "http://127.0.0.1:11434/v1"} == config.agents["local"].settings
    assert ("panel", ("haiku", "sonnet"), "opus", 3) == (
        config.profile,
        config.review.parallel_models,
        config.review.single_model,
        config.review.max_iterations,
    )
    assert config.tasks is not None
    assert ["design", "implement"] == list(config.tasks.entries)


def test_every_setting_has_its_field() -> None:
    # The file may count fixes; the program counts reviews.
    assert set(REVIEW) - {"max_fix_iterations"} == {one.name for one in fields(ReviewSettings)} - {"nodes"}
    assert set(PATHS) == {one.name for one in fields(ViewPaths)}


@pytest.mark.parametrize("value", [0, 6, -1])
def test_fixes_are_limited(project: Project, value: int) -> None:
    assert lines(f"""
        error: reviewloop.yml:2:23: max_fix_iterations must be 1-5
          2 |   max_fix_iterations: {value}
            |                       {"^" * len(str(value))}
        hint: use a whole number from 1 to 5
    """) == project.complaint(f"review:\n  max_fix_iterations: {value}\n")


@pytest.mark.parametrize("value", [4, 31])
def test_turns_are_limited(project: Project, value: int) -> None:
    assert lines(f"""
        error: reviewloop.yml:2:22: fix_timeout_turns must be 5-30
          2 |   fix_timeout_turns: {value}
            |                      {"^" * len(str(value))}
        hint: use a whole number from 5 to 30
    """) == project.complaint(f"review:\n  fix_timeout_turns: {value}\n")


@pytest.mark.parametrize(("key", "low", "high"), [("max_fix_iterations", 1, 5), ("fix_timeout_turns", 5, 30)])
def test_the_limits_themselves_are_allowed(project: Project, key: str, low: int, high: int) -> None:
    for value in (low, high):
        project.config(f"agents: {{a: {{kind: claude}}}}\nreview: {{author: a, {key}: {value}}}")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("max_iterations: 7", "max_iterations must be 1-6"),
        ("max_iterations: two", 'max_iterations must be a whole number, found "two"'),
        ("max_iterations: 2.5", "max_iterations must be a whole number, found 2.5"),
        ("max_iterations: true", "max_iterations must be a whole number, found true"),
        ("max_iterations:", "max_iterations must be a whole number, found nothing"),
        ("max_iterations: [3]", "max_iterations must be a whole number, found a list"),
        ("max_iterations: 1:30", 'max_iterations must be a whole number, found "1:30"'),
        ("max_iterations: 99999999999999999999", "max_iterations must be a whole number, found 99999999999999999999"),
        ("retry_on_malformed: 4", "retry_on_malformed must be 0-3"),
        ("author_retries: 4", "author_retries must be 0-3"),
        ("auto_approve: maybe", 'auto_approve must be true or false, found "maybe"'),
        ('auto_approve: "true"', 'auto_approve must be true or false, found "true"'),
        ("speculative_quality: 1", "speculative_quality must be true or false, found 1"),
        ("author: {name: x}", "author must be text, found a mapping"),
        ("author: ''", 'author must be text, found ""'),
        ("parallel_models: [opus]", "parallel_models must have at least 2 items"),
        ("parallel_models: [opus, opus]", 'parallel_models names "opus" twice'),
        ("parallel_models: [opus, 4]", "each of parallel_models must be text, found 4"),
        ("reviewers: []", "reviewers must have at least 1 item"),
        ("reviewers: [static, static]", 'reviewers names "static" twice'),
        ("reviewers: [{allow_failure: true}]", "the reviewer has no agent"),
        ("borderline: 101", "borderline must be 0-100"),
        ("borderline: .nan", 'borderline must be a number, found ".nan"'),
        ("timeout: 0", "timeout must be 0.1-86400"),
        ("budget: 5", "budget must be a mapping, found 5"),
        ("budget: {usd: 0}", "usd must be greater than 0"),
        ("budget: {tokens: 0}", "tokens must be at least 1"),
        ("weights: {completeness: 0}", "weights.completeness must be greater than 0"),
        ("min_score: -1", "min_score must be 0-100"),
        ("min_score: {completeness: 101}", "min_score.completeness must be 0-100"),
        ("criteria: []", "criteria must have at least 1 item"),
    ],
)
def test_a_wrong_value_says_what_was_expected_and_what_was_found(project: Project, setting: str, message: str) -> None:
    first, excerpt, *_ = project.complaint(f"profile: panel\nreview:\n  {setting}\n").splitlines()

    assert (message, f"  3 |   {setting}") == (first.partition(": ")[2].partition(": ")[2], excerpt)


@pytest.mark.parametrize(
    ("setting", "message", "hint"),
    [
        ("strategy: paralel", 'strategy must be single or parallel, found "paralel"', 'did you mean "parallel"?'),
        (
            "dialect: score",
            'dialect must be scored, signal, decision or findings, found "score"',
            'did you mean "scored"?',
        ),
        ("static_gate: no", "static_gate must be off, critical or important, found no", None),
        (
            "on_inconclusive: blok",
            'on_inconclusive must be block, escalate or pass, found "blok"',
            'did you mean "block"?',
        ),
        ("receipt: {}", "receipt must be optional or required, found a mapping", None),
        ("workspace: inplace", 'workspace must be copy or in_place, found "inplace"', 'did you mean "in_place"?'),
        ("author: 4.1", "author must be text, found 4.1", 'put it in quotes: "4.1"'),
        ("reviewers: static", 'reviewers must be a list, found "static"', "write it as a list: [static]"),
        ("rubric: desing", 'no rubric is named "desing"', 'did you mean "design"?'),
    ],
)
def test_a_near_miss_is_recognised(project: Project, setting: str, message: str, hint: str | None) -> None:
    said = project.complaint(f"profile: panel\nreview:\n  {setting}\n").splitlines()

    assert message == said[0].partition(": ")[2].partition(": ")[2]
    assert ([f"hint: {hint}"] if hint else []) == said[3:]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("profil: panel", 'reviewloop.yml:1:1: unknown key "profil"'),
        ("review: {autor: x}", 'reviewloop.yml:1:10: unknown key "autor"'),
        ("review: {budget: {second: 1}}", 'reviewloop.yml:1:19: unknown key "second"'),
        ("review: {reviewers: [{agnt: x}]}", 'reviewloop.yml:1:23: unknown key "agnt"'),
        ("rules: {ignored: x}", 'reviewloop.yml:1:9: unknown key "ignored"'),
        ("rules: {per_path: {a: {ignoring: x}}}", 'reviewloop.yml:1:24: unknown key "ignoring"'),
        ("paths: {analytic: x}", 'reviewloop.yml:1:9: unknown key "analytic"'),
        (
            "tasks: {a: {overlays: {agentic_review: {enable: true}}}}",
            'reviewloop.yml:1:41: unknown key "enable"',
        ),
    ],
)
def test_unknown_keys_are_errors_at_every_level(project: Project, text: str, first: str) -> None:
    said = project.complaint(text).splitlines()

    assert (f"error: {first}", True) == (said[0], said[3].startswith("hint: did you mean"))


def test_a_key_that_looks_like_nothing_gets_the_list(project: Project) -> None:
    assert "hint: valid keys: seconds, tokens, usd" == project.complaint("review: {budget: {zzz: 1}}").splitlines()[3]


def test_reviews_and_fixes_must_agree(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:19: max_iterations must be 3 if max_fix_iterations is 2
          2 |   max_iterations: 5
            |                   ^
        hint: a session has one more review than fixes; keep one of the two settings
    """) == project.complaint("review:\n  max_iterations: 5\n  max_fix_iterations: 2\n")


def test_reviews_and_fixes_that_agree_are_fine(project: Project) -> None:
    assert 4 == project.policy("review: {max_iterations: 4, max_fix_iterations: 3}").max_iterations


def test_one_reviewer_or_several_but_not_both(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:10: reviewer and reviewers cannot both be set
          1 | review: {reviewer: static, reviewers: [static]}
            |          ^^^^^^^^
        hint: keep one of them
    """) == project.complaint("review: {reviewer: static, reviewers: [static]}")


def test_models_that_nobody_would_ask_are_an_error(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:20: parallel_models is not used: it belongs to the profile panel, and the profile is spec-gate
          2 |   parallel_models: [haiku, sonnet]
            |                    ^^^^^^^^^^^^^^^
        hint: set "profile: panel", or remove "parallel_models"
    """) == project.complaint("review:\n  parallel_models: [haiku, sonnet]\n")


def test_off_means_off_although_yaml_takes_it_for_false(project: Project) -> None:
    assert "off" == project.policy("review: {static_gate: off}").static_gate


def test_a_view_can_be_left_out(project: Project) -> None:
    paths = project.config("paths: {analytics: false, plan: docs/plan.md}").paths

    assert (None, "docs/plan.md", ".reviewloop/memory") == (paths.analytics, paths.plan, paths.memory)


def test_a_constitution_that_is_not_there_is_an_error(project: Project) -> None:
    project.write("here.md", "# Standards")

    assert lines(f"""
        error: reviewloop.yml:1:25: there is no file "gone.md"
          1 | constitution: [here.md, gone.md]
            |                         ^^^^^^^
        hint: looked for {project.root}/gone.md
    """) == project.complaint("constitution: [here.md, gone.md]")


def test_paths_are_the_projects_and_a_ledger_may_be_elsewhere(project: Project) -> None:
    project.write("STANDARDS.md", "# Standards")
    config = project.config("constitution: STANDARDS.md\nledger: state/reviews.db")

    assert (project.root / "STANDARDS.md",) == config.constitution
    assert str(project.root / "state/reviews.db") == config.ledger
    assert "postgresql://db/reviews" == project.config("ledger: postgresql://db/reviews").ledger


def test_a_ledger_of_an_unknown_make_is_refused_without_its_password(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:9: ledger must be the path of a file or a postgresql:// address
          1 | ledger: mysql://*********@host/db
            |         ^^^^^^^^^^^^^^^^^^^^^^^^^
    """) == project.complaint("ledger: mysql://me:secret@host/db")


def test_rules_are_chosen_by_id_name_or_letters(project: Project) -> None:
    rules = project.config("""
        rules:
          select: ALL
          ignore: [DOC005, placeholder, REQ]
          severity: {DOC004: critical}
          per_path: {"drafts/*": {ignore: DOC004}}
    """).rules

    assert (("ALL",), ("DOC005", "placeholder", "REQ")) == (rules.select, rules.ignore)
    assert ({"DOC004": "critical"}, ("DOC004",)) == (rules.severity, rules.per_path["drafts/*"].ignore)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("rules: {ignore: [DOC002, DOC055]}", "1:26"),
        ("rules: {select: DOC055}", "1:17"),
        ("rules: {severity: {DOC055: minor}}", "1:20"),
        ("rules: {per_path: {a: {ignore: DOC055}}}", "1:32"),
    ],
)
def test_a_rule_that_does_not_exist_is_an_error(project: Project, text: str, place: str) -> None:
    assert f'error: reviewloop.yml:{place}: no rule is named "DOC055"' == project.complaint(text).splitlines()[0]


def test_a_severity_is_one_rules(project: Project) -> None:
    assert 'no rule is named "DOC"' in project.complaint("rules: {severity: {DOC: minor}}")
