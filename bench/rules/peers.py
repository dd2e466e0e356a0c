"""The peers that run offline: OpenSpec's validator and markdownlint, installed into a cache directory."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

PACKAGES = {"openspec": "@fission-ai/openspec@1.13.2", "markdownlint": "markdownlint-cli2@0.24.0"}
PROGRAMS = {"openspec": "openspec", "markdownlint": "markdownlint-cli2"}
ENVIRONMENT = {**os.environ, "OPENSPEC_TELEMETRY": "0", "DO_NOT_TRACK": "1", "NO_COLOR": "1", "CI": "1"}


def cache() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(os.environ.get("REVIEWLOOP_BENCH_CACHE", base / "reviewloop-bench"))


def install(name: str) -> Path | None:
    """The peer's program, installed if need be; None if that cannot be done here."""
    program = cache() / "node_modules" / ".bin" / PROGRAMS[name]
    if not program.exists() and (npm := shutil.which("npm")):
        cache().mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(cache()), PACKAGES[name]]
        subprocess.run(command, capture_output=True, timeout=300, check=False)
    return program if program.exists() else None


def openspec(program: Path, root: Path) -> Counter[tuple[str, str]]:
    """How often it says what about which item of the project's openspec/ directory."""
    command = [str(program), "validate", "--all", "--strict", "--json", "--no-interactive"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600, check=False, env=ENVIRONMENT)
    start = done.stdout.find("{")
    if start < 0:
        return Counter()
    items = json.loads(done.stdout[start:]).get("items", [])
    return Counter(
        (f"{item.get('type')}/{item.get('id')}", re.sub(r"\d+", "N", issue.get("message", "")))
        for item in items
        for issue in item.get("issues", [])
    )


def markdownlint(program: Path, root: Path) -> Counter[tuple[str, str]]:
    """How often it says what about which file. The line length is not counted: nobody reads a spec for it."""
    config = root / ".markdownlint-cli2.jsonc"
    config.write_text(
        '{"config": {"default": true, "MD013": false, "MD041": false}, "globs": ["**/*.md", ".kiro/**/*.md"]}'
    )
    done = subprocess.run(
        [str(program)], cwd=root, capture_output=True, text=True, timeout=600, check=False, env=ENVIRONMENT
    )
    config.unlink()
    found = re.findall(r"^(.+?):\d+(?::\d+)? (?:error )?(MD\d+)", done.stderr + done.stdout, re.MULTILINE)
    return Counter((path, rule) for path, rule in found)
