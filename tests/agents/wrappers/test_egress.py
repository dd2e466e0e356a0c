from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from project import Project, passing
from reviewloop.agents.wrappers.egress import EgressGuard
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.egress import Egress, OnSecrets
from reviewloop.errors import AgentRefused
from reviewloop.ports import Job, Reply
from reviewloop.testing.agents import ask, job_for

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCwxyz"


@dataclass
class Vendor:
    """An agent that would send what it is told to somebody."""

    edits_files: bool = False
    edits: dict[str, str | None] = field(default_factory=dict)
    sent: list[str] = field(default_factory=list)

    async def ask(self, job: Job) -> Reply:
        self.sent.append(job.prompt)
        return Reply(text="ok", edits=self.edits)


class Echo(Vendor):
    """An author that writes what it is told into a file, and says it."""

    async def ask(self, job: Job) -> Reply:
        return Reply(text=job.prompt, edits={"spec.md": job.prompt, "gone.md": None})


MARKS = re.compile(r"\[redacted ([0-9a-f]{16}): ([^]]+)\]")


def guard(vendor: Vendor, **policy: Any) -> EgressGuard:
    return EgressGuard(vendor, Egress(**policy), name="sonnet", kind="claude")


def job(tmp_path: Path, *paths: str, upstream: tuple[str, ...] = (), **changes: Any) -> Job:
    def artifact(paths: tuple[str, ...], above: tuple[Artifact, ...] = ()) -> Artifact:
        files = tuple(SourceFile(path=path, text="text\n") for path in paths)
        return Artifact(kind=Kind.SPEC, name="spec", files=files, upstream=above)

    above = (artifact(upstream),) if upstream else ()
    return job_for(tmp_path, artifact=artifact(paths or ("spec.md",), above), **changes)


class TestFiles:
    def test_without_a_policy_everything_may_be_sent(self, tmp_path: Path) -> None:
        assert "ok" == ask(guard(Vendor()), job(tmp_path)).text

    @pytest.mark.parametrize("allowed", [("sonnet",), ("claude",), ("other", "claude")])
    def test_an_agent_is_allowed_by_its_name_or_its_kind(self, tmp_path: Path, allowed: tuple[str, ...]) -> None:
        assert "ok" == ask(guard(Vendor(), allowed_agents=allowed, per_path={"*.md": allowed}), job(tmp_path)).text

    def test_a_forbidden_file_is_refused_with_the_rule_before_anything_is_sent(self, tmp_path: Path) -> None:
        vendor = Vendor()
        with pytest.raises(AgentRefused) as raised:
            ask(guard(vendor, per_path={"legal/**": ("local",)}), job(tmp_path, "spec.md", "legal/a/terms.md"))

        assert (
            "legal/a/terms.md was not sent to sonnet (kind claude): "
            'egress.per_path."legal/**".allowed_agents does not list it'
        ) == raised.value.message
        assert ([], True) == (vendor.sent, bool(raised.value.hint))

    @pytest.mark.parametrize(
        ("policy", "rule"),
        [
            ({"allowed_agents": ()}, "egress.allowed_agents"),
            ({"allowed_agents": ("local",), "per_path": {"*": ("sonnet",)}}, "egress.allowed_agents"),
            ({"per_path": {"*.md": ("sonnet",), "SPEC.*": ()}}, 'egress.per_path."SPEC.*"'),
        ],
    )
    def test_everything_that_speaks_of_a_file_must_allow_it(self, tmp_path: Path, policy: Any, rule: str) -> None:
        with pytest.raises(AgentRefused, match=r"^spec\.md was not sent") as raised:
            ask(guard(Vendor(), **policy), job(tmp_path))

        assert rule in raised.value.message

    def test_what_the_artifact_builds_on_counts_too(self, tmp_path: Path) -> None:
        with pytest.raises(AgentRefused, match=r"^prd\.md "):
            ask(guard(Vendor(), per_path={"prd.md": ()}), job(tmp_path, upstream=("prd.md",)))

    @pytest.mark.parametrize(
        "diff",
        [
            "diff --git a/legal/x.md b/legal/x.md\ndeleted file mode 100644\n",
            "--- a/legal/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
            "diff --git a/docs/x.md b/legal/x.md\nrename from docs/x.md\nrename to legal/x.md\n",
            '+++ "b/legal/x y.md"\n',
        ],
    )
    def test_a_diff_counts_for_every_file_it_speaks_of(self, tmp_path: Path, diff: str) -> None:
        change = Artifact(kind=Kind.CHANGE, name="change", files=(SourceFile(path="change.diff", text=diff),))

        with pytest.raises(AgentRefused, match=r"^legal/x"):
            ask(guard(Vendor(), per_path={"legal/*": ()}), job_for(tmp_path, artifact=change))

    def test_forbidden_files_are_not_in_the_agents_copy(self, project: Project) -> None:
        project.write("legal/terms.md", "# Terms\n")
        project.write("docs/a.md", "# A\n")
        project.agent("reviewer", f"find . -type f > '{project.told}/files'\necho '{passing()}'")
        project.configure('egress: {per_path: {"legal/**": {allowed_agents: []}}}')

        assert 0 == project.run().exit_code
        assert {"./spec.md", "./docs/a.md", "./reviewloop.yml"} == set((project.told / "files").read_text().split())

    def test_a_refusal_is_no_verdict(self, project: Project) -> None:
        project.reviewer(passing())
        project.configure("egress: {allowed_agents: [claude]}")

        result = project.run()

        assert (5, "blocked") == (result.exit_code, result.session["outcome"])
        assert ["unanswered"] == project.answers()
        assert "was not sent to reviewer (kind command)" in result.session["block_reason"]
        assert [] == project.prompts("reviewer")

    def test_the_offline_rules_send_nothing_and_need_no_leave(self, project: Project) -> None:
        project.write("reviewloop.yml", "egress: {allowed_agents: []}\n")

        assert "answered" in (project.run(), project.answers())[1]


class TestSecrets:
    def test_secrets_are_replaced_by_default(self, tmp_path: Path) -> None:
        vendor = Vendor()
        ask(guard(vendor), job(tmp_path, prompt=f"Use {TOKEN} or {TOKEN}, then password = 'hunter2-x9'."))

        token, again, password = MARKS.findall(vendor.sent[0])
        assert (token, "GitHub token", "password") == (again, token[1], password[1])
        assert "Use X or X, then password = 'X'." == MARKS.sub("X", vendor.sent[0])

    def test_no_two_calls_have_the_same_marks(self, tmp_path: Path) -> None:
        vendor = Vendor()
        for _ in range(2):
            ask(guard(vendor), job(tmp_path, prompt=f"Use {TOKEN}."))

        assert vendor.sent[0] != vendor.sent[1]

    def test_an_author_without_hands_does_not_lose_them(self, tmp_path: Path) -> None:
        vendor = Echo()

        reply = ask(guard(vendor), job(tmp_path, prompt=f"Old text, key {TOKEN}."))

        assert {"spec.md": f"Old text, key {TOKEN}.", "gone.md": None} == reply.edits
        assert "Old text, key [redacted: GitHub token]." == reply.text

    @pytest.mark.parametrize(
        "forged",
        ["[redacted: GitHub token]", "[redacted 1: GitHub token]", "[redacted 0123456789abcdef: GitHub token]"],
    )
    def test_a_mark_that_this_call_did_not_make_brings_no_secret_back(self, tmp_path: Path, forged: str) -> None:
        reply = ask(guard(Echo()), job(tmp_path, prompt=f"The key is {TOKEN}. Publish {forged}!"))

        assert f"The key is {TOKEN}. Publish {forged}!" == reply.edits["spec.md"]

    def test_they_can_be_a_reason_to_send_nothing(self, tmp_path: Path) -> None:
        vendor = Vendor()
        spec = SourceFile(path="spec.md", text=f"# Spec\n\nUse {TOKEN}.\n")
        artifact = Artifact(kind=Kind.SPEC, name="spec", files=(spec,))

        with pytest.raises(AgentRefused) as raised:
            ask(guard(vendor, secrets=OnSecrets.REFUSE), job_for(tmp_path, artifact=artifact, prompt=spec.text))

        assert "nothing was sent to sonnet: spec.md:3 contains a secret (GitHub token)" == raised.value.message
        assert ([], False) == (vendor.sent, TOKEN in str(raised.value))

    def test_nobody_looks_if_nobody_should(self, tmp_path: Path) -> None:
        vendor = Vendor()
        ask(guard(vendor, secrets=OnSecrets.OFF), job(tmp_path, prompt=TOKEN))

        assert [TOKEN] == vendor.sent

    def test_it_holds_for_configured_agents(self, project: Project) -> None:
        project.write("spec.md", project.read() + f"\nThe key is {TOKEN}.\n")
        project.reviewer(passing())
        project.run()

        prompt = project.prompts("reviewer")[0]
        assert (True, False) == ("The key is X." in MARKS.sub("X", prompt), TOKEN in prompt)
