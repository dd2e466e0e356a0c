"""A tiny agent that speaks the Agent Client Protocol: JSON, a line a message. What it does stands in the prompt.

say TEXT            that answer
ask KIND PATH       asks for permission for a tool on a path, and says what came of it
write PATH          asks us to write a file for it, which we do not do
long                an answer with a line far above 64 kB
mode, env, meta     its session mode, environment, or what it was told about the session
stop REASON         ends its turn for that reason
error CODE          answers with an error
exit, hang, garbage ends at once; never answers, says so in a file; prints what is no JSON first
"""

import json
import os
import sys
import time

session = {"mode": "default"}


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**what):
    send(method="session/update", params={"sessionId": "s-1", "update": what})


def say(text):
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def call(method, **params):
    send(id="from-agent", method=method, params={"sessionId": "s-1", **params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "from-agent":
            return message
    sys.exit(0)


def permission(kind, path):
    update(sessionUpdate="tool_call", toolCallId="t-1", title=f"{kind} {path}", kind=kind, status="pending")
    options = [{"optionId": f"id-{name}", "name": name, "kind": name} for name in ("allow_once", "reject_once")]
    asked = {"toolCallId": "t-1", "title": f"{kind} {path}", "locations": [{"path": path}]}
    return call("session/request_permission", toolCall=asked, options=options)["result"]["outcome"]


def act(prompt):
    what, _, rest = prompt.partition(" ")
    if what == "say":
        say("Let me look.")
        update(sessionUpdate="tool_call", toolCallId="t-0", title="look", kind="read", status="completed")
        for word in rest.split(" "):
            say(f"{word} ")
    elif what == "ask":
        kind, path = rest.split(" ")
        outcome = permission(kind, path)
        if outcome.get("optionId") == "id-allow_once" and kind == "edit":
            with open(path, "w") as file:
                file.write("edited")
        say(outcome.get("optionId", outcome["outcome"]))
    elif what == "write":
        say(json.dumps(call("fs/write_text_file", path=rest, content="x").get("error", {}).get("code")))
    elif what == "long":
        say("x" * 300_000)
    elif what in ("mode", "env", "meta"):
        say({"mode": session["mode"], "env": " ".join(sorted(os.environ)), "meta": json.dumps(session["params"])}[what])
    elif what == "exit":
        sys.stderr.write("out of memory\n")
        sys.exit(3)
    elif what == "hang":
        with open(rest, "w") as file:
            file.write(f"{os.getpid()}\n")
        for line in sys.stdin:
            if json.loads(line).get("method") == "session/cancel":
                with open(f"{rest}.cancelled", "w") as file:
                    file.write("yes")
        time.sleep(600)


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        capabilities = params.get("clientCapabilities", {})
        assert not any(capabilities.get("fs", {}).values()) and not capabilities.get("terminal"), capabilities
        info = {"name": "tiny", "version": "1.0"}
        return {"protocolVersion": params["protocolVersion"], "agentCapabilities": {}, "agentInfo": info}
    if method == "session/new":
        session["params"] = params
        return {"sessionId": "s-1", "modes": None}
    if method == "session/set_mode":
        session["mode"] = params["modeId"]
        return {}
    prompt = params["prompt"][0]["text"]
    act(prompt)
    reason = prompt.removeprefix("stop ") if prompt.startswith("stop ") else "end_turn"
    return {"stopReason": reason, "usage": {"totalTokens": 15, "inputTokens": 12, "outputTokens": 3}}


if __name__ == "__main__":
    if "--silent" in sys.argv:
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "session/prompt" and message["params"]["prompt"][0]["text"].startswith("error "):
            code = int(message["params"]["prompt"][0]["text"].removeprefix("error "))
            send(id=message["id"], error={"code": code, "message": "No", "data": {"details": "because"}})
            continue
        send(id=message["id"], result=answer(message))
