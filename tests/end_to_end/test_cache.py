"""A re-review sends what changed; what was never reviewed is always sent."""

from __future__ import annotations

from typing import Any

import pytest

from project import Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

FILLER = "The service answers within the limit that the table gives, and logs what it refused.\n" * 12
TITLES = ("Overview", "Requirements", "Design", "Storage", "Interface", "Security", "Operation", "Validation")


def spec(**bodies: str) -> str:
    parts = {title: f"{title} is described here.\n\n{FILLER}" for title in TITLES} | bodies
    return "# SPEC: Export\n\nFor REQ-1.\n\n" + "".join(f"## {title}\n\n{body}\n" for title, body in parts.items())


@pytest.fixture
def large(project: Project) -> Project:
    project.write("spec.md", spec())
    project.author('sed -i "s/^Design is described here.*/& Fix $N./" spec.md')
    return project


def sent(project: Project) -> list[dict[str, Any]]:
    """What each call was sent, in order."""
    asked = [event["payload"] for event in project.events() if event["type"].endswith(".asked")]
    return [call["sent"] for one in asked for call in one["calls"]]


def test_the_second_review_gets_the_changed_section_a_map_and_the_findings(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    assert ExitCode.PASSED == large.run().exit_code
    first, second = large.prompts("reviewer")
    assert "What you have reviewed before" not in first
    assert "Design is described here. Fix 0." in second
    assert "Storage is described here." not in second
    assert " Storage\n" in second
    assert "The design is vague" in second
    assert "completeness 60" in second
    assert len(second) < len(first) / 2


def test_what_was_sent_and_saved_is_in_the_ledger(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.run()
    first, second = sent(large)
    whole, part = (len(prompt) for prompt in large.prompts("reviewer"))
    assert (True, 0, False) == (first["whole"], first["saved_chars"], second["whole"])
    assert first["key"] == second["key"]
    assert second["saved_chars"] > whole - part - 1000
    assert second["saved_chars"] // 4 == second["saved_tokens"]
    assert second["sections"]


@pytest.mark.parametrize("how", ["flag", "setting"])
def test_without_the_cache_everything_is_sent(large: Project, how: str):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.configure(**({"cache": False} if how == "setting" else {}))
    large.run("spec.md", *(["--no-cache"] if how == "flag" else []))
    assert "Storage is described here." in large.prompts("reviewer")[1]
    assert [True, True] == [one["whole"] for one in sent(large)]


def test_a_small_spec_is_always_sent_whole(project: Project):
    project.reviewer(failing(), passing())
    project.author()
    project.run()
    assert "What you have reviewed before" not in project.prompts("reviewer")[1]


def test_after_a_malformed_answer_nothing_counts_as_seen(large: Project):
    large.reviewer("hm", "hm", passing())
    large.configure(retry_on_malformed=1)
    assert ExitCode.BLOCKED == large.run().exit_code
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    assert ExitCode.PASSED == large.cli("resume", "spec").exit_code
    assert "Storage is described here." in large.prompts("reviewer")[2]


def test_one_silent_reviewer_makes_the_others_look_at_everything_again(large: Project):
    """The iteration was inconclusive: what the other one found then is on no list."""
    large.reviewer(passing(), name="one")
    large.reviewer("hm", passing(), name="other")
    large.configure(reviewers=["one", "other"], retry_on_malformed=0, author="author")
    assert ExitCode.BLOCKED == large.run().exit_code
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    assert ExitCode.PASSED == large.cli("resume", "spec").exit_code
    assert "Storage is described here." in large.prompts("one")[1]


def test_a_person_edits_and_retries(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.configure(max_iterations=1)
    assert ExitCode.BLOCKED == large.run().exit_code
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    assert ExitCode.PASSED == large.cli("resume", "spec").exit_code
    second = large.prompts("reviewer")[1]
    assert ("Another design." in second, "Storage is described here." in second) == (True, False)


def test_a_new_session_on_the_same_document_remembers_what_was_reviewed_and_found(large: Project):
    large.reviewer(failing("The storage is not said", section="Storage"), passing())
    large.configure(max_iterations=1)
    large.run()
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    large.run()
    second = large.prompts("reviewer")[1]
    assert "Another design." in second
    assert "Storage is described here." in second, "an open finding points at it"
    assert "The storage is not said" in second
    assert "Security is described here." not in second


def test_a_new_session_on_an_unchanged_document_is_a_second_look(large: Project):
    large.reviewer(passing())
    large.run()
    large.run()
    assert "What you have reviewed before" not in large.prompts("reviewer")[1]


def test_another_rubric_sees_everything_again(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.configure(max_iterations=1)
    large.run()
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    large.configure(max_iterations=1, min_score=75)
    large.run()
    assert "Storage is described here." in large.prompts("reviewer")[1]


def test_the_same_name_with_other_settings_is_another_reviewer(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.configure(max_iterations=1)
    large.run()
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    large.reviewer(failing(), passing(), env={"MODEL": "newer"})
    large.configure(max_iterations=1)
    large.run()
    assert "Storage is described here." in large.prompts("reviewer")[1]


def test_a_changed_prd_sends_everything_again(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    large.configure(max_iterations=1)
    prd = "# PRD\n\n- REQ-1: Export reports.\n"
    large.write("prd.md", prd)
    large.run("spec.md", "--prd", "prd.md")
    large.write("spec.md", spec(Design=f"Another design.\n\n{FILLER}"))
    large.write("prd.md", prd.replace("reports", "all reports"))
    large.run("spec.md", "--prd", "prd.md")
    assert "Storage is described here." in large.prompts("reviewer")[1]


def test_a_quote_from_a_section_that_was_not_sent_is_still_found(large: Project):
    late = {"severity": "critical", "quote": "Storage is described here."}
    feedback = [{"section": "Storage", "issue": "It loses data", "suggestion": "Say how not", **late}]
    large.reviewer(
        failing("The design is vague", section="Design"),
        failing(feedback=feedback),
    )
    large.configure(max_iterations=2)
    finding = large.run().session["findings"][0]
    assert (True, "critical") == (finding["verified"], finding["severity"])


def test_a_reviewer_with_hands_finds_the_whole_text(large: Project):
    large.reviewer(failing("The design is vague", section="Design"), passing())
    script = (large.tools / "reviewer").read_text()
    (large.tools / "reviewer").write_text(f'{script}\nwc -c < spec.md > "$TOLD/size"\n')
    large.run()
    assert len(large.read()) == int((large.told / "size").read_text())
    assert "the whole text is in your working directory" in large.prompts("reviewer")[1]


def test_discarded_quality_answers_do_not_count_as_seen(large: Project):
    """Their findings are on no list, so the quality stage looks at everything when its turn comes."""
    bad = '{"verdict": "fail", "findings": [{"severity": "critical", "section": "Design", "description": "It leaks"}]}'
    good = '{"verdict": "pass", "findings": []}'
    for name in ("haiku", "sonnet"):
        large.agent(
            name, f"""case $REVIEWLOOP_STAGE$REVIEWLOOP_ITERATION in spec1) echo '{bad}';; *) echo '{good}';; esac"""
        )
    large.configure("profile: panel", parallel_models=["haiku", "sonnet"], auto_approve=True, auto_reject=True)
    assert ExitCode.PASSED == large.run().exit_code
    calls = [
        (call["key"], call["sent"]["whole"])
        for event in large.events()
        if event["type"].endswith(".asked")
        for call in event["payload"]["calls"]
        if call["key"].startswith("2/") and "sonnet" in call["key"]
    ]
    assert [("2/spec:sonnet", False), ("2/quality:sonnet", True)] == calls


def test_a_fallback_that_answers_instead_is_sent_everything(large: Project):
    """And what it has read, the reviewer it stood in for has not."""
    large.agent("spare", f"echo '{failing('Storage is vague', section='Design')}'")
    large.agent(
        "reviewer",
        f"[ $REVIEWLOOP_ITERATION = 2 ] && exit 3\n[ $REVIEWLOOP_ITERATION = 3 ] && echo '{passing()}' && exit\n"
        f"echo '{failing('The design is vague', section='Design')}'",
        fallback="spare",
    )
    large.configure()
    large.run()
    prompts = large.prompts("reviewer")
    assert "Storage is described here." not in prompts[1]
    assert "Storage is described here." in large.prompts("spare")[0]
    asked = [event["payload"] for event in large.events() if event["type"].endswith(".answered")]
    assert [True, False] == [one["call"]["sent"] is not None for one in asked[:2]]
