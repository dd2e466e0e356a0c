"""Settings in environment variables: `REVIEWLOOP_MAX_ITERATIONS=2`."""

from __future__ import annotations

from collections.abc import Mapping

from reviewloop.config.build import settings_layer
from reviewloop.config.discover import PREFIX
from reviewloop.config.layers import Layer
from reviewloop.config.schema import REVIEW
from reviewloop.config.source_marks import Entry, Place, Source, Table
from reviewloop.text import did_you_mean

CONTRACT = frozenset(
    PREFIX + name
    for name in ("ROLE", "AGENT", "SUBAGENT", "SESSION", "ITERATION", "STAGE", "KIND", "ARTIFACT", "RUN", "MAX_TURNS")
)
"""Variables that Reviewloop sets for the commands it runs. They are not settings."""

_NOT_SCALAR = ("parallel_models", "reviewers", "criteria", "weights", "budget", "authors")

VARIABLES: Mapping[str, str] = {
    PREFIX + key.upper(): key for key in ("profile", "ledger", *REVIEW) if key not in _NOT_SCALAR
}
"""The setting for each environment variable."""


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """The settings in the environment. Empty variables are ignored."""
    entries: dict[str, Entry] = {}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable in CONTRACT or not value.strip():
            continue
        place = Place(source=Source(name=f"environment variable {variable}"))
        if variable in VARIABLES:
            from reviewloop.config.parse import scalar

            entries[VARIABLES[variable]] = Entry(key=place, value=scalar(value.strip(), place))
        elif near := did_you_mean(variable.removeprefix(PREFIX), _SPELLINGS, likeness=0.9):
            raise place.error("unknown setting", hint=f'did you mean "{_SPELLINGS[near]}"?')
    return settings_layer(Table(entries=entries, place=Place(source=Source(name="the environment"))))


_SPELLINGS = {variable.removeprefix(PREFIX).lower(): variable for variable in VARIABLES}
