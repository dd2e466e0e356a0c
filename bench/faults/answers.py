"""Runs every kind of answer that must not pass, and every valid form, through the command line, in every dialect.

    python bench/faults/answers.py [--write]

Each answer is printed by a real agent program for a spec that quotes statements of every dialect, with
`on_inconclusive: pass`, the setting in which a mistake shows. A false pass is the outcome `passed`, the verdict `pass`,
or a pass with warnings although the answer contains a clear no. `--write` writes the table to RESULTS.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests"))

from answer_faults import FAULTS  # noqa: E402
from answer_forms import ARTIFACT, DIALECTS, FORMS  # noqa: E402
from reviewloop.cli.main import run as run_cli  # noqa: E402

REVIEW = {
    "scored": "profile: spec-gate\nreview: {reviewer: mine, ",
    "signal": "profile: phases\nreview: {reviewer: mine, ",
    "decision": "profile: overlay\nreview: {reviewer: mine, ",
    "findings": "profile: panel\nreview: {strategy: single, single_model: mine, auto_approve: true, ",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    kind: str
    dialect: str
    text: str
    heard: bool
    passes: bool


def cases() -> list[Case]:
    found = [Case(kind=f.kind, dialect=f.dialect, text=f.text, heard=f.heard, passes=False) for f in FAULTS]
    return found + [
        Case(kind=f.name, dialect=f.dialect, text=f.text, heard=not f.passes, passes=f.passes) for f in FORMS
    ]


def result(case: Case) -> str:
    """What the command line makes of an answer: `no`, `asked again`, `pass`, `FALSE PASS` or `CRASH`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder, "project")
        root.mkdir()
        answer = Path(folder, "answer.txt")
        answer.write_text(case.text, encoding="utf-8", errors="surrogatepass", newline="")
        (root / "spec.md").write_text(ARTIFACT, encoding="utf-8")
        (root / "reviewloop.yml").write_text(
            f"agents: {{mine: {{kind: command, command: [cat, {json.dumps(str(answer))}]}}}}\n{REVIEW[case.dialect]}"
            "on_inconclusive: pass, static_gate: off, retry_on_malformed: 0}\n",
            encoding="utf-8",
        )
        os.chdir(root)
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run_cli(["run", "spec.md", "--json"])
            session = json.loads(out.getvalue())
        except (ValueError, SystemExit) as error:
            return f"CRASH ({type(error).__name__}: {error}; {err.getvalue()[-200:]})"
        finally:
            os.chdir("/")
    if code == 3:
        return f"CRASH ({err.getvalue()[-200:]})"
    outcome, verdict = session["outcome"], session["iterations"][-1]["result"]["verdict"]
    if case.passes:
        return "pass" if outcome in ("passed", "passed_with_warnings") and verdict == "pass" else f"REFUSED ({outcome})"
    if outcome == "passed" or verdict == "pass" or (case.heard and outcome == "passed_with_warnings"):
        return f"FALSE PASS ({outcome}, {verdict})"
    return "no" if verdict == "needs_revision" else "asked again"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="write the table to RESULTS.md")
    arguments.add_argument("--every", type=int, default=1, help="run every n-th case only")
    options = arguments.parse_args()
    chosen = cases()[:: options.every]
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=40) as pool:
        results = pool.map(result, chosen, chunksize=8)
    report = render(chosen, results)
    print(report.split("\n## ")[0])
    for case, said in zip(chosen, results, strict=True):
        if "(" in said:
            print(f"{case.dialect}: {case.kind}: {said}")
    if options.write:
        (HERE / "RESULTS.md").write_text(report, encoding="utf-8")
    return int(any("(" in said for said in results))


def render(chosen: list[Case], results: list[str]) -> str:
    faults = [
        (case, said) for case, said in zip(chosen, results, strict=True) if (case.kind, case.dialect) in FAULT_KINDS
    ]
    valid = [
        (case, said) for case, said in zip(chosen, results, strict=True) if (case.kind, case.dialect) not in FAULT_KINDS
    ]
    wrong = sum(said.startswith("FALSE PASS") for _, said in faults)
    crashes = sum(said.startswith("CRASH") for said in results)
    refused = sum(said.startswith(("REFUSED", "FALSE", "asked")) for _, said in valid)
    kinds = dict.fromkeys(case.kind for case, _ in faults)
    lines = [
        "# Answers that must not pass",
        "",
        *ABOUT.splitlines(),
        "",
        f"- {len(kinds)} kinds, {len(faults)} answers: **{wrong} false passes, {crashes} crashes**",
        "- kinds by dialect: "
        + ", ".join(f"{name} {count}" for name, count in Counter(case.dialect for case, _ in faults).items()),
        f"- {len(valid)} valid forms ("
        + ", ".join(f"{name} {count}" for name, count in Counter(case.dialect for case, _ in valid).items())
        + f"): **{refused} refused**",
        "",
        "## Kinds and dialects",
        "",
        "| kind | " + " | ".join(DIALECTS) + " |",
        "|---|" + "---|" * len(DIALECTS),
    ]
    said = {(case.kind, case.dialect): answer for case, answer in faults}
    lines += [
        f"| {escaped(kind)} | " + " | ".join(said.get((kind, dialect), "-") for dialect in DIALECTS) + " |"
        for kind in kinds
    ]
    return "\n".join(lines) + "\n"


def escaped(kind: str) -> str:
    return kind.replace("|", "\\|")


ABOUT = """\
Written by `bench/faults/answers.py --write`. Every answer is printed by an agent program and read through the command
line, with `on_inconclusive: pass`. `no`: the review is `needs_revision`. `asked again`: the answer is malformed, so the
reviewer would be asked again, and the review is `inconclusive` in the end. A dash: the dialect has no such kind.
"""

FAULT_KINDS = {(fault.kind, fault.dialect) for fault in FAULTS}

if __name__ == "__main__":
    sys.exit(main())
