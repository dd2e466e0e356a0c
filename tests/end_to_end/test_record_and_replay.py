"""Whatever a session asked anybody is recorded: its replay, by nobody but the transcript, ends the same."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from test_panel import BOOM, OTHER, SAME, panel, says
from test_plan import signal
from test_tie_break import SPLIT, rules

from project import PYTHON, SCORES, Project, failing, passing

pytestmark = pytest.mark.slow

CONTEST = json.dumps({"contested": [{"id": "F1", "reason": "FR-1 says it"}]})
RULINGS = {word: json.dumps({"ruling": word, "reason": "it is clear"}) for word in ("upheld", "withdrawn")}
RUN = ("run", "spec.md")
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCwxyz"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kind of session: its agents and settings, the commands in their order, and the names of its sessions."""

    prepare: Callable[[Project], None]
    commands: Sequence[Sequence[str]] = (RUN,)
    names: Sequence[str] = ("spec",)
    expected: str


def reviewed(*answers: str, author: str | None = None, **review: Any) -> Callable[[Project], None]:
    def prepare(project: Project) -> None:
        project.reviewer(*answers)
        if author:
            project.author(author)
        project.configure(**review)

    return prepare


EDIT = 'echo "revised $N" >> spec.md; echo "I added line $N."'


def broken(project: Project) -> None:
    project.agent("reviewer", "echo out of paper >&2; exit 3")
    project.configure()


def author_failed(project: Project) -> None:
    project.reviewer(failing("Too vague"), passing())
    project.author(f"[ $N -eq 0 ] && exit 1; {EDIT}")
    project.configure("profile: spec-gate", author_retries=1)


def contested(ruling: str) -> Callable[[Project], None]:
    def prepare(project: Project) -> None:
        project.reviewer(failing("The CSV dialect is not said", section="Design", score=SCORES))
        project.author(f"echo '{CONTEST}'")
        project.agent("arbiter", f"echo '{RULINGS[ruling]}'")
        project.configure(arbiter="arbiter")

    return prepare


def ruled_by_a_reviewer(project: Project) -> None:
    asked = 'grep -q "The claim and the answer" "$TOLD/second-$N.txt"'
    project.reviewer(failing("The CSV dialect is not said", section="Design", score=SCORES), name="first")
    project.agent("second", f"if {asked}; then echo '{RULINGS['withdrawn']}'; else echo '{passing()}'; fi")
    project.author(f"echo '{CONTEST}'")
    project.configure(reviewers=["first", "second"])


def fallback(project: Project) -> None:
    project.agent("reviewer", "exit 1", fallback="spare", retries=0)
    project.reviewer("no verdict", failing("Too vague"), passing(), name="spare")
    project.author(EDIT)
    project.configure()


def barred(project: Project) -> None:
    project.agent("reviewer", "exit 1", fallback="author", retries=0)
    project.author(EDIT)
    project.configure()


def tie_break(project: Project) -> None:
    rules(project, "same")
    project.author(EDIT)
    panel(project, **SPLIT, tie_break="judge", author="author", auto_reject=True)


def fixed_panel(project: Project) -> None:
    answers = {"spec-1": says(BOOM), "spec": says(), "quality-1": says(OTHER), "quality": says()}
    project.author(EDIT)
    panel(
        project,
        haiku=answers,
        sonnet=answers | {"spec-1": says(SAME)},
        author="author",
        auto_reject=True,
        auto_approve=True,
    )


def criteria(project: Project) -> None:
    names = ("completeness", "consistency", "testability", "architecture")
    script = f"""import json, sys
told = sys.stdin.read()
asked = [name for name in {names!r} if f"**{{name}}**" in told]
low = "testability" in asked and "revised" not in told
item = {{"section": "Design", "issue": "No test is named", "suggestion": "Name one"}}
print(json.dumps({{"verdict": "needs_revision" if low else "pass", "score": {{name: 40 if low else 90 for name in asked}},
                  "feedback": [item] if low else []}}))"""
    project.agent("reviewer", script, shell=PYTHON)
    project.author(EDIT)
    project.configure(parallel_criteria=True)


def two_authors(project: Project) -> None:
    items = [
        {"severity": "important", "description": "No test is named", "section": "Design", "criterion": "testability"},
        {
            "severity": "important",
            "description": "Nobody may export",
            "section": "Overview",
            "criterion": "completeness",
        },
    ]
    project.reviewer(says(*items), says())
    project.author(EDIT)
    project.author("echo tested >> spec.md", name="tester")
    project.configure(dialect="findings", authors={"testability": "tester"})


def secret(project: Project) -> None:
    project.write("spec.md", project.read() + f"\nUse the token {TOKEN} to export.\n")
    answer = """import json, os, re, sys
told = re.search(r"Use the token .*? to export", sys.stdin.read())
first = os.environ["REVIEWLOOP_ITERATION"] == "1"
found = [{"severity": "critical", "description": "A token is in the text", "quote": told[0]}] if first else []
print(json.dumps({"verdict": "fail" if found else "pass", "findings": found}))"""
    project.agent("reviewer", answer, shell=PYTHON)
    project.author("sed -i '/Use the token/d' spec.md")
    project.configure(dialect="findings")


def task(*answers: str, coder: str = "") -> Callable[[Project], None]:
    def prepare(project: Project) -> None:
        project.reviewer(*answers)
        project.author(f'{coder}\necho "line $N" >> out.md', name="coder")
        overlay = "{agentic_review: {enabled: true, coder_agent: coder, reviewer_agent: reviewer}}"
        tasks = f"  build: {{agent: coder, outputs: [out.md], overlays: {overlay}}}"
        after = f"  polish: {{agent: coder, outputs: [out.md], depends_on: [build], overlays: {overlay}}}"
        project.configure(f"profile: overlay\ntasks:\n{tasks}\n{after}", author_retries=1, on_author_failure="block")

    return prepare


def decision(word: str) -> str:
    checks = dict.fromkeys(
        ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed"),
        word == "GO",
    )
    return json.dumps({"decision": word, "feedback": "It has no tests", "quality_checks": checks})


def phases(project: Project) -> None:
    write = """f=specs/auth/$REVIEWLOOP_KIND.md; mkdir -p specs/auth
[ -e $f ] && echo "Fix." >> $f || printf '# %s\\n\\nText of %s.\\n' "$REVIEWLOOP_KIND" "$REVIEWLOOP_KIND" > $f"""
    project.author(write)
    project.reviewer(signal("Grounding"), signal(), "no table", signal("Testability"), signal())
    project.configure("profile: phases", static_gate="off")


CASES = {
    "pass": Case(prepare=reviewed(passing()), expected="passed"),
    "no author": Case(prepare=reviewed(failing("Too vague")), expected="blocked"),
    "fixed": Case(prepare=reviewed(failing("Too vague"), passing(), author=EDIT), expected="passed"),
    "exhausted": Case(prepare=reviewed(failing("Too vague"), author=EDIT), expected="blocked"),
    "nothing changed": Case(prepare=reviewed(failing("Too vague"), author="true"), expected="blocked"),
    "retried": Case(prepare=reviewed("no verdict", failing("Vague"), passing(), author=EDIT), expected="passed"),
    "malformed": Case(prepare=reviewed("no verdict"), expected="blocked"),
    "unanswered": Case(prepare=broken, expected="blocked"),
    "author failed once": Case(prepare=author_failed, expected="passed"),
    "withdrawn": Case(prepare=contested("withdrawn"), expected="passed_with_warnings"),
    "upheld": Case(prepare=contested("upheld"), expected="blocked"),
    "ruled by a reviewer": Case(prepare=ruled_by_a_reviewer, expected="passed_with_warnings"),
    "fallback": Case(prepare=fallback, expected="passed"),
    "barred fallback": Case(prepare=barred, expected="blocked"),
    "tie-break": Case(prepare=tie_break, expected="escalated"),
    "panel, fixed": Case(prepare=fixed_panel, expected="passed"),
    "each criterion by itself": Case(prepare=criteria, expected="passed"),
    "several authors": Case(prepare=two_authors, expected="passed"),
    "secret": Case(prepare=secret, expected="passed"),
    "sent back": Case(
        prepare=reviewed(failing("Vague"), failing("Vague"), failing("Vague"), passing(), author=EDIT),
        commands=(RUN, ("resume", "spec", "--retry", "--note", "be brief")),
        expected="passed",
    ),
    "accepted": Case(
        prepare=reviewed(failing("Vague"), author="true"),
        commands=(RUN, ("resume", "spec", "--accept")),
        expected="passed_with_warnings",
    ),
    "tasks": Case(
        prepare=task(decision("NO_GO"), decision("GO"), decision("NO_GO"), decision("GO")),
        commands=(("work",),),
        names=("build", "polish"),
        expected="passed",
    ),
    "first version failed once": Case(
        prepare=task(decision("GO"), coder="[ $N -eq 0 ] && exit 1"),
        commands=(("work",),),
        names=("build", "polish"),
        expected="passed",
    ),
    "phases": Case(
        prepare=phases,
        commands=(("plan", "Log people in", "--name", "auth", "--quick"),),
        names=tuple(f"auth-{phase}" for phase in ("research", "requirements", "design", "tasks")),
        expected="passed",
    ),
    "approved phase": Case(
        prepare=phases,
        commands=(
            ("plan", "Log people in", "--name", "auth"),
            ("resume", "auth-research", "--retry", "--note", "look at OAuth"),
            ("resume", "auth-research", "--accept"),
        ),
        names=("auth-research",),
        expected="passed_with_warnings",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_replay_ends_the_same(project: Project, case: Case) -> None:
    case.prepare(project)
    first, again = recorded_and_replayed(project, case)
    assert case.expected == first[0]["outcome"]
    assert first == again


@pytest.mark.parametrize("seed", range(12))
def test_the_replay_of_any_session_ends_the_same(project: Project, seed: int) -> None:
    """Reviewers, a fallback, authors and an arbiter that do anything, drawn at random."""
    chance = random.Random(seed)
    answers = [passing(), failing("Too vague"), failing("Who may export?", "Too vague"), "no verdict", "It is fine."]
    works = [EDIT, "true", f"echo '{CONTEST}'", f"{EDIT}; echo '{CONTEST}'", "exit 1"]
    for name in ("first", "second"):
        project.reviewer(*chance.choices(answers, k=8), name=name)
    project.agent("weak", "[ $((N % 2)) -eq 0 ] && exit 1; cat " + str(project.tools / "first-answer-0"),
                  fallback="spare", retries=0)  # fmt: skip
    project.reviewer(*chance.choices(answers, k=8), name="spare")
    script = "\n".join(f"[ $N -eq {number} ] && {{ {chance.choice(works)}; exit; }}" for number in range(8))
    project.author(script)
    project.agent("arbiter", f"echo '{chance.choice([*RULINGS.values(), 'I cannot tell.'])}'")
    reviewers = chance.sample(["first", "second", "weak"], k=chance.choice([1, 2, 3]))
    project.configure(
        reviewers=reviewers,
        author="author",
        arbiter="arbiter",
        author_retries=chance.choice([0, 1]),
        retry_on_malformed=chance.choice([0, 1, 2]),
        max_iterations=chance.choice([1, 3, 4]),
        on_inconclusive=chance.choice(["block", "escalate", "pass"]),
    )
    again = ("resume", "spec", "--retry", "--note", "once more")
    case = Case(prepare=lambda _: None, commands=(RUN, *([again] * chance.choice([0, 1, 2]))), expected="")
    first, replayed = recorded_and_replayed(project, case)
    assert first == replayed


def recorded_and_replayed(project: Project, case: Case) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What became of the sessions, with their agents, and in a fresh copy of the project with nobody but a transcript."""
    fresh = project.root.with_name("fresh")
    shutil.copytree(project.root, fresh)
    first = carried_out(project, case)
    assert 0 == project.cli("record", *case.names, "-o", "../transcript.json").exit_code
    shutil.rmtree(project.root)
    shutil.copytree(fresh, project.root)
    shutil.rmtree(project.tools)
    settings = project.read("reviewloop.yml")
    replay = "{kind: replay, transcript: ../transcript.json}"
    project.write("reviewloop.yml", re.sub(r"\{kind: command, .*\}$", replay, settings, flags=re.MULTILINE))
    return first, carried_out(project, case)


def carried_out(project: Project, case: Case) -> list[dict[str, Any]]:
    for command in case.commands:
        result = project.cli(*command)
        assert result.exit_code not in (2, 3) or "is over" in result.stderr, result.stderr
    return [ended(project, name) for name in case.names]


def ended(project: Project, name: str) -> dict[str, Any]:
    session = project.cli("status", name, "--json").session
    keys = ("outcome", "reason", "because", "verdict", "reviewers", "scores", "findings", "decision", "warnings")
    events = [event for event in project.events() if event["session"] == session["session"]]
    told = [
        (event["payload"]["iteration"], event["payload"]["verdict"], event["payload"]["findings"])
        for event in events
        if event["type"] == "spec.review.iteration"
    ]
    return {key: session[key] for key in keys} | {"iterations": told, "events": sorted(e["type"] for e in events)}
