"""Decodes JSON values into dataclasses, as their type hints say.

It knows the types that records use: text, numbers, booleans, dates and times, enums, literals, `tuple[X, ...]`,
`Mapping[str, X]`, `X | None`, `Any`, and dataclasses of these. A decoder is compiled when its type first occurs, so
reading a few records costs little more than parsing their JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Convert = Callable[[Any], Any]

_NO_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class DecodeError(ValueError):
    """A value does not fit its type. `path` leads to it, outermost field first."""

    def __init__(self, problem: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(f"{'.'.join(path)}: {problem}" if path else problem)
        self.problem = problem
        self.path = path

    def below(self, step: str | int) -> DecodeError:
        """The same problem, seen from the value that contains this one."""
        return DecodeError(self.problem, (str(step), *self.path))


class Decoder(NamedTuple):
    """How to decode one type: values of exactly the `plain` types stay as they are, all others are converted."""

    plain: frozenset[type[Any]]
    convert: Convert

    def __call__(self, value: Any) -> Any:
        return value if type(value) in self.plain else self.convert(value)


def decode_dataclass(cls: type[T], value: Any) -> T:
    """Build a dataclass from a JSON object. Unknown fields are ignored, fields with defaults may be missing.

    Raises:
        DecodeError: The value does not fit. The message names the field.
    """
    return decoder(cls)(value)


@cache
def decoder(hint: Any) -> Decoder:
    """The decoder of a type.

    Raises:
        TypeError: No record has a field of such a type.
    """
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of({choice: choice for choice in arguments})
    if origin in (Union, UnionType) and len(arguments) == 2 and NoneType in arguments:
        return _optional(decoder(arguments[arguments[0] is NoneType]))
    if origin is tuple and arguments[1:] == (...,):
        return Decoder(frozenset(), _items(decoder(arguments[0])))
    if origin is Mapping and arguments[0] is str:
        return Decoder(frozenset(), _entries(decoder(arguments[1])))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of({member.value: member for member in hint})
    if isinstance(hint, type) and is_dataclass(hint):
        return Decoder(frozenset(), _object(hint))
    raise TypeError(f"no decoder for {hint}")


def _object(cls: type[Any]) -> Convert:
    hints = get_type_hints(cls)
    known = tuple(_Known.of(field, hints[field.name]) for field in fields(cls) if field.init)

    def convert(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _unfit("an object", value)
        given = cast("Mapping[str, Any]", value)
        arguments: dict[str, Any] = {}
        name = ""
        try:
            for name, is_required, plain, convert_field in known:
                found = given.get(name, MISSING)
                if type(found) in plain:
                    arguments[name] = found
                elif found is not MISSING:
                    arguments[name] = convert_field(found)
                elif is_required:
                    raise DecodeError("the field is missing")
        except DecodeError as error:
            raise error.below(name) from None
        return cls(**arguments)

    return convert


class _Known(NamedTuple):
    """A field of a dataclass, and how its values are decoded."""

    name: str
    is_required: bool
    plain: frozenset[type[Any]]
    convert: Convert

    @classmethod
    def of(cls, field: Field[Any], hint: Any) -> _Known:
        is_required = field.default is MISSING and field.default_factory is MISSING
        plain, convert = decoder(hint)
        return cls(field.name, is_required, plain, convert)


def _items(item: Decoder) -> Convert:
    plain, convert_item = item

    def convert(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _unfit("a list", value)
        found = cast("list[Any]", value)
        index = 0
        try:
            items: list[Any] = []
            for index, one in enumerate(found):  # noqa: B007 - the error names it
                items.append(one if type(one) in plain else convert_item(one))
        except DecodeError as error:
            raise error.below(index) from None
        return tuple(items)

    return convert


def _entries(entry: Decoder) -> Convert:
    def convert(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _unfit("an object", value)
        entries: dict[str, Any] = {}
        for key, one in cast("Mapping[Any, Any]", value).items():
            if not isinstance(key, str):
                raise _unfit("text as a key", key)
            try:
                entries[key] = entry(one)
            except DecodeError as error:
                raise error.below(key) from None
        return entries

    return convert


def _optional(some: Decoder) -> Decoder:
    return Decoder(some.plain | {NoneType}, some.convert)


def _one_of(choices: Mapping[Any, Any]) -> Decoder:
    def convert(value: Any) -> Any:
        if isinstance(value, str) and value in choices:
            return choices[value]
        shown = repr(value) if isinstance(value, str) else _name_of(value)
        raise DecodeError(f"expected one of {', '.join(map(str, choices))}, found {shown:.80}")

    return Decoder(frozenset(), convert)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _unfit("text", value)


def _integer(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():  # JSON knows no difference
        return int(value)
    raise _unfit("an integer", value)


def _float(value: Any) -> float:
    if isinstance(value, str) and value in _NO_NUMBERS:
        return _NO_NUMBERS[value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise DecodeError("the number is too large") from None
    raise _unfit("a number", value)


def _boolean(value: Any) -> bool:
    raise _unfit("true or false", value)


def _null(value: Any) -> None:
    raise _unfit("null", value)


def _date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _unfit("a date", value) from None


def _time(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _unfit("a date and time", value) from None


def _anything(value: Any) -> Any:
    return value


_SIMPLE: Mapping[Any, Decoder] = {
    str: Decoder(frozenset({str}), _text),
    int: Decoder(frozenset({int}), _integer),
    float: Decoder(frozenset({float}), _float),
    bool: Decoder(frozenset({bool}), _boolean),
    NoneType: Decoder(frozenset({NoneType}), _null),
    date: Decoder(frozenset({date}), _date),
    datetime: Decoder(frozenset({datetime}), _time),
    Any: Decoder(frozenset(), _anything),
}


def _unfit(expected: str, value: Any) -> DecodeError:
    return DecodeError(f"expected {expected}, found {_name_of(value)}")


def _name_of(value: Any) -> str:
    """What a JSON value is, for people."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(cast("type[Any]", type(value)), type(value).__name__)
