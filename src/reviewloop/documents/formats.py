"""Recognises a document's format and guesses its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.documents.model import Format, Frontmatter, Heading
from reviewloop.documents.patterns import lazy_re

_DIFF = lazy_re(r"--- \S.*\n\+\+\+ \S")
_CHOO_KEYS = frozenset(("task", "unit", "backpressure", "prd_id", "feature_branch", "feature_status"))
_SPEC_KIT_PATH = lazy_re(r"(?:^|/)(?:\.specify/|specs/\d{3}-)")
_SPEC_KIT_HEADING = lazy_re(r"^User Story \d+ [-\u2013\u2014]")
_KIRO_HEADING = lazy_re(r"^Requirement \d+\b")
_OPENSPEC_HEADING = lazy_re(r"^(?:Requirement: |(?:ADDED|MODIFIED|REMOVED|RENAMED) Requirements$)")
_NAMES = {
    "research": Kind.RESEARCH,
    "requirements": Kind.REQUIREMENTS,
    "requirement": Kind.REQUIREMENTS,
    "user-stories": Kind.REQUIREMENTS,
    "design": Kind.DESIGN,
    "architecture": Kind.DESIGN,
    "plan": Kind.DESIGN,
    "tasks": Kind.TASKS,
    "todo": Kind.TASKS,
    "implementation_plan": Kind.TASKS,
    "spec": Kind.SPEC,
    "specification": Kind.SPEC,
    "prd": Kind.PRD,
    "proposal": Kind.PRD,
}
_TITLES = (
    (lazy_re(r"^(?:research|findings)\b|\bresearch$", re.IGNORECASE), Kind.RESEARCH),
    (lazy_re(r"^requirements?\b|requirements(?: document)?$", re.IGNORECASE), Kind.REQUIREMENTS),
    (lazy_re(r"product requirements|\bPRD\b|product design specification", re.IGNORECASE), Kind.PRD),
    (
        lazy_re(
            r"^(?:technical |system )?design\b|design(?: document)?$|^architecture\b|^implementation plan",
            re.IGNORECASE,
        ),
        Kind.DESIGN,
    ),
    (lazy_re(r"^tasks?\b|task list$|^implementation tasks", re.IGNORECASE), Kind.TASKS),
    (lazy_re(r"specification$|^spec\s*[:\u2013\u2014-]|\bspec$|^feature specification", re.IGNORECASE), Kind.SPEC),
)
_PARTS = (
    ({"user stories", "functional requirements"}, Kind.REQUIREMENTS),
    ({"executive summary", "feasibility assessment"}, Kind.RESEARCH),
    ({"executive summary", "codebase analysis"}, Kind.RESEARCH),
    ({"architecture", "components"}, Kind.DESIGN),
    ({"technical decisions", "components"}, Kind.DESIGN),
    ({"requirements", "design", "testing strategy"}, Kind.SPEC),
    ({"problem statement", "goals"}, Kind.PRD),
)
MAX_FRONTMATTER = 20_000
_CHECKBOX = lazy_re(r"^\s*[-*] \[[ xX]\] (?:\*\*)?(?:T\d{3}|\d+(?:\.\d+)*[.)]?)\s", re.MULTILINE)


def recognise(path: str, frontmatter: Frontmatter | None, headings: Sequence[Heading], text: str) -> Format:
    """The document's format: by path first, then by front matter, headings and text."""
    keys = frozenset(frontmatter.values) if frontmatter else frozenset[str]()
    titles = [heading.title for heading in headings[:200]]
    if "openspec/" in path or any(_OPENSPEC_HEADING.match(title) for title in titles):
        return Format.OPENSPEC
    if ".kiro/" in path:
        return Format.KIRO
    if keys & _CHOO_KEYS:
        return Format.CHOO
    if {"spec", "phase"} <= keys or any(re.match(r"US-\d+\b", title) for title in titles):
        return Format.SMART_RALPH
    if any(_KIRO_HEADING.match(title) for title in titles) or re.search(r"_Requirements?: *\d", text):
        return Format.KIRO
    if _SPEC_KIT_PATH.search(path) or any(_SPEC_KIT_HEADING.match(title) for title in titles):
        return Format.SPEC_KIT
    if re.search(r"^\s*- \[[ xX]\] T\d{3}\b", text, re.MULTILINE):
        return Format.SPEC_KIT
    if "**Done when**" in text and "**Verify**" in text:
        return Format.SMART_RALPH
    return Format.PLAIN


def is_diff(path: str, text: str) -> bool:
    if path.endswith((".diff", ".patch")):
        return True
    return text.startswith("diff --git ") or (text.startswith("--- ") and bool(_DIFF.match(text)))


def guess_kind(path: str, text: str) -> Kind | None:
    """Guess a file's kind from its name, front matter or headings; None if it is unclear."""
    from reviewloop.documents.document import parse

    if is_diff(path, text):
        return Kind.CHANGE
    name = path.rsplit("/", 1)[-1].lower()
    if name.startswith("."):
        return None
    stem = name.rsplit(".", 1)[0].lstrip("0123456789-_")
    values = _front_values(text)
    if "task" in values and ("backpressure" in values or "depends_on" in values):
        return Kind.TASKS
    if "prd_id" in values or "/prd/" in f"/{path.lower()}" or stem.startswith("prd"):
        return None if stem == "readme" else Kind.PRD
    if (phase := str(values.get("phase", "")).lower()) in _NAMES:
        return _NAMES[phase]
    if kind := _NAMES.get(stem) or (Kind.SPEC if stem.startswith("spec-") else None):
        return kind
    document = parse(path, text)
    return None if stem == "readme" and not document.tasks else _kind_by_headings(document.headings, text)


def _front_values(text: str) -> Mapping[str, Any]:
    if not text.startswith("---"):
        return {}
    frontmatter = read_frontmatter(text[:MAX_FRONTMATTER].replace("\r\n", "\n").split("\n"))
    return frontmatter.values if frontmatter else {}


def _kind_by_headings(headings: Sequence[Heading], text: str) -> Kind | None:
    titles = {re.sub(r"^[\d.]+\s+", "", heading.title).strip().lower() for heading in headings}
    for required, kind in _PARTS:
        if required <= titles:
            return kind
    if headings and headings[0].level == 1:
        for pattern, kind in _TITLES:
            if pattern.search(headings[0].title):
                return kind
    return Kind.TASKS if len(_CHECKBOX.findall(text)) >= 3 else None
