"""`signal`: Markdown with a findings table, closed by REVIEW_PASS or REVIEW_FAIL as its last line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

name = "signal"

_SIGNAL = re.compile(r"^(?:[-*+>]\s+|\d+[.)]\s+)?[*_`~\s]*(REVIEW_PASS|REVIEW_FAIL)[*_`~.\s]*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*+])\s+(.+)$")
_LINE = re.compile(r"\blines?\s+(\d{1,7})\b", re.IGNORECASE)
_TAIL = 3
_COLUMNS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    dimension: str
    status: str
    finding: str


def schema(rubric: Rubric) -> None:
    """Markdown has no schema."""


def instructions(rubric: Rubric) -> str:
    rows = "\n".join(f"| {n} | {dimension} | <status> | <finding> |" for n, dimension in enumerate(rubric.names, 1))
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

End your answer with a line that contains only the signal: REVIEW_PASS if no dimension fails, REVIEW_FAIL if any does.
Any FAIL row makes the review fail, whatever the signal says."""


def parse(answer: Answer, rubric: Rubric) -> Review | Malformed:
    lines = [line for line in answer.own_words().splitlines() if line.strip()]
    if len(lines) > 1 and _FENCE.match(lines[0]) and _FENCE.match(lines[-1]):
        lines = lines[1:-1]
    match = _SIGNAL.match(lines[-1].strip()) if lines else None
    if match is None:
        return Malformed(field="signal", message="the last line must be REVIEW_PASS or REVIEW_FAIL")
    if answer.quotes("\n".join(lines[-_TAIL:])):
        return Malformed(field="signal", message="the signal is quoted from the artifact")
    rows = _rows(lines)
    for index, row in enumerate(rows):
        if row.status not in ("PASS", "FAIL", "INFO"):
            return Malformed(
                field=f"findings[{index}].status", message=f"must be PASS, FAIL or INFO, got {row.status:.60}"
            )
    failed = [row for row in rows if row.status == "FAIL"]
    passed = match[1] == "REVIEW_PASS" and not failed
    if not passed and not failed and not _feedback(lines):
        return Malformed(field="findings", message="REVIEW_FAIL needs a FAIL row or feedback for revision")
    checks = _checks(rows, rubric)
    return Review(
        verdict=Verdict.PASS if passed else Verdict.NEEDS_REVISION,
        checks=checks,
        findings=_findings(rows, _feedback(lines), rubric, passed=passed),
        judged=tuple(criterion for criterion in rubric.names if criterion in checks),
        summary=" ".join(line.strip() for line in _below(lines, "summary")),
    )


def _rows(lines: list[str]) -> list[Row]:
    rows: list[Row] = []
    in_table = False
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.lstrip().startswith("|") else []
        if len(cells) < _COLUMNS:
            in_table = False
        elif [cell.lower() for cell in cells[1:3]] == ["dimension", "status"]:
            in_table = True
        elif in_table and not set("".join(cells)) <= set("-: "):
            status = cells[2].strip("*_`\u2705\u274c\u2139\ufe0f ").upper()
            rows.append(Row(dimension=cells[1].strip("*_` "), status=status, finding="|".join(cells[3:]).strip()))
    return rows


def _checks(rows: list[Row], rubric: Rubric) -> dict[str, bool]:
    """Whether each dimension passes: false if any of its rows fails. An INFO row alone judges nothing."""
    checks: dict[str, bool] = {}
    for row in rows:
        if row.status in ("PASS", "FAIL"):
            name = _criterion(row.dimension, rubric) or row.dimension
            checks[name] = checks.get(name, True) and row.status == "PASS"
    return checks


def _criterion(dimension: str, rubric: Rubric) -> str | None:
    wanted = re.sub(r"[\W_]+", "", dimension).lower()
    return next((name for name in rubric.names if re.sub(r"[\W_]+", "", name).lower() == wanted), None)


def _findings(rows: list[Row], feedback: list[str], rubric: Rubric, *, passed: bool) -> tuple[Finding, ...]:
    found = [
        Finding(
            issue=row.finding or f"{row.dimension} fails",
            severity=Severity.IMPORTANT if row.status == "FAIL" else Severity.INFO,
            criterion=_criterion(row.dimension, rubric) or row.dimension,
            place=_place(row.finding),
        )
        for row in rows
        if row.status != "PASS"
    ]
    severity = Severity.MINOR if passed else Severity.IMPORTANT
    found += [Finding(issue=item, severity=severity, place=_place(item), suggestion=item) for item in feedback]
    return tuple(found)


def _place(text: str) -> Place:
    match = _LINE.search(text)
    return Place(line=int(match[1]) or None) if match else Place()


def _feedback(lines: list[str]) -> list[str]:
    below = (_NUMBERED.match(line) for line in _below(lines, "feedback"))
    return [match[1].strip() for match in below if match and not _SIGNAL.match(match[0].strip())]


def _below(lines: list[str], title: str) -> list[str]:
    """The lines below the heading that begins with `title`, up to the next heading, without the signal."""
    found: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("#"):
            inside = line.lstrip("# \t").lower().startswith(title)
        elif inside and not _SIGNAL.match(line.strip()):
            found.append(line)
    return found
