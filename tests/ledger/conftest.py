import subprocess
import sys
from pathlib import Path

import pytest

OTHER_PROCESS = Path(__file__).with_name("other_process.py")


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".reviewloop" / "reviewloop.db"


@pytest.fixture
def other_process(path):
    """Starts real processes on the same ledger; those still alive at the end are killed."""
    started = []

    def start(what, *arguments):
        command = [sys.executable, str(OTHER_PROCESS), what, str(path), *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
