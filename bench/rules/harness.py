"""Plant defects in clean documents and count who finds them.

    python bench/rules/harness.py                     our own documents: recall, noise, time
    python bench/rules/harness.py PATH                documents of others (each folder below PATH is a project)
    python bench/rules/harness.py --no-peers          without OpenSpec and markdownlint
    python bench/rules/harness.py --misses            name the planted defects that were not found
    python bench/rules/harness.py --only-time         the time alone
    python bench/rules/harness.py --write FILE        write the tables to FILE as well

Nothing is written unless asked; peers are installed into a cache directory.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

import peers
from mutations import MUTATIONS, mutate
from ours import read, reports

from reviewloop.documents import guess_kind
from reviewloop.rules import RuleSettings

DOCUMENTS = Path(__file__).parent / "documents"
REVIEWLOOP = str(Path(sys.executable).parent / "reviewloop")
ROUNDS = 5
EVERYTHING = RuleSettings(select=("RES009", "REQ019", "TSK037"))
PersonAnswer = Counter[tuple[str, str]]
Peer = Callable[[Path, Path], PersonAnswer]


def ours(files: dict[str, str], root: Path) -> PersonAnswer:
    """How often which rule says what about which file; line numbers move and do not count."""
    return Counter(
        (f"{finding.place.file}: {re.sub(r'line [0-9]+', 'line', finding.issue)}", finding.rule or "")
        for _, report in reports(files, root, EVERYTHING)
        for finding in report.findings
    )


def neighbours(files: dict[str, str], path: str) -> dict[str, str]:
    """The files that can matter for one: its feature's folder, the unit it belongs to, its PRD."""
    top = Path(path).parts
    folder = "/".join(top[:-1])
    keep = {one for one in files if one.rsplit("/", 1)[0] == folder or one.startswith(f"{folder}/")}
    if "openspec" in top and "changes" in top:
        change = "/".join(top[: top.index("changes") + 2])
        keep |= {one for one in files if one.startswith(f"{change}/")}
    name = Path(path).stem.lower()
    keep |= {one for one in files if Path(one).stem.lower() == name or f"/{name}/" in f"/{one.lower()}"}
    keep |= {one for one in files if path.endswith(".diff") and one.endswith("tasks.md")}
    return {one: files[one] for one in keep | {path}}


def recall(root: Path, tools: dict[str, tuple[Path, Peer]], limit: int, missed: list[str]) -> list[list[str]]:
    """A row per kind of defect. What we did not find is added to `missed`."""
    files = read(root)
    rows: list[list[str]] = []
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for mutation in MUTATIONS:
        hits: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        planted = 0
        for path, text in files.items():
            if guess_kind(path, text) not in mutation.kinds or planted >= limit:
                continue
            changed = mutate(mutation, path, text)
            if changed is None:
                continue
            planted += 1
            around = neighbours(files, path)
            before, after = ours(around, root), ours({**around, path: changed}, root)
            found = sum(n for (_, rule), n in (after - before).items() if rule == mutation.rule)
            if not found:
                missed.append(f"{mutation.rule}, {mutation.name}: {root.name}/{path}")
            hits["reviewloop"][0] += bool(found)
            hits["reviewloop"][1] += 1
            for name, (program, peer) in tools.items():
                if (name == "openspec" and "openspec/" not in path) or not path.endswith(".md"):
                    continue
                hits[name][0] += bool(_by_peer(program, peer, around, path, changed))
                hits[name][1] += 1
        if planted:
            for name, (good, all_of_them) in hits.items():
                totals[name][0] += good
                totals[name][1] += all_of_them
            rows.append(
                [
                    mutation.name,
                    mutation.rule,
                    str(planted),
                    *(_share(hits.get(name)) for name in ("reviewloop", *tools)),
                ]
            )
    rows.append(
        ["**all**", "", str(totals["reviewloop"][1]), *(f"**{_share(totals.get(n))}**" for n in ("reviewloop", *tools))]
    )
    return rows


def _by_peer(program: Path, peer: Peer, around: dict[str, str], path: str, changed: str) -> PersonAnswer:
    clean = _CLEAN.get((program, path))
    if clean is None:
        clean = _CLEAN[(program, path)] = _said(program, peer, around)
    return _said(program, peer, {**around, path: changed}) - clean


_CLEAN: dict[tuple[Path, str], PersonAnswer] = {}


def _said(program: Path, peer: Peer, files: dict[str, str]) -> PersonAnswer:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        return peer(program, Path(folder))


def _share(pair: list[int] | None) -> str:
    return f"{pair[0]}/{pair[1]} ({100 * pair[0] // pair[1]}%)" if pair and pair[1] else "does not read it"


def noise(root: Path, tools: dict[str, tuple[Path, Peer]]) -> list[list[str]]:
    files = read(root)
    count = len([path for path, text in files.items() if guess_kind(path, text)])
    by_severity: Counter[str] = Counter()
    for _, report in reports(files, root, RuleSettings()):
        by_severity.update(finding.severity.value for finding in report.findings)
    told = ", ".join(f"{by_severity[name]} {name}" for name in ("critical", "important", "minor", "info"))
    rows = [["reviewloop", str(count), told, f"{sum(by_severity.values()) / max(count, 1):.2f}"]]
    for name, (program, peer) in tools.items():
        with tempfile.TemporaryDirectory() as folder:
            said = peer(program, Path(shutil.copytree(root, Path(folder) / "copy")))
        rows.append([name, str(count), f"{sum(said.values())} messages", f"{sum(said.values()) / max(count, 1):.2f}"])
    return rows


def timing(tools: dict[str, tuple[Path, Peer]]) -> list[list[str]]:
    """CPU and wall time for many OpenSpec specs, the one format that all read, with start-up."""
    spec = (DOCUMENTS / "openspec/specs/backup/spec.md").read_text(encoding="utf-8")
    return [[str(count), *_time_for(count, spec, tools)] for count in (1, 100, 500, 1000, 3000)]


def _time_for(count: int, spec: str, tools: dict[str, tuple[Path, Peer]]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        root = Path(folder)
        for number in range(count):
            target = root / f"openspec/specs/backup-{number}/spec.md"
            target.parent.mkdir(parents=True)
            target.write_text(spec.replace("backup", f"backup-{number}"), encoding="utf-8")
        (root / "openspec/changes").mkdir()
        ours = partial(_command_line, root, compiled)
        ours()  # compiles the modules, as an installation would
        runs = [ours, *(partial(peer, program, root) for program, peer in tools.values())]
        taken = [[_timed(run) for run in runs] for _ in range(ROUNDS)]  # in turns, so that a busy minute hits all
    return [_told(times) for times in zip(*taken, strict=True)]


def _command_line(root: Path, compiled: str) -> None:
    dropped = ("PYTHONDONTWRITEBYTECODE", "REVIEWLOOP_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    command = [REVIEWLOOP, "review", "--format", "json", "--exit-zero", "openspec"]
    environment |= {"PYTHONPYCACHEPREFIX": compiled}
    subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Seconds that a run took."""

    cpu: float
    wall: float


def _timed(run: Callable[[], object]) -> Taken:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run()
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(cpu=cpu, wall=seconds)


def _told(times: Sequence[Taken]) -> str:
    parts = []
    for name, seconds in (("CPU", [one.cpu for one in times]), ("wall", [one.wall for one in times])):
        parts.append(f"{min(seconds):.2f} / {median(seconds):.2f} s {name}")
    return ", ".join(parts)


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("path", nargs="?", type=Path, default=DOCUMENTS)
    arguments.add_argument("--no-peers", action="store_true")
    arguments.add_argument("--no-time", action="store_true")
    arguments.add_argument("--only-time", action="store_true")
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--limit", type=int, default=12, help="documents per kind of defect, at most")
    arguments.add_argument("--write", type=Path)
    asked = arguments.parse_args()
    tools: dict[str, tuple[Path, Peer]] = {}
    if not asked.no_peers:
        for name, peer in (("openspec", peers.openspec), ("markdownlint", peers.markdownlint)):
            if program := peers.install(name):
                tools[name] = (program, peer)
            else:
                sys.stderr.write(f"{name} cannot be installed here; it is left out\n")
    names = ["reviewloop", *tools]
    roots = [asked.path] if asked.path == DOCUMENTS else sorted(one for one in asked.path.iterdir() if one.is_dir())
    parts = [
        f"Load average while running: {' '.join(f'{one:.1f}' for one in os.getloadavg())}, {os.cpu_count()} cores."
    ]
    missed: list[str] = []
    for root in roots if not asked.only_time else ():
        parts.append(
            f"### Noise: {root.name}\n\n" + table(["tool", "documents", "findings", "per document"], noise(root, tools))
        )
        parts.append(
            f"### Recall: {root.name}\n\n"
            + table(
                ["defect", "rule", "planted", *names],
                recall(root, tools if root == DOCUMENTS else {}, asked.limit, missed),
            )
        )
    if not asked.no_time and asked.path == DOCUMENTS:
        parts.append(f"### Time, least and median of {ROUNDS}\n\n" + table(["documents", *names], timing(tools)))
    if asked.misses:
        parts.append("### Not found\n\n" + "\n".join(f"- {one}" for one in missed))
    text = "\n\n".join(parts) + "\n"
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
