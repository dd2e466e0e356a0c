"""Checks of the commands that tell whether a task is done. Nothing is ever run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.commands import PLACEHOLDER, Command, commands, starts_like_a_command
from reviewloop.documents.model import Document, Field, Task
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazily
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import judged
from reviewloop.rules.registry import rule
from reviewloop.rules.repository import Repository

MAX_BY_HAND = 3
ACTIONABILITY: dict[Kind, str | None] = {Kind.TASKS: "actionability"}

_BY_HAND = lazily(
    r"\bmanual(?:ly)?\b|\b(?:read|look|check|inspect|review|confirm|ensure|verify|visual(?:ly)?|open)\b|"
    r"\bby hand\b|\bhuman\b",
    re.IGNORECASE,
)
_ALWAYS = lazily(r"(\|\|\s*(?:echo|true|printf|:)(?![\w-]))[^|&;]*(?:;\s*done)?\s*$")


@rule("TSK031", "verify-by-hand", criteria=ACTIONABILITY, severity=Severity.IMPORTANT, precision=0.9)
def verify_by_hand(subject: Subject) -> Iterator[Hit]:
    """Verify is not a command.

    What it checks: each Verify for a command: code, a shell block, or a line that starts like one. "Manual review",
    "read and confirm" and the like are not commands. More than three in a document are one finding. A command that
    always succeeds, because it ends in `|| echo` or `|| true`, is a minor one.

    Why: an agent that cannot check its work says that it did.

    Known problems: some things can only be looked at. Say so, and suppress the finding with the reason.

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
            issue=f"{len(by_hand)} tasks are not verified by a command: {', '.join(task.id for task, _ in by_hand)}",
            line=first.line,
            column=first.column,
            quote=first.text.strip().split("\n")[0][:200],
            suggestion="Give commands that fail as long as the task is not done.",
        )
        return
    for task, verify in by_hand:
        how = "to be done by hand" if _BY_HAND.search(verify.text) else "not a command"
        yield Hit(
            issue=f"Verify of task {task.id} is {how}",
            line=verify.line,
            column=verify.column,
            quote=verify.text.strip().split("\n")[0][:200],
            suggestion="Give a command that fails as long as the task is not done.",
        )


def _cannot_fail(document: Document) -> Iterator[Hit]:
    for one in commands(document):
        if one.leads and (match := _ALWAYS.search(one.text)):
            yield Hit(
                issue=f"Verify of task {one.task.id} always succeeds: it ends in `{match[1]}`",
                line=one.line,
                column=one.column,
                quote=one.text.split("\n")[0][:200],
                severity=Severity.MINOR,
                suggestion="Let the command fail; whoever runs it looks at its exit code.",
            )


def _by_hand(document: Document) -> Iterator[tuple[Task, Field]]:
    with_commands = {(one.task.line, one.task.id) for one in commands(document)}
    for task in document.tasks:
        verify = task.field("verify")
        if verify is None or not verify.text.strip() or (task.line, task.id) in with_commands:
            continue
        if not starts_like_a_command(verify.text.strip()) and not _told_above(task, verify.text):
            yield task, verify


_ABOVE = lazily(
    r"\b(?:all|both|every|each|these|those|above)\b.*\b(?:commands?|checks?|greps?|tests?)\b", re.IGNORECASE
)


def _told_above(task: Task, text: str) -> bool:
    """Whether Verify points at commands that Do lists."""
    steps = task.field("do")
    return bool(steps and "`" in steps.text and _ABOVE.search(text))


@rule("TSK032", "broken-command", criteria=ACTIONABILITY, severity=Severity.CRITICAL, precision=0.95)
def broken_command(subject: Subject) -> Iterator[Hit]:
    """A command under Verify, or a task's backpressure, is not valid shell.

    What it checks: the commands with `bash -n`, which parses and runs nothing. Commands with placeholders are left
    alone. Without bash the rule is silent, and the report says so.

    Why: it fails whatever was built, or worse, is taken for a failure of the work and "fixed" there.

    Known problems: commands for other shells (fish, PowerShell) may be valid there.

    Example:
        - **Verify**: `grep -q "limit docs/api.md`

    Instead:

        - **Verify**: `grep -q "limit" docs/api.md`
    """
    found = [one for one in commands(subject.document) if one.leads and not PLACEHOLDER.search(one.text)]
    errors = subject.shell.syntax_errors([one.text for one in found])
    for one, error in zip(found, errors, strict=True):
        if error:
            yield Hit(
                issue=f"the command of task {one.task.id} is not valid shell: {error}",
                line=one.line,
                column=one.column,
                quote=one.text.split("\n")[0][:200],
            )


_SCRIPT = lazily(
    r"(?:^|&&|\|\||;|\|)\s*(?:(?P<npm>npm|pnpm|yarn|bun)\s+run\s+(?P<script>[\w:.-]+)|(?P<tool>make|"
    r"just)\s+(?P<target>[A-Za-z][\w.-]*)(?=\s|$|[;&|]))"
)
_FILE = lazily(
    r"(?:^|&&|\|\||;|\|)\s*(?:(?:bash|sh|python3?|node|bats|pytest|"
    r"ruby)\s+(?:-\w+\s+)*)?(?P<path>(?:\./)?[\w.-]+(?:/[\w.-]+)+\.(?:sh|py|js|ts|mjs|rb|bats))\b"
)


@rule("TSK033", "unknown-script", criteria=ACTIONABILITY, severity=Severity.IMPORTANT, precision=0.8)
def unknown_script(subject: Subject) -> Iterator[Hit]:
    """Verify calls a script or target that the repository does not have.

    What it checks: `npm run x` against the scripts of package.json, `make x` and `just x` against their targets, and
    scripts by path against the files, unless some task creates or names them.

    Why: the check fails on the best work.

    Known problems: commands that change the directory first are left alone, and so are repositories without the
    manifest.

    Example:
        - **Verify**: `npm run test:unit`        where package.json has no such script

    Instead: a script that is there, or a task that adds it.
    """
    if not subject.repository.known:
        return
    named = {path for document in subject.documents for path in _named_in_work(document)}
    found = [one for one in commands(subject.document) if not re.search(r"\bcd\s", one.text)]
    there = judged(
        (match["path"].removeprefix("./") for one in found for match in _FILE.finditer(one.text)), subject.repository
    )
    for one in found:
        for match in _SCRIPT.finditer(one.text):
            tool, name = match["npm"] or match["tool"], match["script"] or match["target"]
            known = _targets(tool, subject.repository)
            if known is not None and name not in known:
                manifest = "package.json" if match["npm"] else f"the {tool}file"
                yield _unknown(one, f"{manifest} has no {name}", name)
        for match in _FILE.finditer(one.text):
            path = match["path"].removeprefix("./")
            if not there.get(path, True) and path not in named and has_extension(path):
                yield _unknown(one, f"there is no {path}", path)


def _unknown(one: Command, what: str, quote: str) -> Hit:
    return Hit(
        issue=f"Verify of task {one.task.id}: {what}",
        line=one.line,
        column=one.column,
        quote=quote,
        suggestion="Call something that is there, or add a task that creates it.",
    )


def _named_in_work(document: Document) -> Iterator[str]:
    """Paths that the list speaks of outside Verify: some task creates them."""
    verify_lines = {task.fields["verify"].line for task in document.tasks if "verify" in task.fields}
    return (one.path for one in document.paths if one.line not in verify_lines)


def _targets(tool: str, repository: Repository) -> set[str] | None:
    """The scripts or targets there are; None if there is no manifest to ask."""
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
