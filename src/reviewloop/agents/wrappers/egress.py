"""Keeps what must not leave the machine from an agent: files by policy, secrets by their looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reviewloop.agents import redaction as secrets
from reviewloop.agents.wrappers.wrapper import Around
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.egress import Egress, OnSecrets
from reviewloop.errors import AgentRefused
from reviewloop.ports import Agent, Job, Reply

LOCAL_KINDS = ("static", "replay")
"""Kinds that send nothing anywhere."""

_IN_DIFF = re.compile(r'^(?:diff --git|---|\+{3}|(?:rename|copy) (?:from|to)) "?(?:[ab]/)?(.+?)"?$', re.MULTILINE)
_BOTH_IN_DIFF = re.compile(r'^(.+?)"? "?b/(.+)$')


class EgressGuard(Around):
    """An agent that is sent only what the policy allows.

    Args:
        inner: The agent.
        policy: What may be sent to whom.
        name: What the configuration calls the agent.
        kind: What it is.
    """

    def __init__(self, inner: Agent, policy: Egress, *, name: str, kind: str) -> None:
        super().__init__(inner)
        self._policy = policy
        self._name = name
        self._kind = kind

    def hides(self, path: str) -> bool:
        return self._policy.forbidding(path, self._name, self._kind) is not None or super().hides(path)

    async def ask(self, job: Job) -> Reply:
        for path in sorted(set(_paths(job.artifact))):
            if rule := self._policy.forbidding(path, self._name, self._kind):
                raise AgentRefused(
                    f"{path} may not be sent to {self._name} (kind {self._kind}): {rule} does not name it",
                    hint="name the agent or its kind there, or let another agent do this",
                )
        if self._policy.secrets is OnSecrets.OFF:
            return await self.inner.ask(job)
        if self._policy.secrets is OnSecrets.REFUSE:
            self._refuse_secrets(job)
            return await self.inner.ask(job)
        covered = _cover(job.prompt)
        reply = await self.inner.ask(replace(job, prompt=covered.text))
        return replace(reply, edits={path: text and covered.restored(text) for path, text in reply.edits.items()})

    def _refuse_secrets(self, job: Job) -> None:
        if found := secrets.find(job.prompt):
            where = next(_places(job.artifact), "the prompt")
            raise AgentRefused(
                f"nothing was sent to {self._name}: {where} holds a secret ({found[0].kind})",
                hint="take it out, or set `egress.secrets` to `redact`",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Covered:
    """A text without its secrets, and what stands for each of them."""

    text: str
    hidden: dict[str, str]

    def restored(self, text: str) -> str:
        """The text of an author, who wrote what stands for a secret where the secret has to stay."""
        for stand_in, secret in self.hidden.items():
            text = text.replace(stand_in, secret)
        return text


def _cover(text: str) -> _Covered:
    stand_ins: dict[str, str] = {}

    def stand_in(secret: secrets.Secret) -> str:
        value = text[secret.start : secret.end]
        return stand_ins.setdefault(value, f"[redacted {len(stand_ins) + 1}: {secret.kind}]")

    covered = secrets.replaced(text, stand_in)
    return _Covered(text=covered, hidden={stand_in: value for value, stand_in in stand_ins.items()})


def _places(artifact: Artifact) -> Iterator[str]:
    """Where an artifact holds secrets."""
    for file in (file for one in (artifact, *artifact.upstream) for file in one.files):
        for secret in secrets.find(file.text):
            yield f"{file.path}:{file.text.count(chr(10), 0, secret.start) + 1}"


def _paths(artifact: Artifact) -> Iterator[str]:
    """Every file whose text an artifact holds, those that a diff speaks of included."""
    for one in (artifact, *artifact.upstream):
        yield from one.paths
        if one.kind is Kind.CHANGE and one.files:
            for named in _IN_DIFF.findall(one.files[0].text):
                both = _BOTH_IN_DIFF.match(named)
                yield from both.groups() if both else (named,)
