"""Reads what people wrote, in the configuration or a transcript, into our types, or says what is wrong with it."""

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
    """`data` as a dataclass or pydantic model.

    A dataclass refuses unknown keys if it has `__pydantic_config__ = {"extra": "forbid"}`.

    Raises:
        ConfigError: It does not fit; the message starts with `what` and names the key.
    """
    from pydantic import ValidationError

    try:
        return _reader(model).validate_python(data)
    except ValidationError as error:
        problem = _worst(error.errors(include_url=False, include_input=False))
        path = _path(problem)
        key = ".".join(path)
        hint = None
        if unknown := problem["type"] in _UNKNOWN_KEY:
            message = f"{what}: unknown key `{key}`"
            hint = options_hint(key, _keys(model)) if len(path) == 1 else None
        elif problem["type"] in _MISSING_KEY:
            message = f"{what}: `{key}` is missing"
        else:
            message = f"{what}: `{key}` {_wrong(problem)}" if key else f"{what}: it {_wrong(problem)}"
            hint = "put it in brackets: [...]" if problem["type"] == "list_type" else None
        raise ConfigError(message, file=file, hint=hint, setting=path, unknown=unknown) from error


def _worst(problems: Sequence[ErrorDetails]) -> ErrorDetails:
    """What to say first: of a union, what is wrong with the member that fits best; a key's typo before its absence."""
    return max(problems, key=lambda one: (len(_path(one)), one["type"] in _UNKNOWN_KEY))


def _path(problem: ErrorDetails) -> tuple[str, ...]:
    # A step such as `list[str]` says which member of a union was tried, which helps nobody.
    return tuple(str(step) for step in problem["loc"] if "[" not in str(step))


_WRONG = {
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


def _wrong(problem: ErrorDetails) -> str:
    """What is wrong with a value, in the words of our own errors where we have some."""
    words = _WRONG.get(problem["type"].replace("_parsing", "_type"))
    return words.format(**problem.get("ctx", {})) if words else f"is not understood: {problem['msg']}"


def options_hint(word: str, options: list[str]) -> str:
    """A hint: the option that looks most like `word`, or else all of them."""
    if near := did_you_mean(word, options):
        return f"did you mean `{near}`?"
    return f"there are: {', '.join(options)}" if options else "it takes none"


@cache
def _reader(model: type[Model]) -> TypeAdapter[Model]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def _keys(model: type[Any]) -> list[str]:
    if dataclasses.is_dataclass(model):
        return [field.name for field in dataclasses.fields(model)]
    return list(getattr(model, "model_fields", {}))
