from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity


def prd(text: str) -> Artifact:
    return Artifact(kind=Kind.PRD, name="p", files=(SourceFile(path="docs/prd/a.md", text=text),))


IDS = prd("# PRD\n\n- **REQ-1**: Export\n- **REQ-2**: Import\n- **REQ-3**: Merge\n")


def test_a_prd_requirement_that_no_spec_names_is_critical(found):
    (finding,) = found(Kind.SPEC, "# S\n\nMeets REQ-1 and REQ-3.\n", "PRD041", upstream=(IDS,))

    assert ("no spec mentions REQ-2 of the PRD", Severity.CRITICAL) == (finding.issue, finding.severity)


def test_a_spec_that_names_all_is_fine(found):
    assert [] == found(Kind.SPEC, "# S\n\nMeets REQ-1 to REQ-3.\n", "PRD041", upstream=(IDS,))
    assert [] == found(Kind.SPEC, "# S\n", "PRD041")


def test_a_prd_without_ids_gives_notes_to_check(found):
    above = prd("# P\n\n## Requirements\n\n### Nightly archive rotation\n\nx\n\n### Export of rows\n\nx\n")

    (finding,) = found(Kind.SPEC, "# S\n\n## Export of rows\n\nText.\n", "PRD041", upstream=(above,))

    assert Severity.INFO == finding.severity
    assert "Nightly archive rotation" in finding.issue


GO = "```go\ntype Job struct {\n    ID      string\n    Retries int\n}\n```\n"


def test_a_field_with_two_types_is_important(found):
    text = f"# S\n\n{GO}\n{GO.replace('Retries int', 'Retries string')}"

    (finding,) = found(Kind.SPEC, text, "PRD042")

    assert ("Job.Retries has type string here, but int on line 6", 13, Severity.IMPORTANT) == (
        finding.issue,
        finding.place.line,
        finding.severity,
    )
    assert [] == found(Kind.SPEC, f"# S\n\n{GO}\n{GO}", "PRD042")


def test_types_are_held_against_the_documents_above(found):
    above = prd("# P\n\n```ts\ninterface User {\n  age: number;\n}\n```\n")

    assert ["User.age has type string here, but number in docs/prd/a.md, line 5"] == [
        finding.issue
        for finding in found(
            Kind.SPEC, "# S\n\n```ts\ninterface User {\n  age: string;\n}\n```\n", "PRD042", upstream=(above,)
        )
    ]


def test_fields_of_different_types_may_share_a_name(found):
    assert [] == found(
        Kind.SPEC, f"# S\n\n{GO}\n{GO.replace('Job', 'Run').replace('ID      string', 'ID int')}", "PRD042"
    )


def test_messages_and_tables_have_types_too(found):
    proto = "```proto\nmessage Job {\n  string id = 1;\n  string name = 2;\n}\n```\n"
    table = (
        "## Job\n\n| Field | Type |\n|--|--|\n| age | int |\n\n## Job\n\n| Field | Type |\n|--|--|\n| age | string |\n"
    )

    assert [] == found(Kind.SPEC, f"# S\n\n{proto}", "PRD042")
    assert 1 == len(found(Kind.SPEC, f"# S\n\n{table}", "PRD042"))


def test_one_name_has_one_spelling(found):
    assert ["`userID` is spelled `userId` on line 3"] == [
        finding.issue for finding in found(Kind.SPEC, "# S\n\n`userId` and `other`\n\n`userID`\n", "PRD042")
    ]
    assert [("user_id", 5)] == [
        (finding.quote, finding.place.line) for finding in found(Kind.SPEC, "# S\n\n`userId`\n\n`user_id`\n", "PRD042")
    ]
    assert [] == found(Kind.SPEC, "# S\n\n`userId` is renamed to `user_id`\n", "PRD042")


def test_two_conventions_side_by_side_are_no_mistake(found):
    text = (
        "# S\n\n`userId` `rowId` `fileName` as JSON, `user_id` `row_id` `file_name` in Python, `USER_ID` in the shell\n"
    )

    assert [] == found(Kind.SPEC, text, "PRD042")
