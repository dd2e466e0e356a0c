from reviewloop.core.types.artifact import Kind
from reviewloop.documents.folder import artifacts_of, upstream_of


def test_each_document_knows_what_it_builds_on():
    listing = [f"specs/a/{name}.md" for name in ("research", "requirements", "design", "tasks")]

    assert ["specs/a/research.md"] == [one.path for one in upstream_of("specs/a/requirements.md", listing)]
    assert ["specs/a/requirements.md", "specs/a/research.md"] == [
        one.path for one in upstream_of("specs/a/design.md", listing)
    ]
    assert [Kind.REQUIREMENTS, Kind.DESIGN] == [one.kind for one in upstream_of("specs/a/tasks.md", listing)]


def test_spec_kit_plans_build_on_the_spec():
    listing = ["specs/001-a/spec.md", "specs/001-a/plan.md", "specs/001-a/tasks.md"]

    assert ["specs/001-a/spec.md"] == [one.path for one in upstream_of("specs/001-a/plan.md", listing)]
    assert ["specs/001-a/spec.md", "specs/001-a/plan.md"] == [
        one.path for one in upstream_of("specs/001-a/tasks.md", listing)
    ]


def test_openspec_changes_are_one_folder():
    root = "openspec/changes/a"
    listing = [f"{root}/proposal.md", f"{root}/design.md", f"{root}/tasks.md", f"{root}/specs/x/spec.md"]

    assert [f"{root}/proposal.md"] == [one.path for one in upstream_of(f"{root}/specs/x/spec.md", listing)]
    assert f"{root}/specs/x/spec.md" in [one.path for one in upstream_of(f"{root}/tasks.md", listing)]


def test_task_files_build_on_the_spec_of_their_unit():
    listing = ["specs/CONFIG.md", "specs/tasks/config/01-types.md", "docs/prd/CONFIG.md"]

    assert ["specs/CONFIG.md"] == [one.path for one in upstream_of("specs/tasks/config/01-types.md", listing)]
    assert ["docs/prd/CONFIG.md"] == [one.path for one in upstream_of("specs/CONFIG.md", listing, Kind.SPEC)]


def test_a_folder_becomes_artifacts_upstream_first():
    files = {
        "specs/a/tasks.md": "# Tasks\n",
        "specs/a/requirements.md": "# Requirements\n",
        "specs/a/design.md": "# Design\n",
        "specs/a/.progress.md": "# Progress\n",
    }
    made = artifacts_of(files)

    assert [Kind.REQUIREMENTS, Kind.DESIGN, Kind.TASKS] == [one.kind for one in made]
    assert ["requirements", "design"] == [one.name for one in made[2].upstream]


def test_task_files_of_one_folder_are_one_artifact():
    text = "---\ntask: {}\ndepends_on: []\n---\n# T\n"
    files = {f"specs/tasks/a/0{number}-x.md": text.format(number) for number in (1, 2)}

    (artifact,) = artifacts_of(files)

    assert ("specs/tasks/a/01-x.md", "specs/tasks/a/02-x.md") == artifact.paths
