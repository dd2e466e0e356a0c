"""Shared maps from a kind to the criterion that a rule counts towards."""

from __future__ import annotations

from collections.abc import Mapping

from reviewloop.core.types.artifact import Kind

DOCUMENTS = (Kind.PRD, Kind.SPEC, Kind.RESEARCH, Kind.REQUIREMENTS, Kind.DESIGN, Kind.TASKS, Kind.DOCUMENT)
"""Every kind that is prose."""

COMPLETENESS: Mapping[Kind, str | None] = dict.fromkeys(DOCUMENTS, "completeness")

NO_CRITERION: Mapping[Kind, str | None] = dict.fromkeys(DOCUMENTS)
"""For problems that count under every rubric."""

CONSISTENCY: Mapping[Kind, str | None] = {
    Kind.PRD: "consistency",
    Kind.SPEC: "consistency",
    Kind.RESEARCH: "grounding",
    Kind.REQUIREMENTS: "testability",
    Kind.DESIGN: "consistency",
    Kind.TASKS: "actionability",
}
"""For contradictions."""

REFERENCES: Mapping[Kind, str | None] = {
    Kind.PRD: "consistency",
    Kind.SPEC: "consistency",
    Kind.RESEARCH: "grounding",
    Kind.REQUIREMENTS: "traceability",
    Kind.DESIGN: "consistency",
    Kind.TASKS: "traceability",
}
"""For ids that are undefined, or defined twice."""


LINKS: Mapping[Kind, str | None] = {**REFERENCES, Kind.DOCUMENT: "consistency"}
"""For broken links, in any document."""


def requirement_criteria(requirements: str, elsewhere: str | None = None) -> Mapping[Kind, str | None]:
    """For rules about requirements: in a requirements file, and `elsewhere` in a spec or PRD."""
    other = elsewhere or requirements
    return {Kind.REQUIREMENTS: requirements, Kind.SPEC: other, Kind.PRD: other}
