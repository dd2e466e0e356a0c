"""`reviewloop demo`."""

from __future__ import annotations

from pathlib import Path

import click

from reviewloop.cli.options import json_option
from reviewloop.errors import ExitCode, UsageError


@click.command()
@click.option(
    "--dir", "directory", metavar="DIR", help="Put the scratch project here; a new temporary one unless given."
)
@json_option
def demo(directory: str | None, as_json: bool) -> ExitCode:
    """Run the whole loop, offline, in a scratch project: a spec is reviewed, revised and passed.

    Both agents replay a recorded session; everything else is real. What it wrote stays for you to look at.
    """
    import asyncio

    from reviewloop.cli.output import message

    root = _scratch(directory)
    if not as_json:
        message(f"a scratch project: {root}\n$ reviewloop run spec.md --prd prd.md\n")
    code = asyncio.run(_loop(root, as_json=as_json))
    if as_json:
        return code
    program = _program()
    message(
        f"\nlook around: cd {root}\n"
        f"  {program} log spec        what happened, step by step\n"
        f"  {program} diff spec       what the author changed\n"
        f"  {program} undo spec       the spec as it was before\n"
        f"  {program} events --json   the ledger it is all folded from\n"
        f"  {program} review spec.md  what the offline rules say, without any agent"
    )
    return code


def _program() -> str:
    """How the user can call us from the scratch project."""
    import shutil
    import sys

    return "reviewloop" if shutil.which("reviewloop") else str(Path(sys.argv[0]).resolve())


def _scratch(directory: str | None) -> Path:
    """A project with the demo's files in it."""
    import tempfile
    from importlib.resources import files

    root = Path(directory or tempfile.gettempdir())
    try:
        if not directory:
            root = Path(tempfile.mkdtemp(prefix="reviewloop-demo-"))
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise UsageError(f"{root} is not empty", hint="name a new directory")
        for file in files("reviewloop").joinpath("cli/demo_project").iterdir():
            (root / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{root} cannot be used: {error.strerror}", hint="name another one with --dir") from error
    return root.resolve()


async def _loop(root: Path, *, as_json: bool) -> ExitCode:
    from reviewloop.app.project import open_project
    from reviewloop.app.sessions import start
    from reviewloop.app.targets.request import TargetRequest
    from reviewloop.cli.diff import show_changes
    from reviewloop.cli.output import progress, warn
    from reviewloop.cli.results import show_session

    project = open_project(warn=warn, cwd=root, environment={})
    try:
        target = project.resolver.resolve(TargetRequest(paths=("spec.md",), prd="prd.md"))
        with progress(quiet=as_json) as observers:
            state = await start(project, target.source, {}, observers)
        code = show_session(project, state, as_json=as_json)
        if not as_json:
            await show_changes(project, state.id)
        return code
    finally:
        await project.close()
