import subprocess
import sys
from pathlib import Path

import pytest

from reviewloop.rules import all_rules
from reviewloop.rules.pages import PARTS, page

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_every_rule_has_a_full_page(rule):
    text = page(rule)

    assert [] == [part for part in PARTS if f"## {part}\n\n" not in text]
    assert rule.summary.endswith(".")


def test_the_pages_are_current():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "rule-pages", "--check"], capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)
