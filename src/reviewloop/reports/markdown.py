"""The Markdown format for pull request comments: a summary table and findings by file, short enough to post."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.phrases import criterion_text, left_out, names, origin, plural, score_text, summary, tally
from reviewloop.reports.report import Reviewed, ReviewReport
from reviewloop.reports.safe_text import clipped, one_line, printable

# A GitHub comment holds 65,536 characters. Each part has a limit of its own, and says how much did not fit.
LIMIT = 65_000
_TABLE_ROOM = 15_000
_SUPPRESSED_ROOM = 8_000
_MESSAGES_ROOM = 8_000
_FRAME_ROOM = 1_000
_TEXT_LIMIT = 1_000
_NAME_LIMIT = 120
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
# Text must not mention people or link issues: an HTML comment after the sign prevents that.
_MENTIONS = re.compile(r"([@#])(?=\w)")
_BACKTICKS = re.compile(r"`+")


def render(report: ReviewReport) -> str:
    files = by_file(report)
    opening = _opening(report, files)
    ending = _suppressed(files) + _messages(report)
    dirty = sorted((file for file in files if file.findings), key=_worst_rank)
    blocks = [block for file in dirty for block in _blocks(file)]
    shown = blocks[: _fitting(blocks, LIMIT - _FRAME_ROOM - len(opening) - len(ending))]
    left = [located.finding for file in dirty for located in worst_first(file.findings)][len(shown) :]
    more = f"\n{plural(len(left), 'more finding')} not shown here: {tally(left)}.\n" if left else ""
    return opening + "".join(shown) + more + ending


def _worst_rank(file: FileFindings) -> int:
    return -max(located.finding.severity.rank for located in file.findings)


def _fitting(parts: Sequence[str], room: int) -> int:
    """How many of the parts fit, counted from the first."""
    for count, part in enumerate(parts):
        room -= len(part)
        if room < 0:
            return count
    return len(parts)


def _opening(report: ReviewReport, files: Sequence[FileFindings]) -> str:
    rows = [_row(name, reviewed) for name, reviewed in zip(names(report), report.artifacts, strict=True)]
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


def _row(name: str, reviewed: Reviewed) -> str:
    criteria = ", ".join(criterion_text(result) for result in reviewed.criteria)
    cells = (
        plain_text(name, _NAME_LIMIT),
        reviewed.verdict.replace("_", " "),
        score_text(reviewed.total),
        tally(reviewed.findings) or "none",
        plain_text(criteria),
    )
    return f"| {' | '.join(cells)} |\n"


def _blocks(file: FileFindings) -> Iterator[str]:
    """One block per finding; the first block starts with the file's heading."""
    heading = f"\n### {_code(file.title)}\n"
    for located in worst_first(file.findings):
        yield heading + _block(located)
        heading = ""


def _block(located: Located) -> str:
    position = f" line {located.position}" if located.position else ""
    issue = plain_text(located.finding.issue)
    head = f"\n- **{located.finding.severity}** {_code(located.label)}{position}: {issue}\n"
    details = "\n\n".join(_details(located))
    if not details:
        return head
    folded = f"<details><summary>details</summary>\n\n{details}\n\n</details>"
    return head + "".join(f"  {line}\n" if line else "\n" for line in folded.split("\n"))


def _details(located: Located) -> Iterator[str]:
    if located.source and located.source.strip():
        source = printable(clipped(located.source, _TEXT_LIMIT))
        fence = "`" * max(3, 1 + _longest_backticks(source))
        yield f"{fence}text\n{source}\n{fence}"
    for word, text in (("Hint", located.finding.suggestion), ("From", origin(located))):
        if text and text.strip():
            yield f"{word}: {plain_text(text)}"


def _suppressed(files: Sequence[FileFindings]) -> str:
    rows = [_suppressed_row(located) for file in files for located in file.suppressed]
    if not rows:
        return ""
    shown = _fitting(rows, _SUPPRESSED_ROOM)
    more = f"- {len(rows) - shown} more not shown here\n" if shown < len(rows) else ""
    return f"\n<details><summary>{len(rows)} suppressed</summary>\n\n{''.join(rows[:shown])}{more}\n</details>\n"


def _suppressed_row(located: Located) -> str:
    assert located.suppressed is not None
    reason = plain_text(located.suppressed.reason, _NAME_LIMIT)
    return f"- {_code(located.label)} {_code(located.where)} ({located.suppressed.by}): {reason}\n"


def _messages(report: ReviewReport) -> str:
    messages = [
        *(f"\nWarning: {plain_text(text)}\n" for text in (*map(left_out, report.left_out), *report.warnings)),
        *(f"\nNote: {plain_text(text)}\n" for text in report.notes),
    ]
    shown = _fitting(messages, _MESSAGES_ROOM)
    more = f"\n{plural(len(messages) - shown, 'more message')} not shown here.\n" if shown < len(messages) else ""
    return "".join(messages[:shown]) + more


def _code(text: str) -> str:
    """A code span that shows the text as it is."""
    shown = clipped(one_line(text), _NAME_LIMIT)
    ticks = "`" * (1 + _longest_backticks(shown))
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def plain_text(text: str, limit: int = _TEXT_LIMIT) -> str:
    """The text without any effect: no markup, HTML, mentions or links."""
    escaped = _SPECIAL.sub(r"\\\1", clipped(one_line(text), limit))
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MENTIONS.sub(r"\1<!-- -->", escaped)
