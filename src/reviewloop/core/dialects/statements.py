"""Statements: what in an answer says yes or no, and which of it to believe.

The order of belief: a clear no in the reviewer's own words stays a no. Otherwise any defect makes the answer malformed.
Only an answer whose every statement says pass is a pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reviewloop.core.dialects.answer import Answer, letters_of
from reviewloop.core.dialects.items import text_of
from reviewloop.core.dialects.json_extraction import JsonPart, json_parts
from reviewloop.core.dialects.verdict_words import (
    denials,
    fold,
    further_findings,
    is_statement,
    is_verdict_key,
    nested_statements,
    says,
    stated_words,
)
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.review import NO_JSON, QUOTED, Malformed, Review, Verdict
from reviewloop.core.types.rubric import Rubric

_MOST_WORDS = 2_000
_OWN_CONTEXT = 24
"""A shorter passage proves nothing about where it comes from: every document may contain the word REVIEW_FAIL."""

_NO_WORDS = (
    r"(?:review[_ -]?fail(?:ed)?|fail(?:ed|s|ure)?|no[_ -]?go|needs?[_ -]?(?:revisions?|re-?work|work|changes?)|"
    r"reject(?:ed)?|revise|blocked|request(?:ed)?[_ -]changes|changes[_ -](?:requested|required)|not[_ -]approved|"
    r"disapproved?|denied|declined)"
)
_BROKEN_KEY = re.compile(
    r"""\\*["'\u2018\u2019\u201c\u201d]?\b([A-Za-z][\w -]{2,24}?)\\*["'\u2018\u2019\u201c\u201d]?\s*[:=]"""
)
_BROKEN_NO = re.compile(
    r"""\b[\w ]*(?:verd\w*|deci\w*|desi\w*|signal)\W{0,8}[:=]\W{0,6}""" + _NO_WORDS + r"\b", re.IGNORECASE
)
_SAID_IN_PROSE = re.compile(
    r"(?<!previous )(?<!earlier )(?<!last )(?<!prior )(?<!first )\b(?:verdict|decision|signal)"
    r"[\"'`*_\s]{0,6}[:=][\"'`*_\s]{0,6}" + _NO_WORDS + r"\b"
    r"|\b(?:my|the|final|overall)\s+(?:final\s+|overall\s+)?(?:verdict|decision)\s+is[:\s\"'`*_]{1,6}"
    + _NO_WORDS
    + r"\b",
    re.IGNORECASE,
)
_UNFINISHED_KEY = re.compile(r"""\{\s*["'][\w ]*\r?\n""")
_QUOTED_KEY = re.compile(r"""["']([A-Za-z_]{4,24})["']\s*:""")
_LINE = re.compile(
    r"^(?:(?:my|the|final|overall|review)\s+)*(?:verdict|decision|signal)\s*(?:[:=]|\bis\b)\s*(.{1,40})$", re.IGNORECASE
)
_LOOSE_LINE = re.compile(
    r"^(?:(?:my|the|final|overall|review)\s+)*"
    r"(?:verdict|decision|signal|result|outcome|status|conclusion|recommendation|assessment)"
    r"\s*(?:[:=]|is\b|-+>?|=>|\u2013|\u2014|\u2192)?\s*(.{1,30})$",
    re.IGNORECASE,
)
_NO_LINE = re.compile(
    r"^(?:(?:my|the|final|overall|review)\s+)*"
    r"(verdict|decision|signal|result|outcome|status|conclusion|recommendation|assessment|overall)"
    r"[^:=\w]*(?:\([^)]*\))?\s*(?:[:=]|is\b|-+>?|=>|\u2013|\u2014|\u2192)\W*"
    r"(?:" + _NO_WORDS + r"|do not (?:merge|approve|pass|ship|proceed|accept))\b",
    re.IGNORECASE,
)
"""A line that begins with the name of a verdict and goes on with a no, whatever follows."""

_TICKED_NO = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s*\[[xX\u2713\u2714]\]\W*" + _NO_WORDS + r"\b", re.IGNORECASE)
_FAILING_CELL = re.compile(r"<t[dh][^>]*>\s*(?:<\w+>\s*)?(?:FAIL(?:ED)?|NO_GO|needs_revision)\s*<", re.IGNORECASE)
_ELSEWHERE = re.compile(r"(?:see|below|as follows|in the|json|attached|follows)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_TAG = re.compile(r"<\s*(?:verdict|decision|signal)\s*>\s*([^<\n]{1,40})", re.IGNORECASE)
_MARKS = " \t*_`~>#-+.!\"'|"
_BARE_NO = frozenset(
    [
        "reviewfail",
        "nogo",
        "needsrevision",
        "needsrework",
        "rejected",
        "changesrequested",
        "requestchanges",
        "notapproved",
        "fail",
        "failed",
    ]
)
_ANY_WORD = frozenset({"fail", "failed", "rejected"})
"""Words that are also headings of ordinary sections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something in the reviewer's own words that says, or tries to say, yes or no.

    It was read (`review`), or it has a `problem`. `refuses` is whether it says no, read or not.
    """

    at: int
    review: Review | None = None
    problem: Malformed | None = None
    refuses: bool = False
    words: str = ""

    def as_refusal(self) -> Review:
        """The no as a review: the statement's own findings, or its words as the finding."""
        if self.review:
            return self.review
        return refusal(self.words)


def refusal(words: str) -> Review:
    finding = Finding(issue=" ".join(words.split())[:_MOST_WORDS], severity=Severity.IMPORTANT)
    return Review(verdict=Verdict.NEEDS_REVISION, findings=(finding,))


Validate = Callable[[Mapping[str, Any]], Review | Malformed]


def read_object(answer: Answer, validate: Validate, *, key: str, rubric: Rubric) -> Review | Malformed:
    """Read the answer of a JSON dialect whose statements have this key."""
    parts = json_parts(answer.text)
    found = list(object_statements(answer, parts, validate, key=key))
    found += prose_statements(answer, answer.text, parts)
    found.sort(key=lambda statement: statement.at)
    return believe(found, rubric) or _nothing_said(parts, key)


def believe(statements: Sequence[Statement], rubric: Rubric) -> Review | Malformed | None:
    """What the statements say together; None if there are none."""
    refusals = [statement for statement in statements if statement.refuses]
    passes = [statement for statement in statements if statement.review and not statement.refuses]
    unread = [statement.problem for statement in statements if statement.problem]
    if refusals:
        last = max((no for no in refusals if no.review), key=lambda no: no.at, default=None)
        if last and not any(later.at > last.at for later in passes):
            return last.review
        no = last or refusals[-1]
        problem = Malformed(field="root", message="the answer says both yes and no") if passes else unread[-1]
        return Malformed(field=problem.field, message=problem.message, refusal=no.as_refusal())
    if unread:
        return unread[-1]
    if not passes:
        return None
    final = passes[-1].review
    assert final is not None
    if any(sound(passed.review, rubric) != sound(final, rubric) for passed in passes if passed.review):
        return Malformed(field="root", message="the answer contains two statements that disagree")
    return final


def sound(review: Review, rubric: Rubric) -> bool:
    """Whether nothing in a pass speaks against it: no low score, no critical finding, no failed check."""
    low = any(review.scores.get(item.name, item.min_score) < item.min_score for item in rubric.criteria)
    critical = any(finding.severity is Severity.CRITICAL for finding in review.findings)
    return not low and not critical and all(review.checks.values())


def object_statements(
    answer: Answer, parts: Sequence[JsonPart], validate: Validate | None, *, key: str
) -> Iterator[Statement]:
    """The statements among the answer's JSON objects that are not quotations.

    Without `validate`, no object can be the answer: the dialect's answers are not JSON.
    """
    for part in parts:
        statement = _statement(part, validate, key)
        if statement is None:
            continue
        signed = bool(answer.marker) and _receipt(part) == answer.marker  # only the agent that was asked knows it
        quoted = answer.quotes_object(part.value, part.text, refuses=statement.refuses)
        if signed or part.is_cut or not quoted:
            yield statement


def _receipt(part: JsonPart) -> object:
    return part.object.get("receipt") if part.object else None


def _statement(part: JsonPart, validate: Validate | None, key: str) -> Statement | None:
    if part.error:
        return _broken(part)
    value = part.object
    if value is None:
        return _inside(part, key)
    if part.repeated:
        return _repeated(part, value)
    if not is_statement(value):
        return _inside(part, key) or _error(part, value)
    named = [name for name in value if is_verdict_key(name)]
    denied = list(denials(value))
    refuses = bool(denied) or any(says(word) is False for word in stated_words(value))
    if validate is None:
        named += denied
        if all(says(value[name]) for name in named):
            return None
        problem = Malformed(
            field="root", message=f"the JSON object with `{named[0]}` is not the form that was asked for"
        )
    elif len(named) > 1 and len({fold(str(value[name])) for name in named}) > 1:
        problem = Malformed(field=key, message=f"the object has both `{named[0]}` and `{named[1]}`")
    elif denied and says(value.get(key)) is not False:
        problem = Malformed(field=denied[0], message=f"`{denied[0]}` says no")
    elif key not in value:
        got = f"`{named[0]}` instead" if named else "no such key"
        problem = Malformed(field=key, message=f"the object must have the key `{key}`, got {got}")
    else:
        review = validate(value)
        if isinstance(review, Malformed):
            problem = review
        else:
            return _with_nested(part, value, review)
    return Statement(at=part.start, problem=problem, refuses=refuses, words=_words(value, part.text))


def _with_nested(part: JsonPart, value: Mapping[str, Any], review: Review) -> Statement:
    """A statement that was read, unless an object inside it says otherwise."""
    refuses = review.verdict is Verdict.NEEDS_REVISION
    if not refuses and (extra := next(further_findings(value), None)):
        problem = Malformed(field=extra, message=f"`{extra}` is not part of the form, and speaks against the yes")
        return Statement(at=part.start, problem=problem, words=part.text)
    if not refuses:
        for inner in nested_statements(value):
            if any(says(word) is False for word in stated_words(inner)):
                problem = Malformed(field="root", message="an object inside the answer says no")
                return Statement(at=part.start, problem=problem, refuses=True, words=_words(inner, part.text))
    return Statement(at=part.start, review=review, refuses=refuses)


def _inside(part: JsonPart, key: str) -> Statement | None:
    """An answer inside another object or a list is none, but a no in it was heard."""
    inner = next(nested_statements(part.value), None)
    if inner is None:
        return None
    problem = Malformed(
        field="root", message=f"`{key}` must be at the top level of the JSON object, not inside another"
    )
    refuses = any(says(word) is False for word in stated_words(inner))
    return Statement(at=part.start, problem=problem, refuses=refuses, words=_words(inner, part.text))


def _error(part: JsonPart, value: Mapping[str, Any]) -> Statement | None:
    """An object that says that something went wrong, such as a review that was cut short."""
    if len(value) > 3 or not isinstance(value.get("error"), str) or not value["error"].strip():
        return None
    problem = Malformed(field="error", message=f"the answer reports an error: {value['error']:.120}")
    return Statement(at=part.start, problem=problem, words=part.text)


def _repeated(part: JsonPart, value: Mapping[str, Any]) -> Statement | None:
    name = next(iter(part.repeated))
    if not is_statement(value) and next(nested_statements(value), None) is None:
        return None
    said = [word for name, words in part.repeated.items() if is_verdict_key(name) for word in words]
    refuses = any(says(word) is False for word in (*said, *stated_words(value)))
    problem = Malformed(field=name, message=f"the key `{name}` appears twice")
    return Statement(at=part.start, problem=problem, refuses=refuses, words=part.text)


def _broken(part: JsonPart) -> Statement | None:
    """A broken object that looks like a statement, or that the answer ends in."""
    keys = [match[1] for match in _BROKEN_KEY.finditer(part.text)]
    if not part.is_cut and not _UNFINISHED_KEY.match(part.text) and not is_statement(dict.fromkeys(keys)):
        return None
    ending = "the answer ends inside a JSON object; " if part.is_cut else ""
    problem = Malformed(field="root", message=f"invalid JSON: {ending}{part.error}")
    refuses = bool(_BROKEN_NO.search(part.text))
    return Statement(at=part.start, problem=problem, refuses=refuses, words=part.text)


def _words(value: Mapping[str, Any], text: str) -> str:
    """The reviewer's words in a statement: its feedback or findings, or else the whole of it."""
    for key, given in value.items():
        if fold(key) in ("feedback", "findings", "issues", "reason", "summary"):
            items = cast("list[Any]", given) if isinstance(given, list) else [given]
            said = [words for item in items if (words := _words_of(item))]
            if said:
                return "; ".join(said)
    return text


def _words_of(item: object) -> str:
    if isinstance(item, dict):
        fields = cast("dict[str, Any]", item)
        return next((text for name in ("issue", "description", "message") if (text := text_of(fields.get(name)))), "")
    return text_of(item)


def _outside(text: str, parts: Sequence[JsonPart]) -> str:
    """The text with its JSON objects blanked out, so that positions stay."""
    pieces: list[str] = []
    at = 0
    for part in parts:
        pieces += [text[at : part.start], "\n".join(" " * len(line) for line in part.text.split("\n"))]
        at = part.end
    return "".join((*pieces, text[at:]))


def prose_statements(answer: Answer, text: str, parts: Sequence[JsonPart]) -> Iterator[Statement]:
    """The statements outside of JSON: lines such as `Verdict: fail`, a bare NO_GO, a failing row of a table."""
    outside = _outside(text, parts)
    at = 0
    for block in re.split(r"(\n[ \t]*\n)", text):
        words = outside[at : at + len(block)]
        if words.strip() and _MAY_STATE.search(words) and not _is_quoted(answer, block):
            line_at = at
            for line in words.splitlines(keepends=True):
                statement = _line_statement(line, line_at)
                if statement and not (_is_marked(line) and answer.quotes(line, refuses=statement.refuses)):
                    yield statement
                line_at += len(line)
        at += len(block)


_MAY_STATE = re.compile(
    r"""verdict|decision|signal|fail|no.?go|revision|re-?work|reject|changes|approved|blocked|do not|["']\s*:""",
    re.IGNORECASE,
)


def _is_quoted(answer: Answer, block: str) -> bool:
    return len(letters_of(block)) >= _OWN_CONTEXT and answer.quotes(block)


def _is_marked(line: str) -> bool:
    """Whether a line is marked as a quotation, or long enough to tell where it comes from."""
    return line.lstrip().startswith(">") or len(letters_of(line)) >= _OWN_CONTEXT


def _line_statement(line: str, at: int) -> Statement | None:
    bare = line.strip(_MARKS + "\r\n")
    folded = fold(bare)
    heading = line.lstrip().startswith("#")
    no = (folded in _BARE_NO and not (heading and folded in _ANY_WORD)) or _failing_cell(line)
    no = no or any(fold(sentence) in _BARE_NO - _ANY_WORD for sentence in _SENTENCE_END.split(bare))
    plain = bare.replace("*", "").replace("`", "").replace("_", " ")
    stated = _LINE.match(plain) or _TAG.search(line)
    if match := _NO_LINE.match(plain):
        listed = line.lstrip().startswith(("-", "*", "+")) and not line.lstrip().startswith("**")
        no = no or not listed or match[1].lower() in ("verdict", "decision", "signal", "overall")
    no = no or bool(_TICKED_NO.match(line) or _FAILING_CELL.search(line))
    if loose := None if line.lstrip().startswith(("-", "*", "+")) else _LOOSE_LINE.match(plain):
        no = no or says(loose[1]) is False
    if stated and len(stated[1].split()) <= 3 and not _ELSEWHERE.match(stated[1]):
        said = says(stated[1])
        if said is None:
            words = " ".join(stated[1].split())
            problem = Malformed(field="root", message=f"the line `{bare[:60]}` says neither yes nor no")
            return Statement(at=at, problem=problem, words=words)
        no = no or said is False
    if not no and not _SAID_IN_PROSE.search(line):
        return _loose_key(line, at)
    problem = Malformed(field="root", message=f"the line `{bare[:60]}` says no, outside the form that was asked for")
    return Statement(at=at, problem=problem, refuses=True, words=bare)


def _loose_key(line: str, at: int) -> Statement | None:
    """A key of a statement with its value, outside of any object: the object's brace is missing."""
    if not any(is_statement({match[1]: None}) for match in _QUOTED_KEY.finditer(line)):
        return None
    problem = Malformed(field="root", message=f"the line `{line.strip()[:60]}` belongs to a broken JSON object")
    return Statement(at=at, problem=problem, words=line)


def _failing_cell(line: str) -> bool:
    if "|" not in line:
        return False
    return any(fold(cell.strip(_MARKS)) in ("fail", "failed", "nogo", "needsrevision") for cell in line.split("|"))


def _nothing_said(parts: Sequence[JsonPart], key: str) -> Malformed:
    """The answer has no statement of its own. If it quotes one that says no, that is heard."""
    stated = [part.object for part in parts if part.object and key in part.object]
    if not stated:
        return Malformed(field="root", message=NO_JSON)
    no = stated[-1] if all(says(value[key]) is False for value in stated) else None
    heard = refusal(_words(no, json.dumps(no))) if no else None
    return Malformed(field="root", message=QUOTED, refusal=heard)
