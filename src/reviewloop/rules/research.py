"""Checks of research: claims that stand on something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazily
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import judged
from reviewloop.rules.registry import rule

GROUNDING: dict[Kind, str | None] = {Kind.RESEARCH: "grounding"}

_CLAIM = lazily(
    r"\b\d+(?:[.,]\d+)?\s?(?:%|x\b|ms\b|percent\b|times\b|KB\b|MB\b|GB\b|k\b|million\b|users\b|tokens\b|requests\b)",
    re.IGNORECASE,
)
_SOURCE = lazily(
    r"https?://|`|\]\(|\[\d+\]|\b(?:[Aa]ccording to|per|source|see|from|measured|in|by) (?:the )?[A-Z`\[]|"
    r"\bRFC ?\d|\bdocs?\b|\w/\w+\.\w+",
)


@rule("RES009", "unsourced-number", criteria=GROUNDING, severity=Severity.MINOR, precision=0.4, default=False)
def unsourced_number(subject: Subject) -> Iterator[Hit]:
    """A claim has a number and no source.

    What it checks: sentences with a measured quantity (40 %, 3x, 200 ms) for a URL, a path, code or a named source
    in the same line.

    Why: a number looks like knowledge. Without its source nobody can tell it from a guess.

    Known problems: many, which is why the rule is off by default: the source may stand in the sentence before.

    Example:
        Most tools cut review time by 40%.

    Instead:

        Tool X cuts review time by 40% (https://example.org/report, table 2).
    """
    for number, line in enumerate(subject.document.words, 1):
        match = _CLAIM.search(line)
        if match and not _SOURCE.search(subject.document.prose[number - 1]):
            yield Hit(
                issue=f'"{match[0]}" has no source',
                line=number,
                column=match.start() + 1,
                quote=match[0],
                suggestion="Say where the number comes from, or leave it out.",
            )


@rule("RES010", "cited-path-missing", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.85)
def cited_path_missing(subject: Subject) -> Iterator[Hit]:
    """A cited file does not exist.

    What it checks: file paths with a directory, against the repository. Paths of another repository are left alone: a
    path counts as ours if its first directory is here, or if half of the document's paths are.

    Why: what follows from a file that is not there does not follow.

    Known problems: a file that has been moved since, and a file that the text proposes to create. Lines that speak of
    creating, adding or generating are passed over.

    Example:
        `src/auth/tokens.py` verifies the signature.        where there is no such file

    Instead: cite the file that does it.
    """
    document = subject.document
    cited = [
        one for one in document.paths if "/" in one.path and has_extension(one.path) and not _STATE.search(one.path)
    ]
    there = judged((one.path for one in cited), subject.repository, document.path)
    told: set[str] = set()
    for one in cited:
        if there.get(one.path, True) or one.path in told or _to_come(document, one.line):
            continue
        told.add(one.path)
        yield Hit(issue=f"{one.path} does not exist", line=one.line, column=one.column, quote=one.path)


_STATE = lazily(r"(?:^|/)\.(?!github|gitlab|claude|vscode)\w+/")
"""Hidden directories hold state that tools write, and that a checkout does not have."""

_TO_COME = lazily(
    r"\b(?:creat|rebuild|build|produc|add|new\b|generat|propos|would|will\b|introduc|writ|planned|could|should|recommend|"
    r"future|e\.g\.|example|such as|"
    r"remov|delet|renam|move|missing|does not exist|doesn't exist|not exist|no such|output|template)",
    re.IGNORECASE,
)


def _to_come(document: Document, line: int) -> bool:
    return bool(_TO_COME.search(document.line(line)) or _TO_COME.search(document.section(line) or ""))


@rule("RES011", "cited-line-missing", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.95)
def cited_line_missing(subject: Subject) -> Iterator[Hit]:
    """A cited line is beyond the end of its file.

    What it checks: citations such as `src/auth.py:40` against the number of lines the file has.

    Why: the citation was not looked up, or the file has changed since. Either way it proves nothing.

    Known problems: none known; whether the line says what is claimed is for a reader.

    Example:
        `src/auth.py:400` verifies the token.        where the file has 120 lines

    Instead: cite the line that does.
    """
    for one in subject.document.paths:
        if one.target_line is None:
            continue
        count = subject.repository.line_count(one.path)
        if count is not None and one.target_line > count:
            yield Hit(
                issue=f"{one.path} has {count} lines, so line {one.target_line} is not there",
                line=one.line,
                column=one.column,
                quote=f"{one.path}:{one.target_line}",
            )


_FILE_NAME = lazily(r"[\w-]+\.[a-z]{1,5}\b")
_GREENFIELD = lazily(
    r"\bgreenfield\b|\bno (?:existing )?(?:code|codebase|source)\b|\bempty repository\b|\bnew project\b", re.IGNORECASE
)


@rule("RES012", "no-code-cited", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.9)
def no_code_cited(subject: Subject) -> Iterator[Hit]:
    """The research cites not a single file of the codebase.

    What it checks: whether the document names any source file or directory. Documents that say that there is no code
    yet are left alone.

    Why: research that did not look at the code describes some other project.

    Known problems: research on a question that the code cannot answer.

    Example:
        ## Codebase Analysis
        The code already handles authentication.

    Instead:

        ## Codebase Analysis
        `src/auth.py:40` verifies the token; `src/cli.py` has no check at all.
    """
    document = subject.document
    if document.paths or not document.text.strip() or _GREENFIELD.search(document.text):
        return
    if any(has_extension(word) for line in document.words for word in _FILE_NAME.findall(line)):
        return
    yield Hit(
        issue="no file of the codebase is cited",
        line=document.headings[0].line if document.headings else 1,
        suggestion="Name the files that were looked at, with lines.",
    )
