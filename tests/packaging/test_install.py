"""`pip install .` alone gives a working `reviewloop`, with the core dependencies only."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = {"click", "markdown-it-py", "mdurl", "pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection", "pygments", "pyyaml", "rich", "reviewloop", "pip", "setuptools"}  # fmt: skip


@pytest.mark.slow
def test_a_plain_install_runs_the_demo(tmp_path: Path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)]
    subprocess.run(install, check=True, timeout=300, cwd=tmp_path)
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, timeout=60
    )
    assert {package["name"].lower().replace("_", "-") for package in json.loads(listed.stdout)} <= CORE
    program = tmp_path / "env" / "bin" / "reviewloop"
    done = subprocess.run([program, "demo", "--json"], check=True, capture_output=True, timeout=60, cwd=tmp_path)
    assert "passed" == json.loads(done.stdout)["outcome"]
    helped = subprocess.run([program, "review", "--help"], check=True, capture_output=True, timeout=60)
    assert b"--format" in helped.stdout
