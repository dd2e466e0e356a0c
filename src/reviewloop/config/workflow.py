"""Reads and checks the workflow: the `tasks` block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reviewloop.config import fields, rubrics
from reviewloop.config.fields import Reader, Setting
from reviewloop.config.message_text import nearest, shown
from reviewloop.config.source_marks import Entry, Items, Node, Place, Scalar, Table
from reviewloop.core.types.task import Commission, Overlay, Task, circle

if TYPE_CHECKING:
    from reviewloop.config.model import Config
    from reviewloop.core.judging.condition_language import ConditionError


def _condition(node: Node, name: str) -> str:
    from reviewloop.core.judging.condition_language import ConditionError, parse  # few projects have conditions

    text = fields.text(node, name)
    try:
        parse(text)
    except ConditionError as error:
        raise _inside(node, error).error(error.message, hint=error.hint) from error
    return text


def _inside(node: Node, error: ConditionError) -> Place:
    """The place of the error inside the text, if the text is on one line as written."""
    place = node.place
    if not isinstance(node, Scalar) or place.line is None or place.column is None:
        return place
    line = place.source.lines[place.line - 1] if place.line <= len(place.source.lines) else ""
    start = line.find(node.text, place.column - 1)
    if start not in (place.column - 1, place.column):
        return place
    return Place(source=place.source, line=place.line, column=start + error.start + 1, width=error.width)


def _inside_project(node: Node, name: str) -> str:
    value = fields.text(node, name).removeprefix("./").removesuffix("/")
    if value.startswith(("/", "~")) or any(part in ("", "..") for part in value.split("/")):
        raise node.place.error(f"{name} must be a path inside the project, found {shown(value)}")
    return value


def _name_or_number(node: Node, name: str) -> str:
    """A name, or a number as written: YAML would read 1.10 as 1.1."""
    is_number = isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    return node.text if isinstance(node, Scalar) and is_number else fields.text(node, name)


def _overlays(node: Node, name: str) -> dict[str, Setting]:
    """The overlay `agentic_review`; other tools' overlays are ignored."""
    return fields.section(fields.table(node, name).get("agentic_review"), "agentic_review", OVERLAY)


OVERLAY: Mapping[str, Reader[Any]] = {
    "enabled": fields.flag,
    "coder_agent": fields.text,
    "reviewer_agent": fields.text,
    "reviewer_agents": fields.names(at_least=2),
    "max_iterations": fields.whole(1, 6),
    "exit_conditions": fields.items(_condition),
}

TASK: Mapping[str, Reader[Any]] = {
    "agent": fields.text,
    "prompt": fields.text,
    "instructions": fields.text,
    "inputs": fields.item_or_items(_inside_project),
    "outputs": fields.item_or_items(_inside_project),
    "depends_on": fields.one_or_more,
    "acceptance_criteria": fields.one_or_more,
    "rubric": rubrics.rubric_setting,
    "plan_row": _name_or_number,
    "overlays": _overlays,
}


def read_tasks(node: Node | None) -> Table | None:
    """The `tasks` of a file, with every value checked."""
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return None
    tasks = fields.table(node, "tasks")
    for name, entry in tasks.entries.items():
        _read(name, entry)
    return tasks


def workflow_of(config: Config) -> tuple[Task, ...]:
    """The tasks of a project, in their written order.

    Raises:
        ConfigError: A task has no agent, has an unknown or cyclic dependency, or reviews its own work.
    """
    entries = config.tasks.entries if config.tasks else dict[str, Entry]()
    settings = {name: _read(name, entry) for name, entry in entries.items()}
    for name, entry in entries.items():
        _check_dependencies(name, entry, settings)
    _check_cycle(entries, settings)
    return tuple(_task(name, entries[name], found, config) for name, found in settings.items())


def _read(name: str, entry: Entry) -> dict[str, Setting]:
    found = fields.section(fields.table(entry.value, f"task {name}"), f"task {name}", TASK)
    if "prompt" in found and "instructions" in found:
        raise found["prompt"].node.place.error("prompt and instructions cannot both be set", hint="keep one of them")
    return found


def _check_dependencies(name: str, entry: Entry, tasks: Mapping[str, Mapping[str, Setting]]) -> None:
    for written in _dependencies(entry):
        if written.text == name:
            raise written.place.error(f"task {name} depends on itself")
        if written.text not in tasks:
            others = [other for other in tasks if other != name]
            hint = nearest(written.text, others) or 'every task is an entry of "tasks"'
            raise written.place.error(f"no task is named {shown(written.text)}", hint=hint)


def _check_cycle(entries: Mapping[str, Entry], tasks: Mapping[str, Mapping[str, Setting]]) -> None:
    depends = {name: found["depends_on"].value if "depends_on" in found else () for name, found in tasks.items()}
    if names := circle(depends):
        written = next(name for name in _dependencies(entries[names[0]]) if name.text == names[1])
        raise written.place.error(
            f"the tasks form a cycle: {' -> '.join(names)}", hint="remove one of these dependencies"
        )


def _dependencies(entry: Entry) -> Iterator[Scalar]:
    node = entry.value.get("depends_on") if isinstance(entry.value, Table) else None
    for name in node.nodes if isinstance(node, Items) else (node,):
        if isinstance(name, Scalar):
            yield name


def _task(name: str, entry: Entry, found: Mapping[str, Setting], config: Config) -> Task:
    values = {key: setting.value for key, setting in found.items()}
    overlay = _overlay(name, entry, found, config)
    agent = overlay.coder if overlay else values.get("agent")
    if agent is None:
        raise entry.key.error(f"task {name} has no agent", hint='add "agent: NAME"')
    commission = Commission(
        task=name,
        agent=agent,
        instructions=values.get("instructions") or values.get("prompt") or "",
        inputs=values.get("inputs", ()),
        outputs=values.get("outputs", ()),
        acceptance_criteria=values.get("acceptance_criteria", ()),
        is_reviewed=overlay is not None,
        plan_row=values.get("plan_row", ""),
    )
    return Task(
        commission=commission,
        depends_on=values.get("depends_on", ()),
        rubric=rubrics.resolved(values["rubric"], config.root) if "rubric" in values else None,
        overlay=overlay,
    )


def _overlay(name: str, entry: Entry, found: Mapping[str, Setting], config: Config) -> Overlay | None:
    written: Mapping[str, Setting] = found["overlays"].value if "overlays" in found else {}
    values = {key: setting.value for key, setting in written.items()}
    if not values.get("enabled"):
        _refuse_unused(name, found, written)
        return None
    coder = values.get("coder_agent") or (found["agent"].value if "agent" in found else None)
    if coder is None:
        raise entry.key.error(f"task {name} has no agent", hint='add "agent: NAME"')
    panel: tuple[str, ...] = values.get("reviewer_agents", ())
    reviewer = panel[-1] if panel else values.get("reviewer_agent") or config.review.reviewer
    if reviewer is None:
        place = written["enabled"].node.place
        raise place.error(f"task {name} has no reviewer", hint='add "reviewer_agent: NAME"')
    if panel:
        _check_panel(written)
    _check_roles(coder, panel or (reviewer,), written)
    return Overlay(
        coder=coder,
        reviewer=reviewer,
        panel=panel,
        max_iterations=values.get("max_iterations"),
        exit_conditions=values.get("exit_conditions", ()),
    )


def _refuse_unused(name: str, found: Mapping[str, Setting], written: Mapping[str, Setting]) -> None:
    """Raise for settings of a review that a task does not have. `enabled: false` says that this is meant."""
    if "enabled" in written:
        return
    setting = next(iter(written), None) or ("rubric" if "rubric" in found else None)
    if setting:
        place = (written.get(setting) or found[setting]).node.place
        message = f"{setting} is not used: task {name} is not reviewed"
        raise place.error(
            message, hint='add "enabled: true" under overlays.agentic_review, or "enabled: false" to keep it'
        )


def _check_panel(written: Mapping[str, Setting]) -> None:
    if "reviewer_agent" in written:
        raise written["reviewer_agent"].node.place.error(
            "reviewer_agent and reviewer_agents cannot both be set", hint="keep one of them"
        )
    from reviewloop.core.judging.condition_language import asks_for_scores, names_in, parse

    conditions = written["exit_conditions"].node if "exit_conditions" in written else None
    for node in conditions.nodes if isinstance(conditions, Items) else ():
        if isinstance(node, Scalar) and asks_for_scores(names_in(parse(node.text))):
            raise node.place.error(
                "a panel gives findings, not scores", hint='use "review.findings" or "review.confidence"'
            )


def _check_roles(coder: str, reviewers: Sequence[str], written: Mapping[str, Setting]) -> None:
    """Raise if the coder is also a reviewer."""
    if coder not in reviewers:
        return
    setting = next(
        (written[key] for key in ("reviewer_agent", "reviewer_agents", "coder_agent") if key in written), None
    )
    node = (setting or written["enabled"]).node
    if isinstance(node, Items):
        node = node.nodes[reviewers.index(coder)]
    raise node.place.error(
        f"{shown(coder)} would review its own work", hint="choose different agents as coder and reviewer"
    )
