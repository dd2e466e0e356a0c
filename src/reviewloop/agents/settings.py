"""Reads what people wrote, in the configuration or a transcript, into our types, or says what is wrong with it."""

from __future__ import annotations

import dataclasses
import difflib
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from reviewloop.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Model = TypeVar("Model")

_UNKNOWN_KEY = ("unexpected_keyword_argument", "extra_forbidden")
_MISSING_KEY = ("missing", "missing_argument", "missing_keyword_only_argument")


def read_as(model: type[Model], data: object, *, what: str, file: str | None = None) -> Model:
    """`data` as a dataclass or pydantic model.

    A dataclass refuses unknown keys if it has `__pydantic_config__ = {"extra": "forbid"}`.

    Raises:
        ConfigError: It does not fit; the message starts with `what` and names the key.
    """
    from pydantic import ValidationError

    try:
        return _reader(model).validate_python(data)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # A step such as `list[str]` says which member of a union was tried, which helps nobody.
        key = ".".join(str(step) for step in problem["loc"] if "[" not in str(step))
        hint = None
        if problem["type"] in _UNKNOWN_KEY:
            message = f"{what}: unknown key `{key}`"
            hint = did_you_mean(key, _keys(model)) if len(problem["loc"]) == 1 else None
        elif problem["type"] in _MISSING_KEY:
            message = f"{what}: `{key}` is missing"
        else:
            message = f"{what}: `{key}`: {problem['msg']}" if key else f"{what}: {problem['msg']}"
        raise ConfigError(message, file=file, hint=hint) from error


def did_you_mean(word: str, options: list[str]) -> str:
    """A hint: the option that looks most like `word`, or else all of them."""
    if near := difflib.get_close_matches(word, options, n=1):
        return f"did you mean `{near[0]}`?"
    return f"there are: {', '.join(options)}" if options else "it takes none"


@cache
def _reader(model: type[Model]) -> TypeAdapter[Model]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def _keys(model: type[Any]) -> list[str]:
    if dataclasses.is_dataclass(model):
        return [field.name for field in dataclasses.fields(model)]
    return list(getattr(model, "model_fields", {}))
