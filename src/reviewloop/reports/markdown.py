"""For comments on pull requests: a summary table, findings by file with details folded, never too long to post."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.phrases import left_out, names, origin, plural, score, standing, summary, tally
from reviewloop.reports.report import Reviewed, ReviewReport
from reviewloop.reports.safe_text import clipped, one_line, printable

# GitHub takes 65,536 characters in a comment. Each part has its room, and says how much of it did not fit.
LIMIT = 65_000
_TABLE_ROOM = 15_000
_SUPPRESSED_ROOM = 8_000
_MESSAGES_ROOM = 8_000
_FRAME_ROOM = 1_000
_TEXT_LIMIT = 1_000
_NAME_LIMIT = 120
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
# Names and numbers must not call people or link issues: a comment after the sign keeps it a mere sign.
_CALLS = re.compile(r"([@#])(?=\w)")
_BACKTICKS = re.compile(r"`+")


def render(report: ReviewReport) -> str:
    files = by_file(report)
    opening = _opening(report, files)
    ending = _suppressed(files) + _messages(report)
    dirty = sorted((file for file in files if file.findings), key=_worst_rank)
    blocks = [block for file in dirty for block in _blocks(file)]
    shown = blocks[: _fitting(blocks, LIMIT - _FRAME_ROOM - len(opening) - len(ending))]
    left = [one.finding for file in dirty for one in worst_first(file.findings)][len(shown) :]
    more = f"\n{plural(len(left), 'more finding')} not shown here: {tally(left)}.\n" if left else ""
    return opening + "".join(shown) + more + ending


def _worst_rank(file: FileFindings) -> int:
    return -max(one.finding.severity.rank for one in file.findings)


def _fitting(parts: Sequence[str], room: int) -> int:
    """How many of the parts fit, from the first on."""
    for count, part in enumerate(parts):
        room -= len(part)
        if room < 0:
            return count
    return len(parts)


def _opening(report: ReviewReport, files: Sequence[FileFindings]) -> str:
    rows = [_row(name, one) for name, one in zip(names(report), report.artifacts, strict=True)]
    shown = _fitting(rows, _TABLE_ROOM)
    left = len(rows) - shown
    return "".join(
        (
            f"## Reviewloop: {report.verdict.replace('_', ' ')}\n\n",
            f"{summary(report, files).capitalize()}\n\n",
            "| Artifact | Verdict | Total | Findings | Criteria |\n|---|---|--:|---|---|\n",
            *rows[:shown],
            f"\n{plural(left, 'more artifact')} not shown here.\n" if left else "",
        )
    )


def _row(name: str, one: Reviewed) -> str:
    criteria = ", ".join(standing(judgement) for judgement in one.judgements)
    cells = (
        _words(name, _NAME_LIMIT),
        one.verdict.replace("_", " "),
        score(one.total),
        tally(one.findings) or "none",
        _words(criteria, _TEXT_LIMIT),
    )
    return f"| {' | '.join(cells)} |\n"


def _blocks(file: FileFindings) -> Iterator[str]:
    """A block per finding; the first one carries the file's heading."""
    heading = f"\n### {_code(file.title)}\n"
    for one in worst_first(file.findings):
        yield heading + _block(one)
        heading = ""


def _block(one: Located) -> str:
    where = f" line {one.position}" if one.position else ""
    head = f"\n- **{one.finding.severity}** {_code(one.label)}{where}: {_words(one.finding.issue, _TEXT_LIMIT)}\n"
    details = "\n\n".join(_details(one))
    if not details:
        return head
    folded = f"<details><summary>details</summary>\n\n{details}\n\n</details>"
    return head + "".join(f"  {line}\n" if line else "\n" for line in folded.split("\n"))


def _details(one: Located) -> Iterator[str]:
    if one.source and one.source.strip():
        source = printable(clipped(one.source, _TEXT_LIMIT))
        fence = "`" * max(3, 1 + _longest_backticks(source))
        yield f"{fence}text\n{source}\n{fence}"
    for word, text in (("Hint", one.finding.suggestion), ("From", origin(one))):
        if text and text.strip():
            yield f"{word}: {_words(text, _TEXT_LIMIT)}"


def _suppressed(files: Sequence[FileFindings]) -> str:
    rows = [_suppressed_row(one) for file in files for one in file.suppressed]
    if not rows:
        return ""
    shown = _fitting(rows, _SUPPRESSED_ROOM)
    more = f"- {len(rows) - shown} more not shown here\n" if shown < len(rows) else ""
    return f"\n<details><summary>{len(rows)} suppressed</summary>\n\n{''.join(rows[:shown])}{more}\n</details>\n"


def _suppressed_row(one: Located) -> str:
    assert one.suppressed is not None
    where = ":".join(part for part in (one.anchor, one.position) if part)
    reason = _words(one.suppressed.reason, _NAME_LIMIT)
    return f"- {_code(one.label)} {_code(where)} ({one.suppressed.by}): {reason}\n"


def _messages(report: ReviewReport) -> str:
    told = [
        *(f"\nWarning: {_words(text, _TEXT_LIMIT)}\n" for text in (*map(left_out, report.left_out), *report.warnings)),
        *(f"\nNote: {_words(text, _TEXT_LIMIT)}\n" for text in report.notes),
    ]
    shown = _fitting(told, _MESSAGES_ROOM)
    more = f"\n{plural(len(told) - shown, 'more message')} not shown here.\n" if shown < len(told) else ""
    return "".join(told[:shown]) + more


def _code(text: str) -> str:
    """A code span: whatever is in it stays text."""
    shown = clipped(one_line(text), _NAME_LIMIT)
    ticks = "`" * (1 + _longest_backticks(shown))
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _words(text: str, limit: int) -> str:
    """Other people's words as plain text: no markup, HTML or mention comes out of them."""
    escaped = _SPECIAL.sub(r"\\\1", clipped(one_line(text), limit))
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _CALLS.sub(r"\1<!-- -->", escaped)
