from __future__ import annotations

from collections.abc import Callable

import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding
from reviewloop.rules import RuleSettings, check
from reviewloop.rules.model import Report

Checker = Callable[..., list[Finding]]


def artifact(
    kind: Kind, *files: tuple[str, str], name: str = "feature", upstream: tuple[Artifact, ...] = ()
) -> Artifact:
    sources = tuple(SourceFile(path=path, text=text) for path, text in files)
    return Artifact(kind=kind, name=name, files=sources, upstream=upstream)


@pytest.fixture
def report() -> Callable[..., Report]:
    """Check one document with one rule, or with all of them."""

    def run(kind: Kind, text: str, rule: str | None = None, *, path: str = "specs/export/doc.md", **more) -> Report:
        upstream = tuple(more.pop("upstream", ()))
        settings = more.pop("settings", None) or RuleSettings(only=(rule,) if rule else ())
        return check(artifact(kind, (path, text), upstream=upstream), more.pop("repository", None), settings, **more)

    return run


@pytest.fixture
def found(report: Callable[..., Report]) -> Checker:
    """The findings of one rule on one document."""

    def run(kind: Kind, text: str, rule: str, **more) -> list[Finding]:
        return list(report(kind, text, rule, **more).findings)

    return run
