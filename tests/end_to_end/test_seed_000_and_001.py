"""What 000 (FR-1 to FR-10, its tests) and 001 (loop logic, must-pass table) ask for, through the command line."""

from __future__ import annotations

from project import SCORES, SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

PROSE = "This is not valid JSON at all"
NO_JSON = "schema validation failed: root - no valid JSON found in output"


def test_001_pass_on_first_iteration(project: Project):
    project.reviewer(passing())
    result = project.run()
    session = result.session
    assert (ExitCode.PASSED, "pass", "passed", 1) == (
        result.exit_code, session["final_verdict"], session["outcome"], len(session["iterations"]),
    )  # fmt: skip


def test_001_pass_after_revision(project: Project):
    project.reviewer(failing(), passing())
    project.author()
    result = project.run()
    verdicts = [one["result"]["verdict"] for one in result.session["iterations"]]
    assert (ExitCode.PASSED, ["needs_revision", "pass"]) == (result.exit_code, verdicts)
    assert f"{SPEC}revised 0\n" == project.read()


def test_001_blocked_after_max_iterations(project: Project):
    project.reviewer(failing("one"), failing("two"), failing("three"))
    project.author()
    project.configure(max_iterations=2)
    result = project.run()
    session = result.session
    assert (ExitCode.BLOCKED, "blocked", 2) == (result.exit_code, session["final_verdict"], len(session["iterations"]))
    assert "max iterations exhausted with needs_revision verdict" == session["block_reason"]


def test_001_blocked_on_malformed_output(project: Project):
    project.reviewer(PROSE)
    result = project.run()
    assert (ExitCode.BLOCKED, "blocked") == (result.exit_code, result.session["outcome"])
    assert result.session["block_reason"].startswith("malformed output: ")
    assert ["malformed", "malformed"] == project.answers()


def test_001_retry_on_malformed_then_success(project: Project):
    project.reviewer(PROSE, passing())
    result = project.run()
    assert (ExitCode.PASSED, ["malformed", "answered"]) == (result.exit_code, project.answers())
    assert "the answer contains no JSON object" in project.prompts("reviewer")[1]


def test_001_review_specs_valid_output(project: Project):
    project.reviewer(f"Here is my review:\n```json\n{passing()}\n```\nI hope this helps!")
    assert SCORES == project.run().session["scores"]


def test_001_review_specs_malformed_output_keeps_the_raw_output(project: Project):
    project.reviewer(PROSE)
    project.run()
    malformed = [event["payload"] for event in project.events() if event["type"] == "spec.review.malformed"]
    assert [(PROSE, NO_JSON, 1), (PROSE, NO_JSON, 2)] == [
        (one["raw_output"], one["parse_error"], one["retry_number"]) for one in malformed
    ]
    assert ["spec", "spec"] == [one["feature"] for one in malformed]


def test_001_emits_correct_events_pass(project: Project):
    project.reviewer(passing())
    project.run()
    assert ["started", "checked", "asked", "answered", "iteration", "passed"] == project.event_types()


def test_001_emits_correct_events_revision(project: Project):
    project.reviewer(failing(), passing())
    project.author()
    project.run()
    assert [
        "started", "checked", "asked", "answered", "iteration", "feedback", "authored", "revised",
        "checked", "asked", "answered", "iteration", "passed",
    ] == project.event_types()  # fmt: skip


def test_001_emits_correct_events_blocked(project: Project):
    project.reviewer(failing("one"), failing("two"))
    project.author()
    project.configure(max_iterations=2)
    project.run()
    seen = [kind for kind in project.event_types() if kind in ("started", "iteration", "feedback", "blocked")]
    assert ["started", "iteration", "feedback", "iteration", "blocked"] == seen


def test_001_blocked_payload_contains_recovery(project: Project):
    project.reviewer(PROSE, failing("one"))
    project.author()
    project.configure(max_iterations=1)
    project.run()
    blocked = project.events()[-1]["payload"]
    assert "reviewloop resume spec" == blocked["recovery_actions"][-1]
    assert ["needs_revision"] == [one["result"]["verdict"] for one in blocked["iterations"]]
    assert 1 == len(blocked["malformed"])
    assert ("spec.md", "spec") == (blocked["current_specs_path"], blocked["feature"])


def test_001_feedback_application_failed(project: Project):
    project.reviewer(failing())
    project.author("echo cannot >&2; exit 7")
    result = project.run()
    assert (ExitCode.BLOCKED, SPEC) == (result.exit_code, project.read())
    assert "failed to apply feedback: author exited with 7: cannot" == result.session["block_reason"]


def test_000_fr1_the_reviewer_is_asked_as_a_general_purpose_subagent(project: Project):
    project.agent("reviewer", f"""env | grep ^REVIEWLOOP_ | sort > "$TOLD/env"\ncat <<'X'\n{passing()}\nX""")
    project.run()
    told = dict(line.split("=", 1) for line in (project.told / "env").read_text().splitlines())
    assert ("general-purpose", "review", "reviewer", "1", "spec") == (
        told["REVIEWLOOP_SUBAGENT"], told["REVIEWLOOP_ROLE"], told["REVIEWLOOP_AGENT"], told["REVIEWLOOP_ITERATION"],
        told["REVIEWLOOP_KIND"],
    )  # fmt: skip
    assert told["REVIEWLOOP_ARTIFACT"].endswith("/spec.md")


def test_000_fr2_output_is_validated_against_the_schema(project: Project):
    project.reviewer(passing(score={"completeness": 90}))
    project.run()
    assert "score.consistency: missing required criterion score" in project.cli("log", "spec").stdout


def test_000_fr3_and_fr4_one_retry_then_blocked(project: Project):
    project.reviewer("{", "{", passing())
    assert (ExitCode.BLOCKED, 2) == (project.run().exit_code, len(project.prompts("reviewer")))


def test_000_fr5_feedback_reaches_the_author(project: Project):
    project.reviewer(failing("There is no diagram"), passing())
    project.author()
    project.run()
    told = project.prompts("author")[0]
    assert "There is no diagram" in told
    assert "Fix: There is no diagram" in told


def test_000_fr6_and_fr7_the_default_cap_is_three_reviews(project: Project):
    project.reviewer(
        failing("one", section="Overview"),
        failing("two", "three", section="Design"),
        failing("four", section="Validation"),
    )
    project.author("sed -i 's/Exports/Sends out/; s/streamed/piped/; s/checks/tests/' spec.md; echo more >> spec.md")
    result = project.run()
    assert (ExitCode.BLOCKED, 3, 2) == (
        result.exit_code, len(result.session["iterations"]), len(project.prompts("author")),
    )  # fmt: skip


def test_000_fr8_events_have_the_seed_payloads(project: Project):
    project.write("prd.md", "# PRD\n\n- REQ-1: Export.\n")
    project.reviewer(failing(), passing())
    project.author()
    project.configure()
    project.cli("run", "spec.md", "--prd", "prd.md")
    by_type = {event["type"]: event["payload"] for event in reversed(project.events())}
    paths = {"feature": "spec", "prd_path": "prd.md", "specs_path": "spec.md"}
    assert paths.items() <= by_type["spec.review.started"].items()
    assert paths.items() <= by_type["spec.review.passed"].items()
    item = {"section": "Overview", "issue": "It is missing", "suggestion": "Fix: It is missing"}
    feedback = by_type["spec.review.feedback"]
    assert ("spec", 1, item, SCORES | {"completeness": 60}) == (
        feedback["feature"], feedback["iteration"], feedback["feedback"][0], feedback["scores"],
    )  # fmt: skip


def test_000_fr9_blocked_has_every_iteration(project: Project):
    project.reviewer(failing("one"), failing("two", "and another"))
    project.author()
    project.configure(max_iterations=2)
    project.run()
    iterations = project.events()[-1]["payload"]["iterations"]
    assert [(1, "one"), (2, "two")] == [(one["iteration"], one["result"]["feedback"][0]["issue"]) for one in iterations]
    assert all(one["timestamp"].endswith("Z") for one in iterations)


def test_000_fr10_the_four_criteria_are_in_the_prompt_and_their_minimum_counts(project: Project):
    project.reviewer(passing(score=SCORES | {"testability": 69}))
    result = project.run()
    told = project.prompts("reviewer")[0]
    assert all(f"**{name}** (minimum score 70" in told for name in SCORES)
    assert (ExitCode.NEEDS_REVISION, "testability scores 69, below its minimum of 70") == (
        result.exit_code, result.session["findings"][0]["issue"],
    )  # fmt: skip


def test_the_session_object_has_the_fields_of_000(project: Project):
    project.reviewer(passing())
    session = project.run().session
    assert {"max_iterations": 3, "criteria": list(SCORES), "retry_on_malformed": 1} == session["config"]
    assert {
        "feature", "prd_path", "specs_path", "config", "iterations", "final_verdict", "block_reason",
        "outcome", "profile", "confidence", "findings", "usage", "recovery_actions",
    } <= session.keys()  # fmt: skip
