"""Runs the rules on an artifact and sorts their findings into open, suppressed and baselined."""

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
from reviewloop.documents.kinds import is_diff
from reviewloop.documents.model import Document, Format
from reviewloop.documents.placement import at_changed_line
from reviewloop.rules.model import Hit, Report, Rule, Subject, Suppressed, Upstream
from reviewloop.rules.registry import check_note, default_rules_for, rules_for
from reviewloop.rules.repository import NoRepository, Repository
from reviewloop.rules.settings import RuleSettings
from reviewloop.rules.shell import Bash, Shell
from reviewloop.rules.suppression import NOT_SUPPRESSIBLE, Suppression, suppressions

MAX_PER_RULE = 100
"""The most findings that a rule reports per document, so that one rule cannot bury the others."""

_LINE_NUMBER = re.compile(r"\blines? \d+")


def fingerprint(finding: Finding) -> str:
    """An id that survives moved lines: a hash of rule, file, quote and issue."""
    issue = _LINE_NUMBER.sub("line", finding.issue)
    identity = "\0".join((finding.rule or "", finding.place.file or "", finding.quote or "", issue))
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check(
    artifact: Artifact,
    repository: Repository | None = None,
    settings: RuleSettings | None = None,
    shell: Shell | None = None,
) -> Report:
    """Check every document of the artifact by its own kind, with its upstream documents."""
    settings, repository, shell = settings or RuleSettings(), repository or NoRepository(), shell or Bash()
    reports = [_check_document(document, repository, settings, shell) for document in documents_of(artifact)]
    return reports[0] if len(reports) == 1 else _joined(reports)


def _joined(reports: Sequence[Report]) -> Report:
    return Report(
        findings=tuple(finding for report in reports for finding in report.findings),
        suppressed=tuple(finding for report in reports for finding in report.suppressed),
        unused=tuple(finding for report in reports for finding in report.unused),
        baselined=tuple(finding for report in reports for finding in report.baselined),
        not_run={rule: reason for report in reports for rule, reason in report.not_run.items()},
    )


def _check_document(artifact: Artifact, repository: Repository, settings: RuleSettings, shell: Shell) -> Report:
    documents = tuple(document_of(file) for file in artifact.files)
    upstream = tuple(
        Upstream(kind=other.kind, document=document_of(file)) for other in artifact.upstream for file in other.files
    )
    subject = Subject(
        artifact=artifact,
        document=documents[0],
        documents=documents,
        upstream=upstream,
        repository=repository,
        shell=shell,
        task=_task_of(artifact),
    )
    findings = _run_rules(subject, settings)
    if artifact.kind is Kind.CHANGE:
        findings = [at_changed_line(finding, artifact) for finding in findings]
    order = {document.path: index for index, document in enumerate(documents)}

    def position(finding: Finding) -> tuple[int, int, int, str]:
        place = finding.place
        return order.get(place.file or "", 0), place.line or 0, place.column or 0, finding.rule or ""

    findings.sort(key=position)
    return _report(findings, subject, settings)


def document_of(file: SourceFile) -> Document:
    """Parse a Markdown file; split any other file into lines."""
    if not is_diff(file.path, file.text) and (file.is_markdown or file.path.endswith(".txt") or file.path == "-"):
        return parse(file.path, file.text)
    lines = tuple(file.text.replace("\r\n", "\n").split("\n"))
    return Document(path=file.path, text=file.text, format=Format.PLAIN, lines=lines, prose=(), words=())


def _task_of(artifact: Artifact) -> str | None:
    """The change's task: the part after `#` in the name of the upstream task list, or of the change."""
    names = [upstream.name for upstream in artifact.upstream if upstream.kind is Kind.TASKS] + [artifact.name]
    return next((name.rsplit("#", 1)[1] for name in names if "#" in name), None)


def _run_rules(subject: Subject, settings: RuleSettings) -> list[Finding]:
    findings: list[Finding] = []
    for number, document in enumerate(subject.documents):
        local = settings.for_path(document.path)
        changes_defaults = local.changes_defaults
        document_subject = replace(subject, document=document) if number else subject
        for rule in rules_for(subject.kind) if changes_defaults else default_rules_for(subject.kind):
            if number and rule.scope == "artifact":
                continue
            if changes_defaults and not local.runs(rule.id, rule.name, default=rule.default):
                continue
            by_name = changes_defaults and local.selects_by_name(rule.id, rule.name)
            rule_subject = replace(document_subject, selected_by_name=True) if by_name else document_subject
            findings += _run_rule(rule, rule_subject, settings)
    return findings


def _runs_on(rule: Rule, path: str, settings: RuleSettings) -> bool:
    return settings.for_path(path).runs(rule.id, rule.name, default=rule.default)


def _run_rule(rule: Rule, subject: Subject, settings: RuleSettings) -> Iterator[Finding]:
    for count, hit in enumerate(rule.check(subject)):
        if count == MAX_PER_RULE:
            issue = f"{rule.id} has more than {MAX_PER_RULE} findings here; only the first {MAX_PER_RULE} are shown"
            yield _finding(rule, Hit(issue=issue, line=hit.line), subject, settings)
            return
        other = hit.document
        if other is None or other is subject.document or _runs_on(rule, other.path, settings):
            yield _finding(rule, hit, subject, settings)


def _finding(rule: Rule, hit: Hit, subject: Subject, settings: RuleSettings) -> Finding:
    document = hit.document or subject.document
    configured = settings.for_path(document.path).severity_of(rule.id, rule.name)
    section = document.section(hit.line) if hit.line else None
    return Finding(
        issue=hit.issue,
        severity=configured or hit.severity or rule.severity,
        place=Place(file=document.path, line=hit.line, column=hit.column, section=section),
        criterion=rule.criteria[subject.kind],
        suggestion=hit.suggestion,
        quote=hit.quote,
        rule=rule.id,
        by=("rules",),
        verified=True if hit.quote else None,
    )


def _report(found: Iterable[Finding], subject: Subject, settings: RuleSettings) -> Report:
    comments = [comment for document in subject.documents for comment in suppressions(document)]
    findings: list[Finding] = []
    suppressed: list[Suppressed] = []
    baselined: list[Finding] = []
    used: set[Suppression] = set()
    for finding in found:
        cover = next((comment for comment in comments if comment.covers(finding)), None)
        if cover is not None:
            used.add(cover)
        if cover is not None and cover.reason:
            suppressed.append(Suppressed(finding=finding, reason=cover.reason, line=cover.line))
        elif fingerprint(finding) in settings.baseline:
            baselined.append(finding)
        else:
            findings.append(finding)
    unused: list[Finding] = []
    for comment in comments:
        if not comment.reason:
            issue = "this suppression gives no reason and has no effect: add `because ...`"
            findings.append(_note(subject.kind, comment, "DOC900", issue))
        elif comment not in used:
            unused.append(_note(subject.kind, comment, "DOC901", _why_unused(comment)))
    return Report(
        findings=tuple(findings),
        suppressed=tuple(suppressed),
        unused=tuple(unused),
        baselined=tuple(baselined),
        not_run=_not_run(subject),
    )


def _why_unused(comment: Suppression) -> str:
    if refused := NOT_SUPPRESSIBLE & set(comment.ids):
        return f"{', '.join(sorted(refused))} cannot be suppressed in the document; use the configuration"
    ids = ", ".join(comment.ids)
    return f"unused suppression: {ids} finds nothing here" if ids else "this suppression names no rule"


def _note(kind: Kind, comment: Suppression, rule_id: str, issue: str) -> Finding:
    rule = check_note(rule_id)
    return Finding(
        issue=issue,
        severity=rule.severity,
        place=Place(file=comment.file, line=comment.line, column=comment.column),
        criterion=rule.criteria.get(kind),
        rule=rule_id,
        by=("rules",),
    )


def _not_run(subject: Subject) -> dict[str, str]:
    """The rules that lack the shell or the repository they need, with the reason."""
    reasons: dict[str, str] = {}
    if subject.kind is Kind.TASKS and (reason := subject.shell.missing):
        reasons["TSK032"] = reason
    if not subject.repository.known:
        reasons |= dict.fromkeys(_rules_about_files(subject.kind), "no repository to check against")
    return reasons


@cache
def _rules_about_files(kind: Kind) -> tuple[str, ...]:
    about_files = ("RES010", "RES011", "DES025", "DES026", "TSK033", "CHG040")
    return tuple(rule.id for rule in rules_for(kind) if rule.id in about_files)
