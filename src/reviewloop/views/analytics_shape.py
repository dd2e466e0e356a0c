"""What an analytics file has to look like before anything is written to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from reviewloop.core.statistics.analytics import Accuracy
from reviewloop.core.statistics.finding_outcomes import Resolution

LARGEST = 64 * 1024 * 1024
"""The largest file of somebody else's making that is read."""

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
    """The file is not one that could be written to without losing something of it."""


def read_reviews(data: bytes) -> list[dict[str, Any]]:
    """The entries of an analytics file.

    Raises:
        Damaged: It is none; says where and why.
    """
    if len(data) > LARGEST:
        raise Damaged(f"it has more than {LARGEST // 1024 // 1024} MB")
    try:
        found = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Damaged(f"byte {error.start} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Damaged(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Damaged("it is nested too deep") from None
    if not isinstance(found, dict):
        raise Damaged("it is no JSON object")
    whole = cast("dict[str, Any]", found)
    if unknown := sorted(whole.keys() - {"reviews", "summary"}):
        raise Damaged(f"another program or version wrote it: unknown key {unknown[0]!r}")
    if not isinstance(whole.get("reviews"), list) or not isinstance(whole.get("summary"), dict):
        raise Damaged("it has no list `reviews` and no object `summary`")
    reviews = cast("list[Any]", whole["reviews"])
    for number, entry in enumerate(reviews):
        _check(entry, f"reviews[{number}]", _ENTRY)
        for position, finding in enumerate(entry["findings"]):
            _check(finding, f"reviews[{number}].findings[{position}]", _FINDING)
    return cast("list[dict[str, Any]]", reviews)


def _check(value: Any, where: str, fields: Mapping[str, tuple[type, ...]]) -> None:
    if not isinstance(value, dict):
        raise Damaged(f"{where} is no object")
    entry = cast("dict[str, Any]", value)
    for name, types in fields.items():
        if name not in entry:
            raise Damaged(f"{where} has no `{name}`")
        if not isinstance(entry[name], types):
            raise Damaged(f"{where}.{name} is {json.dumps(entry[name])[:40]}")


def fingerprint(entry: Mapping[str, Any]) -> str:
    """What of an entry never changes, by which it is recognised in a file."""
    lasting = {key: value for key, value in entry.items() if key not in _CHANGING and key != "findings"}
    said = [[one["id"], one["description"]] for one in entry["findings"] if one["category"] != "missed"]
    return json.dumps([lasting, said], sort_keys=True)


def accuracy_in(entry: Mapping[str, Any]) -> dict[str, Accuracy]:
    """Who was right, as far as an entry of somebody else's making tells: by category and resolution."""
    models = [str(model) for model in entry["models"]]
    found = dict.fromkeys(models, Accuracy())
    for finding in entry["findings"]:
        by = _raised_by(str(finding["category"]), models)
        for model in models:
            if finding["false_positive"]:
                found[model] += Accuracy(false_positive=int(model in by))
            elif finding["resolution"] == Resolution.FIXED:
                found[model] += Accuracy(true_positive=int(model in by), missed=int(model not in by))
    return found


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
    return Counter(str(one["description"]) for one in entry["findings"] if not one["false_positive"])
