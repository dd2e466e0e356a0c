"""The commented configuration that `reviewloop init` writes."""

from __future__ import annotations

from reviewloop.config.schema import DEFAULT_LEDGER, PARALLEL_MODELS, SINGLE_MODEL
from reviewloop.core.types.policy import Policy, profile

_HEAD = """\
# How Reviewloop reviews this project. Each setting is explained in Reviewloop's docs/configuration.md.
# A line that starts with "# " and a setting is an example or a default: remove the "# " to use it.

profile: {name}  # {about}
"""

_ABOUT = {
    "spec-gate": "one reviewer scores a spec; it passes or is blocked",
    "phases": "one reviewer checks research, requirements, design and tasks, each by its own rubric",
    "panel": "two models review in two stages; a person confirms",
    "overlay": "a coder and a reviewer work on each task that asks for it",
}

_ONE_REVIEWER = """
# Who can be asked. "static", the offline rules, is always there and costs nothing.
agents:
  {claude}: {{kind: claude, model: sonnet}}
  # codex: {{kind: codex}}
  # script: {{kind: command, command: ["./review.sh"], timeout: 60}}

review:
  # Who reviews; without one, the offline rules alone.
  # reviewer: claude

  # Who revises what the reviewer finds; without one, the loop reviews and stops.
  # author: claude
"""

_PANEL = f"""
# Who can be asked. The models below need no entry here; an entry says how one is called.
agents:
  # {PARALLEL_MODELS[-1]}: {{kind: claude, model: {PARALLEL_MODELS[-1]}}}
  # script: {{kind: command, command: ["./review.sh"], timeout: 60}}

review:
  # Two models in each stage, the stronger one last; or one model with the strategy "single".
  # strategy: parallel
  # parallel_models: [{", ".join(PARALLEL_MODELS)}]
  # single_model: {SINGLE_MODEL}

  # Without these two, a person confirms each decision.
  # auto_approve: true
  # auto_reject: true

  # Who fixes what the panel finds; without one, the loop reviews and stops.
  # author: {PARALLEL_MODELS[-1]}
"""

_LOOP = """
  # How often the artifact is reviewed before the loop gives up; there is one fix less.
  # max_iterations: {policy.max_iterations}

  # What happens when no reviewer could judge: block, escalate or pass.
  # on_inconclusive: {policy.on_inconclusive}

  # What happens when the last review still finds something: block, warn or escalate.
  # on_exhausted: {policy.on_exhausted}

  # From which severity an offline finding goes back to the author before anybody is asked: critical, important or off.
  # static_gate: {policy.static_gate}

  # What one session may use.
  # budget: {{seconds: 3600, tokens: 500000, usd: 5}}
"""

_TASKS = """
# The workflow. A task is reviewed if its overlay says so.
tasks:
  # implement: {agent: claude, overlays: {agentic_review: {enabled: true, coder_agent: claude, reviewer_agent: static}}}
"""

_TAIL = f"""
# Offline rules to leave out.
rules:
  # ignore: [DOC005]

# Where the record of every session is kept.
# ledger: {DEFAULT_LEDGER}
"""


def template(name: str, *, with_claude: bool = True) -> str:
    """A configuration file for a profile, with its defaults in comments; what is not installed is only an example."""
    policy: Policy = profile(name)
    parts = [
        _HEAD.format(name=name, about=_ABOUT[name]),
        _PANEL if name == "panel" else _ONE_REVIEWER.format(claude="claude" if with_claude else "# claude"),
        _LOOP.format(policy=policy),
        _TASKS if name == "overlay" else "",
        _TAIL,
    ]
    return "".join(parts)
