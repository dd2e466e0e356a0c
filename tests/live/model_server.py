"""A model of our own on loopback, for real agents to talk to.

It speaks Anthropic Messages, OpenAI Responses and Chat Completions, streamed or whole. What it does stands in the prompt
itself, as the last line with `SCRIPT: ...` in it, so it has no state and serves any number of runs at once:

    verdict-pass, verdict-fail   the verdict, as structured output where that is asked for; a failing one suggests to the
                                 author to replace `verdict-fail` by `verdict-pass` in spec.md
    text-pass                    the passing verdict as plain text, whatever is asked for
    malformed-then-pass          no verdict, until the prompt says that an answer could not be used
    write PATH TEXT              a call of the tool that writes files, then the passing verdict
    replace PATH OLD NEW         the same for a tool that edits
    read PATH                    the same for a tool that reads
    shell COMMAND                the same for a tool that runs commands
    400, 401, 403, 429, 529      that status, with `retry-after: 7`
    hang, cut                    no answer at all; half an answer
"""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from live.model_apis import APIS, Asked, PersonAnswer

PASS = {
    "verdict": "pass",
    "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95},
    "feedback": [],
}
FAIL = PASS | {
    "verdict": "needs_revision",
    "feedback": [
        {
            "section": "Overview",
            "issue": "The script says so",
            "suggestion": "SCRIPT: replace spec.md verdict-fail verdict-pass",
        }
    ],
}
_ANSWER_TOOLS = ("StructuredOutput", "final_result")
_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_UNTIL_CLOSED = 300.0


def answer(asked: Asked) -> PersonAnswer:
    what, _, rest = asked.script.partition(" ")
    if any(tool in asked.called for tool in _ANSWER_TOOLS):
        return PersonAnswer(text="Done.")
    if what == "malformed-then-pass" and "could not be used" not in asked.text:
        return PersonAnswer(text="It looks fine to me.")
    if what in ("write", "replace", "read", "shell"):
        calls = _calls(what, rest, asked)
        if len(asked.called) < len(calls):
            return calls[len(asked.called)]
    verdict = FAIL if what == "verdict-fail" else PASS
    tool = next((tool for tool in _ANSWER_TOOLS if tool in asked.tools), None)
    if tool and what != "text-pass":
        return PersonAnswer(tool=tool, arguments=verdict)
    return PersonAnswer(text=json.dumps(verdict))


def _calls(what: str, rest: str, asked: Asked) -> list[PersonAnswer]:
    """The calls that do it, with the tools of Claude Code, or with a shell where there is one."""
    if "exec_command" in asked.tools:
        return [PersonAnswer(tool="exec_command", arguments={"cmd": _command(what, rest)})]
    if what == "shell":
        return [PersonAnswer(tool="Bash", arguments={"command": rest, "description": "what the script says"})]
    path, _, rest = rest.partition(" ")
    file = {"file_path": path if path.startswith("/") else f"{asked.directory}/{path}"}
    if what == "write":
        return [PersonAnswer(tool="Write", arguments=file | {"content": rest})]
    if what == "read":
        return [PersonAnswer(tool="Read", arguments=file)]
    old, _, new = rest.partition(" ")
    return [
        PersonAnswer(tool="Read", arguments=file),
        PersonAnswer(tool="Edit", arguments=file | {"old_string": old, "new_string": new}),
    ]


def _command(what: str, rest: str) -> str:
    if what == "shell":
        return rest
    path, _, rest = rest.partition(" ")
    if what == "read":
        return f"cat {shlex.quote(path)}"
    if what == "write":
        return f"printf %s {shlex.quote(rest)} > {shlex.quote(path)}"
    old, _, new = rest.partition(" ")
    return f"sed -i {shlex.quote(f's/{old}/{new}/')} {shlex.quote(path)}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        self.close_connection = True
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        api = APIS.get(self.path.partition("?")[0])
        if api is None:
            self._not_found()
            return
        body = json.loads(data)
        self.server.requests.append(body)
        asked = api.asked(body)
        model = str(body.get("model"))
        if asked.script.isdigit():
            status = int(asked.script)
            error = {"type": _ERRORS.get(status, "overloaded_error"), "message": f"the script says {status}"}
            self._whole(status, {"type": "error", "error": error})
        elif asked.script == "hang":
            self.server.closed.wait(_UNTIL_CLOSED)
        elif body.get("stream"):
            self._stream(list(api.events(answer(asked), model)), cut=asked.script == "cut")
        else:
            self._whole(200, api.whole(answer(asked), model), cut=asked.script == "cut")

    def do_GET(self) -> None:
        self.close_connection = True
        self._not_found()

    def do_HEAD(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def _not_found(self) -> None:
        self._whole(404, {"error": {"type": "not_found_error", "message": self.path}})

    def _whole(self, status: int, body: Mapping[str, Any], *, cut: bool = False) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        if status >= 400:
            self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(data[:100] if cut else data)

    def _stream(self, events: list[dict[str, Any]], *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events[:2] if cut else events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if not cut and "type" not in events[0]:
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
        pass


class ModelServer(ThreadingHTTPServer):
    """The server, with the requests it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.closed = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some of the tests are about."""


@contextmanager
def serving() -> Iterator[ModelServer]:
    server = ModelServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
