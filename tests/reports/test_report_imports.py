import subprocess
import sys


def test_only_the_terminal_format_pays_for_rich():
    code = (
        "import sys; from reviewloop.reports import FORMATS, render; from reviewloop.reports.report import ReviewReport;"
        "[render(ReviewReport(artifacts=()), name) for name in FORMATS if name != 'terminal'];"
        "print('rich' in sys.modules, 'pydantic' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False False\n" == done.stdout
