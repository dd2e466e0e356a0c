"""Resolves imports to the standard library, declared dependencies and repository files."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Any, cast

from reviewloop.documents.diff import FileDiff, Line
from reviewloop.rules.repository import Repository

_JS = re.compile(r"""(?:\bfrom\s+|\bimport\s*\(\s*|\brequire\s*\(\s*|^\s*import\s+)["']([^"'\s]+)["']""")
_JS_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte", ".css", ".scss", ".d.ts")
_NODE = frozenset(
    """
    assert async_hooks buffer child_process cluster console constants crypto dgram dns domain events fs http http2
    https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder
    test timers tls tty url util v8 vm wasi worker_threads zlib
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_DISTRIBUTIONS = {
    "yaml": "pyyaml", "pil": "pillow", "cv2": "opencv", "sklearn": "scikit_learn", "bs4": "beautifulsoup4",
    "jwt": "pyjwt",
    "dateutil": "python_dateutil", "dotenv": "python_dotenv", "attr": "attrs", "git": "gitpython", "serial": "pyserial",
    "markdown_it": "markdown_it_py", "skimage": "scikit_image", "openssl": "pyopenssl", "docx": "python_docx",
    "magic": "python_magic", "google": "google", "psycopg2": "psycopg2_binary", "pkg_resources": "setuptools",
    "usb": "pyusb", "zmq": "pyzmq", "slugify": "python_slugify", "multipart": "python_multipart", "jose": "python_jose",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """The files that an import may resolve to. `created` holds the files that the change adds."""

    repository: Repository
    created: frozenset[str]

    def has_file(self, path: str) -> bool:
        return path in self.created or self.repository.exists(path)

    def has_folder(self, path: str) -> bool:
        return any(file.startswith(f"{path}/") for file in self.created) or bool(self.repository.names(path))

    def has_module(self, path: str) -> bool:
        return self.has_file(f"{path}.py") or self.has_file(f"{path}.pyi") or self.has_folder(path)


def unresolved(file: FileDiff, imports: Imports) -> Iterator[tuple[Line, str]]:
    """The unresolved imports on added lines, each with its line and name."""
    if file.path.endswith((".py", ".pyi")):
        yield from _python(file, imports)
    elif file.path.endswith((".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")):
        yield from _javascript(file, imports)


def _python(file: FileDiff, imports: Imports) -> Iterator[tuple[Line, str]]:
    declared = _python_dependencies(imports.repository)
    for line in file.added:
        for module, level in _imported(line.text):
            if level:
                base = file.path
                for _ in range(level):
                    base = dirname(base)
                target = join(base, module.replace(".", "/")) if module else base
                if not imports.has_module(target):
                    yield line, "." * level + module
            elif not _python_known(module, declared, imports, file.path):
                yield line, module


def _imported(text: str) -> Iterator[tuple[str, int]]:
    """The modules that a line imports, each with its number of leading dots."""
    code = text.strip()
    if not code.startswith(("import ", "from ")):
        return
    if code.endswith("("):
        code += "x)"
    try:
        tree = ast.parse(code.rstrip("\\").rstrip(","))
    except (SyntaxError, ValueError):
        return
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level


def _python_known(module: str, declared: frozenset[str] | None, imports: Imports, path: str) -> bool:
    top = module.split(".", 1)[0]
    if not top or top in sys.stdlib_module_names:
        return True
    for root in ("", "src/", "lib/", "python/", "app/", "tests/", "test/", f"{dirname(path)}/".lstrip("/")):
        if imports.has_file(f"{root}{top}.py"):
            return True
        if imports.has_folder(f"{root}{top}"):
            return _inside_package(f"{root}{module.replace('.', '/')}", f"{root}{top}", imports)
    if declared is None:
        return True
    name = top.lower()
    known = _DISTRIBUTIONS.get(name, name)
    return any(
        dependency in (name, known)
        or dependency.startswith((f"{known}_", f"{name}_"))
        or dependency.endswith(f"_{name}")
        for dependency in declared
    )


def _inside_package(target: str, package: str, imports: Imports) -> bool:
    if imports.has_module(target):
        return True
    # Without an __init__.py, the submodule may be a compiled module or come from a namespace package.
    return target != package and not imports.has_file(f"{package}/__init__.py")


def _python_dependencies(repository: Repository) -> frozenset[str] | None:
    """The normalised names of declared packages; None without a manifest."""
    texts = [text for name in _PYTHON_MANIFESTS if (text := repository.read(name)) is not None]
    if not texts:
        return None
    names = re.findall(r"[A-Za-z][A-Za-z0-9._-]*", "\n".join(texts))
    return frozenset(re.sub(r"[-.]+", "_", name).lower() for name in names)


_PYTHON_MANIFESTS = (
    "pyproject.toml", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/base.txt",
    "setup.py",
    "setup.cfg", "Pipfile", "environment.yml",
)  # fmt: skip


def _javascript(file: FileDiff, imports: Imports) -> Iterator[tuple[Line, str]]:
    declared = _javascript_dependencies(file.path, imports.repository)
    for line in file.added:
        if line.text.lstrip().startswith(("//", "*", "/*")):
            continue
        for name in _JS.findall(line.text):
            if not _javascript_known(name, declared, imports, file.path):
                yield line, name


def _javascript_known(name: str, declared: frozenset[str] | None, imports: Imports, path: str) -> bool:
    if name.startswith("."):
        base = normpath(join(dirname(path), name.split("?")[0]))
        stem = re.sub(r"\.[cm]?jsx?$", "", base)
        candidates = [start + ending for start in (base, stem) for ending in _JS_ENDINGS]
        candidates += [f"{base}/index{ending}" for ending in _JS_ENDINGS if ending]
        return any(map(imports.has_file, candidates))
    if name.startswith(("node:", "bun:", "@/", "~", "#", "/", "http:", "https:", "virtual:", "$")) or declared is None:
        return True
    parts = name.split("/")
    package = "/".join(parts[:2]) if name.startswith("@") else parts[0]
    return package in _NODE or package in declared or f"@types/{package}" in declared


def _javascript_dependencies(path: str, repository: Repository) -> frozenset[str] | None:
    """The packages that the package.json files from this folder up to the root declare; None without any."""
    folder, found = dirname(path), None
    while True:
        text = repository.read(join(folder, "package.json") if folder else "package.json")
        if text is not None:
            found = (found or frozenset[str]()) | _declared(text)
        if not folder:
            return found
        folder = dirname(folder)


def _declared(text: str) -> frozenset[str]:
    try:
        loaded: Any = json.loads(text)
    except (ValueError, RecursionError):
        return frozenset()
    if not isinstance(loaded, dict):
        return frozenset()
    manifest = cast("dict[str, Any]", loaded)
    names: set[str] = {str(manifest.get("name", ""))}
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "imports"):
        section: Any = manifest.get(key)
        if isinstance(section, dict):
            names |= set(cast("dict[str, Any]", section))
    return frozenset(names)
