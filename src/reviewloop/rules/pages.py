"""The rules' Markdown pages, made from their docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reviewloop.rules.model import Rule

PARTS = ("What it checks", "Why", "Known problems", "Example", "Instead")
_PART = re.compile(rf"^({'|'.join(PARTS)}):[ ]?(\w?)", re.MULTILINE)


def page(rule: Rule) -> str:
    summary, _, rest = rule.page.partition("\n\n")
    criteria = sorted({name for name in rule.criteria.values() if name}) or ["none: it counts under every rubric"]
    facts = [
        ("Name", f"`{rule.name}`"),
        ("Severity", str(rule.severity)),
        ("On by default", "yes" if rule.default else "no"),
        ("Applies to", ", ".join(sorted(rule.kinds))),
        ("Criterion", ", ".join(criteria)),
        ("Expected precision", f"{rule.precision:.0%}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in facts)
    body = _PART.sub(lambda match: f"## {match[1]}\n\n{match[2].upper()}", rest).strip()
    body = re.sub(r"(## [^\n]+\n)\n{2,}", r"\1\n", body)
    return f"# {rule.id}: {summary.strip().rstrip('.')}\n\n| | |\n|---|---|\n{table}\n\n{body}\n"


def index(rules: Iterable[Rule]) -> str:
    rows = "\n".join(
        f"| [{rule.id}]({rule.id}.md) | `{rule.name}` | {rule.summary.rstrip('.')} | {rule.severity} | "
        f"{'on' if rule.default else 'off'} |"
        for rule in rules
    )
    return (
        "# The offline rules\n\n"
        "These checks need no model, no key and no network, and never run anything that a document contains.\n\n"
        f"| Rule | Name | Finds | Severity | Default |\n|---|---|---|---|---|\n{rows}\n"
    )
