"""Kind `static`: a free reviewer that turns the findings of the offline rules into a review."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from reviewloop.errors import AgentRefused
from reviewloop.ports import Job, Reply, Role
from reviewloop.rules.scoring import review_of_artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSettings:
    """No settings: the project's configuration selects the rules."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Static:
    Settings = StaticSettings
    edits_files = False

    def __init__(self, name: str, settings: StaticSettings, base: Path) -> None:
        pass

    async def ask(self, job: Job) -> Reply:
        if job.role is not Role.REVIEW:
            raise AgentRefused("the offline rules can review but not edit", hint="choose another `author`")
        review = review_of_artifact(job.artifact, job.facts, job.rubric)
        return Reply(text=review.summary, review=review)
