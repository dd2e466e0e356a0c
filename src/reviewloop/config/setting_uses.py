"""What each setting of `review` needs in order to have an effect. A setting that nothing uses is never just ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reviewloop.config.agents import STATIC
from reviewloop.config.message_text import shown
from reviewloop.config.model import Config
from reviewloop.config.schema import REVIEW, SINGLE_MODEL
from reviewloop.config.source_marks import Place
from reviewloop.config.workflow import workflow_of
from reviewloop.core.judging.condition_language import asks_for_scores, names_in, parse
from reviewloop.core.types.policy import PROFILES, Strategy
from reviewloop.core.types.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A condition for a setting to be used. `problem` follows the setting's name and "is not used: "."""

    holds: Callable[[_Facts], bool]
    problem: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedSetting:
    """A setting of `review` that has no effect with the other settings as they are."""

    key: str
    place: Place
    need: Need
    problem: str
    hint: str

    @property
    def message(self) -> str:
        return f"{self.key} is not used: {self.problem}"


class _Facts:
    """What the settings amount to, as far as it decides which of them are used."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._tasks: tuple[Task, ...] = workflow_of(config) if config.tasks else ()

    @property
    def profile(self) -> str:
        return self._config.profile

    @property
    def is_panel(self) -> bool:
        return self.profile == "panel"

    @property
    def has_task_panel(self) -> bool:
        return any(task.overlay and task.overlay.panel for task in self._tasks)

    @property
    def asks_models(self) -> bool:
        """Whether a panel asks anybody besides the offline rules."""
        agents = self._config.agents
        return self.is_panel and any(agents[name].kind != STATIC for name in self.models if name in agents)

    @property
    def models(self) -> tuple[str, ...]:
        """The models of each stage; a default panel has two."""
        review = self._config.review
        if review.strategy is Strategy.SINGLE:
            return (review.single_model or next(iter(self.reviewers), SINGLE_MODEL),)
        return review.parallel_models or self.reviewers or ("haiku", "sonnet")

    @property
    def reviewers(self) -> tuple[str, ...]:
        review = self._config.review
        if review.reviewers:
            return tuple(reviewer.agent for reviewer in review.reviewers)
        return (review.reviewer,) if review.reviewer else ()

    @property
    def names_models(self) -> bool:
        """Whether the panel's models are set, so that `reviewer` and `reviewers` name nobody in it."""
        review = self._config.review
        return bool(review.single_model if review.strategy is Strategy.SINGLE else review.parallel_models)

    @property
    def has_author(self) -> bool:
        config = self._config
        return bool(config.review.author or config.tasks or config.phases or config.execution.agent)

    @property
    def dialect(self) -> str:
        return self._config.review.dialect or PROFILES[self.profile]["dialect"]

    @property
    def has_scores(self) -> bool:
        return self.dialect == "scored" or any(map(_is_scored, self._tasks))

    @property
    def has_single_reviewer(self) -> bool:
        """Whether a task may fall back on `review.reviewer`."""
        return any(task.overlay and not task.overlay.panel for task in self._tasks)

    @property
    def decides_by_itself(self) -> bool:
        return "auto_approve" in self._config.review.nodes or "auto_reject" in self._config.review.nodes


def _is_scored(task: Task) -> bool:
    conditions = task.overlay.exit_conditions if task.overlay else ()
    return asks_for_scores(frozenset[str]().union(*(names_in(parse(text)) for text in conditions)))


PANEL = Need(
    holds=lambda facts: facts.is_panel,
    problem="it belongs to the profile panel, and the profile is {profile}",
    hint='set "profile: panel", or remove {key}',
)
PANEL_OF_MODELS = Need(
    holds=lambda facts: facts.asks_models,
    problem="the offline rules are the panel's only reviewer",
    hint="name models under `parallel_models` or `single_model`, or remove {key}",
)
ANY_PANEL = Need(
    holds=lambda facts: facts.is_panel or facts.has_task_panel,
    problem="only panels use it, and the profile is {profile}",
    hint='set "profile: panel", give a task `reviewer_agents`, or remove {key}',
)
ANY_PANEL_OF_MODELS = Need(
    holds=lambda facts: facts.asks_models or facts.has_task_panel,
    problem=PANEL_OF_MODELS.problem,
    hint=PANEL_OF_MODELS.hint,
)
SEVERAL_MODELS = Need(
    holds=lambda facts: len(facts.models) > 1 or facts.has_task_panel,
    problem="it needs two models or more in each stage, and there is one",
    hint="name several under `parallel_models`, or remove {key}",
)
AUTOMATIC = Need(
    holds=lambda facts: facts.decides_by_itself,
    problem="it limits `auto_approve` and `auto_reject`, and neither is set",
    hint="set one of them, or remove {key}",
)
AUTHOR = Need(
    holds=lambda facts: facts.has_author,
    problem="no author is configured",
    hint="name one with `author`, or remove {key}",
)
SCORES = Need(
    holds=lambda facts: facts.has_scores,
    problem="reviewers give no scores in the dialect {dialect}",
    hint='set "dialect: scored", or remove {key}',
)
CRITERIA = Need(
    holds=lambda facts: facts.profile in ("spec-gate", "phases"),
    problem="the profile {profile} does not judge each criterion",
    hint='use the profile "spec-gate" or "phases", or remove {key}',
)
ASKED_REVIEWER = Need(
    holds=lambda facts: not facts.is_panel or not facts.names_models or facts.has_single_reviewer,
    problem="the panel's models review",
    hint="remove {key}, or the models",
)
ALL_REVIEWERS = Need(
    holds=lambda facts: not facts.is_panel or len(facts.models) >= len(facts.reviewers),
    problem="with `strategy: single` only the first of them reviews",
    hint="name one as `reviewer`, or use `strategy: parallel`",
)

NEEDS: Mapping[str, tuple[Need, ...]] = dict.fromkeys(REVIEW, ()) | {
    "strategy": (PANEL,),
    "parallel_models": (PANEL,),
    "single_model": (PANEL,),
    "speculative_quality": (ANY_PANEL, ANY_PANEL_OF_MODELS),
    "auto_approve": (ANY_PANEL, ANY_PANEL_OF_MODELS),
    "auto_reject": (ANY_PANEL, ANY_PANEL_OF_MODELS),
    "auto_confidence": (ANY_PANEL, ANY_PANEL_OF_MODELS, SEVERAL_MODELS, AUTOMATIC),
    "tie_break": (ANY_PANEL, ANY_PANEL_OF_MODELS, SEVERAL_MODELS),
    "reviewer": (ASKED_REVIEWER,),
    "reviewers": (ASKED_REVIEWER, ALL_REVIEWERS),
    "authors": (AUTHOR,),
    "arbiter": (AUTHOR,),
    "author_retries": (AUTHOR,),
    "fix_timeout_turns": (AUTHOR,),
    "workspace": (AUTHOR,),
    "on_author_failure": (AUTHOR,),
    "on_exhausted": (AUTHOR,),
    "parallel_criteria": (CRITERIA,),
    "min_score": (SCORES,),
    "weights": (SCORES,),
    "borderline": (SCORES,),
    "min_total": (SCORES,),
}
"""What a setting needs in order to be used; nothing if every profile uses it."""


def unused_settings(config: Config) -> Iterator[UnusedSetting]:
    """The settings of `review` that have no effect, in their written order."""
    facts = _Facts(config)
    for key, node in config.review.nodes.items():
        if need := next((need for need in NEEDS[key] if not need.holds(facts)), None):
            yield UnusedSetting(
                key=key,
                place=node.place,
                need=need,
                problem=need.problem.format(profile=facts.profile, dialect=facts.dialect),
                hint=need.hint.format(key=shown(key)),
            )
