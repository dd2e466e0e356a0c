"""Rules for research: sources of numbers, and citations of files and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document
from reviewloop.documents.paths import has_extension
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.paths import check_paths
from reviewloop.rules.registry import rule

GROUNDING: dict[Kind, str | None] = {Kind.RESEARCH: "grounding"}

_CLAIM = lazy_re(
    r"\b\d+(?:[.,]\d+)?\s?(?:%|x\b|ms\b|percent\b|times\b|KB\b|MB\b|GB\b|k\b|million\b|users\b|tokens\b|requests\b)",
    re.IGNORECASE,
)
_SOURCE = lazy_re(
    r"https?://|`|\]\(|\[\d+\]|\b(?:[Aa]ccording to|per|source|see|from|measured|in|by) (?:the )?[A-Z`\[]|"
    r"\bRFC ?\d|\bdocs?\b|\w/\w+\.\w+",
)


@rule("RES009", "unsourced-number", criteria=GROUNDING, severity=Severity.MINOR, precision=0.4, default=False)
def unsourced_number(subject: Subject) -> Iterator[Hit]:
    """A number has no source.

    What it checks: lines with a measured quantity (40 %, 3x, 200 ms), for a URL, a path, code or a named source in the
    same line.

    Why: a number without a source may be a guess.

    Known problems: the source may be in the sentence before. The rule is off by default, because many of its findings
    are wrong.

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
                suggestion="Name the source, or remove the number.",
            )


@rule("RES010", "cited-path-missing", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.85)
def cited_path_missing(subject: Subject) -> Iterator[Hit]:
    """A cited file does not exist.

    What it checks: file paths with a directory, against the repository. A path is checked if its first directory
    exists in the repository, or if half of the document's paths do. Lines about creating, adding or generating files
    are skipped.

    Why: conclusions from a file that does not exist are unfounded.

    Known problems: a file that has moved since, or that the text proposes to create, is reported.

    Example:
        `src/auth/tokens.py` verifies the signature.        where the file does not exist

    Instead: cite the file that verifies the signature.
    """
    document = subject.document
    cited = [
        mention
        for mention in document.paths
        if "/" in mention.path and has_extension(mention.path) and not _STATE.search(mention.path)
    ]
    exists = check_paths((mention.path for mention in cited), subject.repository, document.path)
    reported: set[str] = set()
    for mention in cited:
        if exists.get(mention.path, True) or mention.path in reported or _to_come(document, mention.line):
            continue
        reported.add(mention.path)
        yield Hit(issue=f"{mention.path} does not exist", line=mention.line, column=mention.column, quote=mention.path)


_STATE = lazy_re(r"(?:^|/)\.(?!github|gitlab|claude|vscode)\w+/")
"""Hidden directories hold state written by tools, which a fresh checkout does not contain."""

_TO_COME = lazy_re(
    r"\b(?:creat|rebuild|build|produc|add|new\b|generat|propos|would|will\b|introduc|writ|planned|could|should|recommend|"
    r"future|e\.g\.|example|such as|"
    r"remov|delet|renam|move|missing|does not exist|doesn't exist|not exist|no such|output|template)",
    re.IGNORECASE,
)


def _to_come(document: Document, line: int) -> bool:
    return bool(_TO_COME.search(document.line(line)) or _TO_COME.search(document.section(line) or ""))


@rule("RES011", "cited-line-missing", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.95)
def cited_line_missing(subject: Subject) -> Iterator[Hit]:
    """A cited line is past the end of its file.

    What it checks: citations such as `src/auth.py:40`, against the file's number of lines.

    Why: the citation was not looked up, or the file has changed since.

    Known problems: the rule cannot tell whether the line supports the claim.

    Example:
        `src/auth.py:400` verifies the token.        where the file has 120 lines

    Instead: cite the line that verifies the token.
    """
    for mention in subject.document.paths:
        if mention.target_line is None:
            continue
        count = subject.repository.line_count(mention.path)
        if count is not None and mention.target_line > count:
            yield Hit(
                issue=f"{mention.path} has only {count} lines, so line {mention.target_line} does not exist",
                line=mention.line,
                column=mention.column,
                quote=f"{mention.path}:{mention.target_line}",
            )


_FILE_NAME = lazy_re(r"[\w-]+\.[a-z]{1,5}\b")
_GREENFIELD = lazy_re(
    r"\bgreenfield\b|\bno (?:existing )?(?:code|codebase|source)\b|\bempty repository\b|\bnew project\b", re.IGNORECASE
)


@rule("RES012", "no-code-cited", criteria=GROUNDING, severity=Severity.IMPORTANT, precision=0.9)
def no_code_cited(subject: Subject) -> Iterator[Hit]:
    """The research cites no file of the codebase.

    What it checks: whether the document names any source file or directory. Documents that say that no code exists yet
    are skipped.

    Why: research that ignores the code is unlikely to fit it.

    Known problems: research on a question that the code cannot answer is reported.

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
        issue="the research cites no file of the codebase",
        line=document.headings[0].line if document.headings else 1,
        suggestion="Cite the files you read, with line numbers.",
    )
