"""Which conventions a document follows, and what kind of artifact it is, without being told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reviewloop.core.types.artifact import Kind
from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.documents.model import Format, Frontmatter, Heading
from reviewloop.documents.patterns import lazily

_DIFF = lazily(r"--- \S.*\n\+\+\+ \S")
_CHOO_KEYS = frozenset(("task", "unit", "backpressure", "prd_id", "feature_branch", "feature_status"))
_SPEC_KIT_PATH = lazily(r"(?:^|/)(?:\.specify/|specs/\d{3}-)")
_SPEC_KIT_HEADING = lazily(r"^User Story \d+ [-\u2013\u2014]")
_KIRO_HEADING = lazily(r"^Requirement \d+\b")
_OPENSPEC_HEADING = lazily(r"^(?:Requirement: |(?:ADDED|MODIFIED|REMOVED|RENAMED) Requirements$)")
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
    (lazily(r"^(?:research|findings)\b|\bresearch$", re.IGNORECASE), Kind.RESEARCH),
    (lazily(r"^requirements?\b|requirements(?: document)?$", re.IGNORECASE), Kind.REQUIREMENTS),
    (lazily(r"product requirements|\bPRD\b|product design specification", re.IGNORECASE), Kind.PRD),
    (
        lazily(
            r"^(?:technical |system )?design\b|design(?: document)?$|^architecture\b|^implementation plan",
            re.IGNORECASE,
        ),
        Kind.DESIGN,
    ),
    (lazily(r"^tasks?\b|task list$|^implementation tasks", re.IGNORECASE), Kind.TASKS),
    (lazily(r"specification$|^spec\s*[:\u2013\u2014-]|\bspec$|^feature specification", re.IGNORECASE), Kind.SPEC),
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
_CHECKBOX = lazily(r"^\s*[-*] \[[ xX]\] (?:\*\*)?(?:T\d{3}|\d+(?:\.\d+)*[.)]?)\s", re.MULTILINE)


def recognise(path: str, frontmatter: Frontmatter | None, headings: Sequence[Heading], text: str) -> Format:
    """Whose conventions these are: by place first, then by front matter, then by shape."""
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
    """The kind of artifact, from the name, the front matter or the headings; None if nothing tells."""
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
    return None if stem == "readme" and not document.tasks else _by_shape(document.headings, text)


def _front_values(text: str) -> Mapping[str, Any]:
    if not text.startswith("---"):
        return {}
    frontmatter = read_frontmatter(text[:MAX_FRONTMATTER].replace("\r\n", "\n").split("\n"))
    return frontmatter.values if frontmatter else {}


def _by_shape(headings: Sequence[Heading], text: str) -> Kind | None:
    titles = {re.sub(r"^[\d.]+\s+", "", heading.title).strip().lower() for heading in headings}
    for wanted, kind in _PARTS:
        if wanted <= titles:
            return kind
    if headings and headings[0].level == 1:
        for pattern, kind in _TITLES:
            if pattern.search(headings[0].title):
                return kind
    return Kind.TASKS if len(_CHECKBOX.findall(text)) >= 3 else None
