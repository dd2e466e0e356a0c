from dataclasses import replace

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents.folder import documents_of, session_kind, upstream_of


def test_each_document_knows_what_it_builds_on():
    listing = [f"specs/a/{name}.md" for name in ("research", "requirements", "design", "tasks")]

    assert ["specs/a/research.md"] == [file.path for file in upstream_of("specs/a/requirements.md", listing)]
    assert ["specs/a/requirements.md", "specs/a/research.md"] == [
        file.path for file in upstream_of("specs/a/design.md", listing)
    ]
    assert [Kind.REQUIREMENTS, Kind.DESIGN] == [file.kind for file in upstream_of("specs/a/tasks.md", listing)]


def test_spec_kit_plans_build_on_the_spec():
    listing = ["specs/001-a/spec.md", "specs/001-a/plan.md", "specs/001-a/tasks.md"]

    assert ["specs/001-a/spec.md"] == [file.path for file in upstream_of("specs/001-a/plan.md", listing)]
    assert ["specs/001-a/spec.md", "specs/001-a/plan.md"] == [
        file.path for file in upstream_of("specs/001-a/tasks.md", listing)
    ]


def test_openspec_changes_are_one_folder():
    root = "openspec/changes/a"
    listing = [f"{root}/proposal.md", f"{root}/design.md", f"{root}/tasks.md", f"{root}/specs/x/spec.md"]

    assert [f"{root}/proposal.md"] == [file.path for file in upstream_of(f"{root}/specs/x/spec.md", listing)]
    assert f"{root}/specs/x/spec.md" in [file.path for file in upstream_of(f"{root}/tasks.md", listing)]


def test_task_files_build_on_the_spec_of_their_unit():
    listing = ["specs/CONFIG.md", "specs/tasks/config/01-types.md", "docs/prd/CONFIG.md"]

    assert ["specs/CONFIG.md"] == [file.path for file in upstream_of("specs/tasks/config/01-types.md", listing)]
    assert ["docs/prd/CONFIG.md"] == [file.path for file in upstream_of("specs/CONFIG.md", listing, Kind.SPEC)]


def folder(**files: tuple[Kind, str]) -> Artifact:
    sources = (SourceFile(path=f"specs/a/{name}.md", text=text, kind=kind) for name, (kind, text) in files.items())
    return Artifact(kind=Kind.SPEC, name="a", files=tuple(sources))


def test_a_folder_is_many_documents_each_with_what_it_builds_on():
    made = documents_of(
        folder(
            tasks=(Kind.TASKS, "# Tasks\n"),
            requirements=(Kind.REQUIREMENTS, "# Requirements\n"),
            design=(Kind.DESIGN, "# Design\n"),
            notes=(Kind.DOCUMENT, "# Notes\n"),
        )
    )

    assert {
        "tasks": ["requirements", "design"],
        "requirements": [],
        "design": ["requirements"],
        "notes": [],
    } == {document.name: [above.name for above in document.upstream] for document in made}
    assert [Kind.TASKS, Kind.REQUIREMENTS, Kind.DESIGN, Kind.DOCUMENT] == [document.kind for document in made]


def test_what_the_user_names_is_upstream_of_every_document():
    prd = Artifact(kind=Kind.PRD, name="prd", files=(SourceFile(path="prd.md", text="# PRD\n"),), given=True)
    made = documents_of(replace(folder(spec=(Kind.SPEC, "# S\n"), design=(Kind.DESIGN, "# D\n")), upstream=(prd,)))

    assert [["prd"], ["prd", "spec"]] == [[above.name for above in document.upstream] for document in made]


def test_numbered_task_files_of_one_folder_are_one_document():
    text = "---\ntask: {}\ndepends_on: []\n---\n# T\n"
    files = tuple(
        SourceFile(path=f"specs/tasks/a/0{number}-x.md", text=text.format(number), kind=Kind.TASKS) for number in (1, 2)
    )

    (document,) = documents_of(Artifact(kind=Kind.TASKS, name="a", files=files))

    assert ("specs/tasks/a/01-x.md", "specs/tasks/a/02-x.md") == document.paths


def test_several_kinds_are_called_a_spec():
    assert Kind.TASKS is session_kind([Kind.TASKS, Kind.TASKS])
    assert Kind.SPEC is session_kind([Kind.TASKS, Kind.DOCUMENT])
