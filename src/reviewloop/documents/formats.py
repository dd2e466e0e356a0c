"""Recognises a document's format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewloop.documents.model import Format, Frontmatter, Heading
from reviewloop.documents.patterns import lazy_re

_CHOO_KEYS = frozenset(("task", "unit", "backpressure", "prd_id", "feature_branch", "feature_status"))
_SPEC_KIT_PATH = lazy_re(r"(?:^|/)(?:\.specify/|specs/\d{3}-)")
_SPEC_KIT_HEADING = lazy_re(r"^User Story \d+ [-\u2013\u2014]")
_KIRO_HEADING = lazy_re(r"^Requirement \d+\b")
_OPENSPEC_HEADING = lazy_re(r"^(?:Requirement: |(?:ADDED|MODIFIED|REMOVED|RENAMED) Requirements$)")


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
