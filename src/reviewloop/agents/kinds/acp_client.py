"""The client side of an Agent Client Protocol session: collects the answer and decides on permissions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp.exceptions import RequestError
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    DeniedOutcome,
    FileEditToolCallContent,
    PermissionOption,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

from reviewloop.errors import AgentFailed
from reviewloop.ports import Role

_READS = frozenset({"read", "search", "think"})
_ALLOWED = {Role.REVIEW: _READS, Role.AUTHOR: _READS | {"edit"}}


class PermissionClient:
    """A client that grants what the role may do inside a directory.

    It has no methods for files and terminals: an agent that calls one gets a "method not found" error.
    """

    def __init__(self, role: Role, directory: Path | None, *, limit: int) -> None:
        self._role = role
        self._directory = directory.resolve() if directory else None
        self._limit = limit
        self._messages = [""]
        self._kinds: dict[str, str] = {}
        self._length = 0
        self.session: str | None = None
        self.denials: list[str] = []

    @property
    def answer(self) -> str:
        """The agent's last message. Messages between two tool calls are not part of the answer."""
        return next((text for text in reversed(self._messages) if text.strip()), "")

    def check_length(self) -> None:
        if self._length > self._limit:
            raise AgentFailed(f"the agent's answer is longer than {self._limit / 1e6:.1f} MB")

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:  # noqa: ARG002
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)):
                self._length += len(text)
                if self._length <= self._limit:
                    self._messages[-1] += text
            case ToolCallStart() | ToolCallProgress():
                if update.kind:
                    self._kinds[update.tool_call_id] = update.kind
                if self._messages[-1]:
                    self._messages.append("")
            case _:
                pass

    async def request_permission(
        self,
        session_id: str,  # noqa: ARG002 - a conversation has one session
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **_: Any,
    ) -> RequestPermissionResponse:
        kind = tool_call.kind or self._kinds.get(tool_call.tool_call_id, "unknown")
        granted = kind in _ALLOWED[self._role] and self._is_inside(tool_call)
        if not granted:
            self.denials.append(f"{kind}: {tool_call.title or tool_call.tool_call_id}"[:500])
        wanted = ("allow_once",) if granted else ("reject_once", "reject_always")
        for option in options:
            if option.kind in wanted:
                return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option.option_id))
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    def _is_inside(self, tool_call: ToolCallUpdate) -> bool:
        """Check that every path in the tool call is inside the agent's own directory."""
        if self._directory is None:
            return False
        edits = [content for content in tool_call.content or () if isinstance(content, FileEditToolCallContent)]
        paths = [place.path for place in (*(tool_call.locations or ()), *edits)]
        return all((self._directory / path).resolve().is_relative_to(self._directory) for path in paths)

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Ignore notifications that are not part of the protocol."""

    def on_connect(self, conn: Any) -> None:
        """Do nothing: the caller already holds the connection."""
