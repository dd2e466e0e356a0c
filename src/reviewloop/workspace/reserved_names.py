"""Names that are treated specially: never copied, never entered, or written by Reviewloop itself."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from functools import cache, lru_cache

# Files and folders that agents execute or read as their settings if they are in their working folder, and secrets.
# Each pattern matches one part of a path, at any depth, regardless of case.
NEVER_COPIED: Mapping[str, str] = {
    ".git": "hooks and settings that git runs; also the way back into the user's repository",
    ".claude": "hooks, MCP servers and key helpers that Claude Code runs",
    ".mcp.json": "MCP servers that agents start",
    ".codex": "settings and MCP servers that Codex runs",
    ".gemini": "settings, hooks and MCP servers that Gemini CLI runs",
    ".qwen": "the same for a descendant of Gemini CLI",
    ".opencode": "plugins that OpenCode runs regardless of its flags",
    "opencode.json": "plugins and MCP servers that OpenCode runs",
    "opencode.jsonc": "the same, with comments",
    ".cursor": "hooks and MCP servers that Cursor runs",
    ".windsurf": "hooks and workflows that Windsurf runs",
    ".amazonq": "hooks and MCP servers that Amazon Q runs",
    ".continue": "MCP servers that Continue starts",
    ".roo": "MCP servers that Roo Code starts",
    ".kilocode": "MCP servers that Kilo Code starts",
    ".crush.json": "commands and MCP servers that Crush runs",
    "crush.json": "the same, not hidden",
    ".aider*": "lint and test commands that Aider runs",
    ".goosehints": "instructions that Goose takes as the user's own",
    ".vscode": "tasks and MCP servers that editors run",
    ".idea": "run configurations of an editor",
    ".devcontainer": "commands that run when a folder is opened",
    ".reviewloop*": "Reviewloop's own record and temporary files, which no agent reads or writes",
    ".env*": "secrets, and shell code that direnv runs",
    ".netrc": "secrets",
    ".npmrc": "secrets, and the shell that npm runs",
    ".pypirc": "secrets",
    ".git-credentials": "secrets",
    ".ssh": "secrets",
    ".aws": "secrets",
}

# Folders that programs fill. They are large, and can be rebuilt from the copied files.
NOT_ENTERED = frozenset(
    {
        "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".terraform", ".next", ".nuxt", ".cache",
        ".hg", ".svn",
    }
)  # fmt: skip

# Files that Reviewloop writes, as git pathspecs. They are not part of a change under review.
OWN_RECORDS = (
    ".reviewloop",
    ".ai-sdd/state",
    ".claude/review-analytics.json",
    ".claude/agent-memory",
    "**/.progress.md",
)

MARKDOWN = (".md", ".markdown", ".mdx")


@cache
def _never() -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in NEVER_COPIED))


@lru_cache(maxsize=4096)
def never_copied_name(name: str) -> bool:
    return _never().match(name.lower()) is not None


def never_copied(path: str) -> bool:
    """Whether any part of the path is a name that is never copied."""
    return any(never_copied_name(part) for part in path.split("/"))


def stays_inside(path: str) -> bool:
    """Whether a relative path stays below its folder, links aside."""
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def sayable(path: str) -> bool:
    """Whether the path is valid text: a file name may contain bytes that are not UTF-8."""
    return said(path) == path


def said(path: str) -> str:
    """Return the path as text. Bytes that are not UTF-8 are escaped."""
    return path if path.isascii() else path.encode("utf-8", "backslashreplace").decode("utf-8")
