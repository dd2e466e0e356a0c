"""What a rule is, what it looks at and what it says."""

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
    """What a rule says about a place. The runner makes a finding of it.

    `severity` is set where this hit is more or less severe than its rule; `document` where it is not about the document
    the rule was asked about.
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
    """What a rule is asked about: one document, or with `scope="artifact"` the first of all documents."""

    artifact: Artifact
    document: Document
    documents: tuple[Document, ...]
    upstream: tuple[Upstream, ...]
    repository: Repository
    shell: Shell
    task: str | None = None
    asked_for: bool = False
    """Whether the rule was selected by name, and not only on by default."""

    @property
    def kind(self) -> Kind:
        return self.artifact.kind

    def above(self, *kinds: Kind) -> Iterator[Document]:
        """The upstream documents of these kinds."""
        return (one.document for one in self.upstream if one.kind in kinds)


Check = Callable[[Subject], Iterable[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One offline check. `criteria` says which criterion it belongs to, for each kind it applies to.

    `precision` is the share of its findings that a careful reader would call right, as a prior.
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
        """What it checks, why, known problems, an example and what to write instead, as Markdown."""
        from inspect import getdoc

        return getdoc(self.check) or ""

    @property
    def summary(self) -> str:
        return self.page.split("\n", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that the document's author asked not to be told, and why."""

    finding: Finding
    reason: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the rules found. `baselined` were known before; `silent` says which rules could not run, and why."""

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unused: tuple[Finding, ...] = ()
    baselined: tuple[Finding, ...] = ()
    silent: Mapping[str, str] = field(default_factory=dict[str, str])
