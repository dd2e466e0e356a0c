"""The commands that verify a task, as written in the document. They are not run here."""

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
    """A command and its position. `standalone` is False for code within a sentence, which may not be a command."""

    task: Task
    text: str
    line: int
    column: int
    standalone: bool = True


def commands(document: Document) -> Iterator[Command]:
    """The Verify commands of all tasks: code spans, shell fences and a task file's backpressure."""
    for task in document.tasks:
        yield from commands_of(document, task)


def commands_of(document: Document, task: Task) -> Iterator[Command]:
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
            standalone = not line[:start].strip(" -*+0123456789.)") or bool(_PROGRAM.match(text))
            yield Command(task=task, text=text, line=number, column=column, standalone=standalone)
    for fence in _fences(document, task, verify):
        yield Command(task=task, text=fence, line=verify.line, column=verify.column)


def looks_like_command(text: str) -> bool:
    return any(_PROGRAM.match(line.strip("-*+` ")) for line in text.split("\n"))


def script_of(document: Document, task: Task) -> str:
    """The shell script that verifies a task: all its commands, or an empty string.

    Text with a placeholder, a bare file name and code within a sentence do not count as commands.
    """
    texts = [
        command.text for command in commands_of(document, task) if command.standalone and _is_runnable(command.text)
    ]
    verify = task.field("verify")
    if not texts and verify and "`" not in verify.text and looks_like_command(verify.text.split("\n")[0]):
        texts = [verify.text.split("\n")[0].strip("-*+ ")]
    scripts = [re.sub(r"^\$ ", "", text, flags=re.MULTILINE).strip() for text in texts]
    return scripts[0] if len(scripts) == 1 else " && ".join(f"{{\n{script}\n}}" for script in scripts)


def _is_runnable(text: str) -> bool:
    return not PLACEHOLDER.search(text) and not _FILE.fullmatch(text)


def _locate(document: Document, verify: Field, row: int, span: str) -> tuple[int, int]:
    for number in range(verify.line + row, min(verify.line + row + 5, len(document.lines)) + 1):
        offset = document.line(number).find(span)
        if offset >= 0:
            return number, offset + 2
    return verify.line, verify.column


def _fences(document: Document, task: Task, verify: Field) -> Iterator[str]:
    after = [field.line for field in task.fields.values() if field.line > verify.line]
    end = min(after, default=task.end + 1)
    for fence in between(document.fences, verify.line + 1, end - 1):
        if fence.info.split(" ")[0].lower() in _SHELLS:
            yield fence.text
