"""How long a panel takes when both stages are asked at once: `python bench/panel/speculation.py [RUNS]`.

Four reviewers answer from a recording, after 0.3 to 0.6 s. The wall time of the whole session, from its start to its
last event on disk, is set against the slowest reviewer (nothing can be faster) and against asking stage after stage.
The best run counts: whatever else the machine does can only add to it.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from reviewloop.agents.kinds.replay import Replay
from reviewloop.core.session.events import Started
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.outcome import Outcome
from reviewloop.core.types.policy import Policy, Seat, Strategy, profile
from reviewloop.core.types.review import Stage
from reviewloop.core.types.rubric import BY_STAGE
from reviewloop.engine.clock import SystemClock
from reviewloop.engine.context import SessionContext
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.workspace.in_memory import MemoryWorkspace

DELAYS = {("spec", "weak"): 0.3, ("spec", "strong"): 0.5, ("quality", "weak"): 0.4, ("quality", "strong"): 0.6}
SLOWEST = max(DELAYS.values())
STAGE_AFTER_STAGE = sum(max(seconds for (of, _), seconds in DELAYS.items() if of == stage) for stage in Stage)
LIMIT = 1.05
PASS = '{"verdict": "pass", "findings": []}'


def panel(*, speculative: bool) -> Policy:
    seats = tuple(
        Seat(agent=model, stage=stage, rubric=BY_STAGE[stage]) for stage in Stage for model in ("weak", "strong")
    )
    policy = profile("panel", Kind.SPEC, seats=seats, strategy=Strategy.PARALLEL, auto_approve=True)
    return replace(policy, speculative_quality=speculative)


async def seconds(policy: Policy, ledger: SqliteLedger, name: str) -> float:
    agents = {
        model: Replay(
            {"role": "review", "stage": stage, "text": PASS, "delay": delay}
            for (stage, of), delay in DELAYS.items()
            if of == model
        )
        for model in ("weak", "strong")
    }
    text = "# Spec\n\n" + "One requirement and how it is met.\n\n" * 200
    artifact = Artifact(kind=Kind.SPEC, name="spec", files=(SourceFile(path="spec.md", text=text),))
    desk = SessionContext(
        agents=agents.__getitem__, ledger=ledger, workspace=MemoryWorkspace(artifact), clock=SystemClock()
    )
    began = time.perf_counter()
    started = Started(feature=name, prd_path="", specs_path="spec.md", kind="spec", profile="panel", policy=policy)
    history = await run(Session.start(name, started, desk), desk)
    assert history.outcome is Outcome.PASSED, history.because
    return time.perf_counter() - began


async def measure(runs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        ledger = SqliteLedger(Path(folder) / "ledger.db")
        await seconds(panel(speculative=True), ledger, "warm-up")
        at_once = [await seconds(panel(speculative=True), ledger, f"at-once-{n}") for n in range(runs)]
        in_turn = [await seconds(panel(speculative=False), ledger, f"in-turn-{n}") for n in range(runs)]
        await ledger.close()
    print(f"{'':22}{'best':>8}{'median':>8}{'worst':>8}{'bound':>8}{'best/bound':>12}")
    for name, found, bound in (
        ("both stages at once", at_once, SLOWEST),
        ("stage after stage", in_turn, STAGE_AFTER_STAGE),
    ):
        figures = "".join(f"{one:8.3f}" for one in (min(found), median(found), max(found), bound))
        print(f"{name:22}{figures}{min(found) / bound:11.3f}x")
    print(f"\nbound: the slowest reviewer, or the slowest of each stage together; {runs} runs, seconds")
    print(f"at once takes {min(at_once) / min(in_turn):.2f} of stage after stage")
    good = min(at_once) / SLOWEST <= LIMIT
    print(f"{'met' if good else 'MISSED'}: at most {LIMIT} times the slowest reviewer")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10)))
