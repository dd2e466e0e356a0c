"""Checks of how requirements and criteria are worded: vague, unmeasured, several in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reviewloop.core.types.finding import Severity
from reviewloop.documents.inline import code_spans
from reviewloop.documents.model import Document, Format
from reviewloop.documents.patterns import lazily
from reviewloop.documents.requirements import Criterion, requirements, stories
from reviewloop.rules.criteria import wanted
from reviewloop.rules.keyword_pattern import Sought, lowered
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

TESTABILITY = wanted("testability")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A requirement or a criterion, with its code blanked. `whole` also has the rest of its row."""

    id: str
    text: str
    whole: str
    line: int
    criterion: bool


@lru_cache(maxsize=32)
def _statements(document: Document) -> tuple[_Statement, ...]:
    return tuple(_told(document))


@lru_cache(maxsize=32)
def _spoken(document: Document) -> str:
    """All that its requirements and criteria say, as `Sought` wants it."""
    return lowered("\n".join(one.text for one in _statements(document)))


def _told(document: Document) -> Iterator[_Statement]:
    seen: set[int] = set()
    for story in stories(document):
        for one in story.criteria:
            if one.line not in seen and not one.text.startswith("Scenario"):
                seen.add(one.line)
                yield _Statement(
                    id=one.id or story.id, text=_no_code(one.text), whole=one.text, line=one.line, criterion=True
                )
    for one in requirements(document):
        if one.line not in seen:
            seen.add(one.line)
            yield _Statement(id=one.id, text=_no_code(one.text), whole=one.whole, line=one.line, criterion=False)


_QUOTED = lazily(r"\"[^\"]{0,200}\"|\u201c[^\u201d]{0,200}\u201d")
_SENTENCE = lazily(r"[.;](?:\s|$)")


def _no_code(text: str) -> str:
    for start, end, _ in code_spans(text) if "`" in text else ():
        text = text[:start] + " " * (end - start) + text[end:]
    quotes = '"' in text or "\u201c" in text
    return _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text) if quotes else text


def _column(document: Document, line: int, words: str) -> int | None:
    at = document.line(line).find(words)
    return at + 1 if at >= 0 else None


_VAGUE = Sought(
    r"(?<![\w-])(?:relevant|suitabl[ey]|eas(?:y|ily|ier)|appropriate(?:ly)?|adequate(?:ly)?|reasonabl[ey]|"
    r"intuitive(?:ly)?|"
    r"user[- ]friendly|seamless(?:ly)?|robust(?:ly)?|flexib(?:le|ly)|efficient(?:ly)?|sufficient(?:ly)?|best effort|"
    r"as (?:needed|appropriate|necessary|expected)|as required(?=\s*(?:[.,;)]|$|by\b))|if (?:needed|"
    r"necessary|appropriate)|"
    r"where (?:appropriate|needed)|state[- ]of[- ]the[- ]art|in a timely manner|nicely|"
    r"works? (?:correctly|properly|well|fine)|behaves? (?:correctly|properly|"
    r"well))(?![\w-])(?![^.]{0,40}(?:such as|:\s*$))",
    (
        *("relevant", "suitabl", "easy", "easi", "appropriate", "adequate", "reasonabl", "intuitive", "friendly"),
        *("seamless", "robust", "flexib", "efficient", "sufficient", "effort", "nicely", "timely", "state", "work"),
        *("behave", "needed", "necessary", "expected", "required"),
    ),
)
_WEAK = Sought(
    r"(?<![\w/-])(?:should|may|might|could)(?![\w/'])(?! not\b)|\betc\b\.?|\band so on\b|\band more\b",
    ("should", "may", "might", "could", "etc", "so on", "more"),
    flags=0,
)
_SETTING = re.compile(r"^[\s*_-]*(?:given|when|if|while)\b", re.IGNORECASE)


@rule("REQ018", "vague-wording", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.7)
def vague_wording(subject: Subject) -> Iterator[Hit]:
    """A requirement or criterion uses words that mean something else to everyone.

    What it checks: vague words (relevant, suitable, easy, appropriate, as needed, works correctly) and weak verbs
    (should, may, might, could) in the text of requirements and criteria, outside code and quotes. A vague word in a
    criterion is important: a criterion is what the work is held against. Weak verbs are minor everywhere. Words that
    proved to be poor signs ("possible", "different", negation, pronouns) are not looked for.

    Why: the author, the implementer and the tester each read their own meaning into it, and all three are right.

    Known problems: about three in ten findings are fine in their context. Upper-case MAY and SHOULD are taken as terms
    of RFC 2119 and left alone.

    Example:
        - AC-1.2: The error message is appropriate

    Instead:

        - AC-1.2: The error message names the row and the column that could not be read
    """
    text = _spoken(subject.document)
    vague_words, weak_words = (one.pattern if one.may_be_in(text) else None for one in (_VAGUE, _WEAK))
    for one in _statements(subject.document) if vague_words or weak_words else ():
        vague = vague_words.search(one.text) if vague_words else None
        match = vague or (weak_words.search(one.text) if weak_words and not _bound(one.text) else None)
        if match:
            severity = Severity.IMPORTANT if vague and one.criterion else None
            yield Hit(
                issue=f'"{match[0]}" in {one.id} can mean anything',
                line=one.line,
                column=_column(subject.document, one.line, match[0]),
                quote=match[0],
                severity=severity,
                suggestion="Say what can be seen or measured.",
            )


def _bound(text: str) -> bool:
    """Whether a weak verb cannot weaken it: it says SHALL, or only sets the scene."""
    return bool(_SHALL.search(text) or _SETTING.match(text))


_OBSERVABLE = lazily(
    r"`|\"|\d|\b(?:shows?|shown|display(?:s|ed)?|prints?|printed|returns?|returned|outputs?|writes?|written|creates?|"
    r"created|deletes?|deleted|removes?|removed|exits?|fails?|errors?|rejects?|rejected|refuses?|logs?|"
    r"logged|emits?|sends?|sent|"
    r"contains?|includes?|lists?|listed|stores?|stored|saves?|saved|opens?|closes?|appears?|exists?|raises?|redirects?|"
    r"matches|equals|updates?|updated|adds?|added|asks?|prompts?|receives?|reads?|runs?|skips?|skipped|calls?|then)\b",
    re.IGNORECASE,
)


@rule("REQ019", "nothing-observable", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.5, default=False)
def nothing_observable(subject: Subject) -> Iterator[Hit]:
    """A criterion has nothing that can be observed.

    What it checks: each criterion for something to look at: a verb that shows (prints, returns, rejects, ...), a
    number, a quote or code.

    Why: what cannot be observed cannot be tested.

    Known problems: many, which is why the rule is off by default. There are more verbs than it knows.

    Example:
        - AC-1.1: The export is useful to clerks

    Instead:

        - AC-1.1: The export contains the invoice number of each row
    """
    for one in _statements(subject.document):
        if one.criterion and not _OBSERVABLE.search(one.whole.replace(one.id, "")):
            yield Hit(issue=f"nothing in {one.id} can be observed", line=one.line, quote=one.text.strip()[:200] or None)


_CLAIM = Sought(
    r"\b(?:fast(?:er)?|quickly|rapid(?:ly)?|instant(?:ly|aneous)?|responsive|performant|low[- ]latency|"
    r"high[- ]throughput|high(?:ly)?[- ]availab(?:le|ility)|scalab(?:le|ility)|scales (?:well|to)|"
    r"minimal (?:latency|overhead|delay|memory)|"
    r"in (?:real[- ]time|a timely manner)|large (?:number|amount|volume)s? of|many (?:concurrent|simultaneous)|"
    r"acceptable (?:performance|latency|time)|good performance|high performance)\b",
    (
        *("fast", "quickly", "rapid", "instant", "responsive", "performan", "latency", "throughput", "availab", "scal"),
        *("minimal", "real", "timely", "large", "many", "acceptable"),
    ),
)
_TOPIC = re.compile(
    r"^[\s*_|]*(?:performance|latency|availability|uptime|capacity|scalability|throughput|response time)\b",
    re.IGNORECASE,
)
_MEASURED = lazily(
    r"\d|\bO\(|"
    r"\b(?:zero|no|none|never|not|one|two|three|single|once|same|unchanged|constant|linear|without|within|existing)\b",
    re.IGNORECASE,
)


@rule("REQ020", "unmeasured-quality", criteria=TESTABILITY, severity=Severity.IMPORTANT, precision=0.8)
def unmeasured_quality(subject: Subject) -> Iterator[Hit]:
    """Performance, availability or capacity is asked for without a number.

    What it checks: requirements and criteria that speak of speed, load or availability, for a number or another bound
    ("no additional request") anywhere in their row.

    Why: "fast" passes every test and fails every user.

    Known problems: a bound told in words that the rule does not know.

    Example:
        | NFR-1 | The export is fast | Performance |

    Instead:

        | NFR-1 | 10,000 rows are exported within 5 s | Performance |
    """
    claimed = _CLAIM.may_be_in(_spoken(subject.document))
    for one in _statements(subject.document):
        claim = (_CLAIM.pattern.search(one.text) if claimed else None) or _TOPIC.match(one.text)
        if claim and not _MEASURED.search(one.whole.replace(one.id, "", 1)):
            words = claim[0].strip(" *_|")
            yield Hit(
                issue=f'{one.id} asks for "{words}" and gives no number',
                line=one.line,
                column=_column(subject.document, one.line, words),
                quote=words,
                suggestion="Give a number with its unit, and under which load it holds.",
            )


_STEPS = {"WHEN": re.compile(r"\bwhen\b"), "THEN": re.compile(r"\bthen\b")}
_EARS = lazily(r"\b(?:WHEN|IF|WHILE|WHERE|THE)\b", re.IGNORECASE)
_SHALL = re.compile(r"\b(?:SHALL|MUST)\b")


@rule("REQ021", "criterion-shape", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.8)
def criterion_shape(subject: Subject) -> Iterator[Hit]:
    """A criterion is not in the shape that its format asks for.

    What it checks: Kiro criteria for EARS (WHEN or IF ... THE SYSTEM SHALL ...), OpenSpec requirements for SHALL or
    MUST and their scenarios for WHEN and THEN. In other formats only if the rule is selected; then each criterion is to
    be EARS or Given/When/Then.

    Why: tools read these shapes, and the shape makes the author name the trigger and the response.

    Known problems: OpenSpec accepts any casing in scenarios, and so does this rule.

    Example:
        1. The list is sorted

    Instead:

        1. WHEN the list is opened THEN THE SYSTEM SHALL sort it by date
    """
    match subject.document.format:
        case Format.OPENSPEC:
            yield from _openspec_shape(subject.document)
        case Format.KIRO:
            yield from _shape(subject.document, ears=True)
        case _ if subject.asked_for:
            yield from _shape(subject.document, ears=False)
        case _:
            pass


def _shape(document: Document, *, ears: bool) -> Iterator[Hit]:
    for story in stories(document):
        for one in story.criteria:
            fits = bool(_EARS.search(one.text) and re.search(r"\bshall\b", one.text, re.IGNORECASE))
            gherkin = bool(re.search(r"\bwhen\b.*\bthen\b", one.text, re.IGNORECASE))
            if not fits and (ears or not gherkin):
                yield _misshapen(one, story.id, "WHEN ... THE SYSTEM SHALL ...")


def _misshapen(one: Criterion, story: str, shape: str) -> Hit:
    name = f"criterion {one.id} of {story}" if one.id.isdigit() else one.id or f"a criterion of {story}"
    return Hit(issue=f"{name} does not have the shape {shape}", line=one.line, column=one.column, quote=one.text[:200])


def _openspec_shape(document: Document) -> Iterator[Hit]:
    for story in stories(document):
        if not _SHALL.search(story.body):
            yield Hit(
                issue=f'requirement "{story.id}" says neither SHALL nor MUST',
                line=story.line,
                quote=story.title,
                severity=Severity.IMPORTANT,
            )
    for heading in document.headings:
        if heading.title.lower().startswith("scenario"):
            body = "\n".join(document.prose[heading.line : heading.end]).lower()
            missing = [word for word, pattern in _STEPS.items() if not pattern.search(body)]
            if missing:
                yield Hit(
                    issue=f'"{heading.title}" has no {" and no ".join(missing)}', line=heading.line, quote=heading.title
                )


_AND_OR = lazily(r"\band/or\b", re.IGNORECASE)
_DEMAND = re.compile(r"(?:SHALL|MUST|shall|must)\b")
_SHALLS = lazily(r"\b(?:SHALL|MUST)\b(?! NOT\b)(?!\s*(?:or|/|,))")
_SHALLS_LOWER = lazily(r"\b(?:shall|must)\b(?! not\b)")


@rule("REQ023", "several-in-one", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.7)
def several_in_one(subject: Subject) -> Iterator[Hit]:
    """One requirement asks for several things.

    What it checks: "and/or", and more than one "shall" or "must" in the sentence of a single requirement or criterion.

    Why: it can be half done, and then it is neither met nor missed. "And/or" leaves the choice to whoever reads it.

    Known problems: a second "must" may only explain the first.

    Example:
        - FR-4: The tool must export CSV and must mail it

    Instead: two requirements.
    """
    either = "and/or" in _spoken(subject.document)
    for one in _statements(subject.document):
        if either and (match := _AND_OR.search(one.text)):
            column = _column(subject.document, one.line, match[0])
            yield Hit(issue=f'"and/or" in {one.id} leaves it open', line=one.line, column=column, quote=match[0])
            continue
        if _SETTING.match(one.text) or len(_DEMAND.findall(one.text)) < 2:
            continue
        shalls = max(_shalls(sentence) for sentence in _SENTENCE.split(one.text))
        if shalls > 1:
            quote = one.text.strip()[:200]
            yield Hit(issue=f"{one.id} asks for {shalls} things in one sentence", line=one.line, quote=quote)


def _shalls(sentence: str) -> int:
    return len(_SHALLS.findall(sentence)) or len(_SHALLS_LOWER.findall(sentence))
