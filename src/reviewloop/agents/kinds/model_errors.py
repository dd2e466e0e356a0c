"""What a model's API says went wrong, as errors by their cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from reviewloop.errors import AgentError, AgentFailed, AgentRefused

if TYPE_CHECKING:
    from pydantic_ai.exceptions import AgentRunError

_LONGEST = 300


def as_agent_error(error: AgentRunError, agent: str, key: str) -> AgentError:
    """The error as one of ours. `key` says whose key was used."""
    from pydantic_ai import exceptions as theirs

    said = _said(error)
    match error:
        case theirs.ModelAuthenticationError():
            return AgentRefused(f"{agent} is not allowed in: {said}", hint=f"check the key and its rights ({key})")
        case theirs.ModelQuotaExceededError():
            return AgentRefused(f"{agent}'s account is used up: {said}", hint=f"look at the account's limits ({key})")
        case theirs.ModelNotFoundError():
            return AgentFailed(f"{agent}: there is no such model: {said}", hint="check `model` and `base_url`")
        case theirs.ModelContextWindowExceededError():
            return AgentFailed(f"{agent}: the text is too long for the model: {said}", hint="choose another model")
        case theirs.ModelRequestRejectedError():
            return AgentFailed(f"{agent}'s provider rejected the request: {said}")
        case theirs.ModelConnectionError():
            hint = "check the network, and `base_url` if it is set"
            return AgentFailed(f"{agent} cannot be reached: {said}", hint=hint, transient=True)
        case theirs.ModelRateLimitError() | theirs.ModelUnavailableError() | theirs.ModelServerError():
            after = error.retry_after
            return AgentFailed(f"{agent} has no capacity now: {said}", transient=True, retry_after=after)
        case theirs.ContentFilterError():
            return AgentRefused(f"{agent}'s provider refused to answer this: {said}")
        case _:
            return AgentFailed(f"{agent}'s provider gave no answer that can be read: {said}")


def _said(error: AgentRunError) -> str:
    """The provider's own words, on one line and of bearable length."""
    status = getattr(error, "status_code", None)
    words = _message(getattr(error, "body", None)) or error.message
    line = " ".join(words.split())[:_LONGEST]
    return f"{status}, {line}" if status else line


def _message(body: object) -> str:
    """The message in an error's body, which most vendors wrap once or twice."""
    while isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        body = fields.get("error") or fields.get("message") or ""
    return body if isinstance(body, str) else ""
