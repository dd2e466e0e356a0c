"""Going on with a session from the command line, for `resume` and `inbox answer`."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewloop.cli.progress import progress
from reviewloop.cli.show import show
from reviewloop.engine.inbox import Said
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app import App


async def go_on(
    app: App, name: str, said: Said, *, quiet: bool, as_json: bool, overrides: Mapping[str, Any] | None = None
) -> ExitCode:
    from reviewloop.cli.featuring import is_feature, resume_feature

    said = replace(said, by=said.by or _who())
    if await is_feature(app, name):
        return await resume_feature(app, name, said, overrides or {}, quiet=quiet, as_json=as_json)
    watching = progress(quiet=quiet)
    if watching:
        with watching.screen:
            ran = await app.resume(name, said, [watching], overrides)
    else:
        ran = await app.resume(name, said, overrides=overrides)
    return show(ran.id, ran.history, as_json=as_json, log=app.log_of(ran.history))


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
