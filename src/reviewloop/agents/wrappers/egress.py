"""Keeps forbidden files and secrets from being sent to an agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from secrets import token_hex

from reviewloop import redaction
from reviewloop.agents.wrappers.wrapper import Wrapper
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.egress import Egress, OnSecrets
from reviewloop.errors import AgentRefused
from reviewloop.ports import Agent, Job, Reply

LOCAL_KINDS = ("static", "replay")
"""Kinds that send nothing over the network."""

_IN_DIFF = re.compile(r'^(?:diff --git|---|\+{3}|(?:rename|copy) (?:from|to)) "?(?:[ab]/)?(.+?)"?$', re.MULTILINE)
_BOTH_IN_DIFF = re.compile(r'^(.+?)"? "?b/(.+)$')


class EgressGuard(Wrapper):
    """Sends an agent only what the policy allows.

    Args:
        inner: The agent.
        policy: Which agents may be sent which files, and what to do with secrets.
        name: The agent's name in the configuration.
        kind: The agent's kind.
    """

    def __init__(self, inner: Agent, policy: Egress, *, name: str, kind: str) -> None:
        super().__init__(inner)
        self._policy = policy
        self._name = name
        self._kind = kind

    def hides(self, path: str) -> bool:
        return self._policy.forbidding(path, self._name, self._kind) is not None or super().hides(path)

    async def ask(self, job: Job) -> Reply:
        for path in sorted(set(_sent_paths(job.artifact))):
            if rule := self._policy.forbidding(path, self._name, self._kind):
                raise AgentRefused(
                    f"{path} was not sent to {self._name} (kind {self._kind}): {rule} does not list it",
                    hint="add the agent or its kind to that setting, or use another agent",
                )
        if self._policy.secrets is OnSecrets.OFF:
            return await self.inner.ask(job)
        if self._policy.secrets is OnSecrets.REFUSE:
            self._refuse_secrets(job)
            return await self.inner.ask(job)
        redacted = _redact(job.prompt)
        reply = await self.inner.ask(replace(job, prompt=redacted.text))
        edits = {path: text and redacted.restored(text) for path, text in reply.edits.items()}
        return replace(reply, text=redacted.readable(reply.text), edits=edits)

    def _refuse_secrets(self, job: Job) -> None:
        if found := redaction.find(job.prompt):
            where = next(_secret_places(job.artifact), "the prompt")
            raise AgentRefused(
                f"nothing was sent to {self._name}: {where} contains a secret ({found[0].kind})",
                hint="remove it, or set `egress.secrets` to `redact`",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Redacted:
    """A text with a mark for each of its secrets. A mark has a random token, new in every call: nobody can guess it."""

    text: str
    secrets: dict[str, redaction.Secret]
    values: dict[str, str]

    def restored(self, text: str) -> str:
        """Put the secrets back into an author's text, which repeats the marks of this call."""
        for mark, value in self.values.items():
            text = text.replace(mark, value)
        return text

    def readable(self, text: str) -> str:
        """Take the tokens out of an answer: the same secret then reads the same in every call."""
        for mark, secret in self.secrets.items():
            text = text.replace(mark, redaction.mark_of(secret.kind))
        return text


def _redact(text: str) -> _Redacted:
    marks: dict[str, str] = {}
    found: dict[str, redaction.Secret] = {}

    def mark(secret: redaction.Secret) -> str:
        value = text[secret.start : secret.end]
        if value not in marks:
            marks[value] = redaction.mark_of(secret.kind, token_hex(8))
            found[marks[value]] = secret
        return marks[value]

    redacted = redaction.replace_secrets(text, mark)
    return _Redacted(text=redacted, secrets=found, values={mark: value for value, mark in marks.items()})


def _secret_places(artifact: Artifact) -> Iterator[str]:
    """Yield the file and line of every secret in an artifact."""
    for file in (file for document in (artifact, *artifact.upstream) for file in document.files):
        for secret in redaction.find(file.text):
            yield f"{file.path}:{file.text.count(chr(10), 0, secret.start) + 1}"


def _sent_paths(artifact: Artifact) -> Iterator[str]:
    """Yield the path of every file whose text would be sent, including the files in a diff."""
    for document in (artifact, *artifact.upstream):
        yield from document.paths
        if document.kind is Kind.CHANGE and document.files:
            for named in _IN_DIFF.findall(document.files[0].text):
                both = _BOTH_IN_DIFF.match(named)
                yield from both.groups() if both else (named,)
