"""Reads the answer of an author that cannot edit files: the complete new text of each file it changes.

    BEGIN <marker> <path>
    ...
    END <marker>

Each call has its own marker, so no text in a file can end a block early. Text outside the blocks is the summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reviewloop.core.dialects.json_extraction import json_objects
from reviewloop.core.types.artifact import Artifact
from reviewloop.errors import AgentFailed

_HINT = "ask again, or choose an author that edits files itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFiles:
    """New texts of the artifact's files by path, and the other files that the author tried to change."""

    edits: Mapping[str, str | None]
    others: tuple[str, ...] = ()


def whole_files(text: str, marker: str, artifact: Artifact) -> WholeFiles:
    """Read the files from an answer.

    Raises:
        AgentFailed: The answer neither contains a file nor contests a finding, a file is empty, or the last one was cut
            off.
    """
    edits: dict[str, str | None] = {}
    others: list[str] = []
    for name, body in _blocks(text, marker):
        path = _path(name, artifact)
        if path is None:
            others.append(name)
            continue
        if not body.strip():
            raise AgentFailed(f"the author's new text of {path} is empty", hint=_HINT)
        edits[path] = _cleaned(body, artifact, path)
    if not edits and not others and not _contests(text):
        raise AgentFailed("the author's answer contains no file in the requested format", hint=_HINT)
    return WholeFiles(edits=edits, others=tuple(dict.fromkeys(others)))


def _contests(text: str) -> bool:
    """Whether the author contests findings. It may have nothing else to change then."""
    return any(value.get("contested") for value in json_objects(text) or ())


def _blocks(text: str, marker: str) -> list[tuple[str, str]]:
    """Return the name and body of every block."""
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
        raise AgentFailed(f"the author's answer ends in the middle of {name}", hint="raise `max_tokens`")
    return blocks


def _path(name: str, artifact: Artifact) -> str | None:
    """Return the path of the file that a block names. In the prompt's headings, the kind precedes the path."""
    for path in (name, name.removeprefix("./"), name.removeprefix(f"{artifact.kind} ")):
        if path in artifact.paths:
            return path
    return None


def _cleaned(body: str, artifact: Artifact, path: str) -> str:
    """Remove a code fence around the whole text, and keep the file's way of ending (with or without a newline)."""
    before = artifact.file(path)
    assert before is not None
    lines = body.splitlines(keepends=True)
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1].rstrip() == "```"
    if fenced and not before.text.startswith("```"):
        body = "".join(lines[1:-1])
    return body if before.text.endswith("\n") or not before.text else body.removesuffix("\n")
