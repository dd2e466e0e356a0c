"""The settings of an offline review. Without a configuration, the code that reads one is not imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reviewloop.config.discover import PREFIX, candidates, exists, project_root, user_file
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import Policy, profile
from reviewloop.core.types.scope import Scope
from reviewloop.rules.settings import RuleSettings

if TYPE_CHECKING:
    from reviewloop.config.model import Config


def _default_policy(kind: Kind) -> Policy:
    return profile("spec-gate", kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineSettings:
    """A project's root, its scope and rule settings, and the policy for each kind of document."""

    root: Path
    rules: RuleSettings = field(default_factory=RuleSettings)
    scope: Scope = field(default_factory=Scope)
    policy: Callable[[Kind], Policy] = _default_policy


def load_offline(start: Path, environment: Mapping[str, str], *, file: Path | None = None) -> OfflineSettings:
    """The effective settings that the offline rules need.

    Raises:
        ConfigError: Any setting is invalid; says where it was written.
    """
    root = project_root(start)
    if file is None and not _is_configured(root, environment):
        return OfflineSettings(root=root)
    from reviewloop.config.load import load

    return offline_settings(load(start, environment, file=file))


def offline_settings(config: Config) -> OfflineSettings:
    from reviewloop.config.resolve import judged_by_rules, resolve

    def policy(kind: Kind) -> Policy:
        return judged_by_rules(resolve(config, kind, {}), kind)

    return OfflineSettings(root=config.root, rules=config.rules, scope=config.scope, policy=policy)


def _is_configured(root: Path, environment: Mapping[str, str]) -> bool:
    """Whether a file or variable may have settings."""
    personal = user_file(environment)
    return (
        any(True for _ in candidates(root))
        or bool(personal and exists(personal))
        or any(name.startswith(PREFIX) for name in environment)
    )
