import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[2] / "bench" / "rules"


def test_clean_documents_have_no_findings():
    done = subprocess.run(
        [sys.executable, HARNESS / "ours.py", HARNESS / "documents"], capture_output=True, text=True, check=True
    )

    assert "[]" == done.stdout.strip()


@pytest.mark.slow
def test_nearly_every_planted_defect_is_found():
    command = [sys.executable, HARNESS / "harness.py", "--no-peers", "--no-time"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| ") and "/" in line]
    planted = {row[1].strip(): row[4].strip(" *") for row in rows}
    found, of = planted["**all**"].split(" ")[0].split("/")

    assert len(planted) > 25
    assert int(found) >= 0.95 * int(of), planted
