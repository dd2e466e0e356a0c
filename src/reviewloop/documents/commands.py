"""The commands that tell whether a task is done, as they stand in the document. Nothing is run here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.documents.inline import code_spans
from reviewloop.documents.model import Document, Field, Task, between

_PROGRAM = re.compile(
    r"^(?:\$ )?(?:\./|bash |sh |npm |npx |pnpm |yarn |bun |node |deno |python3? |pytest|uv |pip |ruff |"
    r"mypy |go |cargo |make\b|just |"
    r"git |gh |grep |rg |test |\[ |cat |ls |curl |docker |jq |bats |dotnet |mvn |gradle|bundle |rake |"
    r"rspec |terraform |"
    r"kubectl |diff |wc |find |! |tsc\b|eslint|vitest|jest|tox\b|nox\b|php |composer |swift |mix |sbt |bazel )"
)
_SHELLS = ("", "bash", "sh", "shell", "zsh", "console")
_FILE = re.compile(r"(?!\./)\S*[./]\S*")
PLACEHOLDER = re.compile(r"<[A-Za-z][\w .-]*>|(?<![/.])\.\.\.|\u2026|\{\{|[\u201c\u201d\u2018\u2019]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command and where it stands. `leads` is False for code in the middle of a sentence, which may be no command."""

    task: Task
    text: str
    line: int
    column: int
    leads: bool = True


def commands(document: Document) -> Iterator[Command]:
    """The commands under Verify: code spans, shell fences, and a task file's backpressure."""
    for task in document.tasks:
        yield from commands_of(document, task)


def commands_of(document: Document, task: Task) -> Iterator[Command]:
    """Those of one task."""
    verify = task.field("verify")
    if verify is None:
        return
    if document.frontmatter and verify.line <= document.frontmatter.end:
        if verify.text:
            yield Command(task=task, text=verify.text, line=verify.line, column=verify.column)
        return
    for row, line in enumerate(verify.text.split("\n")):
        for start, end, ticks in code_spans(line):
            text = line[start + ticks : end - ticks].strip().replace("\\|", "|")
            number, column = _locate(document, verify, row, line[start:end])
            leads = not line[:start].strip(" -*+0123456789.)") or bool(_PROGRAM.match(text))
            yield Command(task=task, text=text, line=number, column=column, leads=leads)
    for fence in _fences(document, task, verify):
        yield Command(task=task, text=fence, line=verify.line, column=verify.column)


def starts_like_a_command(text: str) -> bool:
    return any(_PROGRAM.match(line.strip("-*+` ")) for line in text.split("\n"))


def script_of(document: Document, task: Task) -> str:
    """What a shell is to run to see whether a task is done, all of it; empty if there is no command.

    What has a placeholder in it, names a file and nothing else, or stands in the middle of a sentence is no command.
    """
    found = [one.text for one in commands_of(document, task) if one.leads and _can_be_run(one.text)]
    verify = task.field("verify")
    if not found and verify and "`" not in verify.text and starts_like_a_command(verify.text.split("\n")[0]):
        found = [verify.text.split("\n")[0].strip("-*+ ")]
    plain = [re.sub(r"^\$ ", "", text, flags=re.MULTILINE).strip() for text in found]
    return plain[0] if len(plain) == 1 else " && ".join(f"{{\n{text}\n}}" for text in plain)


def _can_be_run(text: str) -> bool:
    return not PLACEHOLDER.search(text) and not _FILE.fullmatch(text)


def _locate(document: Document, verify: Field, row: int, span: str) -> tuple[int, int]:
    for number in range(verify.line + row, min(verify.line + row + 5, len(document.lines)) + 1):
        at = document.line(number).find(span)
        if at >= 0:
            return number, at + 2
    return verify.line, verify.column


def _fences(document: Document, task: Task, verify: Field) -> Iterator[str]:
    after = [one.line for one in task.fields.values() if one.line > verify.line]
    end = min(after, default=task.end + 1)
    for fence in between(document.fences, verify.line + 1, end - 1):
        if fence.info.split(" ")[0].lower() in _SHELLS:
            yield fence.text
