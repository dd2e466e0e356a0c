"""The vendors of kind `model`, and the clients for their APIs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewloop.errors import AgentMissing, ConfigError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
"""The environment variables that may hold each vendor's key, in order."""

_NO_KEY = "none-needed"


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
