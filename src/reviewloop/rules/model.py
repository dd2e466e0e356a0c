"""The types of the offline rules: rule, subject, hit and report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.documents.model import Document
from reviewloop.rules.repository import Repository
from reviewloop.rules.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A problem that a rule reports. The runner turns it into a finding.

    `severity` overrides the rule's severity. `document` names the document if it is not the subject's.
    """

    issue: str
    line: int | None = None
    column: int | None = None
    suggestion: str | None = None
    quote: str | None = None
    severity: Severity | None = None
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A document that the artifact builds on."""

    kind: Kind
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The input of a rule. Rules with `scope="artifact"` run once, with the first document as `document`."""

    artifact: Artifact
    document: Document
    documents: tuple[Document, ...]
    upstream: tuple[Upstream, ...]
    repository: Repository
    shell: Shell
    task: str | None = None
    selected_by_name: bool = False
    """Whether the settings select the rule by its id or name."""

    @property
    def kind(self) -> Kind:
        return self.artifact.kind

    def upstream_documents(self, *kinds: Kind) -> Iterator[Document]:
        return (upstream.document for upstream in self.upstream if upstream.kind in kinds)


Check = Callable[[Subject], Iterable[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An offline check. `criteria` maps each kind that the rule applies to, to the criterion it counts towards.

    `precision` is the expected share of true findings.
    """

    id: str
    name: str
    criteria: Mapping[Kind, str | None]
    severity: Severity
    default: bool
    precision: float
    scope: str
    check: Check

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(self.criteria)

    @property
    def page(self) -> str:
        """The rule's documentation, in Markdown."""
        from inspect import getdoc

        return getdoc(self.check) or ""

    @property
    def summary(self) -> str:
        return self.page.split("\n", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that a comment in the document suppresses, with the comment's reason and line."""

    finding: Finding
    reason: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a check. `unused` reports suppressions without effect; `baselined` holds known findings.

    `not_run` maps each rule that could not run to the reason.
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unused: tuple[Finding, ...] = ()
    baselined: tuple[Finding, ...] = ()
    not_run: Mapping[str, str] = field(default_factory=dict[str, str])
