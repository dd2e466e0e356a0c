"""The configuration that `reviewloop init` writes: what a profile needs, with the agent programs that were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewloop.config.agents import STATIC
from reviewloop.config.schema import PARALLEL_MODELS, PHASES

TITLES: Mapping[str, str] = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
"""The programs that `init` looks for, in the order of preference, and what people call them."""

_ABOUT = {
    "spec-gate": "one reviewer scores a document against a rubric; it passes or is blocked",
    "phases": "research, requirements, design and tasks, each reviewed by a rubric of its own",
    "panel": "two models or more review in two stages; you confirm their decision",
    "overlay": "a coder and a reviewer work on each task that asks for it",
}

_HEAD = """\
# How Reviewloop reviews this project. All settings: docs/configuration.md of Reviewloop.

profile: {profile}  # {about}
"""

_NO_AGENTS = """
# No agent was found on this machine, so only the offline rules review. To add one, install Claude Code, Codex or
# Gemini CLI and run `reviewloop init --force`, or name a program of your own here and under `review`:
# agents:
#   mine: {kind: command, command: ["./review.sh"]}  # reads the prompt on its input, prints the answer
"""

_LIMITS = """\
  # max_iterations: 3  # reviews before the loop gives up
  # budget: {seconds: 3600, tokens: 500000}  # what one session may use; no limit unless set
"""

_SCORES = """\
  # min_total: 75  # the least weighted total of the scores that passes; no limit unless set
"""

_TASK = """
# An example for `reviewloop work`: the coder writes the file, the reviewer checks it, and so on until it passes.
tasks:
  overview:
    agent: {coder}
    instructions: Write docs/overview.md. It says on one page what this project does, for a new developer.
    outputs: [docs/overview.md]
    acceptance_criteria: [Every file it names exists.]
    overlays:
      agentic_review: {{enabled: true, coder_agent: {coder}, reviewer_agent: {reviewer}, max_iterations: 3}}
"""

_RULES = """
rules:
  # ignore: [DOC005]  # offline rules to skip; `reviewloop rules` lists them
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Who does what in a new project. `agents` are the file's entries, by name.

    Without an author, the loop reviews and stops.
    """

    profile: str
    agents: Mapping[str, str]
    reviewers: tuple[str, ...]
    author: str | None = None


def setup(profile: str, programs: Sequence[str]) -> Setup:
    """Roles for the programs that were found: the first writes, and another one reviews if there is one."""
    if not programs:
        return Setup(profile=profile, agents={}, reviewers=(STATIC,))
    agents = {name: f"{{kind: {name}}}  # {TITLES[name]}" for name in programs}
    first, *others = programs
    if profile == "panel":
        return _panel(agents, first, others)
    if profile == "overlay" and not others:  # nobody reviews their own work, so it takes a second name
        other = f"{first}-reviewer"
        agents[other] = f"{{kind: {first}}}  # the same program in a session of its own; another one sees more"
        return Setup(profile=profile, agents=agents, reviewers=(other,), author=first)
    return Setup(profile=profile, agents=agents, reviewers=(others[0] if others else first,), author=first)


def _panel(agents: Mapping[str, str], first: str, others: Sequence[str]) -> Setup:
    """All programs review, the preferred one last, where the panel expects its strongest."""
    if others:
        return Setup(profile="panel", agents=agents, reviewers=(*others, first), author=first)
    if first == "claude":
        models = {model: f"{{kind: claude, model: {model}}}" for model in PARALLEL_MODELS}
        return Setup(profile="panel", agents=models, reviewers=PARALLEL_MODELS, author=PARALLEL_MODELS[-1])
    return Setup(profile="panel", agents=agents, reviewers=(first,), author=first)


def template(chosen: Setup) -> str:
    """A configuration file that works at once. What is in comments is optional."""
    parts = [_HEAD.format(profile=chosen.profile, about=_ABOUT[chosen.profile])]
    if chosen.agents:
        parts += ["\nagents:\n", *(f"  {name}: {settings}\n" for name, settings in chosen.agents.items())]
    else:
        parts += [_NO_AGENTS]
    parts += ["\nreview:\n", *_reviewers(chosen)]
    if chosen.author:
        parts += [
            f"  author: {chosen.author}  # fixes findings in a copy of the project\n",
            _LIMITS,
            _SCORES if chosen.profile == "spec-gate" else "",
        ]
    if chosen.profile == "phases" and chosen.author:
        parts += ["\nphases:  # who writes each document of `reviewloop plan`\n"]
        parts += [f"  {phase}: {chosen.author}\n" for phase in PHASES]
        parts += [f"\nexecution:\n  agent: {chosen.author}  # does the tasks of `reviewloop work --spec`\n"]
    if chosen.profile == "overlay" and chosen.author:
        parts += [_TASK.format(coder=chosen.author, reviewer=chosen.reviewers[0])]
    return "".join([*parts, _RULES])


def _reviewers(chosen: Setup) -> list[str]:
    if chosen.profile != "panel":
        only = (
            "the offline rules; they need no agent"
            if chosen.reviewers == (STATIC,)
            else "only reads, in a copy of the project"
        )
        return [f"  reviewer: {chosen.reviewers[0]}  # {only}\n"]
    if chosen.reviewers == (STATIC,):
        return ["  strategy: single\n", f"  single_model: {STATIC}  # the offline rules; they need no agent\n"]
    if len(chosen.reviewers) == 1:
        return [
            "  strategy: single  # one model in each stage; with a second one, use `parallel` and `parallel_models`\n",
            f"  single_model: {chosen.reviewers[0]}\n",
        ]
    return [f"  parallel_models: [{', '.join(chosen.reviewers)}]  # review together, the strongest last\n"]
