"""`signal`: Markdown with a findings table, closed by REVIEW_PASS or REVIEW_FAIL as its last line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewloop.core.dialects.answer import Answer, letters_of
from reviewloop.core.dialects.findings_table import Row, Status, criterion_of, findings_rows
from reviewloop.core.dialects.json_extraction import json_parts
from reviewloop.core.dialects.statements import Statement, believe, object_statements, prose_statements
from reviewloop.core.dialects.verdict_words import fold
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import QUOTED, Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

name = "signal"

_SIGNAL = re.compile(r"^((?:>\s*)*)(?:[-*+]\s+|\d+[.)]\s+)?[*_`~\s]*(REVIEW_PASS|REVIEW_FAIL)[*_`~.!\s]*$")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w-]*\s*$")
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*+])\s+(.+)$")
_LINE = re.compile(r"\blines?\s+(\d{1,7})\b", re.IGNORECASE)
_BULLET = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])?\s*[*_`]*([\w -]{3,40}?)[*_`]*\s*"  # a list mark and a name
    r"(?:[:=]|-{1,2}|\u2013|\u2014)\s*[*_`\u274c\s]*FAIL(?:ED|S)?\b"
)
_CONFIDENCE = re.compile(r"(?im)^\W*confidence\W*[:=]\W*(0(?:\.\d+)?|1(?:\.0+)?)\W*$")
_FAILED_COUNT = re.compile(r"(?i)^[\s>*_+-]*failed[*_\s]*:[*_\s]*(\d{1,4})")
_CRITICAL = re.compile(r"(?i)^[\s>*_+-]*critical\s+(?:issues?|findings?|problems?)[*_\s]*:(?!\s*<)(.*)$")
_NOTHING = frozenset(
    [
        "none",
        "nothing",
        "na",
        "noneneeded",
        "nofeedback",
        "nochanges",
        "nochangesneeded",
        "nochangesrequired",
        "nochange",
        "nothingtochange",
        "noissues",
        "noissuesfound",
        "nofindings",
        "notapplicable",
        "noneatthistime",
        "norevisionneeded",
        "norevisionsneeded",
    ]
)
_WORD = re.compile(r"\w{3,}")
_TAIL = 3
_TELLING = 24
_SAME_WORDS = 0.6


def schema(rubric: Rubric, *, confidence: bool = False) -> None:
    """Markdown has no schema."""


def instructions(rubric: Rubric, *, confidence: bool = False) -> str:
    rows = "\n".join(f"| {n} | {dimension} | <status> | <finding> |" for n, dimension in enumerate(rubric.names, 1))
    stated = "\nConfidence: <0 to 1, how likely it is that a person would agree with you>\n" if confidence else ""
    return f"""\
Answer in Markdown, in this form. Give every dimension a row with the status PASS, FAIL or INFO:

## Review: <artifact> (Iteration <n>)

### Findings
| # | Dimension | Status | Finding |
|---|-----------|--------|---------|
{rows}

### Summary
- Passed: <n>/<total> dimensions
- Failed: <n>/<total> dimensions
- Critical issues: <list>

### Feedback for Revision
1. <what to change, with the line or section>
{stated}
End your answer with a line that contains only the signal: REVIEW_PASS if no dimension fails, REVIEW_FAIL if any does.
Any FAIL row makes the review fail, whatever the signal says."""


def parse(answer: Answer, rubric: Rubric) -> Review | Malformed:
    text = _unwrapped(answer.text)
    said = _signals(answer, text, rubric)
    rest = "\n".join("" if _SIGNAL.match(line.strip()) or "|" in line else line for line in text.splitlines())
    said += [statement for statement in prose_statements(answer, rest, json_parts(rest)) if statement.refuses]
    said += object_statements(answer, json_parts(answer.text), None, key="signal")
    # The table and the signal are one statement, and the last one, wherever other statements are.
    last = max((statement.at for statement in said), default=0)
    said.append(_stated(answer, text, rubric, at=last + 1))
    result = believe(said, rubric)
    assert result is not None
    return result


def _unwrapped(text: str) -> str:
    """The answer without a code fence around all of it."""
    lines = text.strip("\ufeff\n\r ").splitlines()
    if len(lines) > 2 and _FENCE.match(lines[0]) and _FENCE.match(lines[-1]):
        lines = lines[1:-1]
    return "\n".join(lines)


def _signals(answer: Answer, text: str, rubric: Rubric) -> list[Statement]:
    """The signals before the last line, and failing dimensions in lists: each is a statement that may say no."""
    lines = [line for line in text.splitlines() if line.strip()]
    found: list[Statement] = []
    for number, line in enumerate(lines):
        match = _SIGNAL.match(line.strip())
        bullet = _BULLET.match(line)
        failing = bullet is not None and criterion_of(bullet[1], rubric) is not None
        if not failing and (match is None or match[2] == "REVIEW_PASS" or number == len(lines) - 1):
            continue
        if answer.quotes("\n".join(lines[max(0, number - _TAIL + 1) : number + 1])):
            continue
        problem = Malformed(field="signal", message=f"the line `{line.strip()[:60]}` says no before the signal")
        found.append(
            Statement(
                at=number - len(lines), problem=problem, refuses=True, words=_plain_words(lines, ()) or line.strip()
            )
        )
    return found


def _stated(answer: Answer, text: str, rubric: Rubric, *, at: int) -> Statement:
    """The statement that the findings table and the last line make together."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = findings_rows(text, rubric, lambda part, fails: _is_quoted(answer, part, refuses=fails))
    failed = [row for row in rows if row.status is Status.FAIL]
    match = _SIGNAL.match(lines[-1].strip()) if lines else None
    tail = "\n".join(lines[-_TAIL:])
    telling = len(letters_of(tail)) >= _TELLING
    quoted = match is not None and telling and _is_quoted(answer, tail, refuses=match[2] == "REVIEW_FAIL")
    no = bool(failed) or (match is not None and match[2] == "REVIEW_FAIL" and not quoted)
    feedback = _feedback(lines)
    words = _plain_words(lines, rows)
    against = "" if no else _contradiction(lines)
    problem = _problem(match, rows, rubric, quoted=quoted, no=no)
    if against:
        problem = Malformed(field="summary", message=f"the line `{against[:60]}` speaks against REVIEW_PASS")
        return Statement(at=at, problem=problem, refuses=True, words=against)
    if problem is None and no and not failed and not feedback and not words:
        problem = Malformed(field="findings", message="REVIEW_FAIL needs a FAIL row or feedback for revision")
    if problem:
        said = "; ".join(row.finding or f"{row.dimension} fails" for row in failed) or words
        return Statement(at=at, problem=problem, refuses=no, words=said or "REVIEW_FAIL, without a reason")
    checks = _checks(rows)
    review = Review(
        verdict=Verdict.NEEDS_REVISION if no else Verdict.PASS,
        checks=checks,
        findings=_findings(rows, feedback, words, passed=not no),
        judged=tuple(criterion for criterion in rubric.names if criterion in checks),
        summary=" ".join(line.strip() for line in _below(lines, "summary")),
        confidence=_confidence(answer, text),
    )
    return Statement(at=at, review=review, refuses=no)


def _contradiction(lines: Sequence[str]) -> str:
    """The line of a summary that counts failed dimensions, or names a critical issue; empty if there is none."""
    for line in lines:
        failed = _FAILED_COUNT.match(line)
        critical = _CRITICAL.match(line)
        if failed and int(failed[1]) > 0:
            return line.strip(" \t-*")
        if critical and fold(critical[1]) not in _NOTHING | {"", "0", "nil", "nonefound", "no"}:
            return line.strip(" \t-*")
    return ""


def _problem(
    match: re.Match[str] | None, rows: Sequence[Row], rubric: Rubric, *, quoted: bool, no: bool
) -> Malformed | None:
    if match is None:
        return Malformed(field="signal", message="the last line must be REVIEW_PASS or REVIEW_FAIL")
    if quoted:
        return Malformed(field="signal", message=QUOTED)
    if match[1]:
        return Malformed(field="signal", message="the signal is marked as a quotation; put it on a line of its own")
    for index, row in enumerate(rows):
        if row.status is Status.UNKNOWN:
            return Malformed(
                field=f"findings[{index}].status", message=f"must be PASS, FAIL or INFO, got '{row.word:.60}'"
            )
    named = {row.criterion for row in rows}
    missing = [criterion for criterion in rubric.names if criterion not in named]
    if missing and not no:
        message = f"the findings table has no row for {', '.join(missing)}"
        return Malformed(field="findings", message=message)
    return None


def _is_quoted(answer: Answer, part: str, *, refuses: bool) -> bool:
    return not answer.has_receipt() and answer.quotes(part, refuses=refuses)


def _confidence(answer: Answer, text: str) -> float | None:
    match = _CONFIDENCE.search(text) if answer.confidence_asked else None
    return float(match[1]) if match else None


def _checks(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether each dimension passes: false if any of its rows fails. An INFO row alone judges nothing."""
    checks: dict[str, bool] = {}
    for row in rows:
        if row.status is not Status.INFO:
            name = row.criterion or row.dimension
            checks[name] = checks.get(name, True) and row.status is Status.PASS
    return checks


def _findings(rows: Sequence[Row], feedback: list[str], words: str, *, passed: bool) -> tuple[Finding, ...]:
    found = [
        Finding(
            issue=row.finding or f"{row.dimension} fails",
            severity=Severity.IMPORTANT if row.status is Status.FAIL else Severity.INFO,
            criterion=row.criterion or row.dimension,
            place=_place(row.finding),
        )
        for row in rows
        if row.status is Status.FAIL or (row.status is Status.INFO and row.finding.strip(" -\u2013\u2014"))
    ]
    severity = Severity.MINOR if passed else Severity.IMPORTANT
    words_of_rows = [_words(finding.issue) for finding in found]
    for item in feedback:
        said = _words(item)
        rows_left = (number for number in range(len(words_of_rows)) if found[number].suggestion is None)
        same = next((number for number in rows_left if _same(words_of_rows[number], said)), None)
        if same is None:
            found.append(Finding(issue=item, severity=severity, place=_place(item), suggestion=item))
        else:
            row = found[same]
            place = row.place if row.place.line else _place(item)
            found[same] = Finding(
                issue=row.issue, severity=row.severity, criterion=row.criterion, place=place, suggestion=item
            )
    if not found and not passed:
        found.append(Finding(issue=words, severity=Severity.IMPORTANT, place=_place(words)))
    return tuple(found)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _same(left: set[str], right: set[str]) -> bool:
    """Whether a row and an item of feedback say the same: most words of the shorter one are in the other."""
    return bool(left and right) and len(left & right) / min(len(left), len(right)) >= _SAME_WORDS


def _place(text: str) -> Place:
    match = _LINE.search(text)
    return Place(line=int(match[1]) or None) if match else Place()


def _feedback(lines: Sequence[str]) -> list[str]:
    below = (_NUMBERED.match(line) for line in _below(lines, "feedback"))
    items = (match[1].strip() for match in below if match)
    return [item for item in items if fold(item) not in _NOTHING]


def _plain_words(lines: Sequence[str], rows: Sequence[Row]) -> str:
    """The reviewer's sentences: everything but headings, tables, fences, counts and the signal."""
    kept = (
        line.strip(" \t>*-")
        for line in lines
        if not line.lstrip().startswith(("#", "|", "```", "~~~")) and not _SIGNAL.match(line.strip())
    )
    counts = re.compile(r"(?i)^(passed|failed|critical issues)\s*:")
    words = " ".join(line for line in kept if line and not counts.match(line) and "|" not in line)
    return "" if fold(words) in _NOTHING else words[:2000]


def _below(lines: Sequence[str], title: str) -> list[str]:
    """The lines below the heading that begins with `title`, up to the next heading, without the signal."""
    found: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("#"):
            inside = line.lstrip("# \t*_").lower().startswith(title)
        elif inside and not _SIGNAL.match(line.strip()):
            found.append(line)
    return found
