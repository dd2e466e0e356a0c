"""What every test may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import Project


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Project:
    """A scratch project; the user's own settings are out of the way."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-settings"))
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path, capsys)
