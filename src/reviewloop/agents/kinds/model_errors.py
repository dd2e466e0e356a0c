"""Converts errors of a model's API to agent errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from reviewloop.errors import AgentError, AgentFailed, AgentRefused

if TYPE_CHECKING:
    from pydantic_ai.exceptions import AgentRunError

_LONGEST = 300


def as_agent_error(error: AgentRunError, agent: str, key_source: str) -> AgentError:
    from pydantic_ai import exceptions

    message = _provider_message(error)
    match error:
        case exceptions.ModelAuthenticationError():
            return AgentRefused(f"{agent}'s provider denied access: {message}", hint=f"check the key ({key_source})")
        case exceptions.ModelQuotaExceededError():
            return AgentRefused(
                f"{agent}'s quota is used up: {message}", hint=f"check the account's limits ({key_source})"
            )
        case exceptions.ModelNotFoundError():
            return AgentFailed(f"{agent}: unknown model: {message}", hint="check `model` and `base_url`")
        case exceptions.ModelContextWindowExceededError():
            return AgentFailed(f"{agent}: the prompt is too long for the model: {message}", hint="choose another model")
        case exceptions.ModelRequestRejectedError():
            return AgentFailed(f"{agent}'s provider rejected the request: {message}")
        case exceptions.ModelConnectionError():
            hint = "check the network, and `base_url` if it is set"
            return AgentFailed(f"{agent}'s provider cannot be reached: {message}", hint=hint, transient=True)
        case exceptions.ModelRateLimitError() | exceptions.ModelUnavailableError() | exceptions.ModelServerError():
            text = f"{agent}'s provider is overloaded or limits calls: {message}"
            return AgentFailed(text, transient=True, retry_after=error.retry_after)
        case exceptions.ContentFilterError():
            return AgentRefused(f"{agent}'s provider refused to answer: {message}")
        case _:
            return AgentFailed(f"{agent}'s provider sent an unreadable answer: {message}")


def _provider_message(error: AgentRunError) -> str:
    """Return the provider's message, shortened to one line."""
    status = getattr(error, "status_code", None)
    message = _message(getattr(error, "body", None)) or error.message
    line = " ".join(message.split())[:_LONGEST]
    return f"{status}, {line}" if status else line


def _message(body: object) -> str:
    """Return the message in an error's body, which most vendors nest once or twice."""
    while isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        body = fields.get("error") or fields.get("message") or ""
    return body if isinstance(body, str) else ""
