"""The project's own rubrics, from a file or from the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewloop.config import fields
from reviewloop.config.discover import read
from reviewloop.config.message_text import nearest, shown
from reviewloop.config.source_marks import Items, Node, Place, Scalar, Table
from reviewloop.core.types.rubric import RUBRICS, Criterion, Rubric

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricFile:
    """The file of a rubric that is not read yet, and the place of its setting."""

    path: str
    place: Place


def _criterion_name(node: Node, name: str) -> str:
    value = fields.text(node, name)
    if not _NAME.fullmatch(value):
        raise node.place.error(
            "a criterion's name must be one word of letters, digits, - and _", hint='for example "error_handling"'
        )
    return value


CRITERION: Mapping[str, fields.Reader[Any]] = {
    "name": _criterion_name,
    "description": fields.text,
    "min_score": fields.number(0, 100),
    "weight": fields.positive,
    "good": fields.text,
    "bad": fields.text,
}


def criterion(node: Node, name: str) -> Criterion:
    found = fields.record(CRITERION)(fields.table(node, name), name)
    for required in ("name", "description"):
        if required not in found:
            raise node.place.error(f"the criterion has no {required}")
    return Criterion(**found)


def criteria(node: Node, name: str) -> tuple[Criterion, ...]:
    """A rubric's list of criteria: at least one, with different names."""
    found = fields.items(criterion, at_least=1)(node, name)
    _check_duplicates(node, [item.name for item in found])
    return found


def named_criteria(node: Node, name: str) -> tuple[str | Criterion, ...]:
    """A list of names and definitions of criteria."""

    def read(item: Node, item_name: str) -> str | Criterion:
        return fields.text(item, item_name) if isinstance(item, Scalar) else criterion(item, item_name)

    found = fields.items(read, at_least=1)(node, name)
    _check_duplicates(node, [item if isinstance(item, str) else item.name for item in found])
    return found


def _check_duplicates(node: Node, names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position] and isinstance(node, Items):
            item = node.nodes[position]
            written = item.get("name") if isinstance(item, Table) else None
            raise (written or item).place.error(f"duplicate criterion {shown(name)}")


RUBRIC: Mapping[str, fields.Reader[Any]] = {"name": fields.text, "criteria": criteria}


def rubric(node: Node, name: str = "the rubric", *, called: str = "project") -> Rubric:
    """A rubric from a mapping."""
    found = fields.record(RUBRIC)(fields.table(node, name), name)
    if "criteria" not in found:
        raise node.place.error(f"{name} has no criteria")
    return Rubric(name=found.get("name", called), criteria=found["criteria"])


def rubric_setting(node: Node, name: str) -> Rubric | RubricFile:
    """The name of a bundled rubric, the path of a rubric file, or a mapping."""
    if not isinstance(node, Scalar):
        return rubric(node, name)
    value = fields.text(node, name)
    if "/" in value or "\\" in value or value.endswith((".yml", ".yaml")):
        return RubricFile(path=fields.path(node, name), place=node.place)
    if value not in RUBRICS:
        hint = nearest(value, RUBRICS) or f"bundled: {', '.join(RUBRICS)}; or the path of a .yml file"
        raise node.place.error(f"no rubric is named {shown(value)}", hint=hint)
    return RUBRICS[value]


def resolved(wanted: Rubric | RubricFile, root: Path) -> Rubric:
    """The rubric itself, read from its file if necessary."""
    if isinstance(wanted, Rubric):
        return wanted
    path = root / Path(wanted.path).expanduser()
    try:
        data = read(path)
    except OSError as error:
        raise wanted.place.error(f"cannot read the rubric: {error.strerror}", hint=f"looked for {path}") from error
    from reviewloop.config.parse import parse

    return rubric(parse(data, wanted.path), called=path.stem)


def scores(node: Node, name: str) -> float | Mapping[str, float]:
    """One minimum score for all criteria, or one per named criterion."""
    read = fields.number(0, 100)
    return fields.mapping(read)(node, name) if isinstance(node, Table) else read(node, name)
