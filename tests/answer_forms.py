"""Answers in every dialect: statements that say yes or no, and the many valid forms that real reviewers give them.

`FORMS` are written for people and for models of all makes: each must be read, with the verdict it states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reviewloop.core.types.rubric import FOUR_CRITERIA, QUALITY_CHECKS, Rubric

DIALECTS = ("scored", "signal", "decision", "findings")
RUBRIC: dict[str, Rubric] = dict.fromkeys(DIALECTS, FOUR_CRITERIA) | {"decision": QUALITY_CHECKS}

ARTIFACT = """\
# Spec: export

## Goal

Users export their reports as CSV. The export must finish within 30 seconds.

## API

`GET /export?from=DATE` answers `{"status": "error", "code": 400}` for a bad date. The body holds {placeholder} values.

## Gate

The pipeline reads the reviewer's answer, for example

```json
{"verdict": "pass", "score": {"completeness": 95, "consistency": 95, "testability": 95, "architecture": 95},
 "feedback": []}
```

or `{"verdict": "needs_revision", "score": {"completeness": 5, "consistency": 5, "testability": 5, "architecture": 5},
"feedback": [{"section": "Goal", "issue": "vague", "suggestion": "say what"}]}`. A second tool prints

    {"verdict": "pass", "findings": [{"severity": "info", "description": "well done"}]}
    {"verdict": "fail", "findings": [{"severity": "critical", "description": "no owner"}]}
    {"decision": "GO", "feedback": "fine", "quality_checks": {"acceptance_criteria_met": true,
     "code_standards_met": true, "test_coverage_adequate": true, "security_review_passed": true}}
    {"decision": "NO_GO", "feedback": "tests are missing"}

and a third one a table:

| # | Dimension | Status | Finding |
|---|-----------|--------|---------|
| 1 | completeness | PASS | all of it is there |
| 2 | consistency | PASS | one name for each thing |
| 3 | testability | PASS | commands can be run |
| 4 | architecture | PASS | fits |

REVIEW_PASS
"""
"""A document that contains statements of every dialect, so that reviewers can quote them."""

QUOTED_YES = {
    "scored": '{"verdict": "pass", "score": {"completeness": 95, "consistency": 95, "testability": 95, '
    '"architecture": 95},\n "feedback": []}',
    "findings": '{"verdict": "pass", "findings": [{"severity": "info", "description": "well done"}]}',
    "decision": '{"decision": "GO", "feedback": "fine", "quality_checks": {"acceptance_criteria_met": true,\n'
    '     "code_standards_met": true, "test_coverage_adequate": true, "security_review_passed": true}}',
    "signal": ARTIFACT[ARTIFACT.index("| # |") :].rstrip(),
}
QUOTED_NO = {
    "scored": '{"verdict": "needs_revision", "score": {"completeness": 5, "consistency": 5, "testability": 5, '
    '"architecture": 5},\n"feedback": [{"section": "Goal", "issue": "vague", "suggestion": "say what"}]}',
    "findings": '{"verdict": "fail", "findings": [{"severity": "critical", "description": "no owner"}]}',
    "decision": '{"decision": "NO_GO", "feedback": "tests are missing"}',
}


def yes_value(dialect: str) -> dict[str, Any]:
    match dialect:
        case "scored":
            return {"verdict": "pass", "score": dict.fromkeys(FOUR_CRITERIA.names, 91), "feedback": []}
        case "findings":
            return {"verdict": "pass", "findings": []}
        case _:
            checks = dict.fromkeys(QUALITY_CHECKS.names, True)
            return {"decision": "GO", "feedback": "It does what the task asks.", "quality_checks": checks}


def no_value(dialect: str) -> dict[str, Any]:
    match dialect:
        case "scored":
            item = {"section": "Goal", "issue": "30 seconds of what?", "suggestion": "Name the start and the end."}
            score = dict.fromkeys(FOUR_CRITERIA.names, 91) | {"testability": 40}
            return {"verdict": "needs_revision", "score": score, "feedback": [item]}
        case "findings":
            item = {"severity": "important", "section": "Goal", "description": "30 seconds of what?"}
            return {"verdict": "fail", "findings": [item]}
        case _:
            return {"decision": "NO_GO", "feedback": "30 seconds of what?"}


def table(statuses: dict[str, str] | None = None, finding: str = "read and weighed") -> str:
    rows = dict.fromkeys(FOUR_CRITERIA.names, "PASS") | (statuses or {})
    lines = [f"| {n} | {name} | {status} | {finding} |" for n, (name, status) in enumerate(rows.items(), 1)]
    return "\n".join(["| # | Dimension | Status | Finding |", "|---|-----------|--------|---------|", *lines])


def markdown(statuses: dict[str, str] | None = None, signal: str = "REVIEW_PASS", feedback: str = "1. None.") -> str:
    return f"""\
## Review: spec (Iteration 1)

### Findings
{table(statuses)}

### Summary
- Passed: 4/4 dimensions

### Feedback for Revision
{feedback}

{signal}"""


def yes(dialect: str) -> str:
    return markdown() if dialect == "signal" else json.dumps(yes_value(dialect))


def no(dialect: str) -> str:
    if dialect == "signal":
        return markdown({"testability": "FAIL"}, "REVIEW_FAIL", "1. Say what takes 30 seconds.")
    return json.dumps(no_value(dialect))


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """An answer that must be read, and whether it says pass."""

    name: str
    dialect: str
    text: str
    passes: bool


Wrap = Callable[[str], str]

PROSE: dict[str, Wrap] = {
    "alone": lambda a: a,
    "blank lines around it": lambda a: f"\n\n\n{a}\n\n\n",
    "windows line ends": lambda a: a.replace("\n", "\r\n"),
    "a byte order mark": lambda a: f"\ufeff{a}",
    "a sentence before it": lambda a: f"I have read the whole spec.\n\n{a}",
    "reasons before it": lambda a: f"# Review\n\n- The goal is stated.\n- The API has one call.\n\n{a}",
    "words of failure in prose": lambda a: f"The export would fail if the date is bad; the spec says so.\n\n{a}",
    "a verdict that is elsewhere": lambda a: f"Verdict: see below.\n\n{a}",
    "headings": lambda a: f"## Decision record\n\nIt is kept.\n\n## Verdict format\n\nIt is JSON.\n\n{a}",
    "states in a list": lambda a: f"- Status: failed\n- Status: done\n\nThese are all states.\n\n{a}",
    "an earlier verdict": lambda a: f"Previous verdict: needs_revision. All findings are fixed now.\n\n{a}",
    "a thought that says otherwise": lambda a: f'<think>Is it {{"verdict": "needs_revision"}}? No.</think>\n\n{a}',
    "a thought that says no in a line": lambda a: f"<thinking>\nVerdict: pass or fail?\nNO_GO\n</thinking>\n\n{a}",
    "a verdict announced": lambda a: f"Here is my verdict:\n\n{a}",
    "a decision announced": lambda a: f"My decision, in the format you asked for:\n\n{a}",
    "a placeholder in prose": lambda a: f"The body holds {{placeholder}} values, which is fine.\n\n{a}",
    "a set in prose": lambda a: f"Statuses are {{open, closed}}, as in section 2.\n\n{a}",
    "an unclosed brace in code": lambda a: f"Line 9 opens with `{{` and closes in the same line.\n\n{a}",
    "an unclosed object in code": lambda a: f'Line 9 begins with `{{"status": ` and is complete.\n\n{a}',
    "an example of the API": lambda a: f'The body `{{"status": "error", "code": 400}}` is documented.\n\n{a}',
    "an example in a fence": lambda a: f'For instance:\n\n```json\n{{"status": "failed", "code": 500}}\n```\n\n{a}',
    "a program in prose": lambda a: f"```js\nfunction f() {{ return {{ok: true}} }}\n```\n\n{a}",
    "quotation marks and brackets": lambda a: f'"Users" [1] (see \u201cGoal\u201d) and it\'s \u2018fine\u2019.\n\n{a}',
    "other languages": lambda a: f"Die Frist ist gepr\u00fcft. \u671f\u9650\u306f\u660e\u78ba\u3067\u3059\u3002\n\n{a}",
    "a table of counts": lambda a: f"| section | lines |\n|---|---|\n| Goal | 3 |\n| API | 2 |\n\n{a}",
    "a quotation of the goal": lambda a: f"> The export must finish within 30 seconds.\n\nThat is clear.\n\n{a}",
    "a list of checks done": lambda a: f"1. Read the goal\n2. Read the API\n3. Compared both\n\n{a}",
    "a rule and a heading": lambda a: f"Notes above.\n\n---\n\n## Result\n\n{a}",
    "words of a no in a sentence": lambda a: f"I looked for a reason to answer no, as I was asked to.\n\n{a}",
    "the word of the other dialect in a sentence": lambda a: f"A GO or NO_GO tool would read this too.\n\n{a}",
}
"""Words around an answer that change nothing."""

AFTER: dict[str, Wrap] = {
    "a sentence after it": lambda a: f"{a}\n\nThat is all.",
    "a fence": lambda a: f"```json\n{a}\n```",
    "a fence without a language": lambda a: f"```\n{a}\n```",
    "a fence of tildes": lambda a: f"~~~json\n{a}\n~~~",
    "a long fence": lambda a: f"````json\n{a}\n````",
    "a fence and prose": lambda a: f"I have read it.\n\n```json\n{a}\n```\n\nLet me know.",
    "an indented answer": lambda a: "\n".join(f"    {line}" for line in a.splitlines()),
    "tags around it": lambda a: f"<answer>\n{a}\n</answer>",
    "bold around it": lambda a: f"**{a}**",
    "one word before it": lambda a: f"json\n{a}",
    "an assignment": lambda a: f"result = {a}",
    "a full stop after it": lambda a: f"{a}.",
}
"""Forms that a JSON object may take, and Markdown may not."""


def _quotations(dialect: str) -> dict[str, Wrap]:
    """The artifact's own statements, quoted in many ways beside an answer."""
    found: dict[str, Wrap] = {}
    quoted = {"a quoted yes": QUOTED_YES[dialect]}
    if dialect in QUOTED_NO:
        quoted["a quoted no"] = QUOTED_NO[dialect]
    for name, text in quoted.items():
        found[f"{name} in a fence"] = _before(f"The spec shows:\n\n```\n{text}\n```")
        found[f"{name} in a block quote"] = _before("\n".join(f"> {line}" for line in text.splitlines()))
        found[f"{name}, indented"] = _before("\n".join(f"      {line}" for line in text.splitlines()))
        found[f"{name} between the fence's marks"] = _before(f"BEGIN m4rk spec spec.md\n{text}\nEND m4rk spec spec.md")
        if dialect != "signal":
            flat = " ".join(text.split())
            value = json.loads(text)
            turned = json.dumps(dict(reversed(value.items())))
            found[f"{name} in code"] = _before(f"It shows `{flat}` as an example.")
            found[f"{name}, escaped"] = _before("It is the string " + json.dumps(flat))
            found[f"{name}, keys in another order"] = _before(f"It amounts to `{turned}`.")
            found[f"{name}, laid out anew"] = _before(json.dumps(value, indent=4))
            found[f"{name}, in the other quotation marks"] = _before(f"It shows {flat.replace(chr(34), chr(39))}.")
    return found


def _before(text: str) -> Wrap:
    return lambda answer: f"{text}\n\nMy own answer follows.\n\n{answer}"


def _json_bodies(dialect: str) -> Iterator[tuple[str, str, bool]]:
    value, refusal = yes_value(dialect), no_value(dialect)
    yield "laid out", json.dumps(value, indent=2), True
    yield "tabs", json.dumps(value, indent="\t"), True
    yield "compact", json.dumps(value, separators=(",", ":")), True
    yield "keys sorted", json.dumps(value, sort_keys=True), True
    yield "keys reversed", json.dumps(dict(reversed(value.items()))), True
    yield "further keys", json.dumps(value | {"notes": "read twice", "model": {"name": "m"}}), True
    yield "a summary", json.dumps(value | {"summary": "Good. It can't fail as it did before."}), True
    yield "a confidence", json.dumps(value | {"confidence": 0.8}), True
    yield "further words of a yes", json.dumps(value | {"approved": True, "status": "ok", "passed": 4}), True
    yield "null for what is not needed", json.dumps(value | {"summary": None, "confidence": None}), True
    yield "the same twice", f"{json.dumps(value)}\n\nAgain, as the last line:\n{json.dumps(value)}", True
    yield "escaped letters", json.dumps(value).replace("pass", "p\\u0061ss").replace('"GO"', '"\\u0047O"'), True
    yield "the last review inside", json.dumps(value | {"previous_review": refusal}), True
    yield "a no, laid out", json.dumps(refusal, indent=2), False
    yield "a no, compact", json.dumps(refusal, separators=(",", ":")), False
    yield "a no after a yes", f"Draft: {json.dumps(value)}\n\nNo, I missed one:\n{json.dumps(refusal)}", False
    yield "a no with a confidence", json.dumps(refusal | {"confidence": 1}), False
    match dialect:
        case "scored":
            item = refusal["feedback"][0]
            yield "feedback that is null", json.dumps(value | {"feedback": None}), True
            yield "no feedback key", json.dumps({k: v for k, v in value.items() if k != "feedback"}), True
            yield "a minor item", json.dumps(value | {"feedback": [item | {"severity": "minor"}]}), True
            yield "an item with a place", json.dumps(value | {"feedback": [item | {"line": 5, "file": "s.md"}]}), True
            yield "an item with null", json.dumps(value | {"feedback": [item | {"line": None, "quote": None}]}), True
            yield "floats", json.dumps(value | {"score": dict.fromkeys(FOUR_CRITERIA.names, 88.5)}), True
            yield "bounds", json.dumps(value | {"score": dict.fromkeys(FOUR_CRITERIA.names, 100)}), True
            yield "further scores", json.dumps(value | {"score": value["score"] | {"style": 80}}), True
            yield "two items", json.dumps(refusal | {"feedback": [item, item | {"issue": "no owner"}]}), False
            yield "a critical item", json.dumps(refusal | {"feedback": [item | {"severity": "critical"}]}), False
            yield "a severity in capitals", json.dumps(refusal | {"feedback": [item | {"severity": "Minor"}]}), False
        case "findings":
            item = refusal["findings"][0]
            yield "a minor finding", json.dumps(value | {"findings": [item | {"severity": "minor"}]}), True
            yield "an info finding", json.dumps(value | {"findings": [item | {"severity": "info"}]}), True
            yield "a named note", json.dumps(value | {"findings": [item | {"severity": "minor", "id": "F1"}]}), True
            yield "a line as text", json.dumps(value | {"findings": [item | {"severity": "info", "line": "5"}]}), True
            yield "nulls", json.dumps(value | {"findings": [item | {"severity": "info", "file": None}]}), True
            yield "two findings", json.dumps(refusal | {"findings": [item, item | {"severity": "minor"}]}), False
            yield "a critical one", json.dumps(refusal | {"findings": [item | {"severity": "critical"}]}), False
            yield "all fields", json.dumps(refusal | {"findings": [item | ALL_FIELDS]}), False
        case _:
            checks = value["quality_checks"]
            yield "no reasons", json.dumps({k: v for k, v in value.items() if k != "feedback"}), True
            yield "empty reasons", json.dumps(value | {"feedback": ""}), True
            noted = checks | {"notes": "all run by hand"}
            yield "a note among the checks", json.dumps(value | {"quality_checks": noted}), True
            yield "a further check", json.dumps(value | {"quality_checks": checks | {"documented": True}}), True
            yield "a no with checks", json.dumps(refusal | {"quality_checks": checks}), False
            failed = checks | {"test_coverage_adequate": False}
            yield "GO with a failed check", json.dumps(value | {"quality_checks": failed}), False
            yield "a no with a failed check", json.dumps(refusal | {"quality_checks": failed}), False


ALL_FIELDS = {
    "id": "F1",
    "file": "spec.md",
    "line": 5,
    "criterion": "testability",
    "suggestion": "Name the start and the end.",
    "quote": "within 30 seconds",
    "category": "ambiguity",
    "action": "edit",
}


def _markdown_bodies() -> Iterator[tuple[str, str, bool]]:
    for name, signal in {
        "bold": "**REVIEW_PASS**",
        "code": "`REVIEW_PASS`",
        "a list mark": "- REVIEW_PASS",
        "a star": "* REVIEW_PASS",
        "a number": "1. REVIEW_PASS",
        "a full stop": "REVIEW_PASS.",
        "italics": "_REVIEW_PASS_",
        "bold code": "**`REVIEW_PASS`**",
        "blanks": "   REVIEW_PASS   ",
        "blank lines after": "REVIEW_PASS\n\n\n",
    }.items():
        yield f"signal: {name}", markdown(signal=signal), True
    rows = [f"| {name} | PASS | read |" for name in FOUR_CRITERIA.names]
    short = "\n".join(["| Dimension | Status | Finding |", "|---|---|---|", *rows])
    yield "no number column", f"{short}\n\nREVIEW_PASS", True
    bare = "\n".join(row.strip("| ") for row in short.splitlines())
    yield "no edge pipes", f"{bare}\n\nREVIEW_PASS", True
    yield "two columns", f"{_columns('Dimension', 'Status', 'PASS')}\n\nREVIEW_PASS", True
    yield "another header", f"{_columns('Criterion', 'Result', 'PASS')}\n\nREVIEW_PASS", True
    yield "the status first", f"{_turned('PASS')}\n\nREVIEW_PASS", True
    yield "small letters", f"{_columns('dimension', 'status', 'pass')}\n\nREVIEW_PASS", True
    yield "a tick", f"{_columns('Dimension', 'Status', chr(0x2705) + ' PASS')}\n\nREVIEW_PASS", True
    yield "bold statuses", f"{_columns('Dimension', 'Status', '**PASS**')}\n\nREVIEW_PASS", True
    yield "code statuses", f"{_columns('Dimension', 'Status', '`PASS`')}\n\nREVIEW_PASS", True
    yield "aligned", markdown().replace("|---|-----------|--------|---------|", "|:-:|:---|:--:|---:|"), True
    yield "a further row", markdown().replace("\n\n### Summary", "\n| 5 | style | INFO | short |\n\n### Summary"), True
    yield "pipes in a finding", markdown().replace("read and weighed", "`a \\| b` is read"), True
    yield "names in capitals", markdown().replace("completeness", "COMPLETENESS"), True
    yield "names with punctuation", markdown().replace("testability", "Test-ability:"), True
    yield "bold names", markdown().replace("consistency", "**Consistency**"), True
    yield "the whole answer in a fence", f"```markdown\n{markdown()}\n```", True
    counted = "- Passed: 4/4 dimensions\n- Failed: 0/4 dimensions\n- Critical issues: none"
    yield "a summary as asked for", markdown().replace("- Passed: 4/4 dimensions", counted), True
    yield "a sum", f"{table()}\n| | Total | 4/4 | |\n\nREVIEW_PASS", True
    yield "only table and signal", f"{table()}\n\nREVIEW_PASS", True
    yield "no feedback", markdown().replace("### Feedback for Revision\n1. None.\n\n", ""), True
    yield "feedback: nothing", markdown(feedback="Nothing to change."), True
    yield "feedback: none", markdown(feedback="- None"), True
    yield "minor feedback", markdown(feedback="1. The title could be shorter."), True
    two = f"{table()}\n\n{_columns('Dimension', 'Status', 'PASS')}\n\nREVIEW_PASS"
    yield "two tables", two, True
    yield "the word in a sentence", f"Nothing here calls for REVIEW_FAIL.\n\n{markdown()}", True
    yield "a no", markdown({"testability": "FAIL"}, "REVIEW_FAIL"), False
    yield "a no in bold", markdown({"testability": "FAIL"}, "**REVIEW_FAIL**"), False
    yield "all fail", markdown(dict.fromkeys(FOUR_CRITERIA.names, "FAIL"), "REVIEW_FAIL"), False
    yield "a failing row under a yes", markdown({"testability": "FAIL"}), False
    yield "a no with two items", markdown({"testability": "FAIL"}, "REVIEW_FAIL", "1. Say what.\n2. Say when."), False
    yield "a no in plain words", "The export has no owner, so nobody can build it.\n\nREVIEW_FAIL", False
    yield "a no with a list", "- The export has no owner.\n- No format is named.\n\nREVIEW_FAIL", False
    yield "a no with rows that pass", markdown(signal="REVIEW_FAIL", feedback="1. Name the owner."), False
    yield "a no without edge pipes", f"{bare.replace('PASS', 'FAIL')}\n\nREVIEW_FAIL", False
    yield "a no with a cross", f"{_columns('Dimension', 'Status', chr(0x274C) + ' FAIL')}\n\nREVIEW_FAIL", False
    yield "a no after a yes", f"{table()}\n\nREVIEW_PASS\n\nNo: the owner is missing.\n\nREVIEW_FAIL", False


def _columns(dimension: str, status: str, word: str) -> str:
    rows = [f"| {name} | {word} |" for name in FOUR_CRITERIA.names]
    return "\n".join([f"| {dimension} | {status} |", "|---|---|", *rows])


def _turned(word: str) -> str:
    rows = [f"| {word} | {name} | read |" for name in FOUR_CRITERIA.names]
    return "\n".join(["| Status | Dimension | Finding |", "|---|---|---|", *rows])


def forms(dialect: str) -> Iterator[Form]:
    """Every valid form of a dialect."""
    for name, wrap in (PROSE | _quotations(dialect)).items():
        for passes, answer in ((True, yes(dialect)), (False, no(dialect))):
            said = "yes" if passes else "no"
            yield Form(name=f"{said}: {name}", dialect=dialect, text=wrap(answer), passes=passes)
    if dialect == "signal":
        for name, text, passes in _markdown_bodies():
            yield Form(name=name, dialect=dialect, text=text, passes=passes)
        return
    for name, wrap in AFTER.items():
        yield Form(name=f"yes: {name}", dialect=dialect, text=wrap(yes(dialect)), passes=True)
        yield Form(name=f"no: {name}", dialect=dialect, text=wrap(no(dialect)), passes=False)
    for name, text, passes in _json_bodies(dialect):
        yield Form(name=name, dialect=dialect, text=text, passes=passes)


FORMS: tuple[Form, ...] = tuple(form for dialect in DIALECTS for form in forms(dialect))
