"""Kind `model`: a model's API, asked directly. It needs `pip install 'reviewloop[models]'`.

`model` is `anthropic:NAME`, `openai:NAME` or `google:NAME`; with `base_url`, `openai:` is any server that speaks Chat
Completions, such as Ollama or vLLM. A model cannot edit files, so as an author it answers with whole files.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from reviewloop.agents.kinds.model_clients import Client, as_agent_error, build_client, provider_of
from reviewloop.agents.kinds.whole_files import whole_files
from reviewloop.core.types.review import Usage
from reviewloop.errors import AgentFailed, AgentRefused, AgentTimedOut
from reviewloop.ports import Job, Reply, Role

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings as RequestSettings

# Anthropic's API requires a limit, and refuses a request without streaming whose limit is much higher than this.
_ANTHROPIC_TOKENS = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The settings of a model agent.

    `api_key_env` names the variable that holds the key. `answer_schema` says whether the server enforces the format of
    a review; the default is yes wherever the vendor's own API can.
    """

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    timeout: Annotated[float, Field(gt=0)] | None = None
    answer_schema: bool | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Model:
    """A model without tools: it sees nothing but the prompt."""

    Settings = ModelSettings
    edits_files = False

    def __init__(self, name: str, settings: ModelSettings, base: Path) -> None:  # noqa: ARG002 - all are built alike
        self._name = name
        self._settings = settings
        self._provider = provider_of(settings.model, agent=name)

    async def probe(self) -> str:
        """Return the model, its server and where its key comes from. Nothing is sent."""
        client = await asyncio.to_thread(self._client)
        return f"{self._settings.model} at {client.model.base_url}, {client.key_source}"

    async def ask(self, job: Job) -> Reply:
        limit = min(self._settings.timeout or job.timeout, job.timeout)
        began = time.monotonic()
        try:
            async with asyncio.timeout(limit):
                response = await self._request(job)
        except TimeoutError:
            raise AgentTimedOut(f"no answer within {limit:g} s", hint="raise `timeout`") from None
        text = _text(response, self._name)
        files = whole_files(text, job.marker, job.artifact) if job.role is Role.AUTHOR else None
        return Reply(
            text=text,
            usage=self._usage(response, time.monotonic() - began),
            model=response.model_name,
            agent_session=response.provider_response_id,
            edits=files.edits if files else {},
            denials=tuple(f"{path} is not part of the artifact" for path in files.others) if files else (),
        )

    def _client(self) -> Client:
        settings = self._settings
        return build_client(
            settings.model, base_url=settings.base_url, api_key_env=settings.api_key_env, agent=self._name
        )

    async def _request(self, job: Job) -> ModelResponse:
        client = await asyncio.to_thread(self._client)  # importing the libraries takes a second

        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError
        from pydantic_ai.messages import ModelRequest

        try:
            async with client.model:
                return await model_request(
                    client.model,
                    [ModelRequest.user_text_prompt(job.prompt)],
                    model_settings=self._request_settings(),
                    model_request_parameters=self._parameters(job, client.model.profile),
                )
        except AgentRunError as error:
            raise as_agent_error(error, self._name, client.key_source) from error
        except (
            TypeError,
            AttributeError,
            LookupError,
            ValueError,
        ) as error:  # the libraries do not validate what servers send
            raise AgentFailed(f"{self._name}'s provider sent an unreadable answer: {error}") from error

    def _request_settings(self) -> RequestSettings:
        # Reviewloop does the retrying (`retries`), in the same way for every kind of agent.
        settings: RequestSettings = {"max_retries": 0}
        if self._settings.temperature is not None:
            settings["temperature"] = self._settings.temperature
        if tokens := self._settings.max_tokens or (_ANTHROPIC_TOKENS if self._provider == "anthropic" else None):
            settings["max_tokens"] = tokens
        return settings

    def _parameters(self, job: Job, profile: Mapping[str, Any]) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        own_api = self._settings.base_url is None and bool(profile.get("supports_json_schema_output"))
        enforced = own_api if self._settings.answer_schema is None else self._settings.answer_schema
        if job.answer_schema is None or not enforced:
            return ModelRequestParameters()
        form = OutputObjectDefinition(json_schema=dict(job.answer_schema), name="review")
        return ModelRequestParameters(output_mode="native", output_object=form, allow_text_output=False)

    def _usage(self, response: ModelResponse, seconds: float) -> Usage:
        if response.usage.unmeasured_requests:
            return Usage(seconds=seconds)
        return Usage(
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cost_usd=None if self._settings.base_url else _cost(response),
            seconds=seconds,
        )


def _cost(response: ModelResponse) -> float | None:
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):  # the price list does not know the model
        return None


def _text(response: ModelResponse, name: str) -> str:
    """Return the answer, or raise if it is incomplete."""
    if response.finish_reason == "length":
        raise AgentFailed(f"{name}'s answer was cut off", hint="raise `max_tokens`", stderr=response.text or "")
    if response.finish_reason == "content_filter":
        raise AgentRefused(f"{name}'s provider refused to answer", stderr=response.text or "")
    return response.text or ""
