"""Run the rules on an artifact, and sort what they say into findings, suppressed and known ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place
from reviewloop.documents.document import parse
from reviewloop.documents.folder import documents_of
from reviewloop.documents.formats import is_diff
from reviewloop.documents.model import Document, Format
from reviewloop.documents.placement import at_changed_line
from reviewloop.rules.model import Hit, Report, Rule, Subject, Suppressed, Upstream
from reviewloop.rules.registry import defaults_for, note, rules_for
from reviewloop.rules.repository import Repository, Unknown
from reviewloop.rules.settings import RuleSettings
from reviewloop.rules.shell import Bash, Shell
from reviewloop.rules.suppression import NEVER, Suppression, suppressions

MAX_PER_RULE = 100
"""A rule that finds more than this in one document says so once, instead of drowning the rest."""

_LINE_NUMBER = re.compile(r"\blines? \d+")


def fingerprint(finding: Finding) -> str:
    """A name for a finding that stays when lines move: rule, file, and what it is about."""
    about = "\0".join(
        (finding.rule or "", finding.place.file or "", finding.quote or "", _LINE_NUMBER.sub("line", finding.issue))
    )
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check(
    artifact: Artifact,
    repository: Repository | None = None,
    settings: RuleSettings | None = None,
    shell: Shell | None = None,
) -> Report:
    """Check every document of the artifact by its own kind, against what it builds on."""
    settings, repository, shell = settings or RuleSettings(), repository or Unknown(), shell or Bash()
    reports = [_check(document, repository, settings, shell) for document in documents_of(artifact)]
    return reports[0] if len(reports) == 1 else _joined(reports)


def _joined(reports: Sequence[Report]) -> Report:
    return Report(
        findings=tuple(finding for report in reports for finding in report.findings),
        suppressed=tuple(finding for report in reports for finding in report.suppressed),
        unused=tuple(finding for report in reports for finding in report.unused),
        baselined=tuple(finding for report in reports for finding in report.baselined),
        silent={rule: why for report in reports for rule, why in report.silent.items()},
    )


def _check(artifact: Artifact, repository: Repository, settings: RuleSettings, shell: Shell) -> Report:
    documents = tuple(document_of(file) for file in artifact.files)
    upstream = tuple(
        Upstream(kind=above.kind, document=document_of(file)) for above in artifact.upstream for file in above.files
    )
    subject = Subject(
        artifact=artifact,
        document=documents[0],
        documents=documents,
        upstream=upstream,
        repository=repository,
        shell=shell,
        task=settings.task or _task_of(artifact),
    )
    found = _found(subject, settings)
    if artifact.kind is Kind.CHANGE:
        found = [at_changed_line(finding, artifact) for finding in found]
    order = {document.path: index for index, document in enumerate(documents)}
    found.sort(
        key=lambda finding: (
            order.get(finding.place.file or "", 0),
            finding.place.line or 0,
            finding.place.column or 0,
            finding.rule or "",
        )
    )
    return _sorted(found, documents, artifact.kind, settings, _silent(subject))


def document_of(file: SourceFile) -> Document:
    """A Markdown file taken apart; any other file as its lines only."""
    if not is_diff(file.path, file.text) and (file.is_markdown or file.path.endswith(".txt") or file.path == "-"):
        return parse(file.path, file.text)
    lines = tuple(file.text.replace("\r\n", "\n").split("\n"))
    return Document(path=file.path, text=file.text, format=Format.PLAIN, lines=lines, prose=(), words=())


def _task_of(artifact: Artifact) -> str | None:
    """The task a change belongs to: the part after `#` in the name of the upstream task list, or of the change."""
    names = [above.name for above in artifact.upstream if above.kind is Kind.TASKS] + [artifact.name]
    return next((name.rsplit("#", 1)[1] for name in names if "#" in name), None)


def _found(subject: Subject, settings: RuleSettings) -> list[Finding]:
    found: list[Finding] = []
    for number, document in enumerate(subject.documents):
        at = settings.at(document.path)
        chooses = at.chooses
        about = replace(subject, document=document) if number else subject
        for one in _chosen(subject.kind, at) if chooses else defaults_for(subject.kind):
            if number and one.scope == "artifact":
                continue
            asked = chooses and at.asks_for(one.id, one.name)
            found += _hits(one, replace(about, asked_for=True) if asked else about, settings)
    return found


def _chosen(kind: Kind, at: RuleSettings) -> Sequence[Rule]:
    return [one for one in rules_for(kind) if at.runs(one.id, one.name, default=one.default)]


def _hits(one: Rule, subject: Subject, settings: RuleSettings) -> Iterator[Finding]:
    for count, hit in enumerate(one.check(subject)):
        if count == MAX_PER_RULE:
            rest = Hit(
                issue=f"{one.id} has more than {MAX_PER_RULE} findings here; the rest is not shown", line=hit.line
            )
            yield _finding(one, rest, subject, settings)
            return
        document = hit.document or subject.document
        if document is subject.document or settings.at(document.path).runs(one.id, one.name, default=one.default):
            yield _finding(one, hit, subject, settings)


def _finding(one: Rule, hit: Hit, subject: Subject, settings: RuleSettings) -> Finding:
    document = hit.document or subject.document
    overridden = settings.at(document.path).severity_of(one.id, one.name)
    return Finding(
        issue=hit.issue,
        severity=overridden or hit.severity or one.severity,
        place=Place(
            file=document.path,
            line=hit.line,
            column=hit.column,
            section=document.section(hit.line) if hit.line else None,
        ),
        criterion=one.criteria[subject.kind],
        suggestion=hit.suggestion,
        quote=hit.quote,
        rule=one.id,
        by=("rules",),
        verified=True if hit.quote else None,
    )


def _sorted(
    found: Iterable[Finding], documents: Iterable[Document], kind: Kind, settings: RuleSettings, silent: dict[str, str]
) -> Report:
    asked = [one for document in documents for one in suppressions(document)]
    findings: list[Finding] = []
    suppressed: list[Suppressed] = []
    baselined: list[Finding] = []
    used: set[Suppression] = set()
    for finding in found:
        by = next((one for one in asked if one.covers(finding)), None)
        if by is not None:
            used.add(by)
        if by is not None and by.reason:
            suppressed.append(Suppressed(finding=finding, reason=by.reason, line=by.line))
        elif fingerprint(finding) in settings.baseline:
            baselined.append(finding)
        else:
            findings.append(finding)
    findings += [
        _note(kind, one, "DOC900", "a suppression needs a reason: write `because ...`")
        for one in asked
        if not one.reason
    ]
    unused = [_note(kind, one, "DOC901", _unused(one)) for one in asked if one.reason and one not in used]
    return Report(
        findings=tuple(findings),
        suppressed=tuple(suppressed),
        unused=tuple(unused),
        baselined=tuple(baselined),
        silent=silent,
    )


def _unused(one: Suppression) -> str:
    if NEVER & set(one.ids):
        return f"{', '.join(sorted(NEVER & set(one.ids)))} cannot be suppressed from inside the document"
    return f"nothing here needs `ignore {', '.join(one.ids)}` any more" if one.ids else "this suppression names no rule"


def _note(kind: Kind, one: Suppression, rule_id: str, issue: str) -> Finding:
    about = note(rule_id)
    return Finding(
        issue=issue,
        severity=about.severity,
        place=Place(file=one.file, line=one.line, column=one.column),
        criterion=about.criteria.get(kind),
        rule=rule_id,
        by=("rules",),
    )


def _silent(subject: Subject) -> dict[str, str]:
    """The rules that apply and had nothing to go by."""
    silent: dict[str, str] = {}
    if subject.kind is Kind.TASKS and (why := subject.shell.missing):
        silent["TSK032"] = why
    if not subject.repository.known:
        silent |= dict.fromkeys(_about_files(subject.kind), "no repository to look at")
    return silent


@cache
def _about_files(kind: Kind) -> tuple[str, ...]:
    applying = {one.id for one in rules_for(kind)}
    return tuple(one for one in ("RES010", "RES011", "DES025", "DES026", "TSK033", "CHG040") if one in applying)
