"""Which criterion of its kind's rubric a rule belongs to."""

from __future__ import annotations

from collections.abc import Mapping

from reviewloop.core.types.artifact import Kind

DOCUMENTS = (Kind.PRD, Kind.SPEC, Kind.RESEARCH, Kind.REQUIREMENTS, Kind.DESIGN, Kind.TASKS, Kind.DOCUMENT)
"""Every kind that is prose."""

COMPLETENESS: Mapping[Kind, str | None] = dict.fromkeys(DOCUMENTS, "completeness")

NO_CRITERION: Mapping[Kind, str | None] = dict.fromkeys(DOCUMENTS)
"""For what is wrong whatever the rubric says."""

CONSISTENCY: Mapping[Kind, str | None] = {
    Kind.PRD: "consistency",
    Kind.SPEC: "consistency",
    Kind.RESEARCH: "grounding",
    Kind.REQUIREMENTS: "testability",
    Kind.DESIGN: "consistency",
    Kind.TASKS: "actionability",
}
"""For things that contradict each other."""

REFERENCES: Mapping[Kind, str | None] = {
    Kind.PRD: "consistency",
    Kind.SPEC: "consistency",
    Kind.RESEARCH: "grounding",
    Kind.REQUIREMENTS: "traceability",
    Kind.DESIGN: "consistency",
    Kind.TASKS: "traceability",
}
"""For ids and links that lead nowhere, or to two places."""


LINKS: Mapping[Kind, str | None] = {**REFERENCES, Kind.DOCUMENT: "consistency"}
"""For links that lead nowhere, in any text."""


def wanted(requirements: str, others: str | None = None) -> Mapping[Kind, str | None]:
    """For rules about requirements, wherever they stand: in their own file, a spec or a PRD."""
    other = others or requirements
    return {Kind.REQUIREMENTS: requirements, Kind.SPEC: other, Kind.PRD: other}
