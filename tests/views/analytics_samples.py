"""Analytics entries to try the file with."""

from __future__ import annotations

from typing import Any

from reviewloop.core.statistics.analytics import Accuracy, EntryFinding, ReviewEntry


def entry(name: str = "a", *issues: str, **changes: Any) -> ReviewEntry:
    values: dict[str, Any] = {
        "id": f"{name}/1/spec",
        "date": "2026-02-14",
        "feature": name,
        "task": None,
        "service": "billing",
        "strategy": "parallel",
        "models": ("haiku", "sonnet"),
        "stage": "spec",
        "verdicts": {"haiku": "pass", "sonnet": "fail"},
        "agreed_count": 0,
        "only_counts": {"haiku": 0, "sonnet": len(issues)},
        "contradiction_count": 0,
        "confidence": 0.4,
        "auto_decision": "present_to_human",
        "human_override": None,
        "fix_iterations": 0,
        "final_verdict": None,
        "findings": tuple(
            EntryFinding(
                id=f"f{number}", description=issue, severity="important", category="model_b_only", resolution="open",
                false_positive=False,
            )
            for number, issue in enumerate(issues, 1)
        ),
        "accuracy": {"haiku": Accuracy(missed=1), "sonnet": Accuracy(true_positive=1)},
        "issues": issues,
    }  # fmt: skip
    return ReviewEntry(**values | changes)
