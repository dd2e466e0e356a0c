"""Kind `acp`: any agent that speaks the Agent Client Protocol. It needs `pip install 'reviewloop[acp]'`.

The agent is told that we have no files and no terminal for it, so that it works in its own copy with its own tools.
When it asks for permission, a reviewer may read and an author may also edit, inside that copy. An agent that does not
ask is kept read-only by its session mode, which is a setting, and by the copy, which is thrown away.
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

    from reviewloop.agents.kinds.acp_client import Listener

# The protocol puts a whole message on one line; asyncio's own limit would be 64 kB.
_LINE_LIMIT = 32 * 1024 * 1024
_AUTH_REQUIRED = -32000
_CANCEL_SECONDS = 2.0
_CLOSING_SECONDS = 2.0
_CUT_SHORT = {
    "max_tokens": "its answer was cut off",
    "max_turn_requests": "it used all its turns",
    "cancelled": "it cancelled the call",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AcpSettings:
    """What to run and how to keep it in bounds.

    `mode` is the session mode by role; `meta` is what a new session's `_meta` field holds, which is how some agents
    take settings.
    """

    command: Annotated[list[str], Field(min_length=1)]
    mode: dict[Role, str] = field(default_factory=dict[Role, str])
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Acp:
    """An agent that is spoken with in the Agent Client Protocol."""

    Settings = AcpSettings
    edits_files = True

    def __init__(self, name: str, settings: AcpSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._base = base

    async def probe(self) -> str:
        """Say where the program is. Whether it is logged in shows only in a call."""
        await asyncio.to_thread(self._listener, Role.REVIEW, None)
        return processes.find_program(self._settings.command[0], base=self._base)

    async def ask(self, job: Job) -> Reply:
        listener = await asyncio.to_thread(self._listener, job.role, job.directory)  # loading takes a second
        limit = min(self._settings.timeout or job.timeout, job.timeout)
        began = time.monotonic()
        mine = self._settings
        async with host.converse(
            job, mine.command, base=self._base, env=mine.env, line_limit=_LINE_LIMIT
        ) as conversing:
            told = await self._conversation(job, conversing, listener, limit)
        listener.check_length()
        usage = told.response.usage
        info = told.agent.agent_info
        return Reply(
            text=listener.answer,
            usage=Usage(
                input_tokens=usage.input_tokens if usage else None,
                output_tokens=usage.output_tokens if usage else None,
                seconds=time.monotonic() - began,
            ),
            version=f"{info.name} {info.version}" if info else None,
            agent_session=told.session,
            denials=tuple(listener.denials),
        )

    def _listener(self, role: Role, directory: Path | None) -> Listener:
        try:
            from reviewloop.agents.kinds.acp_client import Listener
        except ImportError as error:
            message = f"agent `{self._name}`: kind `acp` needs a library that is not installed ({error.name})"
            raise AgentMissing(message, hint="pip install 'reviewloop[acp]'") from error
        return Listener(role, directory, limit=processes.STDOUT_LIMIT)

    async def _conversation(self, job: Job, conversing: host.Conversing, listener: Listener, limit: float) -> _Told:
        from acp import connect_to_agent
        from acp.exceptions import RequestError

        program = conversing.program
        connection = connect_to_agent(cast("Client", listener), program.writer, program.reader)
        asking = asyncio.create_task(self._ask(job, connection, conversing.directory, listener))
        ending = asyncio.create_task(program.ended())
        try:
            await asyncio.wait((asking, ending), timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            if ending.done():
                raise self._gone(program, ending.result())
            await _cancel(connection, listener)
            # It answers when it has stopped; ended before it has heard, it could stop nothing.
            await asyncio.wait((asking, ending), timeout=_CANCEL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            message = f"no answer within {limit:g} s"
            raise AgentTimedOut(message, stderr=program.stderr, hint="give it more time with `timeout`")
        except RequestError as error:
            raise self._error(error, program) from error
        except (ConnectionError, EOFError) as error:
            await asyncio.wait((ending,), timeout=_CLOSING_SECONDS)
            raise self._gone(program, program.process.poll()) from error
        finally:
            for task in (asking, ending):
                task.cancel()
            await asyncio.gather(asking, ending, return_exceptions=True)
            await connection.close()

    async def _ask(self, job: Job, connection: ClientSideConnection, directory: Path, listener: Listener) -> _Told:
        from acp import PROTOCOL_VERSION, text_block
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        no_files = FileSystemCapabilities(read_text_file=False, write_text_file=False)
        agent = await connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=no_files, terminal=False),
            client_info=Implementation(name="reviewloop", version="1"),
        )
        session = await connection.new_session(cwd=str(directory), mcp_servers=[], **self._settings.meta)
        listener.session = session.session_id
        if mode := self._settings.mode.get(job.role):
            await connection.set_session_mode(session_id=session.session_id, mode_id=mode)
        response = await connection.prompt(session_id=session.session_id, prompt=[text_block(job.prompt)])
        if response.stop_reason == "refusal":
            raise AgentRefused(f"{self._name} refused to answer this")
        if why := _CUT_SHORT.get(response.stop_reason):
            raise AgentFailed(f"{self._name} gave no answer: {why}")
        return _Told(agent=agent, session=session.session_id, response=response)

    def _error(self, error: Any, program: Conversation) -> AgentError:
        said = f"{self._name}: {error}" + (f": {_detail(error.data)}" if error.data else "")
        if error.code == _AUTH_REQUIRED:
            return AgentRefused(said, stderr=program.stderr, hint="log in with the agent's own program first")
        return AgentFailed(said, stderr=program.stderr)

    def _gone(self, program: Conversation, returncode: int | None) -> AgentFailed:
        said = program.stderr.strip().splitlines()
        message = f"{self._name} ended before it answered, with {returncode}" + (f": {said[-1]}" if said else "")
        return AgentFailed(message, returncode=returncode, stderr=program.stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """Who answered, in which session, and how it ended."""

    agent: InitializeResponse
    session: str
    response: PromptResponse


async def _cancel(connection: ClientSideConnection, listener: Listener) -> None:
    """Tell the agent to stop, so that it can end what it has begun elsewhere. It is ended in any case."""
    if listener.session:
        try:
            await asyncio.wait_for(connection.cancel(session_id=listener.session), _CANCEL_SECONDS)
        except (TimeoutError, ConnectionError):
            return


def _detail(data: object) -> str:
    if isinstance(data, Mapping):
        return ", ".join(f"{key} {value}" for key, value in data.items())  # pyright: ignore[reportUnknownVariableType]
    return str(data)
