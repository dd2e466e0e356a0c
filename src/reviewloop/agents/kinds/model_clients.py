"""The vendors whose models can be asked directly, and how their clients are made."""

from __future__ import annotations

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
"""Vendors, and the variables in which their keys are looked for."""

_NO_KEY = "none-needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A model that can be asked, and whose key it uses, in words."""

    model: Model
    key: str


def provider_of(model: str, *, agent: str) -> str:
    provider, _, name = model.partition(":")
    if provider not in KEYS or not name:
        raise ConfigError(
            f"agent `{agent}`: `model` must name a vendor and a model, such as `anthropic:NAME`",
            hint=f"vendors: {', '.join(KEYS)}; `openai:` with `base_url` is any server that speaks Chat Completions",
        )
    return provider


def client(
    model: str, *, base_url: str | None, api_key_env: str | None, environment: Mapping[str, str], agent: str
) -> Client:
    """The client for a model.

    Raises:
        AgentMissing: The library or the key is not there.
    """
    provider, _, name = model.partition(":")
    variable = _variable(provider, base_url, api_key_env, environment, agent)
    key = environment[variable] if variable else _NO_KEY
    told = f"key from {variable}" if variable else "no key"
    try:
        return Client(model=_made(provider, name, base_url, key), key=told)
    except ImportError as error:
        message = f"agent `{agent}`: kind `model` needs a library that is not installed ({error.name or error})"
        raise AgentMissing(message, hint="pip install 'reviewloop[models]'") from error


def _variable(
    provider: str, base_url: str | None, api_key_env: str | None, environment: Mapping[str, str], agent: str
) -> str | None:
    """The variable that holds the key. A server of the user's own is not sent a vendor's key unless it is named."""
    if base_url and not api_key_env:
        return None
    names = (api_key_env,) if api_key_env else KEYS[provider]
    for name in names:
        if environment.get(name, "").strip():
            return name
    message = f"agent `{agent}` has no key: {' or '.join(names)} is not set"
    raise AgentMissing(message, hint=f"export {names[0]}=..., or name another variable with `api_key_env`")


def _made(provider: str, name: str, base_url: str | None, key: str) -> Model:
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
