import pytest

from reviewloop.core.types.artifact import Kind
from reviewloop.rules.repository import Directory


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "auth.py").write_text("one\ntwo\nthree\n")
    return Directory(tmp_path)


@pytest.mark.parametrize("line", ["Reviews take 40% less time.", "It is 3x faster.", "Answers come in 200 ms."])
def test_a_number_without_a_source_is_noticed_if_asked_for(found, line):
    assert [3] == [finding.place.line for finding in found(Kind.RESEARCH, f"# R\n\n{line}\n", "RES009")]


@pytest.mark.parametrize(
    "line",
    ["40% less (https://example.org)", "`src/a.py` is 3x slower", "According to GitHub, 40% less", "Version 3 is out."],
)
def test_a_number_with_a_source_is_fine(found, line):
    assert [] == found(Kind.RESEARCH, f"# R\n\n{line}\n", "RES009")


def test_a_cited_file_that_is_not_there_is_important(found, repository):
    text = "# R\n\n`src/auth.py` verifies, `src/tokens.py` signs.\n"

    assert [("src/tokens.py", 3, 26)] == [
        (finding.quote, finding.place.line, finding.place.column)
        for finding in found(Kind.RESEARCH, text, "RES010", repository=repository)
    ]


def test_files_of_another_repository_and_files_to_come_are_left_alone(found, repository):
    text = "# R\n\n`lib/other/x.rb` is theirs.\n\nWe will create `src/new.py`.\n\n## Proposed files\n\n`src/b.py`\n"

    assert [] == found(Kind.RESEARCH, text, "RES010", repository=repository)
    assert [] == found(Kind.RESEARCH, "# R\n\n`src/nothing.py`\n", "RES010")


def test_a_line_beyond_the_end_of_its_file_is_important(found, repository):
    text = "# R\n\n`src/auth.py:3` is fine, `src/auth.py:40` is not, and so is src/auth.py:41-50.\n"

    assert ["src/auth.py:40", "src/auth.py:41"] == [
        finding.quote for finding in found(Kind.RESEARCH, text, "RES011", repository=repository)
    ]


def test_research_that_cites_no_code_is_noticed(found):
    assert 1 == len(found(Kind.RESEARCH, "# R\n\n## Codebase Analysis\n\nIt handles login.\n", "RES012"))
    assert [] == found(Kind.RESEARCH, "# R\n\n`src/auth.py` handles login.\n", "RES012")
    assert [] == found(Kind.RESEARCH, "# R\n\nSee auth.py, lines 3 to 9.\n", "RES012")
    assert [] == found(Kind.RESEARCH, "# R\n\nThis is a greenfield project.\n", "RES012")
