"""`reviewloop init`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.init import Initialised


@click.command()
@click.option(
    "--profile",
    type=click.Choice(["spec-gate", "phases", "panel", "overlay"]),
    default="spec-gate",
    show_default=True,
    help="Start from this profile.",
)
@click.option("--force", is_flag=True, help="Replace an existing configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def init(profile: str, force: bool, as_json: bool) -> ExitCode:
    """Find agents on this machine and write a reviewloop.yml that works with them.

    Looks for Claude Code, Codex and Gemini CLI. Without any of them, the offline rules review.
    """
    import os
    from pathlib import Path

    from reviewloop.app.init import initialise
    from reviewloop.cli.output import message, print_json

    done = initialise(Path.cwd(), profile, os.environ, force=force)
    if as_json:
        print_json(_as_json(done))
    else:
        message(_told(done))
    return ExitCode.PASSED


def _as_json(done: Initialised) -> dict[str, Any]:
    return {
        "config": done.config,
        "profile": done.setup.profile,
        "found": [
            {"agent": program.agent, "title": program.title, "program": program.program} for program in done.found
        ],
        "written": [done.config],
        "reviewers": list(done.setup.reviewers),
        "author": done.setup.author,
    }


def _told(done: Initialised) -> str:
    profile, reviewers = done.setup.profile, ", ".join(done.setup.reviewers)
    if not done.found:
        return (
            "found no agent: neither Claude Code nor Codex nor Gemini CLI is on the PATH\n"
            f"wrote {done.config} (profile {profile}): the offline rules review; there is no author\n"
            "hint: install one and run `reviewloop init --force`, or name a program of your own under `agents`\n"
            "next: reviewloop review ."
        )
    found = "\n".join(f"found {program.title}: {program.program}" for program in done.found)
    command = {"phases": 'plan "GOAL"', "overlay": "work"}.get(profile, "run spec.md")
    return (
        f"{found}\n"
        f"wrote {done.config} (profile {profile}): reviewed by {reviewers}, fixed by {done.setup.author}\n"
        f"next: reviewloop doctor, then reviewloop {command}"
    )
