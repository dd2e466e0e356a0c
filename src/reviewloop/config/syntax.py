"""Turns PyYAML's syntax errors into messages with hints."""

from __future__ import annotations

from collections.abc import Sequence

import yaml
from yaml.reader import ReaderError

from reviewloop.config.source_marks import Place, Source
from reviewloop.errors import ConfigError

_HINTS = {
    "mapping values are not allowed": 'put text with ": " in quotes, and indent all keys of a mapping equally',
    "could not find expected ':'": 'is a ":" missing after a key?',
    "found unexpected end of stream": "is a closing quote or bracket missing?",
    "found another document": 'keep one document: remove the "---" between them',
    "expected <block end>": "do all keys of this mapping have the same indentation?",
    "expected ',' or": "is a comma, a closing quote or a bracket missing?",
    "found undefined alias": 'put text that starts with "*" in quotes',
    "found character '%'": 'put text that starts with "%" in quotes',
    "found character '@'": 'put text that starts with "@" in quotes',
    "found character '`'": 'put text that starts with "`" in quotes',
}


def too_big(mark: yaml.Mark, *, deep: bool) -> yaml.YAMLError:
    problem = "nested too deeply" if deep else "too many values"
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def syntax_error(error: Exception, source: Source, lines: Sequence[str], reached: yaml.Mark | None) -> ConfigError:
    """The error with its place.

    Args:
        error: The exception from PyYAML.
        source: The file with masked secrets.
        lines: The lines of the original file.
        reached: The parser's position, for errors without a place.
    """
    if isinstance(error, ReaderError):
        return _unprintable(source, lines)
    problem, mark = "cannot be parsed from here", reached
    if isinstance(error, yaml.MarkedYAMLError):
        problem = (error.problem or error.context or problem).removeprefix("but ")
        mark = _mark(error, lines) or mark
    number, column = (min(mark.line, len(lines) - 1), mark.column) if mark else (0, 0)
    place = Place(source=source, line=number + 1, column=column + 1)
    if lines[number] != source.lines[number]:
        return place.error("not valid YAML here", hint="the stars hide a possible secret")
    if _is_tab(lines[number], column):
        return place.error("a tab cannot indent YAML", hint="use spaces")
    hint = next((hint for start, hint in _HINTS.items() if problem.startswith(start)), None)
    return place.error(f"not valid YAML: {problem}", hint=hint)


def _mark(error: yaml.MarkedYAMLError, lines: Sequence[str]) -> yaml.Mark | None:
    """The place of the error; for something left open to the end of the file, the place where it starts."""
    mark = error.problem_mark
    if mark is not None and error.context_mark is not None and not any(line.strip() for line in lines[mark.line :]):
        return error.context_mark
    return mark or error.context_mark


def _is_tab(line: str, column: int) -> bool:
    return "\t" in line[: len(line) - len(line.lstrip())] or line[column : column + 1] == "\t"


def _unprintable(source: Source, lines: Sequence[str]) -> ConfigError:
    number, column = next(
        (number, bad.start())
        for number, line in enumerate(lines)
        if (bad := yaml.SafeLoader.NON_PRINTABLE.search(line))
    )
    place = Place(source=source, line=number + 1, column=column + 1)
    return place.error("this character is not allowed in YAML", hint="remove it, or write it as an escape in quotes")
