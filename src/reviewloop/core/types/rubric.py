"""What an artifact is judged by. The bundled rubrics cover the four criteria and every kind."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.review import Stage

MIN_SCORE = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing to judge. `good` and `bad` say what an answer looks like at either end."""

    name: str
    description: str
    min_score: float = MIN_SCORE
    weight: float = 1
    good: str = ""
    bad: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The criteria for one kind of artifact, or for one stage."""

    name: str
    criteria: tuple[Criterion, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(criterion.name for criterion in self.criteria)

    def criterion(self, name: str) -> Criterion | None:
        return next((criterion for criterion in self.criteria if criterion.name == name), None)

    def total(self, scores: dict[str, float]) -> float | None:
        """The weighted mean of the scores that are there."""
        weighed = [(one.weight, scores[one.name]) for one in self.criteria if one.name in scores]
        weight = sum(weight for weight, _ in weighed)
        return sum(weight * score for weight, score in weighed) / weight if weight else None

    def joined(self, *others: Rubric) -> Rubric:
        """This rubric and the criteria of others that it does not have."""
        criteria = {one.name: one for rubric in (self, *others) for one in reversed(rubric.criteria)}
        ordered = dict.fromkeys(name for rubric in (self, *others) for name in rubric.names)
        return replace(self, criteria=tuple(criteria[name] for name in ordered))


FOUR_CRITERIA = Rubric(
    name="spec",
    criteria=(
        Criterion(
            name="completeness",
            description="Every requirement of the PRD has a section that specifies it",
            good="each requirement can be found by its id, with inputs, outputs and failure behaviour",
            bad="a requirement is only restated, or left to the implementer, or missing",
        ),
        Criterion(
            name="consistency",
            description="Types, interfaces, names and numbers are the same wherever they appear",
            good="one name and one value per thing, in prose, tables and code alike",
            bad="a field has two types, a limit has two values, a state is renamed halfway",
        ),
        Criterion(
            name="testability",
            description="Validation commands are specific and can be run as written",
            good="a command with its arguments, and what it prints when the work is done",
            bad="`test it manually`, a command that needs something nobody has, a criterion nothing can observe",
        ),
        Criterion(
            name="architecture",
            description="The design follows the patterns the codebase already has",
            good="new parts sit where their siblings sit, and use what is there",
            bad="a second way to do what the codebase does already, or a layer that is skipped",
        ),
    ),
)

RESEARCH = Rubric(
    name="research",
    criteria=(
        Criterion(
            name="completeness",
            description="Executive summary, codebase analysis and feasibility assessment are there",
            good="a reader can decide on it without a second document",
            bad="a heading with nothing below it",
        ),
        Criterion(
            name="grounding",
            description="Claims cite a file path or a URL",
            good="`src/auth.py:40 verifies the token`",
            bad="`the code probably verifies tokens somewhere`",
        ),
        Criterion(
            name="scope",
            description="It stays with the stated goal",
            good="each section answers a question the goal raises",
            bad="pages about neighbouring systems that nobody asked about",
        ),
    ),
)

REQUIREMENTS = Rubric(
    name="requirements",
    criteria=(
        Criterion(
            name="completeness",
            description="Stories have acceptance criteria, requirements have priorities",
            good="every story lists what can be checked; every requirement says how much it matters",
            bad="a story that is only a sentence; a requirement nobody ranked",
        ),
        Criterion(
            name="testability",
            description="Acceptance criteria are specific and can be automated",
            good="`the export finishes within 5 s for 10,000 rows`",
            bad="`the export is fast`",
        ),
        Criterion(
            name="traceability",
            description="Requirements trace to user stories",
            good="each requirement names the story or criterion it serves",
            bad="a requirement that no story asks for",
        ),
        Criterion(
            name="scope",
            description="Requirements match the goal, and nothing out of scope is included",
            good="what is left out is listed as left out",
            bad="a requirement for something the goal excludes",
        ),
    ),
)

DESIGN = Rubric(
    name="design",
    criteria=(
        Criterion(
            name="completeness",
            description="Architecture, components, data flow, decisions and file structure are there",
            good="a newcomer could start to build from it",
            bad="a component is named and never described",
        ),
        Criterion(
            name="consistency",
            description="What the design refers to matches the requirements",
            good="each requirement id appears where it is met",
            bad="an id that the requirements do not have, or one they have and the design forgets",
        ),
        Criterion(
            name="feasibility",
            description="File paths exist, or are valid places to create a file",
            good="`modify src/cli.py` where that file is",
            bad="`modify src/commands.py` where there is no such file",
        ),
        Criterion(
            name="patterns",
            description="The design follows the codebase's existing patterns",
            good="it names the existing module it is modelled on",
            bad="it brings a second framework for what one does already",
        ),
    ),
)

TASKS = Rubric(
    name="tasks",
    criteria=(
        Criterion(
            name="completeness",
            description="Every task has Do, Files, Done when, Verify and Commit",
            good="all five, filled in",
            bad="a task that only has a title",
        ),
        Criterion(
            name="traceability",
            description="Tasks refer to requirements and to sections of the design",
            good="`_Requirements: FR-3_`, `_Design: Storage_`",
            bad="a task that nobody asked for",
        ),
        Criterion(
            name="actionability",
            description="Steps are concrete",
            good="`add a --json flag to export() in cli.py`",
            bad="`handle edge cases as needed`",
        ),
        Criterion(
            name="structure",
            description="A proof of concept comes first, then refactoring, testing and quality gates",
            good="the first phase ends with something that runs",
            bad="tests of parts that no task has built yet",
        ),
        Criterion(
            name="quality_gates",
            description="[VERIFY] tasks stand at sensible intervals",
            good="one after every two or three tasks",
            bad="a single one at the very end",
        ),
    ),
)

EXECUTION = Rubric(
    name="execution",
    criteria=(
        Criterion(
            name="alignment",
            description="The implementation does what the design gives each component to do",
            good="each responsibility is where the design puts it",
            bad="logic of one component in another",
        ),
        Criterion(
            name="correctness",
            description="The changed files are the ones the task lists",
            good="what changed is what was to change",
            bad="an unrelated file is edited, or a listed one is not",
        ),
        Criterion(
            name="completeness",
            description="Everything under `Done when` can be verified in the code",
            good="each point has a line of code or a test to point at",
            bad="a point that is only mentioned in a comment",
        ),
        Criterion(
            name="no_hallucinations",
            description="Imports exist, APIs are real, file paths are valid",
            good="every name resolves",
            bad="a call to a function that no library has",
        ),
    ),
)

DOCUMENT = Rubric(
    name="document",
    criteria=(
        Criterion(
            name="completeness",
            description="The document covers what it announces, and nothing in it is left open",
            good="every section says what its heading promises",
            bad="a heading with nothing below it, a TBD",
        ),
        Criterion(
            name="consistency",
            description="Names, numbers and statements agree with each other wherever they appear",
            good="one name and one value per thing",
            bad="two sections that contradict each other",
        ),
        Criterion(
            name="clarity",
            description="A reader who knows the field understands it at the first reading",
            good="terms are explained where they first appear; sentences have one meaning",
            bad="a paragraph that two readers would understand differently",
        ),
    ),
)

SPEC_STAGE = Rubric(
    name="spec-stage",
    criteria=(
        Criterion(
            name="requirements_met",
            description="The work does all that was asked for",
            good="each requirement can be pointed at",
            bad="a requirement is missing or only half there",
        ),
        Criterion(
            name="nothing_extra",
            description="The work does nothing that was not asked for",
            good="every part serves a requirement",
            bad="an option, a file or a behaviour nobody wanted",
        ),
        Criterion(
            name="understood",
            description="What was asked for was understood as it was meant",
            good="the problem is solved, not a neighbouring one",
            bad="the words are met and the purpose is not",
        ),
    ),
)

QUALITY_STAGE = Rubric(
    name="quality-stage",
    criteria=(
        Criterion(
            name="correctness",
            description="It works, also at the edges and when something fails",
            good="errors are handled where they happen, and seen",
            bad="an error is swallowed, or a boundary is off by one",
        ),
        Criterion(
            name="maintainability",
            description="The next engineer can read and change it",
            good="small parts with telling names",
            bad="the same logic twice, names that mislead",
        ),
        Criterion(
            name="tests",
            description="What matters is tested, by tests that can fail",
            good="a test per behaviour",
            bad="a test that asserts nothing",
        ),
        Criterion(
            name="security",
            description="No secrets, no injection, no needless rights",
            good="input is checked where it enters",
            bad="user input in a shell command",
        ),
    ),
)

QUALITY_CHECKS = Rubric(
    name="overlay",
    criteria=(
        Criterion(name="acceptance_criteria_met", description="The task's acceptance criteria are met"),
        Criterion(name="code_standards_met", description="The project's Standards are kept"),
        Criterion(name="test_coverage_adequate", description="What matters is tested, by tests that can fail"),
        Criterion(name="security_review_passed", description="No secrets, no injection, no needless rights"),
    ),
)

BY_KIND = {
    Kind.PRD: FOUR_CRITERIA,
    Kind.SPEC: FOUR_CRITERIA,
    Kind.RESEARCH: RESEARCH,
    Kind.REQUIREMENTS: REQUIREMENTS,
    Kind.DESIGN: DESIGN,
    Kind.TASKS: TASKS,
    Kind.CHANGE: EXECUTION,
    Kind.DOCUMENT: DOCUMENT,
}

BY_STAGE = {Stage.SPEC: SPEC_STAGE, Stage.QUALITY: QUALITY_STAGE}

RUBRICS = {
    rubric.name: rubric
    for rubric in (
        FOUR_CRITERIA,
        RESEARCH,
        REQUIREMENTS,
        DESIGN,
        TASKS,
        EXECUTION,
        DOCUMENT,
        SPEC_STAGE,
        QUALITY_STAGE,
        QUALITY_CHECKS,
    )
}
