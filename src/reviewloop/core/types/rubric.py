"""Rubrics: the criteria that artifacts are judged by, and the bundled rubrics."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.review import Stage

MIN_SCORE = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One criterion. `good` and `bad` are examples for the reviewer."""

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
        """The weighted mean of the given scores."""
        scored = [criterion for criterion in self.criteria if criterion.name in scores]
        weight = sum(criterion.weight for criterion in scored)
        return sum(criterion.weight * scores[criterion.name] for criterion in scored) / weight if weight else None

    def joined(self, *others: Rubric) -> Rubric:
        """This rubric with the criteria that only the others have."""
        rubrics = (self, *others)
        criteria = {criterion.name: criterion for rubric in rubrics for criterion in reversed(rubric.criteria)}
        ordered = dict.fromkeys(name for rubric in rubrics for name in rubric.names)
        return replace(self, criteria=tuple(criteria[name] for name in ordered))


FOUR_CRITERIA = Rubric(
    name="spec",
    criteria=(
        Criterion(
            name="completeness",
            description="Every requirement of the PRD has a section that specifies it",
            good="each requirement has its id, its inputs and outputs, and its behaviour on failure",
            bad="a requirement is missing, only restated, or left to the implementer",
        ),
        Criterion(
            name="consistency",
            description="Types, interfaces, names and numbers are the same everywhere",
            good="each thing has one name and one value, in prose, tables and code",
            bad="a field has two types, a limit has two values, a state is renamed halfway",
        ),
        Criterion(
            name="testability",
            description="Validation commands are specific and can be run as written",
            good="a command with its arguments, and its output when the work is done",
            bad="`test it manually`, a command that needs missing tools, a criterion that cannot be observed",
        ),
        Criterion(
            name="architecture",
            description="The design follows the existing patterns of the codebase",
            good="new parts are placed beside similar parts and reuse existing code",
            bad="a second way to do what the codebase already does, or a skipped layer",
        ),
    ),
)

RESEARCH = Rubric(
    name="research",
    criteria=(
        Criterion(
            name="completeness",
            description="The document has an executive summary, a codebase analysis and a feasibility assessment",
            good="a reader can decide without another document",
            bad="a heading without content",
        ),
        Criterion(
            name="grounding",
            description="Claims cite a file path or a URL",
            good="`src/auth.py:40 verifies the token`",
            bad="`the code probably verifies tokens somewhere`",
        ),
        Criterion(
            name="scope",
            description="The document stays within the stated goal",
            good="each section answers a question that the goal raises",
            bad="pages about neighbouring systems that the goal does not need",
        ),
    ),
)

REQUIREMENTS = Rubric(
    name="requirements",
    criteria=(
        Criterion(
            name="completeness",
            description="Stories have acceptance criteria, requirements have priorities",
            good="every story lists checkable criteria; every requirement has a priority",
            bad="a story of one sentence; a requirement without a priority",
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
            bad="a requirement without a story",
        ),
        Criterion(
            name="scope",
            description="Requirements match the goal, and nothing out of scope is included",
            good="exclusions are listed as out of scope",
            bad="a requirement for something that the goal excludes",
        ),
    ),
)

DESIGN = Rubric(
    name="design",
    criteria=(
        Criterion(
            name="completeness",
            description="The design covers architecture, components, data flow, decisions and file structure",
            good="a newcomer could start building from it",
            bad="a component is named but never described",
        ),
        Criterion(
            name="consistency",
            description="The design matches the requirements that it refers to",
            good="each requirement id appears where the design meets it",
            bad="an id that does not exist in the requirements, or an id that the design never mentions",
        ),
        Criterion(
            name="feasibility",
            description="File paths exist, or are valid places for new files",
            good="`modify src/cli.py`, and that file exists",
            bad="`modify src/commands.py`, and there is no such file",
        ),
        Criterion(
            name="patterns",
            description="The design follows the codebase's existing patterns",
            good="the design names the existing module that it is modelled on",
            bad="a second framework for a job that an existing one does",
        ),
    ),
)

TASKS = Rubric(
    name="tasks",
    criteria=(
        Criterion(
            name="completeness",
            description="Every task has Do, Files, Done when, Verify and Commit",
            good="all five fields, filled in",
            bad="a task with only a title",
        ),
        Criterion(
            name="traceability",
            description="Tasks refer to requirements and to design sections",
            good="`_Requirements: FR-3_`, `_Design: Storage_`",
            bad="a task without a requirement",
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
            description="[VERIFY] tasks come at sensible intervals",
            good="a [VERIFY] task after every two or three tasks",
            bad="a single [VERIFY] task at the very end",
        ),
    ),
)

EXECUTION = Rubric(
    name="execution",
    criteria=(
        Criterion(
            name="alignment",
            description="Each component does what the design assigns to it",
            good="each responsibility is where the design puts it",
            bad="logic of one component inside another",
        ),
        Criterion(
            name="correctness",
            description="The changed files are those that the task lists",
            good="exactly the listed files changed",
            bad="an unrelated file changed, or a listed file did not",
        ),
        Criterion(
            name="completeness",
            description="Everything under `Done when` can be verified in the code",
            good="each point has a line of code or a test that shows it",
            bad="a point that appears only in a comment",
        ),
        Criterion(
            name="no_hallucinations",
            description="Imports exist, APIs are real, file paths are valid",
            good="every name resolves",
            bad="a call to a function that does not exist",
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
            description="The work does everything that was asked",
            good="each requirement is visible in the work",
            bad="a requirement is missing or half done",
        ),
        Criterion(
            name="nothing_extra",
            description="The work does nothing that was not asked",
            good="every part serves a requirement",
            bad="an option, a file or a behaviour without a requirement",
        ),
        Criterion(
            name="understood",
            description="The request was understood as it was meant",
            good="the work solves the stated problem, not a similar one",
            bad="the work fits the words of the request but not its purpose",
        ),
    ),
)

QUALITY_STAGE = Rubric(
    name="quality-stage",
    criteria=(
        Criterion(
            name="correctness",
            description="The work is correct, also in edge cases and on errors",
            good="errors are handled where they happen and are reported",
            bad="an error is swallowed, or a boundary is off by one",
        ),
        Criterion(
            name="maintainability",
            description="The next engineer can read and change the work",
            good="small parts with clear names",
            bad="duplicated logic, misleading names",
        ),
        Criterion(
            name="tests",
            description="Important behaviour has tests that can fail",
            good="a test for each behaviour",
            bad="a test that asserts nothing",
        ),
        Criterion(
            name="security",
            description="No secrets, no injection, no unnecessary permissions",
            good="input is checked where it enters",
            bad="user input in a shell command",
        ),
    ),
)

QUALITY_CHECKS = Rubric(
    name="overlay",
    criteria=(
        Criterion(name="acceptance_criteria_met", description="The task's acceptance criteria are met"),
        Criterion(name="code_standards_met", description="The work follows the project's Standards"),
        Criterion(name="test_coverage_adequate", description="Important behaviour has tests that can fail"),
        Criterion(name="security_review_passed", description="No secrets, no injection, no unnecessary permissions"),
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

RUBRICS = {rubric.name: rubric for rubric in (*BY_KIND.values(), *BY_STAGE.values(), QUALITY_CHECKS)}
