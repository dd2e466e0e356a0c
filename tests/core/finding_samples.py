"""Findings to match and merge: a short way to write one, and hypothesis strategies for any."""

from hypothesis import strategies as st

from reviewloop.core.types.finding import Category, Change, Finding, Place, Severity


def finding(issue: str, where: str | None = None, severity: Severity = Severity.IMPORTANT, **more) -> Finding:
    """A finding; `where` is `file.py:12`, or a section."""
    file, _, line = (where or "").partition(":")
    place = Place(file=file, line=int(line)) if line.isdigit() else Place(section=where)
    return Finding(issue=issue, severity=severity, **({"place": place} | more))


NASTY = st.text(max_size=60) | st.sampled_from(
    [
        "",
        " ",
        "FR-3",
        "Tasks 2.3 / 2.4",
        "do not",
        "\x00",
        "\ud800",
        "é" * 9,
        "1.2 Writer",
        "US-0002 and AC-2.1.",
        "{}",
        "日本語",
    ]
)

PLACES = st.builds(
    Place,
    file=st.none() | st.sampled_from(["app.py", "src/app.py", "./src/app.py", "src\\app.py", "other.md"]) | NASTY,
    line=st.none() | st.integers(min_value=1, max_value=400),
    section=st.none() | NASTY,
)

FINDINGS = st.builds(
    Finding,
    issue=NASTY,
    severity=st.sampled_from(Severity),
    place=PLACES,
    suggestion=st.none() | NASTY,
    quote=st.none() | NASTY,
    category=st.none() | st.sampled_from(Category),
    action=st.none() | st.sampled_from(Change),
    pattern_id=st.none() | st.sampled_from(["p1", "p2"]),
    rule=st.none() | st.sampled_from(["REQ001", "REQ002"]),
)

LISTS = st.lists(FINDINGS, max_size=7)
