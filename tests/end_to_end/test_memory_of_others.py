"""Memory files as 003's reviewers wrote them, before Reviewloop: rows without an id."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from project import Project, failing, passing

pytestmark = pytest.mark.slow

SERVICES = "services: {exports: ['spec.md']}"
PATTERNS = ".reviewloop/memory/spec-reviewer/service-patterns/exports.md"
TODAY = datetime.now(UTC).date()
SEED = f"""\
# Exports Review Patterns

## Common Issues
| Pattern | Frequency | Last Seen | Severity | Example |
|---------|-----------|-----------|----------|---------|
| Missing subscribeOn for HTTP calls | 3 | {TODAY - timedelta(days=2)} | Critical | SeriesMetadataPublisher:95 |
| No error handling on Redis reads | 1 | {TODAY - timedelta(days=200)} | Important | HomepageService:42 |

## Service-Specific Rules
- Uses reactive patterns — always check TSchedulers.BLOCKING

## False Positives to Avoid
| Pattern | Why It's Not an Issue |
|---------|----------------------|
| toBlocking() in Mono.fromCallable | Valid pattern per CLAUDE.md |
"""
KNOWN = "Missing subscribeOn for HTTP calls"


@pytest.fixture
def seeded(project: Project) -> Project:
    project.write(PATTERNS, SEED)
    project.reviewer(failing(KNOWN, section="Design"), passing())
    project.configure(SERVICES)
    return project


def shown(project: Project) -> dict[str, Any]:
    return json.loads(project.cli("memory", "show", "exports", "--json").stdout)


def states(project: Project) -> dict[str, tuple[str, int]]:
    return {one["issue"]: (one["state"], one["frequency"]) for one in shown(project)["patterns"]}


def test_their_rows_are_read_and_listed(seeded: Project):
    listed = json.loads(seeded.cli("memory", "list", "--json").stdout)
    assert [("exports", 1, 1)] == [
        (one["service"], one["active"], one["archived"]) for one in listed if one["stage"] == "spec"
    ]
    assert {KNOWN: ("active", 3), "No error handling on Redis reads": ("archived", 1)} == states(seeded)


def test_they_get_an_id_and_every_other_word_stays(seeded: Project):
    seeded.cli("memory", "show", "exports")
    after = seeded.read(PATTERNS)
    assert f"| {KNOWN} <!-- S1 --> | 3 |" in after
    kept = [line for line in SEED.splitlines() if "Redis" not in line and KNOWN not in line]
    lines = iter(after.splitlines())
    assert all(line in lines for line in kept)


def test_they_are_counted_when_a_review_finds_them_again(seeded: Project):
    seeded.run()
    assert ("active", 4) == states(seeded)[KNOWN]
    assert f"| {KNOWN} <!-- S1 --> | 4 | {TODAY} | Critical |" in seeded.read(PATTERNS)


def test_an_old_one_moves_to_the_archive_once(seeded: Project):
    seeded.run()
    seeded.run("spec.md", "--fresh")
    common, _, archive = seeded.read(PATTERNS).partition("## Archive")
    assert (False, 1) == ("Redis" in common, archive.count("No error handling on Redis reads"))


def test_they_are_dismissed_like_ours(seeded: Project):
    result = seeded.cli("memory", "dismiss", "exports", "S1", "--why", "the client does it", "--by", "Ann")
    assert 0 == result.exit_code, result.stderr
    assert ("false positive", 3) == states(seeded)[KNOWN]
    common, _, false = seeded.read(PATTERNS).partition("## False Positives to Avoid")
    assert (False, True) == (KNOWN in common, f"| {KNOWN} <!-- S1 --> | Ann: the client does it" in false)


def test_show_says_what_the_reviewers_are_told(seeded: Project):
    told = shown(seeded)["told"]["spec"]
    assert told in seeded.cli("memory", "show", "exports").stdout
    seeded.run()
    assert told in seeded.prompts("reviewer")[0]
    assert [True, True, True, False] == [
        part in told for part in (KNOWN, "TSchedulers.BLOCKING", "Valid pattern per CLAUDE.md", "Redis")
    ]


def test_show_works_for_a_service_that_only_has_rules(project: Project):
    project.write(PATTERNS, "# Exports\n\n## Service-Specific Rules\n- Money is in cents\n")
    project.configure(SERVICES)
    assert "- Money is in cents" in project.cli("memory", "show", "exports").stdout


def test_a_lost_database_gives_the_same_ids_again(seeded: Project):
    seeded.run()
    before = shown(seeded)["patterns"]
    (seeded.root / ".reviewloop/memory.db").unlink()
    assert before == shown(seeded)["patterns"]
