"""The settings of the offline review. Where nobody wrote any, nothing of what reads them is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewloop.config.discover import PREFIX, candidates, project_root, there, user_file
from reviewloop.rules.settings import RuleSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRules:
    """A project's root, and which rules run in it."""

    root: Path
    rules: RuleSettings


def load_rules(cwd: Path, environment: Mapping[str, str], *, file: Path | None = None) -> ProjectRules:
    """What `load` would say of the rules; the same errors for settings that are wrong.

    Raises:
        ConfigError: A setting is wrong, of the rules or not; says where it was written.
    """
    root = project_root(cwd)
    if file is None and not _written(root, environment):
        return ProjectRules(root=root, rules=RuleSettings())
    from reviewloop.config.load import load

    config = load(cwd, environment, file=file)
    return ProjectRules(root=config.root, rules=config.rules)


def _written(root: Path, environment: Mapping[str, str]) -> bool:
    """Whether any file or variable may hold settings."""
    personal = user_file(environment)
    return (
        any(True for _ in candidates(root))
        or bool(personal and there(personal))
        or any(name.startswith(PREFIX) for name in environment)
    )
