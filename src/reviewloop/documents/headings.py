"""Finds sections by their usual names and synonyms."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewloop.documents.model import Document, Heading

_TABLE = """
executive summary: summary, overview, tl;dr, key findings, conclusion, abstract, introduction
codebase analysis: codebase, existing code, existing patterns, current architecture, current state, code map, code
    analysis, current implementation, existing implementation, internal, where things are, affected code,
    repository, current system, relevant code
feasibility assessment: feasibility, viability, risk assessment, effort, complexity, recommendation,
    recommendations, recommended approach, options, trade-offs, evaluation
user stories: user story, stories, user scenarios, use cases, scenarios, jobs to be done
functional requirements: requirements, functional, capabilities, features, what changes
non-functional requirements: nfr, nfrs, quality attributes, quality requirements, performance requirements,
    constraints, quality goals, non functional requirements, nonfunctional requirements
out of scope: non-goals, non goals, not in scope, exclusions, scope, won't have, deliberately not, future work
architecture: system design, technical design, high-level design, system overview, structure, approach, technical
    approach, solution, how it works, design overview
components: component, modules, module, interfaces, services, parts, building blocks, classes, agents, detailed
    design, api surface, data model, templates, changes
data flow: flow, flows, sequence, workflow, lifecycle, interaction, interactions, pipeline, state machine,
    integration points, execution flow, process
technical decisions: decisions, decision, trade-offs, tradeoffs, alternatives, rationale, options considered,
    choices, adr
file structure: files, file changes, module structure, project structure, directory structure, source code, code
    structure, layout, affected files, source tree, code changes, changes summary, change summary
context: background, overview, introduction, problem, motivation, why, summary, current state, purpose, technical
    context
decisions: decision, approach, architecture, design, implementation, solution, proposal, shape, technical,
    rationale, direction, model, contract
purpose: overview, summary, introduction, why, goal, background, objective
problem: overview, why, motivation, background, purpose, goal, goals, summary, vision, introduction, context,
    document info, intent, objective
requirements: user stories, features, feature, scope, what changes, functional, capabilities, design,
    specification, deliverables, proposal, solution, changes, acceptance criteria, goals, what
success criteria: acceptance criteria, acceptance, success metrics, metrics, done, verification, testing, impact,
    validation, test plan, tests, definition of done, measurable outcomes, benefits
testing: tests, test, test plan, testing strategy, test strategy, verification, validation, acceptance criteria,
    success criteria, quality
design: architecture, implementation, technical, interface, interfaces, data model, api, solution, types,
    approach, how it works, structure
objective: goal, purpose, overview, summary, what, description, task
deliverables: files, implementation, steps, changes, what to build, output, outputs, work
backpressure: validation, verify, verification, acceptance, acceptance criteria, tests, test, done when
impact: affected, scope, risks, consequences, compatibility, implementation, benefits
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    lines = re.sub(r"\n {4}", " ", table).strip().splitlines()
    rows = (line.split(": ", 1) for line in lines)
    return {name: tuple(synonym.strip() for synonym in synonyms.split(",")) for name, synonyms in rows}


SYNONYMS = _read(_TABLE)
_NUMBERING = re.compile(r"^(?:[\d.]+[.):]?|[A-Z][.):])\s+")
_NOISE = re.compile(r"[^\w\s;'&/-]+")


@lru_cache(maxsize=4096)
def plain_title(title: str) -> str:
    """A title in lower case, without numbering, punctuation and emoji."""
    text = _NOISE.sub(" ", _NUMBERING.sub("", title.strip("*_ ")))
    return " ".join(text.lower().replace("_", " ").split())


@lru_cache(maxsize=256)
def _pattern(name: str) -> re.Pattern[str]:
    names = sorted({name, *SYNONYMS.get(name, ())}, key=len, reverse=True)
    return re.compile(r"(?<![\w-])(?:" + "|".join(re.escape(synonym) for synonym in names) + r")(?![\w-])")


def find_section(document: Document, name: str) -> Heading | None:
    """The first heading, at any level, with this name or else a synonym.

    The document's title does not count: `# Design: export` is not a design section.
    """
    pattern = _pattern(name)
    best: Heading | None = None
    for heading in document.headings:
        if heading.level == 1 and heading is document.headings[0]:
            continue
        title = plain_title(heading.title)
        if title.startswith(name):
            return heading
        if best is None and pattern.search(title):
            best = heading
    return best


def is_empty(document: Document, heading: Heading) -> bool:
    """Whether nothing follows the heading: no text, code block or subsection."""
    return not any(map(str.strip, document.lines[heading.line : heading.end]))
