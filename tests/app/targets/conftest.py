from __future__ import annotations

from pathlib import Path

import pytest
from workspace_samples import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "project")
