"""What every test may ask for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from example_counts import examples
from project import Project

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile(
    "patient", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")


@pytest.fixture(autouse=True, scope="session")
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests leave in the place for temporary files, such as the log of an error, goes with the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
        patch.setattr(tempfile, "tempdir", None)  # where Python keeps what it has found out
        yield


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Project:
    """A scratch project; the user's own settings are out of the way."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-settings"))
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path, capsys)
