"""`review` and `run` on the same documents, without agents: the same rule findings, verdict and exit code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from project import PYTHON, SPEC, Project

PARITY = Path(__file__).parents[2] / "scripts" / "parity"

REQUIREMENTS = """\
# Requirements: export

## Goal

Reports as files.

## User Stories

### US-1: Export

As a reader, I want a file, so that I can keep it.

**Acceptance Criteria:**
- AC-1.1: `GET /export` answers 200 with a CSV body.

## Functional Requirements

| ID | Requirement | Priority | Story |
|----|-------------|----------|-------|
| FR-1 | Export as CSV | High | US-1 |
| FR-2 | Export as PDF | Low | US-1 |

## Out of Scope

- Excel
"""

DESIGN = """\
# Design: export

## Overview

One handler, which TODO.

## Architecture

The handler streams rows, for FR-1.

## Components

### Handler

Streams rows.

## Technical Decisions

| Decision | Choice | Rationale |
|----------|--------|-----------|
| Library | csv | it is there |
"""

TASKS = """\
# Tasks: export

## Phase 1: Make it work

- [ ] 1.1 Write the handler
  - **Do**: write the handler
  - **Files**: `src/export.py`
  - **Done when**: it works
  - _Requirements: FR-1, FR-9_
- [ ] 1.2 Send the rows
  - **Do**: send them
- [ ] 1.2 Close the file
"""

KIRO = """\
# Requirements Document

## Introduction

Exports reports.

## Requirements

### Requirement 1

**User Story:** As a reader, I want a file, so that I can keep it.

#### Acceptance Criteria

1. WHEN the reader asks THEN the system SHALL answer quickly
"""

PROPOSAL = "# Change: export\n\n## Why\n\nReaders ask for files.\n\n## What Changes\n\n- Export as CSV\n"

DELTA = """\
# Delta

## ADDED Requirements

### Requirement: Export

The system SHALL export reports as CSV.

#### Scenario: CSV

- **WHEN** the reader asks
- **THEN** a file is sent
"""

SUPPRESSED = """\
<!-- reviewloop-disable-next-line DOC001 because the list is kept elsewhere -->
TODO: list the formats.
"""


@pytest.fixture
def documents(project: Project) -> Project:
    """Documents of many kinds and conditions, under a configuration without agents."""
    spec_folder = {"requirements.md": REQUIREMENTS, "design.md": DESIGN, "tasks.md": TASKS}
    files = {
        **{f"specs/export/{name}": text for name, text in spec_folder.items()},
        ".kiro/specs/export/requirements.md": KIRO,
        ".kiro/specs/export/tasks.md": "# Implementation Plan\n\n- [ ] 1. Write it\n  - _Requirements: 1.1, 7.7_\n",
        "openspec/changes/add-export/proposal.md": PROPOSAL,
        "openspec/changes/add-export/tasks.md": "## 1. Export\n\n- [ ] 1.1 Write it\n- [ ] 1.2 Test it\n",
        "openspec/changes/add-export/specs/export/spec.md": DELTA,
        "mixed/README.md": "# Export\n\nExports reports. See [the guide](guide.md).\n",
        "mixed/tasks.md": TASKS,
        "mixed/notes.md": f"# Notes\n\nWhat was said.\n\n{SUPPRESSED}",
        "mixed/design.md": DESIGN,
        "stub/design.md": "# Design\n",
        "partly/spec.md": SPEC,
        "old/spec.md": SPEC.replace("- FR-2:", "- FR-1: Again.\n- FR-2:"),
        "README.md": "# Project\n\nExports reports as files. TODO: say how.\n",
    }
    for path, text in files.items():
        project.write(path, text)
    (project.root / "partly/notes.md").write_bytes(b"# Notes\n\nCaf\xe9.\n")
    project.cli("review", "old", "--write-baseline")
    return project


@pytest.mark.slow
@pytest.mark.parametrize(
    "configuration",
    [
        "",
        "review: {static_gate: important, min_score: 97}",
        "profile: overlay",
        "profile: panel\nreview: {strategy: single, single_model: static}",
        "profile: phases\nreview: {static_gate: 'off'}\nkinds: {'mixed/notes.md': requirements}\nexclude: ['stub/']",
    ],
)
def test_review_and_run_agree_on_every_document_and_folder(documents: Project, configuration: str):
    documents.configure(configuration)

    found = subprocess.run([PYTHON, PARITY, documents.root], capture_output=True, text=True, check=False)

    assert re.fullmatch(r"\d+ targets \(.*\): 0 differences\n", found.stdout), found.stdout + found.stderr
    for verdict in ("pass", "needs_revision", "inconclusive"):
        assert f" {verdict}" in found.stdout
    assert found.returncode == 0


@pytest.mark.slow
def test_agents_are_never_asked_to_compare(documents: Project):
    documents.reviewer("{}")
    documents.configure()

    found = subprocess.run([PYTHON, PARITY, documents.root], capture_output=True, text=True, check=False)

    assert found.returncode == 1
    assert "the configuration names agents" in found.stderr
