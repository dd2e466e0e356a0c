"""Which commands say that a task is done, and what a shell is given to run."""

from __future__ import annotations

import pytest

from reviewloop.documents import parse
from reviewloop.documents.commands import script_of


@pytest.mark.parametrize(
    ("verify", "script"),
    [
        ("`pytest -q`", "pytest -q"),
        ("`make test` passes, and `src/a.py` is there", "make test"),
        ("`a.py` has the new function", ""),
        ("`./check.sh`", "./check.sh"),
        ("run `npm test` and see that `foo` is right", "npm test"),
        ("read it and confirm", ""),
        ("`curl localhost/<id>` answers", ""),
        ("go test ./...", "go test ./..."),
        ("`make a` then `make b`", "{\nmake a\n} && {\nmake b\n}"),
        ("\n    ```bash\n    $ make a\n    ```", "make a"),
    ],
)
def test_what_is_run(verify: str, script: str):
    document = parse("tasks.md", f"- [ ] 1.1 Write\n  - **Verify**: {verify}\n")
    assert script == script_of(document, document.tasks[0])


def test_a_task_file_is_checked_by_its_backpressure():
    document = parse("specs/tasks/a/01-a.md", '---\ntask: 1\nbackpressure: "go test ./... && go vet"\n---\n# A\n')
    assert "go test ./... && go vet" == script_of(document, document.tasks[0])
