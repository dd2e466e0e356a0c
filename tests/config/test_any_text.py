"""Any text at all is a configuration or an error with a place, soon."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.config.build import build
from reviewloop.config.layers import read_layer
from reviewloop.config.parse import parse
from reviewloop.config.resolve import resolve
from reviewloop.config.schema import PATHS, REVIEW, RULES, SECTIONS, TOP
from reviewloop.core.types.artifact import Kind
from reviewloop.errors import ConfigError
from reviewloop.reports.config_error import render

WORDS = [
    *TOP,
    *SECTIONS,
    *REVIEW,
    *RULES,
    *PATHS,
    "kind",
    "claude",
    "panel",
    "static",
    "env",
    "agentic_review",
    "overlays",
]
YAML = [
    "\n",
    "\n  ",
    "\n    ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "&a ",
    "*a",
    "<<: *a",
    "'",
    '"',
    "|\n",
    "? ",
    "#",
    "!x ",
]
VALUES = [
    "true",
    "off",
    "0",
    "3",
    "-1",
    "1e9",
    ".inf",
    "~",
    "",
    "\t",
    "\\",
    "~nobody/x.yml",
    "a/b.yml",
    "é",
    "\u202e",
    "%",
]
pieces = st.lists(st.sampled_from([*WORDS, *YAML, *VALUES, ": "]), max_size=40).map("".join)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=8)
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
documents = st.dictionaries(st.sampled_from([*TOP, *SECTIONS]), trees, max_size=4)

# The root is read only for rubrics, which none of these texts can name.
NOWHERE = Path("/nonexistent")
patient = settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])


def read(text: str) -> None:
    """Fails unless the text is a configuration, or an error with a place that can be shown."""
    error = refusal(text)
    if error:
        assert 1 <= (error.line or 0) <= len(text) + 1
        assert 1 <= (error.column or 0)
        assert all(line.isprintable() for line in render(error).split("\n"))


def refusal(text: str) -> ConfigError | None:
    try:
        settings = read_layer(parse(text.encode("utf-8", "surrogatepass"), "reviewloop.yml"))
        resolve(build(settings, NOWHERE), Kind.SPEC, {})
    except ConfigError as error:
        return error
    return None


@patient
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    read(text)


@patient
@given(pieces)
def test_anything_made_of_yaml(text: str) -> None:
    read(text)


@patient
@given(documents)
def test_anything_made_of_settings(document: dict[str, object]) -> None:
    import yaml

    read(yaml.safe_dump(document, allow_unicode=True))


@patient
@given(st.binary(max_size=100))
def test_any_bytes(data: bytes) -> None:
    try:
        parse(data, "reviewloop.yml")
    except ConfigError as error:
        refused = error
    else:
        return
    assert (True, True) == (refused.line is not None, refused.column is not None)
