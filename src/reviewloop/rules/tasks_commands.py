"""Rules for the commands that verify tasks. The commands are never run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.commands import PLACEHOLDER, Command, commands, looks_like_command
from reviewloop.documents.model import Document, Field, Task
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import check_paths
from reviewloop.rules.registry import rule
from reviewloop.rules.repository import Repository

MAX_BY_HAND = 3
ACTIONABILITY: dict[Kind, str | None] = {Kind.TASKS: "actionability"}

_BY_HAND = lazy_re(
    r"\bmanual(?:ly)?\b|\b(?:read|look|check|inspect|review|confirm|ensure|verify|visual(?:ly)?|open)\b|"
    r"\bby hand\b|\bhuman\b",
    re.IGNORECASE,
)
_ALWAYS = lazy_re(r"(\|\|\s*(?:echo|true|printf|:)(?![\w-]))[^|&;]*(?:;\s*done)?\s*$")


@rule("TSK031", "verify-by-hand", criteria=ACTIONABILITY, severity=Severity.IMPORTANT, precision=0.9)
def verify_by_hand(subject: Subject) -> Iterator[Hit]:
    """Verify is not a command, or always succeeds.

    What it checks: each Verify for a command: code, a shell block, or a line that looks like a command. "Manual review"
    and "read and confirm" are not commands. More than three in a document are one finding. A command that always
    succeeds, because it ends in `|| echo` or `|| true`, is a minor finding.

    Why: an agent without a command to run tends to claim success.

    Known problems: some results can only be inspected. Suppress the finding and give the reason.

    Example:
        - **Verify**: Read the file and confirm that it looks right

    Instead:

        - **Verify**: `grep -q "^## Limits" docs/api.md`
    """
    yield from _cannot_fail(subject.document)
    by_hand = list(_by_hand(subject.document))
    if len(by_hand) > MAX_BY_HAND:
        first = by_hand[0][1]
        yield Hit(
            issue=f"{len(by_hand)} tasks have no command in Verify: {', '.join(task.id for task, _ in by_hand)}",
            line=first.line,
            column=first.column,
            quote=first.text.strip().split("\n")[0][:200],
            suggestion="Give commands that fail until the task is done.",
        )
        return
    for task, verify in by_hand:
        problem = "a manual check" if _BY_HAND.search(verify.text) else "not a command"
        yield Hit(
            issue=f"Verify of task {task.id} is {problem}",
            line=verify.line,
            column=verify.column,
            quote=verify.text.strip().split("\n")[0][:200],
            suggestion="Give a command that fails until the task is done.",
        )


def _cannot_fail(document: Document) -> Iterator[Hit]:
    for command in commands(document):
        if command.standalone and (match := _ALWAYS.search(command.text)):
            yield Hit(
                issue=f"Verify of task {command.task.id} always succeeds: it ends in `{match[1]}`",
                line=command.line,
                column=command.column,
                quote=command.text.split("\n")[0][:200],
                severity=Severity.MINOR,
                suggestion="Let the command fail: its exit code is what counts.",
            )


def _by_hand(document: Document) -> Iterator[tuple[Task, Field]]:
    with_commands = {(command.task.line, command.task.id) for command in commands(document)}
    for task in document.tasks:
        verify = task.field("verify")
        if verify is None or not verify.text.strip() or (task.line, task.id) in with_commands:
            continue
        if not looks_like_command(verify.text.strip()) and not _refers_to_steps(task, verify.text):
            yield task, verify


_COMMANDS_ABOVE = lazy_re(
    r"\b(?:all|both|every|each|these|those|above)\b.*\b(?:commands?|checks?|greps?|tests?)\b", re.IGNORECASE
)


def _refers_to_steps(task: Task, text: str) -> bool:
    """Whether Verify refers to commands in Do."""
    steps = task.field("do")
    return bool(steps and "`" in steps.text and _COMMANDS_ABOVE.search(text))


@rule("TSK032", "broken-command", criteria=ACTIONABILITY, severity=Severity.CRITICAL, precision=0.95)
def broken_command(subject: Subject) -> Iterator[Hit]:
    """A Verify command, or a task's backpressure, is not valid shell.

    What it checks: the commands with `bash -n`, which parses them and runs nothing. Commands with placeholders are
    skipped. Without bash, the rule does not run.

    Why: the command fails however good the work is, and the agent may "fix" the work instead.

    Known problems: a command for another shell (fish, PowerShell) may be valid there.

    Example:
        - **Verify**: `grep -q "limit docs/api.md`

    Instead:

        - **Verify**: `grep -q "limit" docs/api.md`
    """
    found = [
        command for command in commands(subject.document) if command.standalone and not PLACEHOLDER.search(command.text)
    ]
    errors = subject.shell.syntax_errors([command.text for command in found])
    for command, error in zip(found, errors, strict=True):
        if error:
            yield Hit(
                issue=f"Verify of task {command.task.id} is not valid shell: {error}",
                line=command.line,
                column=command.column,
                quote=command.text.split("\n")[0][:200],
            )


_SCRIPT = lazy_re(
    r"(?:^|&&|\|\||;|\|)\s*(?:(?P<npm>npm|pnpm|yarn|bun)\s+run\s+(?P<script>[\w:.-]+)|(?P<tool>make|"
    r"just)\s+(?P<target>[A-Za-z][\w.-]*)(?=\s|$|[;&|]))"
)
_FILE = lazy_re(
    r"(?:^|&&|\|\||;|\|)\s*(?:(?:bash|sh|python3?|node|bats|pytest|"
    r"ruby)\s+(?:-\w+\s+)*)?(?P<path>(?:\./)?[\w.-]+(?:/[\w.-]+)+\.(?:sh|py|js|ts|mjs|rb|bats))\b"
)


@rule("TSK033", "unknown-script", criteria=ACTIONABILITY, severity=Severity.IMPORTANT, precision=0.8)
def unknown_script(subject: Subject) -> Iterator[Hit]:
    """Verify calls a script or target that does not exist.

    What it checks: `npm run x` against the scripts of package.json, `make x` and `just x` against their targets, and
    script paths against the repository, unless a task mentions the path outside Verify.

    Why: the command fails however good the work is.

    Known problems: commands with `cd` are not checked, nor are scripts and targets without a manifest.

    Example:
        - **Verify**: `npm run test:unit`        where package.json has no such script

    Instead: call an existing script, or add a task that creates it.
    """
    if not subject.repository.known:
        return
    mentioned = {path for document in subject.documents for path in _outside_verify(document)}
    found = [command for command in commands(subject.document) if not re.search(r"\bcd\s", command.text)]
    exists = check_paths(
        (match["path"].removeprefix("./") for command in found for match in _FILE.finditer(command.text)),
        subject.repository,
    )
    for command in found:
        for match in _SCRIPT.finditer(command.text):
            tool, name = match["npm"] or match["tool"], match["script"] or match["target"]
            known = _targets(tool, subject.repository)
            if known is not None and name not in known:
                manifest = "package.json" if match["npm"] else f"the {tool}file"
                yield _unknown(command, f'{manifest} has no "{name}"', name)
        for match in _FILE.finditer(command.text):
            path = match["path"].removeprefix("./")
            if not exists.get(path, True) and path not in mentioned and has_extension(path):
                yield _unknown(command, f"{path} does not exist", path)


def _unknown(command: Command, problem: str, quote: str) -> Hit:
    return Hit(
        issue=f"Verify of task {command.task.id}: {problem}",
        line=command.line,
        column=command.column,
        quote=quote,
        suggestion="Call something that exists, or add a task that creates it.",
    )


def _outside_verify(document: Document) -> Iterator[str]:
    """The paths outside Verify; a task probably creates them."""
    verify_lines = {task.fields["verify"].line for task in document.tasks if "verify" in task.fields}
    return (mention.path for mention in document.paths if mention.line not in verify_lines)


def _targets(tool: str, repository: Repository) -> set[str] | None:
    """The available scripts or targets; None if they are unknown."""
    if tool in ("npm", "pnpm", "yarn", "bun"):
        return _npm_scripts(repository.read("package.json"))
    names = ("Makefile", "makefile", "GNUmakefile") if tool == "make" else ("justfile", "Justfile", ".justfile")
    text = next((text for name in names if (text := repository.read(name)) is not None), None)
    if text is None or re.search(r"^(?:include|import|-include)\b|^%", text, re.MULTILINE):
        return None
    return set(re.findall(r"^@?([A-Za-z][\w.-]*)(?:[^:=\n]*):(?!=)", text, re.MULTILINE))


def _npm_scripts(text: str | None) -> set[str] | None:
    if text is None:
        return None
    try:
        loaded: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    scripts: Any = cast("dict[str, Any]", loaded).get("scripts") if isinstance(loaded, dict) else None
    return set(cast("dict[str, Any]", scripts)) if isinstance(scripts, dict) else set()
