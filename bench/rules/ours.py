"""Check a directory with the offline rules, in one process, and print the findings as JSON."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents import guess_kind
from reviewloop.documents.folder import documents_of
from reviewloop.rules import RuleSettings, check
from reviewloop.rules.model import Report
from reviewloop.rules.repository import Directory


def read(root: Path) -> dict[str, str]:
    paths = (path for path in sorted(root.rglob("*")) if path.suffix in (".md", ".diff") and path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in paths}


def artifacts_in(files: dict[str, str]) -> list[Artifact]:
    """Every document of a known kind with what it builds on, and every diff."""
    known = [
        SourceFile(path=path, text=text, kind=kind)
        for path, text in files.items()
        if (kind := guess_kind(path, text)) is not None
    ]
    prose = tuple(file for file in known if file.kind is not Kind.CHANGE)
    changes = [file for file in known if file.kind is Kind.CHANGE]
    documents = documents_of(Artifact(kind=Kind.SPEC, name="all", files=prose))
    return [*documents, *(Artifact(kind=Kind.CHANGE, name=file.path, files=(file,)) for file in changes)]


def reports(files: dict[str, str], root: Path, settings: RuleSettings) -> list[tuple[Artifact, Report]]:
    """Every artifact with its report. `changes/<feature>-<task>.diff` belongs to a task of `specs/<feature>`."""
    repository = Directory(root)
    artifacts = artifacts_in(files)
    done: list[tuple[Artifact, Report]] = []
    for artifact in artifacts:
        name = re.search(r"([\w-]+)-([\d.]+)\.diff$", artifact.paths[0])
        if artifact.kind is Kind.CHANGE and name:
            tasks = f"specs/{name[1]}/tasks.md"
            above = tuple(
                replace(document, name=f"{tasks}#{name[2]}") for document in artifacts if tasks in document.paths
            )
            artifact = replace(artifact, upstream=above)
        done.append((artifact, check(artifact, repository, settings)))
    return done


if __name__ == "__main__":
    directory = Path(sys.argv[1])
    found = [
        finding for _, report in reports(read(directory), directory, RuleSettings()) for finding in report.findings
    ]
    print(json.dumps([[one.rule, one.severity, one.place.file, one.place.line, one.issue] for one in found]))
