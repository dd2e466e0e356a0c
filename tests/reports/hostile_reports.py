"""Reports in which every text may hold anything, as hypothesis strategies."""

from hypothesis import strategies as st

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity, Standing
from reviewloop.core.types.review import Verdict
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport, RuleInfo, Silencer, Suppressed

NASTY = (
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\u202e",
    "\u200b",
    "\ud800",
    "\x00",
    "\x85",
    "\u2028",
    "\r\n",
    "\r",
    "\t",
    "::error file=a,line=1::b",
    "##[stop-commands]x",
    "##vso[task.complete]",
    "%0A",
    "]]>",
    "<script>",
    "</details>",
    "```",
    "`",
    "|",
    "@everyone",
    "[red]bold[/red]",
    ":smile:",
    "{0}",
    "🔑",
    "日本語",
    "e\u0301",
    "\U0010ffff",
    "",
)

words = st.lists(st.sampled_from(NASTY) | st.text(max_size=12), max_size=4).map("".join)
any_char = st.text(st.characters(), max_size=20)
texts = words | any_char
paths = st.sampled_from(("a.md", "b c/ü%41:x.md", "/abs/olute.md", "C:/x/y.md", "-", "../up.md")) | texts
numbers = st.none() | st.integers(min_value=-2, max_value=9) | st.integers()
scores = st.none() | st.floats(min_value=0, max_value=100)
documents = st.lists(texts, max_size=8).map("\n".join)

places = st.builds(Place, file=st.none() | paths, line=numbers, column=numbers, section=st.none() | texts)
findings = st.builds(
    Finding,
    issue=texts,
    severity=st.sampled_from(Severity),
    place=places,
    criterion=st.none() | texts,
    suggestion=st.none() | texts,
    quote=st.none() | texts,
    rule=st.none() | st.sampled_from(("REQ013", "REQ018")) | texts,
    by=st.lists(texts, max_size=2).map(tuple),
    standing=st.none() | st.sampled_from(Standing),
)
rules = st.builds(
    RuleInfo,
    id=st.sampled_from(("REQ013", "REQ018")) | texts,
    name=texts,
    severity=st.sampled_from(Severity),
    summary=texts,
    description=texts,
    docs=texts | texts.map(lambda text: f"https://{text}"),
    criterion=st.none() | texts,
)
artifacts = st.builds(
    Artifact,
    kind=st.sampled_from(Kind),
    name=texts,
    files=st.lists(st.builds(SourceFile, path=paths, text=documents), max_size=2).map(tuple),
)
criteria = st.builds(CriterionResult, criterion=texts, met=st.none() | st.booleans(), score=scores)
reviewed = st.builds(
    Reviewed,
    artifact=artifacts,
    verdict=st.sampled_from(Verdict),
    findings=st.lists(findings, max_size=3).map(tuple),
    suppressed=st.lists(
        st.builds(Suppressed, finding=findings, reason=texts, by=st.sampled_from(Silencer)), max_size=1
    ).map(tuple),
    criteria=st.lists(criteria, max_size=2).map(tuple),
)
reports = st.builds(
    ReviewReport,
    artifacts=st.lists(reviewed, max_size=3).map(tuple),
    rules=st.lists(rules, max_size=2, unique_by=lambda rule: rule.id).map(tuple),
    reviewers=st.lists(texts, max_size=2).map(tuple),
    asked_agents=st.booleans(),
    warnings=st.lists(texts, max_size=1).map(tuple),
    notes=st.lists(texts, max_size=1).map(tuple),
    tool_version=texts,
    elapsed=st.floats(min_value=0, max_value=1e6),
)
