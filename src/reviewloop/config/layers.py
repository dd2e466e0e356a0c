"""The settings of one file, the environment or the command line as a layer, and how layers merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reviewloop.config import fields
from reviewloop.config.agents import AgentEntry, read_agents
from reviewloop.config.fields import Setting
from reviewloop.config.schema import EGRESS, REVIEW, RULES, SECTIONS, TOP
from reviewloop.config.source_marks import Node, Place, Table
from reviewloop.config.view_paths import PATHS, PERSONAL_PATHS
from reviewloop.config.workflow import read_tasks

# A setting in a higher layer also displaces these settings of lower layers.
_DISPLACES: Mapping[str, tuple[str, ...]] = {
    "max_iterations": ("max_fix_iterations",),
    "max_fix_iterations": ("max_iterations",),
    "reviewer": ("reviewers", "parallel_models", "single_model"),
    "reviewers": ("reviewer", "parallel_models", "single_model"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The settings of one source, or of several merged ones."""

    top: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    agents: Mapping[str, AgentEntry] = field(default_factory=dict[str, AgentEntry])
    review: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    rules: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    egress: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    tasks: Table | None = None
    paths: Mapping[str, Setting] = field(default_factory=dict[str, Setting])


def read_layer(table: Table, *, personal: bool = False) -> Layer:
    """A whole configuration file; `personal` if it is the user's own, and no project's."""
    table.only((*TOP, *SECTIONS))
    return Layer(
        top={
            key: Setting(value=read(node, key), node=node)
            for key, read in TOP.items()
            if (node := table.get(key)) is not None
        },
        agents=read_agents(table.get("agents")),
        review=read_review(table.get("review")),
        rules=fields.section(table.get("rules"), "rules", RULES),
        egress=fields.section(table.get("egress"), "egress", EGRESS),
        tasks=read_tasks(table.get("tasks")),
        paths=fields.section(table.get("paths"), "paths", PERSONAL_PATHS if personal else PATHS),
    )


def read_review_block(table: Table) -> Layer:
    """The `review` block of another tool's project file, which implies the profile `panel`."""
    node = table.get("review")
    return Layer(top={"profile": Setting(value="panel", node=node or table)}, review=read_review(node))


def read_review(node: Node | None) -> dict[str, Setting]:
    settings = fields.section(node, "review", REVIEW)
    _check_iterations(settings)
    if "reviewer" in settings and "reviewers" in settings:
        raise _key_place(node, "reviewer").error("reviewer and reviewers cannot both be set", hint="keep one of them")
    return settings


def merge(layers: Sequence[Layer]) -> Layer:
    """One layer from several, the one with the highest precedence first."""
    merged = Layer()
    for layer in reversed(layers):
        displaced = {other for key in layer.review for other in _DISPLACES.get(key, ())}
        kept = {key: setting for key, setting in merged.review.items() if key not in displaced}
        merged = Layer(
            top={**merged.top, **layer.top},
            agents={**merged.agents, **layer.agents},
            review={**kept, **layer.review},
            rules={**merged.rules, **layer.rules},
            egress={**merged.egress, **layer.egress},
            tasks=layer.tasks or merged.tasks,
            paths={**merged.paths, **layer.paths},
        )
    return merged


def _check_iterations(review: Mapping[str, Setting]) -> None:
    reviews, fixes = review.get("max_iterations"), review.get("max_fix_iterations")
    if reviews and fixes and reviews.value != fixes.value + 1:
        raise reviews.node.place.error(
            f"max_iterations must be {fixes.value + 1} if max_fix_iterations is {fixes.value}",
            hint="a session has one more review than fixes; keep one of the two settings",
        )


def _key_place(node: Node | None, key: str) -> Place:
    assert isinstance(node, Table)
    return node.entries[key].key
