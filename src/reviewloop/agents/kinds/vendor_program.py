"""What agents that are somebody's command-line program have in common: a version, a login, a provider that says no."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from reviewloop.agents.process import host, processes
from reviewloop.agents.process.processes import Done
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused
from reviewloop.temporary import own_folder

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_PAUSE = re.compile(
    r"(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|m)(?:ec|in)?(?:ond|ute)?s?\b", re.IGNORECASE
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_UNAUTHORISED = (401, 403)
_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504, 529)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """What there is to know about somebody's program.

    `keys` are variables that stand for a login; `needs` are others it gets from the user's environment; `fixed` are
    those it always gets. `home` is the variable that names its configuration directory.
    """

    program: str
    tested: str
    home: str
    keys: tuple[str, ...]
    login: str
    needs: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSettings:
    """How a vendor's program is run: what every agent that is one can be told. Base of the others' settings."""

    model: str | None = None
    program: str | None = None
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])
    config_dir: str | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Program:
    """A vendor's program as one agent uses it."""

    def __init__(self, vendor: Vendor, base: Path, settings: ProgramSettings) -> None:
        self.vendor = vendor
        self.name = settings.program or vendor.program
        self.base = base
        self._config_dir = base / Path(settings.config_dir).expanduser() if settings.config_dir else None
        known = [*vendor.keys, *vendor.needs, vendor.home, *_PROXIES, *(name.lower() for name in _PROXIES)]
        self.variables = {**vendor.fixed, **host.values_of(known), **host.values_of(settings.env)}
        # The variable that stands for the login, if there is one.
        self.key = next((name for name in vendor.keys if self.variables.get(name)), None)
        self._version: str | None = None

    @contextmanager
    def environment(self) -> Generator[dict[str, str]]:
        """Its variables, with a configuration directory of the run's own unless the user's login is in theirs."""
        if self._config_dir:
            if not self._config_dir.is_dir():
                raise AgentMissing(f"there is no directory {self._config_dir}", hint="`config_dir` names it")
            yield self.variables | {self.vendor.home: str(self._config_dir)}
        elif self.key:
            with own_folder() as own:
                yield self.variables | {self.vendor.home: str(own)}
        else:
            yield self.variables

    async def version(self) -> str:
        if self._version is None:
            done = await self.look("--version")
            found = _VERSION.search(done.stdout)
            if done.returncode or not found:
                message = f"`{self.name} --version` does not say a version"
                raise AgentFailed(message, returncode=done.returncode, stderr=done.stderr)
            self._version = found[0]
        return self._version

    async def look(self, *arguments: str) -> Done:
        with self.environment() as env:
            return await host.look_at([self.name, *arguments], base=self.base, env=env)

    async def found(self) -> str:
        """Where it is, which version it is, and whether that one was tried."""
        where = processes.find_program(self.name, base=self.base)
        version = await self.version()
        same = version.split(".")[:2] == self.vendor.tested.split(".")[:2]
        tried = "supported" if same else f"not supported: tested is {self.vendor.tested}"
        return f"{where}, version {version} ({tried})"

    def not_logged_in(self) -> AgentRefused:
        return AgentRefused(f"{self.vendor.program} is not logged in", hint=self.vendor.login)

    def refusal(self, status: int | None, message: str, done: Done) -> AgentError:
        """What a provider's answer other than 200 comes to; without a status there was no answer at all."""
        said = f"{self.vendor.program}: {message}"
        if status in _UNAUTHORISED:
            return AgentRefused(said, stderr=done.stderr, hint=self.vendor.login)
        transient = status is None or status in _TRANSIENT
        hint = "the provider limits or cannot serve calls right now; try again later" if transient else None
        return AgentFailed(
            said,
            returncode=done.returncode,
            stderr=done.stderr,
            hint=hint,
            transient=transient,
            retry_after=_retry_after(message) if transient else None,
        )


def _retry_after(message: str) -> float | None:
    """The pause a provider asks for; these programs pass it on in words or not at all."""
    found = _PAUSE.search(message)
    return float(found[1]) * _UNITS[found[2].lower()] if found else None


def least(*limits: int | None) -> int | None:
    """The strictest of the limits that are set."""
    return min((limit for limit in limits if limit is not None), default=None)


def options(flags: Mapping[str, str | int | float | None]) -> list[str]:
    """The flags that have a value, as arguments."""
    return [word for flag, value in flags.items() if value is not None for word in (flag, str(value))]
