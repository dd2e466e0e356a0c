"""A project on disk, with a home directory beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

from reviewloop.config.load import load
from reviewloop.config.model import Config
from reviewloop.config.resolve import resolve
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import Policy
from reviewloop.errors import ConfigError
from reviewloop.reports.config_error import render


@dataclass(kw_only=True)
class Project:
    root: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, text: str) -> None:
        self._write(self.root / path, text)

    def write_user_file(self, text: str) -> None:
        self._write(self.home / ".config/reviewloop/config.yml", text)

    def set(self, **variables: str) -> None:
        self.environment.update(variables)

    def config(self, text: str | None = None, *, cwd: str = ".", file: str | None = None) -> Config:
        if text is not None:
            self.write("reviewloop.yml", text)
        environment = {"HOME": str(self.home), **self.environment}
        return load(self.root / cwd, environment, file=Path(file) if file else None)

    def policy(self, text: str | None = None, kind: Kind = Kind.SPEC, **flags: object) -> Policy:
        return resolve(self.config(text), kind, flags)

    def complaint(self, text: str | None = None, *, cwd: str = ".", file: str | None = None, **flags: object) -> str:
        with pytest.raises(ConfigError) as caught:
            resolve(self.config(text, cwd=cwd, file=file), Kind.SPEC, flags)
        return render(caught.value)

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(text).encode())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    (root / ".git").mkdir()
    home.mkdir()
    return Project(root=root, home=home)


def lines(text: str) -> str:
    """A message as it stands on the screen, from an indented literal."""
    return dedent(text).strip("\n")
