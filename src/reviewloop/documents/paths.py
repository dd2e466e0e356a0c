"""Finds file paths in text and code spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewloop.documents.model import CodeSpan, PathMention
from reviewloop.documents.patterns import lazy_re

_EXTENSIONS = """
bash bats c cc cfg cjs cpp cs css csv dart env erl ex exs go gradle graphql h hpp hs html ini java jl js json jsonl
jsx kt less lock lua md mdx mjs ml mod php proto py pyi r rb rs scala scss sh sql sum svelte swift tf tmpl toml ts tsx
txt vue xml yaml yml zsh
"""
EXTENSIONS = frozenset(_EXTENSIONS.split())
_PATH = lazy_re(
    r"(?<![\w/.@:$~{-])(?P<path>(?:\./|\.\./)*[\w@.+-]{1,80}(?:/[\w@.+()\[\]-]{1,80}){0,20}/?)"
    r"(?:(?::|#L)(?P<line>\d{1,6})(?:\s?[-\u2013]\s?L?\d{1,6})?)?(?![\w/])"
)
_EXTENSION = lazy_re(r"\.([A-Za-z]{1,10})$")
_PLACEHOLDER = lazy_re(r"[<>{}*$?\\]|\.\.\.|\u2026|NNN|XXX|YYYY")


def read_paths(spans: Sequence[CodeSpan], words: Sequence[str]) -> tuple[PathMention, ...]:
    found = [
        PathMention(path=target[0], line=span.line, column=span.column, target_line=target[1])
        for span in spans
        if " " not in span.text and (target := path_in(span.text))
    ]
    for number, line in enumerate(words, 1):
        if "/" in line:
            found.extend(_bare(line, number))
    return tuple(sorted(found, key=lambda mention: (mention.line, mention.column)))


def path_in(text: str) -> tuple[str, int | None] | None:
    """The path and line number, if the whole text is a path."""
    match = _PATH.fullmatch(text)
    if not match or not is_path(match["path"]):
        return None
    return match["path"].removeprefix("./"), int(match["line"]) if match["line"] else None


def paths_in(text: str) -> Iterator[tuple[int, str]]:
    """Every path in a text, with its offset."""
    for match in _PATH.finditer(text):
        path = match["path"].rstrip(".")
        if is_path(path):
            yield match.start(), path.removeprefix("./")


def _bare(line: str, number: int) -> Iterator[PathMention]:
    for match in _PATH.finditer(line):
        path = match["path"].rstrip(".")
        if "/" in path and has_extension(path) and is_path(path):
            target = int(match["line"]) if match["line"] else None
            yield PathMention(path=path.removeprefix("./"), line=number, column=match.start() + 1, target_line=target)


def has_extension(path: str) -> bool:
    match = _EXTENSION.search(path)
    return bool(match and match[1].lower() in EXTENSIONS)


def is_path(text: str) -> bool:
    """Whether a word looks like a path: a known extension or file name, or a directory with a final slash."""
    if _PLACEHOLDER.search(text) or text.startswith(("-", "@")) or text.replace(".", "").isdigit():
        return False
    name = text.rstrip("/").rsplit("/", 1)[-1]
    if has_extension(name):
        return True
    return "/" in text and (text.endswith("/") or name in ("Makefile", "Dockerfile", "Justfile", "LICENSE"))
