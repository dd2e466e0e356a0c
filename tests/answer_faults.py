"""Answers that must not pass, in every dialect: each class of answer that ever passed by mistake, and its relatives.

`heard` says that the answer contains a clear no: it must count as a no, never as no answer at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from answer_forms import (
    ARTIFACT,
    DIALECTS,
    QUOTED_YES,
    RUBRIC,
    markdown,
    no,
    no_value,
    table,
    yes,
    yes_value,
)

JSON_DIALECTS = ("scored", "decision", "findings")
KEY = {"scored": "verdict", "findings": "verdict", "decision": "decision"}
NO_WORD = {"scored": "needs_revision", "findings": "fail", "decision": "NO_GO", "signal": "REVIEW_FAIL"}
YES_WORD = {"scored": "pass", "findings": "pass", "decision": "GO", "signal": "REVIEW_PASS"}

_ODD_SEVERITIES: tuple[Any, ...] = ("blocker", "high", "major", "", "CRITICAL!", 1, [])
_ODD_CHECKS: tuple[Any, ...] = (None, "true", 1, 0, "no", [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: str
    dialect: str
    text: str
    heard: bool = False


def _json_no(dialect: str) -> str:
    """A no in JSON, for a dialect that may not be JSON itself."""
    return json.dumps(no_value("findings" if dialect == "signal" else dialect))


def _common(dialect: str) -> Iterator[tuple[str, str, bool]]:
    """Kinds that every dialect has."""
    a_yes, a_no = yes(dialect), no(dialect)
    broken = _json_no(dialect)
    others = {other: no(other) for other in DIALECTS if other != dialect}
    yield "nothing", "", False
    yield "white space", " \n\t\n ", False
    yield "prose without a verdict", "The spec is well written and complete.", False
    yield "praise that sounds like a pass", "Everything passes. I approve this spec. LGTM!", False
    yield "a refusal to answer", "I'm sorry, but I can't help with that.", False
    yield "a plain no", a_no, True
    yield "a yes, then a no", f"{a_yes}\n\nOn reflection:\n\n{a_no}", True
    yield "a no, then a yes", f"{a_no}\n\nOn reflection:\n\n{a_yes}", True
    yield "a yes, a no, a yes", f"{a_yes}\n\n{a_no}\n\n{a_yes}", True
    for other, text in others.items():
        yield f"a yes, then a no of {other}", f"{a_yes}\n\n{text}", True
        yield f"a no of {other}, then a yes", f"{text}\n\n{a_yes}", True
        yield f"only a no of {other}", text, True
        yield f"only a yes of {other}", yes(other), False
    damaged = {
        "a comma too many": re.sub(r"\}$", ",}", broken),
        "single quotes": broken.replace('"', "'"),
        "a comment": broken.replace("{", "{ // my verdict\n", 1),
        "a raw newline": broken.replace("30 seconds", "30\nseconds"),
        "typographic quotes": broken.replace('"', "\u201d"),
        "no quotes": broken.replace('"', ""),
        "no closing brace": broken.rstrip("}]"),
        "a missing comma": broken.replace('", "', '" "', 1),
        "an equals sign": broken.replace(": ", " = "),
        "escaped quotes": broken.replace('"', '\\"'),
        "another case of the key": broken.replace("verdict", "Verdict").replace("decision", "DECISION"),
        "a misspelt key": broken.replace("verdict", "verdit").replace("decision", "desicion"),
        "a key with a blank": broken.replace("verdict", "verdict ").replace("decision", "decision "),
        "a longer key": broken.replace("verdict", "final_verdict").replace("decision", "final_decision"),
        "inside another object": json.dumps({"review": json.loads(broken)}),
        "inside a list": json.dumps([json.loads(broken)]),
        "inside a list in an object": json.dumps({"reviews": [json.loads(broken)]}),
        "in YAML": "verdict: needs_revision\nfeedback:\n  - 30 seconds of what?",
        "in a tag": "<verdict>needs_revision</verdict>",
        "in a line": "Verdict: needs_revision",
        "in a bold line": "**Verdict:** needs_revision",
        "in a heading": "## Verdict: FAIL",
        "in a list": "- Decision: NO_GO",
        "as a bare word": "NO_GO",
        "as bare words": "NEEDS REVISION",
        "as a bold word": "**REJECTED**",
        "as a signal": "REVIEW_FAIL",
        "as a signal in code": "`REVIEW_FAIL`",
        "as a sentence": "My verdict is needs_revision.",
        "as the last sentence": "I take that back. NO-GO.",
        "behind a dash": "Verdict - FAIL",
        "behind a dash, with a reason": "Verdict - FAIL (critical: nobody owns it)",
        "with brackets in the key": "Verdict (final): fail",
        "overall": "Overall: FAIL",
        "blocked": "Status: BLOCKED",
        "as a recommendation": "Recommendation: do not merge",
        "as a ticked box": "- [ ] PASS\n- [x] FAIL",
        "in an HTML table": "<table><tr><td>testability</td><td>FAIL</td></tr></table>",
        "behind an arrow": "Decision \u2192 NO_GO",
        "as a result": "Overall result: FAIL",
        "in a comment": "<!-- verdict: fail -->",
        "with a mark": "\u274c Not approved",
        "as a small object": json.dumps({"approved": False, "reason": "30 seconds of what?"}),
        "with a letter nobody sees": broken.replace("verdict", "ver\u200bdict").replace("decision", "deci\u200bsion"),
        "with a letter that looks the same": broken.replace("verdict", "v\u0435rdict").replace(
            "decision", "d\u0435cision"
        ),
        "as a row": "| Dimension | Status |\n|---|---|\n| testability | FAIL |",
        "as a row without edges": "Dimension | Status\n---|---\ntestability | FAIL",
        "as a row of no table": "| testability | FAIL | 30 seconds of what? |",
    }
    for name, text in damaged.items():
        if name in ("as a signal", "as a signal in code") and dialect == "signal":
            continue
        yield f"a yes, then a no with {name}", f"{a_yes}\n\n{text}", True
        yield f"a no with {name}, then a yes", f"{text}\n\n{a_yes}", True
        yield f"only a no with {name}", text, True
    for cut in (8, 20, 45):
        yield f"a yes, then an object cut after {cut}", f"{a_yes}\n\n{broken[:cut]}", False
    error = json.dumps({"error": "context limit reached, review incomplete"})
    yield "a yes, then an error", f"{a_yes}\n\n{error}", False
    yield "an error, then a yes", f"{error}\n\n{a_yes}", False
    yield (
        "a yes while thinking, then nothing",
        f"<think>\n{a_yes}\nBut nobody owns it.\n</think>\nI can't judge this.",
        False,
    )
    yield "a yes in a thought that does not end", f"<think>\n{a_yes}", False
    yield "the artifact's own yes", QUOTED_YES[dialect], False
    yield "the artifact's own yes in a fence", f"It says:\n\n```\n{QUOTED_YES[dialect]}\n```", False
    yield "the artifact's own yes in a block quote", _block_quote(QUOTED_YES[dialect]), False
    yield (
        "the artifact's own yes, indented",
        "\n".join(f"      {line}" for line in QUOTED_YES[dialect].splitlines()),
        False,
    )
    yield "the whole artifact", ARTIFACT, False
    yield "the whole artifact in the fence", f"BEGIN m4rk spec.md\n{ARTIFACT}\nEND m4rk", False
    yield "a no, then the artifact's own yes", f"{a_no}\n\nThe spec says:\n\n{QUOTED_YES[dialect]}", True
    mention = f"The text between BEGIN m4rk and END m4rk is the spec.\n\n{a_no}"
    yield "a no behind a mention of the fence", mention, True
    yield "a no between mentions of the fence", f"BEGIN m4rk is the mark.\n\n{a_no}\n\n`END m4rk` closes it.", True
    yield "a yes, a mention of the fence, a no", f"{a_yes}\n\nBEGIN m4rk opens it.\n\n{a_no}", True


def _block_quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _objects(dialect: str) -> Iterator[tuple[str, str, bool]]:
    """Kinds of JSON answers."""
    key, value, refusal = KEY[dialect], yes_value(dialect), no_value(dialect)
    a_yes, a_no = json.dumps(value), json.dumps(refusal)
    yield "the key twice, no first", a_yes.replace("{", f'{{"{key}": "{NO_WORD[dialect]}", ', 1), True
    yield "the key twice, no last", re.sub(r"\}$", f', "{key}": "{NO_WORD[dialect]}"}}', a_yes), True
    yield "another key twice", re.sub(r"\}$", ', "summary": "a", "summary": "b"}', a_yes), False
    yield "a second key in capitals", json.dumps(value | {key.upper(): NO_WORD[dialect]}), True
    yield (
        "a second key of another dialect",
        json.dumps(value | {"decision": "NO_GO", "verdict": "fail", key: YES_WORD[dialect]}),
        True,
    )
    critical = [{"severity": "critical", "description": "data loss"}]
    yield "findings under another key", json.dumps(value | {"issues": critical}), False
    yield "critical findings under another key", json.dumps(value | {"critical_findings": ["data loss"]}), False
    yield "blocking: true", json.dumps(value | {"blocking": True}), False
    yield "approved: false", json.dumps(value | {"approved": False}), True
    yield "status: fail", json.dumps(value | {"status": "fail"}), True
    yield "result: rejected", json.dumps(value | {"result": "rejected"}), True
    for word in ("maybe", "", "PASSS", "pass?", "n/a", "approve with changes", "conditional pass"):
        yield f"the verdict {word!r}", json.dumps(value | {key: word}), False
    for odd in (None, True, 1, [], {}, ["pass"], {"pass": True}, 1.5):
        yield f"the verdict {json.dumps(odd)}", json.dumps(value | {key: odd}), False
    yield "the verdict false", json.dumps(value | {key: False}), True
    yield "no verdict", json.dumps({k: v for k, v in value.items() if k != key}), False
    yield "a yes in the wrong case", json.dumps(value | {key: YES_WORD[dialect].swapcase()}), False
    yield "a no in the wrong case", json.dumps(refusal | {key: NO_WORD[dialect].swapcase()}), True
    yield "a no in other words", json.dumps(refusal | {key: "rejected"}), True
    yield "a yes inside a broken no", f'{{"{key}": "{NO_WORD[dialect]}", "example": {a_yes}, "feedback": [}}', True
    yield "a yes inside a cut no", f'{{"{key}": "{NO_WORD[dialect]}", "previous": {a_yes}, "feedback": ["30', True
    yield "a yes inside a broken object", f'{{"draft": {a_yes}, }}', False
    yield "a yes inside an object", json.dumps({"answer": value}), False
    yield "a yes inside a list", json.dumps([value]), False
    yield "a yes in a string", json.dumps(json.dumps(value)), False
    yield "a no inside a yes", json.dumps(value | {"final": refusal}), True
    yield "a no in a list inside a yes", json.dumps(value | {"reviews": [refusal]}), True
    for cut in (1, 2, 9, 20):
        yield f"a yes cut by {cut}", a_yes[:-cut], False
        yield f"a no cut by {cut}", a_no[:-cut], True
    yield "a yes with a comma too many", re.sub(r"\}$", ",}", a_yes), False
    yield "a yes in single quotes", a_yes.replace('"', "'"), False
    yield "a yes with a comment", a_yes.replace("{", "{ // fine\n", 1), False
    yield "a yes in JSON lines that end in a no", f"{a_yes}\n{a_no}", True
    turned = dict(reversed(json.loads(QUOTED_YES[dialect]).items()))
    yield "the artifact's yes, keys in another order", json.dumps(turned), False
    yield (
        "the artifact's yes, escaped letters",
        json.dumps(turned).replace("pass", "p\\u0061ss").replace('"GO"', '"\\u0047O"'),
        False,
    )
    yield "the artifact's yes, laid out anew", json.dumps(turned, indent=4), False
    yield "the artifact's yes, in a string", json.dumps(json.dumps(turned)), False
    yield "the artifact's yes with other quotes", QUOTED_YES[dialect].replace('"', "'"), False
    yield "a yes that is all braces", "{" * 500 + a_yes, False
    yield "deep nesting", '{"a":' * 3000 + "1" + "}" * 3000 + a_yes[:-1], False
    yield from _DIALECT_KINDS[dialect](value, refusal)


def _scored(value: dict[str, Any], refusal: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    names = RUBRIC["scored"].names
    for odd in (None, True, "91", [91], {"n": 91}, -1, 101, 1e400):
        yield f"a score of {json.dumps(odd)}", json.dumps(value | {"score": value["score"] | {names[2]: odd}}), False
    yield "a score of NaN", json.dumps(value | {"score": value["score"] | {names[2]: float("nan")}}), False
    yield "a missing score", json.dumps(value | {"score": dict.fromkeys(names[1:], 91)}), False
    yield "no scores", json.dumps(value | {"score": {}}), False
    yield "scores as a list", json.dumps(value | {"score": [91, 91, 91, 91]}), False
    yield "one number for all", json.dumps(value | {"score": 91}), False
    yield "a score below its minimum", json.dumps(value | {"score": value["score"] | {names[2]: 69.9}}), False
    yield "a score of 0", json.dumps(value | {"score": value["score"] | {names[2]: 0}}), False
    twice = json.dumps(value).replace('"testability": 91', '"testability": 20, "testability": 91')
    yield "a criterion scored twice", twice, False
    yield (
        "a criterion scored in two spellings",
        json.dumps(value | {"score": value["score"] | {"Testability": 20}}),
        False,
    )
    item = refusal["feedback"][0]
    yield "a critical item under a pass", json.dumps(value | {"feedback": [item | {"severity": "critical"}]}), False
    for word in _ODD_SEVERITIES:
        changed = json.dumps(value | {"feedback": [item | {"severity": word}]})
        yield f"the severity {word!r}", changed, False
    for field in ("section", "issue", "suggestion"):
        yield (
            f"an item without {field}",
            json.dumps(value | {"feedback": [{k: v for k, v in item.items() if k != field}]}),
            False,
        )
        less = json.dumps(refusal | {"feedback": [{k: v for k, v in item.items() if k != field}]})
        yield f"a no with an item without {field}", less, True
    yield "a no without feedback", json.dumps(refusal | {"feedback": []}), True
    yield "a no without scores", json.dumps({k: v for k, v in refusal.items() if k != "score"}), True
    yield "feedback that is text", json.dumps(value | {"feedback": "fine"}), False
    yield "feedback of strings", json.dumps(value | {"feedback": ["fine"]}), False
    yield (
        "two passes that disagree",
        f"{json.dumps(value | {'score': dict.fromkeys(names, 10)})}\n{json.dumps(value)}",
        False,
    )


def _findings(value: dict[str, Any], refusal: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    item = refusal["findings"][0]
    yield "a critical finding under a pass", json.dumps(value | {"findings": [item | {"severity": "critical"}]}), False
    for word in (*_ODD_SEVERITIES, None):
        yield f"the severity {word!r}", json.dumps(value | {"findings": [item | {"severity": word}]}), False
        yield f"a no with the severity {word!r}", json.dumps(refusal | {"findings": [item | {"severity": word}]}), True
    yield "a finding without a severity", json.dumps(value | {"findings": [{"description": "x"}]}), False
    yield "a finding without a description", json.dumps(value | {"findings": [{"severity": "minor"}]}), False
    yield "no findings key", json.dumps({"verdict": "pass"}), False
    yield "findings that are null", json.dumps({"verdict": "pass", "findings": None}), False
    yield "findings that are text", json.dumps({"verdict": "pass", "findings": "none"}), False
    yield "findings that are an object", json.dumps({"verdict": "pass", "findings": {}}), False
    yield "findings that are strings", json.dumps({"verdict": "pass", "findings": ["x"]}), False
    yield "a no without findings", json.dumps({"verdict": "fail", "findings": []}), True
    yield "a no without the key", json.dumps({"verdict": "fail"}), True
    pair = json.dumps(value | {"findings": [item | {"severity": "critical"}]}) + "\n" + json.dumps(value)
    yield "two passes that disagree", pair, False


def _decision(value: dict[str, Any], refusal: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    checks = value["quality_checks"]
    for name in checks:
        yield f"GO with {name} false", json.dumps(value | {"quality_checks": checks | {name: False}}), True
        yield (
            f"GO without {name}",
            json.dumps(value | {"quality_checks": {k: v for k, v in checks.items() if k != name}}),
            False,
        )
    for odd in _ODD_CHECKS:
        changed = value | {"quality_checks": checks | {"code_standards_met": odd}}
        yield f"a check of {json.dumps(odd)}", json.dumps(changed), False
    yield "GO without checks", json.dumps({k: v for k, v in value.items() if k != "quality_checks"}), False
    yield "GO with no check", json.dumps(value | {"quality_checks": {}}), False
    yield "checks as a list", json.dumps(value | {"quality_checks": [True] * 4}), False
    yield "checks as a word", json.dumps(value | {"quality_checks": "all good"}), False
    yield "a further check that fails", json.dumps(value | {"quality_checks": checks | {"documented": False}}), True
    yield "feedback as a list", json.dumps(value | {"feedback": ["fine"]}), False
    yield "NO_GO without feedback", json.dumps({"decision": "NO_GO"}), True
    yield "NO_GO with empty feedback", json.dumps({"decision": "NO_GO", "feedback": " "}), True
    yield "NO_GO with a list of feedback", json.dumps({"decision": "NO_GO", "feedback": ["30 seconds of what?"]}), True
    for word in ("NOGO", "NO-GO", "NO GO", "no_go", "Not approved"):
        yield f"the decision {word!r}", json.dumps(refusal | {"decision": word}), True
    for word in ("GO!", "Go", "APPROVED", "GO_WITH_CHANGES", "GO/NO_GO"):
        yield f"the decision {word!r}", json.dumps(value | {"decision": word}), False


_DIALECT_KINDS = {"scored": _scored, "findings": _findings, "decision": _decision}


def _markdown(_: str) -> Iterator[tuple[str, str, bool]]:
    """Kinds of Markdown answers."""
    fail = {"testability": "FAIL"}
    rows = table(fail)
    yield "no signal", f"{table()}\n", False
    yield "only the signal", "REVIEW_PASS", False
    yield "only a no", "REVIEW_FAIL", True
    yield "a failing row, no signal", rows, True
    yield "a sentence after the signal", f"{markdown()}\n\nThat is all.", False
    yield "the signal in a sentence", f"{table()}\n\nSo it is a REVIEW_PASS from me.", False
    yield "the signal in small letters", markdown(signal="review_pass"), False
    yield "the signal with a blank", markdown(signal="REVIEW PASS"), False
    yield "another signal", markdown(signal="REVIEW_PASSED"), False
    yield "both signals in a line", markdown(signal="REVIEW_PASS / REVIEW_FAIL"), False
    yield "the signal in a block quote", markdown(signal="> REVIEW_PASS"), False
    yield "the signal in code in a block quote", markdown(signal="> `REVIEW_PASS`"), False
    yield "a no in a block quote", f"{table()}\n\n> REVIEW_FAIL", True
    yield "a no before the signal", f"{table()}\n\nREVIEW_FAIL\n\nREVIEW_PASS", True
    yield "a bold no before the signal", f"{table()}\n\n**REVIEW_FAIL**\n\nREVIEW_PASS", True
    yield "a no in code before the signal", f"{table()}\n\n- `REVIEW_FAIL`\n\nREVIEW_PASS", True
    shapes = {
        "a failing row": rows,
        "a failing row in small letters": table({"testability": "fail"}),
        "a failing row in bold": table({"testability": "**FAIL**"}),
        "a failing row in code": table({"testability": "`FAIL`"}),
        "a failing row with a cross": table({"testability": "\u274c FAIL"}),
        "only a cross": table({"testability": "\u274c"}),
        "FAILED": table({"testability": "FAILED"}),
        "FAIL with words": table({"testability": "FAIL (see below)"}),
        "no number column": re.sub(r"(?m)^\| (?:#|\d|---) ?\|", "|", rows).replace(
            "|---|-----------|", "|-----------|"
        ),
        "no edge pipes": "\n".join(line.strip("| ") for line in rows.splitlines()),
        "another header": rows.replace("Dimension", "Criterion").replace("Status", "Result"),
        "yet another header": rows.replace("Dimension", "What").replace("Status", "How"),
        "a header in another language": rows.replace("Dimension", "Kriterium").replace("Status", "Urteil"),
        "no header": "\n".join(rows.splitlines()[2:]),
        "no line under the header": "\n".join(line for n, line in enumerate(rows.splitlines()) if n != 1),
        "a line under the header that is too short": rows.replace("|---|-----------|--------|---------|", "|---|---|"),
        "a short row": rows.replace("| FAIL | read and weighed |", "| FAIL |"),
        "a long row": rows.replace("| FAIL |", "| FAIL | x | y | z |"),
        "a pipe in a finding": rows.replace("| FAIL | read and weighed |", "| FAIL | a | b |"),
        "the status in another column": rows.replace("| testability | FAIL |", "| FAIL | testability |"),
        "the status in the finding": table().replace(
            "testability | PASS | read and weighed", "testability | PASS | FAIL"
        ),
        "indented": "\n".join(f"    {line}" for line in rows.splitlines()),
        "in a fence": f"```\n{rows}\n```",
        "in a list": "\n".join(f"  {line}" for line in rows.splitlines()),
        "in a block quote": _block_quote(rows),
        "in two tables": f"{table()}\n\nAnd:\n\n{rows}",
        "a second row for the same dimension": f"{table()}\n| 5 | testability | FAIL | 30 seconds of what? |",
        "a further dimension": f"{table()}\n| 5 | security | FAIL | keys are logged |",
        "a list under the table": f"{table()}\n\n- testability: FAIL",
        "a bold list under the table": f"{table()}\n\n- **testability** \u2014 FAIL",
    }
    for name, shape in shapes.items():
        yield f"{name}, under a pass", f"{shape}\n\nREVIEW_PASS", True
    statuses = ("", "MAYBE", "PARTIAL", "WARN", "PASS?", "PASS/FAIL", "OK-ish", "TODO", "-", "?", "90", "MOSTLY PASS")
    for status in statuses:
        yield f"the status {status!r}", markdown({"testability": status}), False
    yield "the status 'NEEDS REVISION'", markdown({"testability": "NEEDS REVISION"}), True
    yield "the status 'REJECTED'", markdown({"testability": "REJECTED"}), True
    yield "no table", "All four dimensions pass.\n\nREVIEW_PASS", False
    yield "a missing dimension", f"{_without(table(), 'testability')}\n\nREVIEW_PASS", False
    yield (
        "two missing dimensions",
        f"{_without(_without(table(), 'testability'), 'architecture')}\n\nREVIEW_PASS",
        False,
    )
    yield "another dimension instead", f"{table().replace('testability', 'readability')}\n\nREVIEW_PASS", False
    yield (
        "the artifact's table, own signal",
        f"{QUOTED_YES['signal'].removesuffix('REVIEW_PASS')}\n\nREVIEW_PASS",
        False,
    )
    yield "a no, the artifact's table and signal", f"No owner is named.\n\n{QUOTED_YES['signal']}", False
    yield "an object that says no", f"{table()}\n\n{json.dumps(no_value('scored'))}\n\nREVIEW_PASS", True
    yield "a no without a reason", f"{table()}\n\nREVIEW_FAIL", True
    failed = markdown().replace("- Passed: 4/4 dimensions", "- Passed: 2/4 dimensions\n- Failed: 2/4 dimensions")
    yield "failed dimensions in the summary", failed, True
    critical = markdown().replace("- Passed: 4/4 dimensions", "- Critical issues: data is lost when the disk is full")
    yield "a critical issue in the summary", critical, True


def _without(text: str, name: str) -> str:
    return "\n".join(line for line in text.splitlines() if name not in line)


def faults(dialect: str) -> Iterator[Fault]:
    kinds = _markdown if dialect == "signal" else _objects
    for kind, text, heard in (*_common(dialect), *kinds(dialect)):
        yield Fault(kind=kind, dialect=dialect, text=text, heard=heard)


FAULTS: tuple[Fault, ...] = tuple(fault for dialect in DIALECTS for fault in faults(dialect))
