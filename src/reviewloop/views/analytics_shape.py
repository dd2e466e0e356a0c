"""Reads an analytics file and checks its shape before anything is written to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from reviewloop.core.statistics.analytics import Accuracy
from reviewloop.core.statistics.finding_outcomes import Resolution

LARGEST = 64 * 1024 * 1024
"""The largest file to read if another program changed it."""

_CHANGING = frozenset(("service", "auto_decision", "human_override", "fix_iterations", "final_verdict"))
_ENTRY: Mapping[str, tuple[type, ...]] = {
    "date": (str,),
    "feature": (str,),
    "task": (int, str, type(None)),
    "service": (str,),
    "strategy": (str,),
    "models": (list,),
    "stage": (str,),
    "agreed_count": (int,),
    "contradiction_count": (int,),
    "confidence": (int, float, type(None)),
    "auto_decision": (str, type(None)),
    "human_override": (str, type(None)),
    "fix_iterations": (int,),
    "final_verdict": (str, type(None)),
    "findings": (list,),
}
_FINDING: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "description": (str,),
    "severity": (str,),
    "category": (str,),
    "resolution": (str,),
    "false_positive": (bool,),
}


class Damaged(Exception):
    """The file has a shape that Reviewloop cannot rewrite without losing data."""


def read_reviews(data: bytes) -> list[dict[str, Any]]:
    """The entries of an analytics file.

    Raises:
        Damaged: The file is not an analytics file; says where and why.
    """
    if len(data) > LARGEST:
        raise Damaged(f"it is larger than {LARGEST // 1024 // 1024} MB")
    try:
        value = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Damaged(f"byte {error.start} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Damaged(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise Damaged("it is not a JSON object")
    whole = cast("dict[str, Any]", value)
    if unknown := sorted(whole.keys() - {"reviews", "summary"}):
        raise Damaged(f"another program or version wrote it: unknown key {unknown[0]!r}")
    if not isinstance(whole.get("reviews"), list) or not isinstance(whole.get("summary"), dict):
        raise Damaged("it needs a list `reviews` and an object `summary`")
    reviews = cast("list[Any]", whole["reviews"])
    for number, entry in enumerate(reviews):
        _check(entry, f"reviews[{number}]", _ENTRY)
        for position, finding in enumerate(entry["findings"]):
            _check(finding, f"reviews[{number}].findings[{position}]", _FINDING)
    return cast("list[dict[str, Any]]", reviews)


def _check(value: Any, where: str, fields: Mapping[str, tuple[type, ...]]) -> None:
    if not isinstance(value, dict):
        raise Damaged(f"{where} is not an object")
    entry = cast("dict[str, Any]", value)
    for name, types in fields.items():
        if name not in entry:
            raise Damaged(f"{where} has no `{name}`")
        if not isinstance(entry[name], types):
            raise Damaged(f"{where}.{name} has the wrong type: {json.dumps(entry[name])[:40]}")


def fingerprint(entry: Mapping[str, Any]) -> str:
    """The parts of an entry that never change, to recognise it in a file."""
    lasting = {key: value for key, value in entry.items() if key not in _CHANGING and key != "findings"}
    findings = [[item["id"], item["description"]] for item in entry["findings"] if item["category"] != "missed"]
    return json.dumps([lasting, findings], sort_keys=True)


def accuracy_in(entry: Mapping[str, Any]) -> dict[str, Accuracy]:
    """Each model's accuracy in an entry from a file, derived from the findings' categories and resolutions."""
    models = [str(model) for model in entry["models"]]
    accuracy = dict.fromkeys(models, Accuracy())
    for finding in entry["findings"]:
        by = _raised_by(str(finding["category"]), models)
        for model in models:
            if finding["false_positive"]:
                accuracy[model] += Accuracy(false_positive=int(model in by))
            elif finding["resolution"] == Resolution.FIXED:
                accuracy[model] += Accuracy(true_positive=int(model in by), missed=int(model not in by))
    return accuracy


def _raised_by(category: str, models: list[str]) -> list[str]:
    match category:
        case "agreed" | "contradiction":
            return models
        case "model_b_only":
            return models[-1:]
        case "model_a_only":
            return models[:-1]
        case _:
            return [model for model in models if category == f"{model}_only"]


def issues_in(entry: Mapping[str, Any]) -> Counter[str]:
    return Counter(str(finding["description"]) for finding in entry["findings"] if not finding["false_positive"])
