import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, Literal

import pytest

from reviewloop.dataclass_decoder import DecodeError, decode_dataclass, decoder


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    size: int
    spokes: float = 32.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bicycle:
    name: str
    wheels: tuple[Wheel, ...] = ()
    colour: Colour | None = None
    brake: Literal["disc", "rim"] = "rim"
    prices: Mapping[str, float] = dataclasses.field(default_factory=dict[str, float])
    built: date | None = None
    sold: datetime | None = None
    has_bell: bool = False
    extra: Any = None


def test_every_kind_of_field_is_decoded():
    stored = json.loads(
        '{"name": "Ada", "wheels": [{"size": 28}, {"size": 26.0, "spokes": 36}], "colour": "red", "brake": "disc",'
        ' "prices": {"new": 900, "used": "NaN"}, "built": "2026-05-04", "sold": "2026-05-05T12:00:00Z",'
        ' "has_bell": true, "extra": {"gears": [1, null]}, "unknown": 1}'
    )

    found = decode_dataclass(Bicycle, stored)

    assert "nan" == str(found.prices["used"])
    assert Bicycle(
        name="Ada",
        wheels=(Wheel(size=28), Wheel(size=26, spokes=36.0)),
        colour=Colour.RED,
        brake="disc",
        prices={"new": 900.0},
        built=date(2026, 5, 4),
        sold=datetime(2026, 5, 5, 12, tzinfo=UTC),
        has_bell=True,
        extra={"gears": [1, None]},
    ) == dataclasses.replace(found, prices={"new": found.prices["new"]})
    assert found.colour is Colour.RED
    assert isinstance(found.wheels[1].size, int)
    assert isinstance(found.prices["new"], float)


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (None, "expected an object, found null"),
        ([], "expected an object, found a list"),
        ({}, "name: the field is missing"),
        ({"name": 1}, "name: expected text, found a number"),
        ({"name": None}, "name: expected text, found null"),
        ({"wheels": {}}, "wheels: expected a list, found an object"),
        ({"wheels": "28"}, "wheels: expected a list, found text"),
        ({"wheels": [{"size": 28}, {}]}, "wheels.1.size: the field is missing"),
        ({"wheels": [{"size": True}]}, "wheels.0.size: expected an integer, found true or false"),
        ({"wheels": [{"size": "28"}]}, "wheels.0.size: expected an integer, found text"),
        ({"wheels": [{"size": 28.5}]}, "wheels.0.size: expected an integer, found a number"),
        ({"wheels": [{"size": float("inf")}]}, "wheels.0.size: expected an integer, found a number"),
        ({"prices": []}, "prices: expected an object, found a list"),
        ({"prices": {"new": "900"}}, "prices.new: expected a number, found text"),
        ({"prices": {"new": 10**400}}, "prices.new: the number is too large"),
        ({"prices": {1: 900}}, "prices: expected text as a key, found a number"),
        ({"colour": "green"}, "colour: expected one of red, blue, found 'green'"),
        ({"colour": ["red"]}, "colour: expected one of red, blue, found a list"),
        ({"brake": None}, "brake: expected one of disc, rim, found null"),
        ({"built": "yesterday"}, "built: expected a date, found text"),
        ({"built": 20260504}, "built: expected a date, found a number"),
        ({"sold": True}, "sold: expected a date and time, found true or false"),
        ({"has_bell": 1}, "has_bell: expected true or false, found a number"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(stored: Any, problem: str):
    given = {"name": "Ada"} | stored if isinstance(stored, dict) and stored else stored

    with pytest.raises(DecodeError) as error:
        decode_dataclass(Bicycle, given)

    assert problem == str(error.value)


def test_a_value_that_is_decoded_already_stays_as_it_is():
    bicycle = Bicycle(name="Ada", wheels=(Wheel(size=28),), colour=Colour.BLUE, built=date(2026, 5, 4))

    assert bicycle == decode_dataclass(Bicycle, dataclasses.asdict(bicycle))


@pytest.mark.parametrize("hint", [int | str, tuple[int, str], Mapping[int, str], set[str], bytes])
def test_a_type_that_no_record_has_is_refused_when_its_decoder_is_built(hint: Any):
    with pytest.raises(TypeError, match="no decoder for"):
        decoder(hint)
