"""Three APIs of model providers, as far as agents use them: a request taken apart, an answer put together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

INPUT_TOKENS, OUTPUT_TOKENS = 1200, 34
_USAGE = {
    "usage": {
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is common to a request of any of the APIs."""

    script: str
    text: str
    directory: str
    tools: tuple[str, ...]
    called: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], tools: Iterable[str], called: Iterable[str]) -> Asked:
        text = "\n".join(texts)
        scripts = re.findall(r"SCRIPT: (.+)", text)
        where = re.search(r"(?:Primary working directory: |<cwd>)([^\n<]+)", text)
        return cls(
            script=scripts[-1].strip() if scripts else "verdict-pass",
            text=text,
            directory=where[1] if where else "",
            tools=tuple(tools),
            called=tuple(called),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswer:
    """What the model says: a text, or a call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Messages:
    """Anthropic's Messages API."""

    @staticmethod
    def asked(body: Mapping[str, Any]) -> Asked:
        blocks = [block for message in body["messages"] for block in _blocks(message["content"])]
        system = [block.get("text", "") for block in _blocks(body.get("system", ""))]
        return Asked.of(
            [*system, *(block["text"] for block in blocks if block["type"] == "text")],
            (tool["name"] for tool in body.get("tools", ())),
            (block["name"] for block in blocks if block["type"] == "tool_use"),
        )

    @staticmethod
    def whole(said: PersonAnswer, model: str) -> dict[str, Any]:
        if said.tool:
            content = {"type": "tool_use", "id": f"toolu_{said.tool}", "name": said.tool, "input": said.arguments}
        else:
            content = {"type": "text", "text": said.text}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [content],
            "stop_reason": "tool_use" if said.tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
        }

    @classmethod
    def events(cls, said: PersonAnswer, model: str) -> Iterator[dict[str, Any]]:
        whole = cls.whole(said, model)
        block = whole["content"][0]
        if said.tool:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
        else:
            delta = {"type": "text_delta", "text": said.text}
        empty = block | ({"input": {}} if said.tool else {"text": ""})
        yield {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}
        yield {"type": "content_block_start", "index": 0, "content_block": empty}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": OUTPUT_TOKENS}}
        yield {"type": "message_stop"}


class Responses:
    """OpenAI's Responses API."""

    @staticmethod
    def asked(body: Mapping[str, Any]) -> Asked:
        items = [{"content": body["input"]}] if isinstance(body["input"], str) else body["input"]
        return Asked.of(
            [block.get("text", "") for item in items for block in _blocks(item.get("content") or "")],
            (tool.get("name", "") for tool in body.get("tools", ())),
            (item["name"] for item in items if item.get("type") == "function_call"),
        )

    @staticmethod
    def whole(said: PersonAnswer, model: str) -> dict[str, Any]:
        if said.tool:
            arguments = json.dumps(said.arguments)
            item = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": said.tool,
                "arguments": arguments,
            }
        else:
            content = [{"type": "output_text", "text": said.text, "annotations": []}]
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": model,
            "status": "completed",
            "output": [item],
            "usage": usage | details | {"total_tokens": INPUT_TOKENS + OUTPUT_TOKENS},
        }

    @classmethod
    def events(cls, said: PersonAnswer, model: str) -> Iterator[dict[str, Any]]:
        whole = cls.whole(said, model)
        yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": [], "usage": None}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": whole["output"][0]}
        yield {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]}
        yield {"type": "response.completed", "response": whole}


class Chat:
    """OpenAI's Chat Completions API, which most servers of open models speak too."""

    @staticmethod
    def asked(body: Mapping[str, Any]) -> Asked:
        messages = [message for message in body["messages"] if message["role"] != "tool"]
        calls = [call for message in messages for call in message.get("tool_calls") or ()]
        return Asked.of(
            [block.get("text", "") for message in messages for block in _blocks(message.get("content") or "")],
            (tool["function"]["name"] for tool in body.get("tools", ())),
            (call["function"]["name"] for call in calls),
        )

    @classmethod
    def whole(cls, said: PersonAnswer, model: str) -> dict[str, Any]:
        finish = "tool_calls" if said.tool else "stop"
        choice = {"index": 0, "message": cls._message(said), "finish_reason": finish}
        return {"id": "chat_1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]} | _USAGE

    @classmethod
    def events(cls, said: PersonAnswer, model: str) -> Iterator[dict[str, Any]]:
        whole = cls.whole(said, model)
        choice = whole["choices"][0]
        first = {"index": 0, "delta": choice["message"], "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        for one in (first, last):
            yield whole | {"object": "chat.completion.chunk", "choices": [one]}

    @staticmethod
    def _message(said: PersonAnswer) -> dict[str, Any]:
        if not said.tool:
            return {"role": "assistant", "content": said.text}
        function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


APIS = {"/v1/messages": Messages, "/v1/responses": Responses, "/v1/chat/completions": Chat}


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
