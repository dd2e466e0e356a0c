"""Rules for the wording of requirements and criteria: vague, unmeasured, malformed, several in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reviewloop.core.types.finding import Severity
from reviewloop.documents.inline import code_spans
from reviewloop.documents.model import Document, Format
from reviewloop.documents.patterns import lazy_re
from reviewloop.documents.requirements import Criterion, requirements, stories
from reviewloop.rules.criteria import requirement_criteria
from reviewloop.rules.keyword_pattern import KeywordPattern, lowered
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

TESTABILITY = requirement_criteria("testability")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A requirement or criterion. Code and quotes are blanked in `text`; `whole` is the complete row or item."""

    id: str
    text: str
    whole: str
    line: int
    criterion: bool


@lru_cache(maxsize=32)
def _statements(document: Document) -> tuple[_Statement, ...]:
    return tuple(_read_statements(document))


@lru_cache(maxsize=32)
def _lowered_statements(document: Document) -> str:
    return lowered("\n".join(statement.text for statement in _statements(document)))


def _read_statements(document: Document) -> Iterator[_Statement]:
    seen: set[int] = set()
    for story in stories(document):
        for criterion in story.criteria:
            line, text = criterion.line, criterion.text
            if line not in seen and not text.startswith("Scenario"):
                seen.add(line)
                name = criterion.id or story.id
                yield _Statement(id=name, text=_without_code(text), whole=text, line=line, criterion=True)
    for requirement in requirements(document):
        if requirement.line not in seen:
            seen.add(requirement.line)
            text = _without_code(requirement.text)
            yield _Statement(
                id=requirement.id, text=text, whole=requirement.whole, line=requirement.line, criterion=False
            )


_QUOTED = lazy_re(r"\"[^\"]{0,200}\"|\u201c[^\u201d]{0,200}\u201d")
_SENTENCE = lazy_re(r"[.;](?:\s|$)")


def _without_code(text: str) -> str:
    for start, end, _ in code_spans(text) if "`" in text else ():
        text = text[:start] + " " * (end - start) + text[end:]
    quotes = '"' in text or "\u201c" in text
    return _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text) if quotes else text


def _column(document: Document, line: int, words: str) -> int | None:
    at = document.line(line).find(words)
    return at + 1 if at >= 0 else None


_VAGUE = KeywordPattern(
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
_WEAK = KeywordPattern(
    r"(?<![\w/-])(?:should|may|might|could)(?![\w/'])(?! not\b)|\betc\b\.?|\band so on\b|\band more\b",
    ("should", "may", "might", "could", "etc", "so on", "more"),
    flags=0,
)
_SETTING = re.compile(r"^[\s*_-]*(?:given|when|if|while)\b", re.IGNORECASE)


@rule("REQ018", "vague-wording", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.7)
def vague_wording(subject: Subject) -> Iterator[Hit]:
    """A requirement or criterion is vague.

    What it checks: vague words (relevant, suitable, easy, appropriate, as needed, works correctly) and weak verbs
    (should, may, might, could) in requirements and criteria, outside code and quotes. A vague word in a criterion is
    important, because the work is tested against it. Weak verbs are minor everywhere. Words that rarely point to a
    problem ("possible", "different", negation, pronouns) are not checked.

    Why: author, implementer and tester each read it differently.

    Known problems: about 30% of the findings are fine in their context. Upper-case MAY and SHOULD count as RFC 2119
    terms and are not reported.

    Example:
        - AC-1.2: The error message is appropriate

    Instead:

        - AC-1.2: The error message names the row and the column that could not be read
    """
    text = _lowered_statements(subject.document)
    vague_words, weak_words = (words.pattern if words.may_match(text) else None for words in (_VAGUE, _WEAK))
    for statement in _statements(subject.document) if vague_words or weak_words else ():
        vague = vague_words.search(statement.text) if vague_words else None
        match = vague or (weak_words.search(statement.text) if weak_words and not _is_firm(statement.text) else None)
        if match:
            severity = Severity.IMPORTANT if vague and statement.criterion else None
            yield Hit(
                issue=f'"{match[0]}" in {statement.id} is vague',
                line=statement.line,
                column=_column(subject.document, statement.line, match[0]),
                quote=match[0],
                severity=severity,
                suggestion="State something that can be observed or measured.",
            )


def _is_firm(text: str) -> bool:
    """Whether weak verbs are harmless: the text says SHALL or MUST, or is a condition such as Given or When."""
    return bool(_SHALL.search(text) or _SETTING.match(text))


_OBSERVABLE = lazy_re(
    r"`|\"|\d|\b(?:shows?|shown|display(?:s|ed)?|prints?|printed|returns?|returned|outputs?|writes?|written|creates?|"
    r"created|deletes?|deleted|removes?|removed|exits?|fails?|errors?|rejects?|rejected|refuses?|logs?|"
    r"logged|emits?|sends?|sent|"
    r"contains?|includes?|lists?|listed|stores?|stored|saves?|saved|opens?|closes?|appears?|exists?|raises?|redirects?|"
    r"matches|equals|updates?|updated|adds?|added|asks?|prompts?|receives?|reads?|runs?|skips?|skipped|calls?|then)\b",
    re.IGNORECASE,
)


@rule("REQ019", "nothing-observable", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.5, default=False)
def nothing_observable(subject: Subject) -> Iterator[Hit]:
    """A criterion names nothing that can be observed.

    What it checks: each criterion for an observable verb (prints, returns, rejects, ...), a number, a quote or code.

    Why: what cannot be observed cannot be tested.

    Known problems: the rule knows too few verbs. It is off by default, because many of its findings are wrong.

    Example:
        - AC-1.1: The export is useful to clerks

    Instead:

        - AC-1.1: The export contains the invoice number of each row
    """
    for statement in _statements(subject.document):
        if statement.criterion and not _OBSERVABLE.search(statement.whole.replace(statement.id, "")):
            yield Hit(
                issue=f"{statement.id} names nothing that can be observed",
                line=statement.line,
                quote=statement.text.strip()[:200] or None,
            )


_CLAIM = KeywordPattern(
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
_MEASURED = lazy_re(
    r"\d|\bO\(|"
    r"\b(?:zero|no|none|never|not|one|two|three|single|once|same|unchanged|constant|linear|without|within|existing)\b",
    re.IGNORECASE,
)


@rule("REQ020", "unmeasured-quality", criteria=TESTABILITY, severity=Severity.IMPORTANT, precision=0.8)
def unmeasured_quality(subject: Subject) -> Iterator[Hit]:
    """A performance, availability or capacity requirement has no number.

    What it checks: requirements and criteria about speed, load or availability, for a number or another bound ("no
    additional request") anywhere in their row.

    Why: "fast" cannot be tested.

    Known problems: the rule does not know every way to state a bound in words.

    Example:
        | NFR-1 | The export is fast | Performance |

    Instead:

        | NFR-1 | 10,000 rows are exported within 5 s | Performance |
    """
    claimed = _CLAIM.may_match(_lowered_statements(subject.document))
    for statement in _statements(subject.document):
        claim = (_CLAIM.pattern.search(statement.text) if claimed else None) or _TOPIC.match(statement.text)
        if claim and not _MEASURED.search(statement.whole.replace(statement.id, "", 1)):
            words = claim[0].strip(" *_|")
            yield Hit(
                issue=f'{statement.id} asks for "{words}" but gives no number',
                line=statement.line,
                column=_column(subject.document, statement.line, words),
                quote=words,
                suggestion="Give a number with a unit, and the load under which it applies.",
            )


_STEPS = {"WHEN": re.compile(r"\bwhen\b"), "THEN": re.compile(r"\bthen\b")}
_EARS = lazy_re(r"\b(?:WHEN|IF|WHILE|WHERE|THE)\b", re.IGNORECASE)
_SHALL = re.compile(r"\b(?:SHALL|MUST)\b")


@rule("REQ021", "criterion-shape", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.8)
def criterion_shape(subject: Subject) -> Iterator[Hit]:
    """A criterion does not follow its format's template.

    What it checks: Kiro criteria for EARS (WHEN or IF ... THE SYSTEM SHALL ...), OpenSpec requirements for SHALL or
    MUST, and OpenSpec scenarios for WHEN and THEN in any case. In other formats, criteria are checked only if you
    select the rule; they must then follow EARS or Given/When/Then.

    Why: tools parse these templates, and they make the author name the trigger and the response.

    Known problems: none.

    Example:
        1. The list is sorted

    Instead:

        1. WHEN the list is opened THEN THE SYSTEM SHALL sort it by date
    """
    match subject.document.format:
        case Format.OPENSPEC:
            yield from _check_openspec(subject.document)
        case Format.KIRO:
            yield from _check_criteria(subject.document, accept_gherkin=False)
        case _ if subject.selected_by_name:
            yield from _check_criteria(subject.document, accept_gherkin=True)
        case _:
            pass


def _check_criteria(document: Document, *, accept_gherkin: bool) -> Iterator[Hit]:
    for story in stories(document):
        for criterion in story.criteria:
            ears = _EARS.search(criterion.text) and re.search(r"\bshall\b", criterion.text, re.IGNORECASE)
            gherkin = re.search(r"\bwhen\b.*\bthen\b", criterion.text, re.IGNORECASE)
            if not ears and not (accept_gherkin and gherkin):
                yield _malformed(criterion, story.id)


def _malformed(criterion: Criterion, story: str) -> Hit:
    name = criterion.id or f"a criterion of {story}"
    name = f"criterion {name} of {story}" if name.isdigit() else name
    return Hit(
        issue=f'{name} does not follow "WHEN ... THE SYSTEM SHALL ..."',
        line=criterion.line,
        column=criterion.column,
        quote=criterion.text[:200],
    )


def _check_openspec(document: Document) -> Iterator[Hit]:
    for story in stories(document):
        if not _SHALL.search(story.body):
            yield Hit(
                issue=f'the requirement "{story.id}" contains neither SHALL nor MUST',
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


_AND_OR = lazy_re(r"\band/or\b", re.IGNORECASE)
_ANY_SHALL = re.compile(r"(?:SHALL|MUST|shall|must)\b")
_SHALLS = lazy_re(r"\b(?:SHALL|MUST)\b(?! NOT\b)(?!\s*(?:or|/|,))")
_SHALLS_LOWER = lazy_re(r"\b(?:shall|must)\b(?! not\b)")


@rule("REQ023", "several-in-one", criteria=TESTABILITY, severity=Severity.MINOR, precision=0.7)
def several_in_one(subject: Subject) -> Iterator[Hit]:
    """A requirement asks for several things.

    What it checks: "and/or", and more than one "shall" or "must" in a sentence of a requirement or criterion.

    Why: a requirement that is half done is neither met nor missed. "And/or" leaves the choice to the reader.

    Known problems: a second "must" may only explain the first.

    Example:
        - FR-4: The tool must export CSV and must mail it

    Instead: split it into two requirements.
    """
    has_and_or = "and/or" in _lowered_statements(subject.document)
    for statement in _statements(subject.document):
        if has_and_or and (match := _AND_OR.search(statement.text)):
            column = _column(subject.document, statement.line, match[0])
            yield Hit(
                issue=f'"and/or" in {statement.id} is ambiguous', line=statement.line, column=column, quote=match[0]
            )
            continue
        if _SETTING.match(statement.text) or len(_ANY_SHALL.findall(statement.text)) < 2:
            continue
        count = max(map(_count_shalls, _SENTENCE.split(statement.text)))
        if count > 1:
            quote = statement.text.strip()[:200]
            yield Hit(issue=f"{statement.id} asks for {count} things in one sentence", line=statement.line, quote=quote)


def _count_shalls(sentence: str) -> int:
    return len(_SHALLS.findall(sentence)) or len(_SHALLS_LOWER.findall(sentence))
