import subprocess
import sys


def test_no_format_pays_for_a_console_or_for_pydantic():
    code = (
        "import sys; from reviewloop.reports import FORMATS, render; from reviewloop.reports.report import ReviewReport;"
        "[render(ReviewReport(artifacts=()), name) for name in FORMATS];"
        "print('rich.console' in sys.modules, 'pydantic' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False False\n" == done.stdout
