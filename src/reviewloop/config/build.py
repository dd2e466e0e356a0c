"""Builds the `Config` from merged layers of settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reviewloop.config import rubrics
from reviewloop.config.agents import STATIC, AgentEntry, model_agent, static_agent
from reviewloop.config.check import check
from reviewloop.config.fields import Setting
from reviewloop.config.layers import Layer, merge, read_review
from reviewloop.config.model import Config
from reviewloop.config.schema import (
    DEFAULT_LEDGER,
    DEFAULT_PROFILE,
    PARALLEL_MODELS,
    REVIEW,
    SINGLE_MODEL,
    TOP,
    ExecutionSettings,
    ReviewSettings,
)
from reviewloop.config.source_marks import Entry, Place, Source, Table, located
from reviewloop.config.view_paths import view_paths
from reviewloop.core.types.egress import Egress
from reviewloop.core.types.scope import Scope
from reviewloop.rules.settings import RuleSettings


def build(layer: Layer, root: Path, files: tuple[Path, ...] = ()) -> Config:
    """The effective settings, checked as a whole."""
    review = _review(layer.review, root)
    profile: str = _top(layer, "profile", DEFAULT_PROFILE)
    config = Config(
        root=root,
        files=files,
        profile=profile,
        agents=_agents(layer, review),
        review=review,
        rules=RuleSettings(**_values(layer.rules)),
        egress=Egress(**_values(layer.egress)),
        constitution=tuple(_inside(root, path) for path in _top(layer, "constitution", ())),
        ledger=_ledger(root, _top(layer, "ledger", DEFAULT_LEDGER)),
        paths=view_paths(layer.paths, profile),
        services=_top(layer, "services", {}),
        phases=_top(layer, "phases", {}),
        execution=ExecutionSettings(**_top(layer, "execution", {})),
        scope=Scope(
            include=_top(layer, "include", ()),
            exclude=_top(layer, "exclude", ()),
            kinds=_top(layer, "kinds", {}),
        ),
        tasks=layer.tasks,
        layer=layer,
    )
    check(config)
    return config


def override(config: Config, flags: Mapping[str, Any]) -> Config:
    """The settings with the command line's flags on top. None stands for a flag that was not given.

    Raises:
        ConfigError: A flag has an invalid value; names the flag.
    """
    given = {key: value for key, value in flags.items() if value is not None}
    if not given:
        return config
    places = {key: Place(source=Source(name="--" + key.replace("_", "-"))) for key in given}
    table = Table(
        entries={key: Entry(key=places[key], value=located(value, places[key])) for key, value in given.items()},
        place=Place(source=Source(name="the command line")),
    )
    return build(merge([settings_layer(table), config.layer]), config.root, config.files)


def settings_layer(table: Table) -> Layer:
    """A layer from a flat table of top-level settings and settings of `review`."""
    table.only((*TOP, *REVIEW))
    review = {key: entry for key, entry in table.entries.items() if key in REVIEW}
    top = {key: entry.value for key, entry in table.entries.items() if key in TOP}
    return Layer(
        top={key: Setting(value=TOP[key](node, key), node=node) for key, node in top.items()},
        review=read_review(Table(entries=review, place=table.place)),
    )


def _values(settings: Mapping[str, Setting]) -> dict[str, Any]:
    return {key: setting.value for key, setting in settings.items()}


def _top(layer: Layer, key: str, default: Any) -> Any:
    setting = layer.top.get(key)
    return setting.value if setting else default


def _review(settings: Mapping[str, Setting], root: Path) -> ReviewSettings:
    values = _values(settings)
    if wanted := values.get("rubric"):
        values["rubric"] = rubrics.resolved(wanted, root)
    if fixes := values.pop("max_fix_iterations", None):
        values["max_iterations"] = fixes + 1
    return ReviewSettings(**values, nodes={key: setting.node for key, setting in settings.items()})


def _agents(layer: Layer, review: ReviewSettings) -> Mapping[str, AgentEntry]:
    models = (*(review.parallel_models or PARALLEL_MODELS), review.single_model or SINGLE_MODEL)
    known = {STATIC: static_agent(), **{model: model_agent(model) for model in models if model != STATIC}}
    return {**known, **layer.agents}


def _ledger(root: Path, value: str) -> str:
    return value if "://" in value else str(_inside(root, value))


def _inside(root: Path, path: str) -> Path:
    """The absolute path for a setting: relative to the project, with `~` for the user's home."""
    return root / Path(path).expanduser()
