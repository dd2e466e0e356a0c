"""The use cases. Everything a command, a page, a tool call or a worker can ask for is here.

Names are loaded when they are used, so that `import reviewloop.app` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reviewloop.app.answers import answer
    from reviewloop.app.feature import FeatureRun
    from reviewloop.app.plan import run_plan
    from reviewloop.app.project import open_project
    from reviewloop.app.review_files import FilesReview
    from reviewloop.app.sessions import resume, start
    from reviewloop.app.spec_tasks import run_spec_tasks
    from reviewloop.app.targets.request import TargetRequest
    from reviewloop.app.workflow import run_workflow
    from reviewloop.core.types.outcome import Answer
    from reviewloop.engine.human_answer import PersonAnswer

_HOME = {
    "Answer": "core.types.outcome",
    "FeatureRun": "app.feature",
    "FilesReview": "app.review_files",
    "PersonAnswer": "engine.human_answer",
    "TargetRequest": "app.targets.request",
    "answer": "app.answers",
    "open_project": "app.project",
    "resume": "app.sessions",
    "run_plan": "app.plan",
    "run_spec_tasks": "app.spec_tasks",
    "run_workflow": "app.workflow",
    "start": "app.sessions",
}

__all__ = [
    "Answer",
    "FeatureRun",
    "FilesReview",
    "PersonAnswer",
    "TargetRequest",
    "answer",
    "open_project",
    "resume",
    "run_plan",
    "run_spec_tasks",
    "run_workflow",
    "start",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"reviewloop.{_HOME[name]}"), name)
