"""Where the priors of the six scenarios come from: `python bench/panel/calibration.py [--n 200000] [--seed 1]`.

Two reviewers, the weak one finding a real problem with rate p - .05, the strong one with p + .05, look at artifacts of
which 39% are bad. What one finds the other is likelier to find, some false alarms are shared, and the matcher errs both
ways. Counted is how often each scenario is right: that the work is good where both pass it, bad everywhere else.

The rates below are not measured. They were fitted, once, so that the simulation gives the table that the priors in
`reviewloop.core.panel.calibration` come from; the run shows how far every figure is from it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.panel.calibration import PRIORS

RATES = (0.6, 0.7, 0.8, 0.9)
WITHIN = 0.03
TABLE = {
    "both_pass": (0.90, 0.94, 0.97, 0.99),
    "both_pass_minor": (0.88, 0.92, 0.95, 0.98),
    "both_fail_agreed_critical": (0.77, 0.80, 0.83, 0.86),
    "split_weak": (0.33, 0.29, 0.23, 0.17),
    "split_strong": (0.50, 0.46, 0.40, 0.34),
    "both_fail_different": (0.69, 0.67, 0.66, 0.64),
    "strongest_alone_critical": (0.39, 0.37, 0.34, 0.29),
}

BAD = 0.39
MOST_PROBLEMS = 4
MIDDLE = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often something goes wrong, and by how much less with reviewers that find more."""

    rate: float
    fall: float

    def at(self, p: float) -> float:
        return self.rate * (1 - self.fall * (p - MIDDLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is not said in the table's heading.

    A bad artifact has one problem, and with `another` each time one more. With `together`, what is easy or hard for
    one reviewer is so for the other. A problem is `critical`, and a reviewer sees that with `seen`. The matcher joins
    what is the same with `matched`, and the gravest two of different findings with `mistaken`. Last come remarks that
    are minor, on good and on bad work.
    """

    another: float = 0.49
    together: float = 0.57
    critical: float = 0.88
    seen: float = 0.69
    shared: Rate = Rate(rate=0.13, fall=0.3)
    weak: Rate = Rate(rate=0.073, fall=3.1)
    strong: Rate = Rate(rate=0.175, fall=0.8)
    shared_critical: Rate = Rate(rate=0.79, fall=0.41)
    alarm_critical: float = 0.83
    matched: float = 0.98
    mistaken: float = 0.19
    minor_on_good: float = 0.475
    minor_on_bad: float = 0.54


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One thing and who raises it; for each whether it is called critical."""

    weak: bool
    strong: bool
    weak_critical: bool = False
    strong_critical: bool = False


def raised(p: float, bad: bool, world: World, chance: random.Random) -> Iterator[Raised]:
    draw = chance.random
    problems = 1
    while problems < MOST_PROBLEMS and draw() < world.another:
        problems += 1
    for _ in range(problems if bad else 0):
        hard = draw()
        harder = hard if draw() < world.together else draw()
        critical = draw() < world.critical
        yield Raised(
            weak=hard < p - 0.05,
            strong=harder < p + 0.05,
            weak_critical=critical and draw() < world.seen,
            strong_critical=critical and draw() < world.seen,
        )
    if draw() < world.shared.at(p):
        critical = draw() < world.shared_critical.at(p)
        yield Raised(weak=True, strong=True, weak_critical=critical, strong_critical=critical)
    if draw() < world.weak.at(p):
        yield Raised(weak=True, strong=False, weak_critical=draw() < world.alarm_critical)
    if draw() < world.strong.at(p):
        yield Raised(weak=False, strong=True, strong_critical=draw() < world.alarm_critical)


def scenario(things: list[Raised], minor: bool, world: World, chance: random.Random) -> str:
    """Merge and decide, as the panel does. Critical or not is all that is left of a finding here."""
    agreed: list[bool] = []
    weak: list[bool] = []
    strong: list[bool] = []
    for one in things:
        if one.weak and one.strong and chance.random() < world.matched:
            agreed.append(one.weak_critical or one.strong_critical)
            continue
        weak += [one.weak_critical] * one.weak
        strong += [one.strong_critical] * one.strong
    if weak and strong and chance.random() < world.mistaken:
        agreed.append(max(weak) or max(strong))
        weak.remove(max(weak))
        strong.remove(max(strong))
    weak_fails, strong_fails = bool(agreed or weak), bool(agreed or strong)
    if any(agreed):
        return "both_fail_agreed_critical"
    if any(strong):
        return "strongest_alone_critical"
    if weak_fails and strong_fails:
        return "both_fail_different"
    if weak_fails or strong_fails:
        return "split_weak" if weak_fails else "split_strong"
    return "both_pass_minor" if minor else "both_pass"


def simulate(p: float, n: int, world: World, chance: random.Random) -> dict[str, float]:
    """How often each scenario is right, among `n` artifacts."""
    right = dict.fromkeys(TABLE, 0)
    seen = dict.fromkeys(TABLE, 0)
    for _ in range(n):
        bad = chance.random() < BAD
        minor = chance.random() < (world.minor_on_bad if bad else world.minor_on_good)
        name = scenario([*raised(p, bad, world, chance)], minor, world, chance)
        seen[name] += 1
        right[name] += bad is not name.startswith("both_pass")
    return {name: right[name] / seen[name] if seen[name] else float("nan") for name in TABLE}


def main() -> int:
    parser = argparse.ArgumentParser(description="The calibration table, simulated.")
    parser.add_argument("--n", type=int, default=200_000, help="artifacts for each rate (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.perf_counter()
    cells = {p: simulate(p, asked.n, World(), random.Random(f"{asked.seed} {p}")) for p in RATES}
    print(f"{'scenario':28}" + "".join(f"{f'p = {p}':>16}" for p in RATES) + f"{'prior':>8}")
    off = 0.0
    for name, wanted in TABLE.items():
        found = [cells[p][name] for p in RATES]
        off = max(off, *(abs(one - other) for one, other in zip(found, wanted, strict=True)))
        pairs = "".join(f"{one:9.3f} ({other:.2f})" for one, other in zip(found, wanted, strict=True))
        print(f"{name:28}{pairs}{PRIORS[name]:8.2f}")
    print(f"\nin brackets the table; {asked.n:,} artifacts a column, {time.perf_counter() - began:.1f} s")
    print(f"{'met' if off <= WITHIN else 'MISSED'}: at most {off:.3f} off, allowed {WITHIN}")
    return 0 if off <= WITHIN else 1


if __name__ == "__main__":
    sys.exit(main())
