import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity
from reviewloop.rules.repository import Directory

REQUIREMENTS = "# R\n\n| ID | Requirement |\n|--|--|\n| FR-1 | a |\n| FR-2 | b |\n| FR-3 | c |\n| FR-4 | d |\n"
ABOVE = Artifact(kind=Kind.REQUIREMENTS, name="r", files=(SourceFile(path="requirements.md", text=REQUIREMENTS),))


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "cli.py").write_text("x = 1\n")
    return Directory(tmp_path)


def files(*rows: str) -> str:
    return "# D\n\n## File Structure\n\n| File | Action |\n|--|--|\n" + "".join(f"| `{row} |\n" for row in rows)


def test_requirements_that_the_design_forgets_are_one_finding(found):
    (finding,) = found(Kind.DESIGN, "# D\n\nFR-1 is met by the parser.\n", "DES024", upstream=(ABOVE,))

    assert ("the design never mentions FR-2, FR-3, FR-4", Severity.IMPORTANT) == (finding.issue, finding.severity)


def test_ranges_count_and_without_requirements_there_is_nothing_to_forget(found):
    assert [] == found(Kind.DESIGN, "# D\n\nFR-1 to FR-4 are met.\n", "DES024", upstream=(ABOVE,))
    assert [] == found(Kind.DESIGN, "# D\n", "DES024")


def test_a_requirement_in_a_diagram_or_in_code_is_referred_to(found):
    text = "# D\n\n```text\nparser\n  |-- FR-1: reads\n  |-- FR-2: checks\n```\n\n`FR-3` is met by the writer.\n"

    (finding,) = found(Kind.DESIGN, text, "DES024", upstream=(ABOVE,))

    assert "the design never mentions FR-4" == finding.issue


def test_a_design_that_names_no_requirement_at_all_says_so(found):
    assert ["the design never mentions any of the 4 requirements"] == [
        finding.issue for finding in found(Kind.DESIGN, "# D\n", "DES024", upstream=(ABOVE,))
    ]


def test_changing_a_file_that_is_not_there_is_critical(found, repository):
    text = files("src/cli.py` | Modify", "src/commands.py` | Modify", "src/new.py` | Create")

    (finding,) = found(Kind.DESIGN, text, "DES025", repository=repository)

    assert ("src/commands.py", Severity.CRITICAL, 8, 4) == (
        finding.quote,
        finding.severity,
        finding.place.line,
        finding.place.column,
    )


def test_creating_a_file_that_is_there_is_critical(found, repository):
    (finding,) = found(
        Kind.DESIGN, files("src/cli.py` | Create", "src/new.py` | Create"), "DES025", repository=repository
    )

    assert "src/cli.py already exists and cannot be created" == finding.issue


def test_another_repository_and_a_built_design_are_left_alone(found, repository, tmp_path):
    (tmp_path / "src" / "new.py").write_text("")

    assert [] == found(Kind.DESIGN, files("lib/a.rb` | Modify", "lib/b.rb` | Modify"), "DES025", repository=repository)
    assert [] == found(
        Kind.DESIGN, files("src/cli.py` | Create", "src/new.py` | Create"), "DES025", repository=repository
    )
    assert [] == found(Kind.DESIGN, files("src/nothing.py` | Modify"), "DES025")


def test_a_file_that_is_created_and_then_changed_is_fine(found, repository):
    text = files("src/cli.py` | Modify", "src/new.py` | Create", "src/new.py` | Modify")

    assert [] == found(Kind.DESIGN, text, "DES025", repository=repository)


def test_a_file_cannot_be_created_outside_or_below_a_file(found, repository):
    text = files("../other/a.py` | Create", "src/cli.py/b.py` | Create", "src/fine/c.py` | Create")

    assert ["../other/a.py is outside the repository", "src/cli.py/b.py cannot be created: src/cli.py is a file"] == [
        finding.issue for finding in found(Kind.DESIGN, text, "DES026", repository=repository)
    ]


COMPONENTS = "# D\n\n## Components\n\n### Parser\n\nReads.\n\n### Store\n\nKeeps.\n\n### Writer\n\nWrites.\n"


def test_a_component_that_only_the_table_knows_is_noticed(found):
    table = "\n| Component | Purpose |\n|--|--|\n| Parser | x |\n| Store | x |\n| Scheduler | x |\n"

    assert ["Scheduler"] == [finding.quote for finding in found(Kind.DESIGN, COMPONENTS + table, "DES027")]


def test_a_box_that_no_section_describes_is_noticed(found):
    diagram = "\n```mermaid\ngraph LR\nA[Parser] --> B[Store]\nB --> C[Writer]\nC --> D[Scheduler]\nA2[Parser] --> E[Store]\n```\n"

    assert [] == found(Kind.DESIGN, COMPONENTS + diagram.replace("C --> D[Scheduler]\n", ""), "DES027")
    assert [] == found(Kind.DESIGN, COMPONENTS + diagram, "DES027")  # 3 of 4 boxes is too few to tell parts from steps
    more = COMPONENTS + "\n### Cache\n\nx\n\n### Index\n\nx\n" + diagram.replace("E[Store]", "E[Cache] --> F[Index]")
    assert ["Scheduler"] == [finding.quote for finding in found(Kind.DESIGN, more, "DES027")]
