"""Validates settings and transcript entries, and turns the first problem into a readable `ConfigError`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from reviewloop.errors import ConfigError
from reviewloop.text import did_you_mean

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

Model = TypeVar("Model")

_UNKNOWN_KEY = ("unexpected_keyword_argument", "extra_forbidden")
_MISSING_KEY = ("missing", "missing_argument", "missing_keyword_only_argument")


def read_as(model: type[Model], data: object, *, what: str, file: str | None = None) -> Model:
    """Validate `data` as a dataclass or pydantic model.

    A dataclass refuses unknown keys if it has `__pydantic_config__ = {"extra": "forbid"}`.

    Raises:
        ConfigError: `data` is invalid. The message starts with `what` and names the key.
    """
    from pydantic import ValidationError

    try:
        return _reader(model).validate_python(data)
    except ValidationError as error:
        problem = _most_specific(error.errors(include_url=False, include_input=False))
        path = _path(problem)
        key = ".".join(path)
        hint = None
        if unknown := problem["type"] in _UNKNOWN_KEY:
            message = f"{what}: unknown key `{key}`"
            hint = options_hint(key, _keys(model)) if len(path) == 1 else None
        elif problem["type"] in _MISSING_KEY:
            message = f"{what}: `{key}` is missing"
        else:
            message = f"{what}: `{key}` {_explain(problem)}" if key else f"{what}: it {_explain(problem)}"
            hint = "write it as a list: [...]" if problem["type"] == "list_type" else None
        raise ConfigError(message, file=file, hint=hint, setting=path, unknown=unknown) from error


def _most_specific(problems: Sequence[ErrorDetails]) -> ErrorDetails:
    """Pick the problem to report: the most deeply nested problem, and a mistyped key before a missing key."""
    return max(problems, key=lambda problem: (len(_path(problem)), problem["type"] in _UNKNOWN_KEY))


def _path(problem: ErrorDetails) -> tuple[str, ...]:
    # A step such as `list[str]` names the union member that pydantic tried, which does not help the user.
    return tuple(str(step) for step in problem["loc"] if "[" not in str(step))


_EXPLANATIONS = {
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "too_short": "must not be empty",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "value_error": "{error}",
}


def _explain(problem: ErrorDetails) -> str:
    """Say what is wrong with a value: in our own words where we have them, else in pydantic's."""
    explanation = _EXPLANATIONS.get(problem["type"].replace("_parsing", "_type"))
    return explanation.format(**problem.get("ctx", {})) if explanation else f"is invalid: {problem['msg']}"


def options_hint(word: str, options: list[str]) -> str:
    """Return a hint that names the option closest to `word`, or else all options."""
    if closest := did_you_mean(word, options):
        return f"did you mean `{closest}`?"
    return f"choose one of: {', '.join(options)}" if options else "no settings are allowed here"


@cache
def _reader(model: type[Model]) -> TypeAdapter[Model]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def _keys(model: type[Any]) -> list[str]:
    if dataclasses.is_dataclass(model):
        return [field.name for field in dataclasses.fields(model)]
    return list(getattr(model, "model_fields", {}))
