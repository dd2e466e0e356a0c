"""The settings that every kind of agent has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from reviewloop.agents.settings import read_as
from reviewloop.agents.wrappers.rate_limit import Rate
from reviewloop.agents.wrappers.retry import RETRIES

_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_RATE = re.compile(r"(\d{1,6})(?: per (second|minute|hour))?")


def _rate(value: object) -> Rate:
    match = _RATE.fullmatch(str(value)) if isinstance(value, int | str) else None
    if not match or not int(match[1]):
        raise ValueError("must be a number of calls per minute, or `N per second`, `N per minute`, `N per hour`")
    return Rate(calls=int(match[1]), seconds=_SECONDS[match[2] or "minute"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The common settings of an agent. `own` holds the settings of its kind."""

    fallback: str | None = None
    retries: Annotated[int, Field(ge=0, le=10)] = RETRIES
    concurrency: Annotated[int, Field(ge=1)] | None = None
    rate: Annotated[Rate, BeforeValidator(_rate)] | None = None
    own: Mapping[str, Any] = field(default_factory=dict[str, Any])

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


KEYS = tuple(setting.name for setting in fields(Common) if setting.name != "own")


def read_common(settings: Mapping[str, Any], *, what: str) -> Common:
    """Separate the common settings from those of the agent's kind, and validate them.

    Raises:
        ConfigError: A common setting is invalid.
    """
    common = {key: value for key, value in settings.items() if key in KEYS}
    own = {key: value for key, value in settings.items() if key not in KEYS}
    return read_as(Common, {**common, "own": own}, what=what)
