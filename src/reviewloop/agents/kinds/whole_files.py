"""What an author without hands answers: the complete new text of each file it changes.

    BEGIN <marker> <path>
    ...
    END <marker>

The marker is the call's own, so no text that a file may hold can end a block before its time. What the author says
outside of the blocks is its summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reviewloop.core.types.artifact import Artifact
from reviewloop.errors import AgentFailed

_HINT = "ask again, or choose an author that edits files itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFiles:
    """New texts of the artifact's files by path, and which other files the author wanted to change."""

    edits: Mapping[str, str | None]
    others: tuple[str, ...] = ()


def whole_files(text: str, marker: str, artifact: Artifact) -> WholeFiles:
    """The files in an answer.

    Raises:
        AgentFailed: There is none, one is empty, or the last one was cut off.
    """
    edits: dict[str, str | None] = {}
    others: list[str] = []
    for named, body in _blocks(text, marker):
        path = _path(named, artifact)
        if path is None:
            others.append(named)
            continue
        if not body.strip():
            raise AgentFailed(f"the author's new text of {path} is empty", hint=_HINT)
        edits[path] = _in_shape(body, artifact, path)
    if not edits and not others:
        raise AgentFailed("the author's answer holds no file in the form that was asked for", hint=_HINT)
    return WholeFiles(edits=edits, others=tuple(dict.fromkeys(others)))


def _blocks(text: str, marker: str) -> list[tuple[str, str]]:
    """Every block's name and body, in order."""
    blocks: list[tuple[str, str]] = []
    name: str | None = None
    body: list[str] = []
    for line in text.splitlines(keepends=True):
        bare = line.strip().strip("`*")
        if name is None:
            if bare.startswith(f"BEGIN {marker} "):
                name, body = bare.removeprefix(f"BEGIN {marker} ").strip().strip("`*\"'"), []
        elif bare == f"END {marker}" or bare.startswith(f"END {marker} "):
            blocks.append((name, "".join(body)))
            name = None
        else:
            body.append(line)
    if name is not None:
        raise AgentFailed(f"the author's answer ends in the middle of {name}", hint="give it more `max_tokens`")
    return blocks


def _path(named: str, artifact: Artifact) -> str | None:
    """The artifact's file that is meant. The material's own headings have the kind before the path."""
    for path in (named, named.removeprefix("./"), named.removeprefix(f"{artifact.kind} ")):
        if path in artifact.paths:
            return path
    return None


def _in_shape(body: str, artifact: Artifact, path: str) -> str:
    """The text without a code fence around all of it, ending as the file ended before."""
    before = artifact.file(path)
    assert before is not None
    lines = body.splitlines(keepends=True)
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1].rstrip() == "```"
    if fenced and not before.text.startswith("```"):
        body = "".join(lines[1:-1])
    return body if before.text.endswith("\n") or not before.text else body.removesuffix("\n")
