"""A model vendor of our own on loopback: Anthropic Messages, Chat Completions and Gemini, streamed only for the last."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        content = (
            self.body["messages"][-1]["content"] if "messages" in self.body else self.body["contents"][-1]["parts"]
        )
        return content if isinstance(content, str) else content[0]["text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """What the model answers."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stop: str = "end"
    raw: bytes | None = None
    hangs: bool = False
    call: tuple[str, dict[str, Any]] | None = None


class Server(ThreadingHTTPServer):
    """Gives its answers one after the other, the last one from then on; or what a function says to a prompt."""

    daemon_threads = True

    def __init__(self, answers: list[Says] | Callable[[Asked], Says]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, asked: Asked) -> Says:
        with self._lock:
            self.asked.append(asked)
            if callable(self.answers):
                return self.answers(asked)
            return self.answers[: len(self.asked)][-1]


@contextmanager
def serving(*answers: Says | str, by: Callable[[Asked], Says] | None = None) -> Iterator[Server]:
    server = Server(by or [answer if isinstance(answer, Says) else Says(text=answer) for answer in answers])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        says = self.server.answer(Asked(path=self.path, headers=headers, body=body))
        if says.hangs:
            self.server.closing.wait(60)
            self.close_connection = True
            return
        data = says.raw if says.raw is not None else json.dumps(self._shaped(says, body)).encode()
        streamed = "streamGenerateContent" in self.path and says.status == 200
        if streamed:
            data = b"data: " + data + b"\n\n"
        self.send_response(says.status)
        content_type = "text/event-stream" if streamed else "application/json"
        for name, value in {"content-type": content_type, **says.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _shaped(self, says: Says, body: dict[str, Any]) -> dict[str, Any]:
        if says.status != 200:
            return {"type": "error", "error": {"type": "some_error", "message": says.text or "no", "code": says.status}}
        if "enerateContent" in self.path:
            return _gemini(says)
        return _messages(says, body) if self.path.endswith("/messages") else _completion(says, body)

    def log_message(self, *_: object) -> None:
        pass


def _messages(says: Says, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": says.text}],
        "stop_reason": {"end": "end_turn", "length": "max_tokens", "filter": "refusal"}[says.stop],
        "stop_sequence": None,
        "usage": {"input_tokens": 1200, "output_tokens": 90},
    }


def _completion(says: Says, body: dict[str, Any]) -> dict[str, Any]:
    finish = {"end": "stop", "length": "length", "filter": "content_filter"}[says.stop]
    message = {"role": "assistant", "content": says.text}
    return {
        "id": "chat_1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1200, "completion_tokens": 90, "total_tokens": 1290},
    }


def _gemini(says: Says) -> dict[str, Any]:
    finish = {"end": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}[says.stop]
    part = {"functionCall": {"name": says.call[0], "args": says.call[1]}} if says.call else {"text": says.text}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": finish, "index": 0}],
        "usageMetadata": {"promptTokenCount": 1200, "candidatesTokenCount": 90, "totalTokenCount": 1290},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "gem_1",
    }
