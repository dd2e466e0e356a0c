"""The vendors of kind `model`, the clients for their APIs, and their errors as agent errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, ConfigError

if TYPE_CHECKING:
    from pydantic_ai.exceptions import AgentRunError
    from pydantic_ai.models import Model

KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
"""The environment variables that may hold each vendor's key, in order."""

_NO_KEY = "none-needed"
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A model that can be called. `key_source` says in words where its key comes from."""

    model: Model
    key_source: str


def provider_of(model: str, *, agent: str) -> str:
    provider, _, name = model.partition(":")
    if provider not in KEYS or not name:
        raise ConfigError(
            f"agent `{agent}`: `model` must name a vendor and a model, such as `anthropic:NAME`",
            hint=f"vendors: {', '.join(KEYS)}; `openai:` with `base_url` is any server that speaks Chat Completions",
        )
    return provider


def build_client(model: str, *, base_url: str | None, api_key_env: str | None, agent: str) -> Client:
    """Build the client for a model.

    Raises:
        AgentMissing: The library is not installed, or the key is not set.
    """
    provider, _, name = model.partition(":")
    variable = _key_variable(provider, base_url, api_key_env, agent)
    key = os.environ[variable] if variable else _NO_KEY
    source = f"key from {variable}" if variable else "no key"
    try:
        return Client(model=_build_model(provider, name, base_url, key), key_source=source)
    except ImportError as error:
        message = f"agent `{agent}`: kind `model` needs a library that is not installed ({error.name or error})"
        raise AgentMissing(message, hint="pip install 'reviewloop[models]'") from error


def _key_variable(provider: str, base_url: str | None, api_key_env: str | None, agent: str) -> str | None:
    """Return the variable that holds the key. A server at `base_url` gets only a key that `api_key_env` names."""
    if base_url and not api_key_env:
        return None
    names = (api_key_env,) if api_key_env else KEYS[provider]
    for name in names:
        if os.environ.get(name, "").strip():
            return name
    message = f"agent `{agent}` has no key: {' or '.join(names)} is not set"
    raise AgentMissing(message, hint=f"export {names[0]}=..., or name another variable with `api_key_env`")


def _build_model(provider: str, name: str, base_url: str | None, key: str) -> Model:
    match provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=base_url))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=base_url))
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIChatModel(name, provider=OpenAIProvider(api_key=key, base_url=base_url))


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
