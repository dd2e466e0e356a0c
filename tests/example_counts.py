"""How many random examples hypothesis tries."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """This many, or a fifth of them with `./scripts/test --fast`."""
    return max(count // 5, 5) if os.environ.get("FEW_EXAMPLES") else count
