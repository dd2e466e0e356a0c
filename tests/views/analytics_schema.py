"""The shape of an analytics file, as a JSON schema: every field, and no other."""

from __future__ import annotations

from typing import Any

COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string", "minLength": 1}


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


FINDING = _object(
    {
        "id": TEXT,
        "description": TEXT,
        "severity": {"enum": ["critical", "important", "minor", "info"]},
        "category": {"enum": ["agreed", "model_b_only", "model_a_only", "contradiction", "missed"]},
        "resolution": {"enum": ["open", "fixed", "dismissed", "accepted", "suppressed", "noted", "withdrawn"]},
        "false_positive": {"type": "boolean"},
    }
)

REVIEW = _object(
    {
        "date": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
        "feature": TEXT,
        "task": {"type": ["integer", "string", "null"]},
        "service": TEXT,
        "strategy": {"enum": ["parallel", "single"]},
        "models": {"type": "array", "items": TEXT, "minItems": 1},
        "stage": {"enum": ["spec", "quality"]},
        "agreed_count": COUNT,
        "contradiction_count": COUNT,
        "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "auto_decision": {"enum": ["auto_approve", "auto_reject", "present_to_human"]},
        "human_override": {"enum": ["approve", "reject", None]},
        "fix_iterations": COUNT,
        "final_verdict": {"enum": ["pass", "fail", None]},
        "findings": {"type": "array", "items": FINDING},
    },
    patternProperties={r"^.+_only_count$": COUNT, r"^.+_verdict$": {"enum": ["pass", "fail", None]}},
)

SUMMARY = _object(
    {
        "total_reviews": COUNT,
        "auto_approved": COUNT,
        "auto_rejected": COUNT,
        "human_decided": COUNT,
        "avg_fix_iterations": {"type": "number", "minimum": 0},
        "model_accuracy": {
            "type": "object",
            "additionalProperties": _object({"true_positive": COUNT, "false_positive": COUNT, "missed": COUNT}),
        },
        "by_service": {
            "type": "object",
            "additionalProperties": _object({"reviews": COUNT, "common_issues": {"type": "array", "items": TEXT}}),
        },
    }
)

SCHEMA = _object({"reviews": {"type": "array", "items": REVIEW}, "summary": SUMMARY})
