"""Kind `acp`: any agent that speaks the Agent Client Protocol. It needs `pip install 'reviewloop[acp]'`.

The client offers no files and no terminal, so the agent works in its own copy with its own tools. When the agent asks
for permission, a reviewer may read and an author may also edit, inside that copy. An agent that does not ask is
restricted by its session mode, which is a setting, and by the copy, which is deleted afterwards.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from pydantic import Field

from reviewloop.agents.process import host, processes
from reviewloop.agents.process.processes import Conversation
from reviewloop.core.types.review import Usage
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, AgentTimedOut
from reviewloop.ports import Job, Reply, Role

if TYPE_CHECKING:
    from acp.core import Client, ClientSideConnection
    from acp.schema import InitializeResponse, PromptResponse

    from reviewloop.agents.kinds.acp_client import PermissionClient

# The protocol puts a whole message on one line, and asyncio's default limit is 64 kB.
_LINE_LIMIT = 32 * 1024 * 1024
_AUTH_REQUIRED = -32000
_CANCEL_SECONDS = 2.0
_CLOSING_SECONDS = 2.0
_CUT_SHORT = {
    "max_tokens": "it reached its token limit",
    "max_turn_requests": "it used all its turns",
    "cancelled": "it cancelled the call",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AcpSettings:
    """The settings of an ACP agent.

    `mode` is the session mode for each role. `meta` becomes the new session's `_meta` field, through which some agents
    take settings.
    """

    command: Annotated[list[str], Field(min_length=1)]
    mode: dict[Role, str] = field(default_factory=dict[Role, str])
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Acp:
    Settings = AcpSettings
    edits_files = True

    def __init__(self, name: str, settings: AcpSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._base = base

    async def probe(self) -> str:
        """Return the program's path. Only a call shows whether it is logged in."""
        await asyncio.to_thread(self._permission_client, Role.REVIEW, None)
        return processes.find_program(self._settings.command[0], base=self._base)

    async def ask(self, job: Job) -> Reply:
        client = await asyncio.to_thread(
            self._permission_client, job.role, job.directory
        )  # importing acp takes a second
        limit = min(self._settings.timeout or job.timeout, job.timeout)
        began = time.monotonic()
        settings = self._settings
        async with host.converse(
            job, settings.command, base=self._base, env=settings.env, line_limit=_LINE_LIMIT
        ) as program:
            exchange = await self._exchange(job, program, client, limit)
        client.check_length()
        usage = exchange.response.usage
        info = exchange.agent.agent_info
        return Reply(
            text=client.answer,
            usage=Usage(
                input_tokens=usage.input_tokens if usage else None,
                output_tokens=usage.output_tokens if usage else None,
                seconds=time.monotonic() - began,
            ),
            version=f"{info.name} {info.version}" if info else None,
            agent_session=exchange.session,
            denials=tuple(client.denials),
        )

    def _permission_client(self, role: Role, directory: Path | None) -> PermissionClient:
        try:
            from reviewloop.agents.kinds.acp_client import PermissionClient
        except ImportError as error:
            message = f"agent `{self._name}`: kind `acp` needs a library that is not installed ({error.name})"
            raise AgentMissing(message, hint="pip install 'reviewloop[acp]'") from error
        return PermissionClient(role, directory, limit=processes.STDOUT_LIMIT)

    async def _exchange(self, job: Job, program: Conversation, client: PermissionClient, limit: float) -> _Exchange:
        from acp import connect_to_agent
        from acp.exceptions import RequestError

        connection = connect_to_agent(cast("Client", client), program.writer, program.reader)
        asking = asyncio.create_task(self._ask(job, connection, program.directory, client))
        ending = asyncio.create_task(program.ended())
        try:
            await asyncio.wait((asking, ending), timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            if ending.done():
                raise self._exited_early(program, ending.result())
            await _cancel(connection, client)
            # The agent answers once it has stopped. Killed before that, it could not stop what it started elsewhere.
            await asyncio.wait((asking, ending), timeout=_CANCEL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            message = f"no answer within {limit:g} s"
            raise AgentTimedOut(message, stderr=program.stderr, hint="raise `timeout`")
        except RequestError as error:
            raise self._error(error, program) from error
        except (ConnectionError, EOFError) as error:
            await asyncio.wait((ending,), timeout=_CLOSING_SECONDS)
            raise self._exited_early(program, program.process.poll()) from error
        finally:
            for task in (asking, ending):
                task.cancel()
            await asyncio.gather(asking, ending, return_exceptions=True)
            await connection.close()

    async def _ask(
        self, job: Job, connection: ClientSideConnection, directory: Path, client: PermissionClient
    ) -> _Exchange:
        from acp import PROTOCOL_VERSION, text_block
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        no_files = FileSystemCapabilities(read_text_file=False, write_text_file=False)
        agent = await connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=no_files, terminal=False),
            client_info=Implementation(name="reviewloop", version="1"),
        )
        session = await connection.new_session(cwd=str(directory), mcp_servers=[], **self._settings.meta)
        client.session = session.session_id
        if mode := self._settings.mode.get(job.role):
            await connection.set_session_mode(session_id=session.session_id, mode_id=mode)
        response = await connection.prompt(session_id=session.session_id, prompt=[text_block(job.prompt)])
        if response.stop_reason == "refusal":
            raise AgentRefused(f"{self._name} refused to answer")
        if reason := _CUT_SHORT.get(response.stop_reason):
            raise AgentFailed(f"{self._name} gave no complete answer: {reason}")
        return _Exchange(agent=agent, session=session.session_id, response=response)

    def _error(self, error: Any, program: Conversation) -> AgentError:
        message = f"{self._name}: {error}" + (f": {_detail(error.data)}" if error.data else "")
        if error.code == _AUTH_REQUIRED:
            return AgentRefused(message, stderr=program.stderr, hint="log in with the agent's own program first")
        return AgentFailed(message, stderr=program.stderr)

    def _exited_early(self, program: Conversation, returncode: int | None) -> AgentFailed:
        lines = program.stderr.strip().splitlines()
        event = "closed the connection" if returncode is None else f"exited with code {returncode}"
        message = f"{self._name} {event} before it answered" + (f": {lines[-1]}" if lines else "")
        return AgentFailed(message, returncode=returncode, stderr=program.stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """A completed prompt: the agent that answered, its session and its response."""

    agent: InitializeResponse
    session: str
    response: PromptResponse


async def _cancel(connection: ClientSideConnection, client: PermissionClient) -> None:
    """Tell the agent to stop, so that it can stop what it started elsewhere. Its process is ended in any case."""
    if client.session:
        try:
            await asyncio.wait_for(connection.cancel(session_id=client.session), _CANCEL_SECONDS)
        except (TimeoutError, ConnectionError):
            return


def _detail(data: object) -> str:
    if isinstance(data, Mapping):
        return ", ".join(f"{key} {value}" for key, value in data.items())  # pyright: ignore[reportUnknownVariableType]
    return str(data)
