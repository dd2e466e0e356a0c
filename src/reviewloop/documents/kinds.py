"""Guesses a document's kind. A name is often enough, so the parsers are imported where a text has to be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.patterns import lazy_re

if TYPE_CHECKING:
    from reviewloop.documents.model import Heading

_DIFF = lazy_re(r"--- \S.*\n\+\+\+ \S")
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


def is_diff(path: str, text: str) -> bool:
    if path.endswith((".diff", ".patch")):
        return True
    return text.startswith("diff --git ") or (text.startswith("--- ") and bool(_DIFF.match(text)))


def guess_kind(path: str, text: str) -> Kind | None:
    """Guess a file's kind from its name, front matter or headings; None if it is unclear."""
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
    from reviewloop.documents.document import parse

    document = parse(path, text)
    return None if stem == "readme" and not document.tasks else _kind_by_headings(document.headings, text)


def _front_values(text: str) -> Mapping[str, Any]:
    if not text.startswith("---"):
        return {}
    from reviewloop.documents.frontmatter import read_frontmatter

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
