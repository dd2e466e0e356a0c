"""Runs a vendor's command-line agent: finds its version and login, and explains its provider's errors."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from reviewloop.agents.process import host, processes
from reviewloop.agents.process.processes import Completed
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
    """A vendor's program.

    `keys` are the variables that replace a login, `needs` are further variables that are passed on from the user's
    environment, and `fixed` are always set. `home` is the variable that names the configuration directory.
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
    """The settings that all vendors' programs share."""

    model: str | None = None
    program: str | None = None
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])
    config_dir: str | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Program:
    """A vendor's program, as an agent's settings describe it."""

    def __init__(self, vendor: Vendor, base: Path, settings: ProgramSettings) -> None:
        self.vendor = vendor
        self.name = settings.program or vendor.program
        self.base = base
        self._config_dir = base / Path(settings.config_dir).expanduser() if settings.config_dir else None
        names = [*vendor.keys, *vendor.needs, vendor.home, *_PROXIES, *(name.lower() for name in _PROXIES)]
        self.variables = {**vendor.fixed, **host.read_variables(names), **host.read_variables(settings.env)}
        # The variable that replaces a login, if one is set.
        self.key = next((name for name in vendor.keys if self.variables.get(name)), None)
        self._version: str | None = None

    @contextmanager
    def environment(self) -> Generator[dict[str, str]]:
        """Yield its variables. A run with a key gets its own configuration directory; a login needs the user's."""
        if self._config_dir:
            if not self._config_dir.is_dir():
                raise AgentMissing(f"directory {self._config_dir} not found", hint="check `config_dir`")
            yield self.variables | {self.vendor.home: str(self._config_dir)}
        elif self.key:
            with own_folder() as folder:
                yield self.variables | {self.vendor.home: str(folder)}
        else:
            yield self.variables

    async def version(self) -> str:
        if self._version is None:
            completed = await self.query("--version")
            found = _VERSION.search(completed.stdout)
            if completed.returncode or not found:
                message = f"`{self.name} --version` printed no version number"
                raise AgentFailed(message, returncode=completed.returncode, stderr=completed.stderr)
            self._version = found[0]
        return self._version

    async def query(self, *arguments: str) -> Completed:
        with self.environment() as env:
            return await host.query_program([self.name, *arguments], base=self.base, env=env)

    async def describe(self) -> str:
        """Return its path and version, and whether that version is supported."""
        path = processes.find_program(self.name, base=self.base)
        version = await self.version()
        same = version.split(".")[:2] == self.vendor.tested.split(".")[:2]
        support = "supported" if same else f"not supported: tested with {self.vendor.tested}"
        return f"{path}, version {version} ({support})"

    def not_logged_in(self) -> AgentRefused:
        return AgentRefused(f"{self.vendor.program} is not logged in", hint=self.vendor.login)

    def provider_error(self, status: int | None, message: str, completed: Completed) -> AgentError:
        """Convert the provider's HTTP status to an error. Without a status, the provider did not answer."""
        text = f"{self.vendor.program}: {message}"
        if status in _UNAUTHORISED:
            return AgentRefused(text, stderr=completed.stderr, hint=self.vendor.login)
        transient = status is None or status in _TRANSIENT
        hint = "the provider is overloaded or limits calls; try again later" if transient else None
        return AgentFailed(
            text,
            returncode=completed.returncode,
            stderr=completed.stderr,
            hint=hint,
            transient=transient,
            retry_after=_retry_after(message) if transient else None,
        )


def _retry_after(message: str) -> float | None:
    """Return the pause that the provider asks for. These programs only report it in the message, if at all."""
    found = _PAUSE.search(message)
    return float(found[1]) * _UNITS[found[2].lower()] if found else None


def least(*limits: int | None) -> int | None:
    """Return the smallest limit that is set."""
    return min((limit for limit in limits if limit is not None), default=None)


def options(flags: Mapping[str, str | int | float | None]) -> list[str]:
    """Return the flags that have a value as arguments."""
    return [word for flag, value in flags.items() if value is not None for word in (flag, str(value))]


def printed_object(text: str) -> Mapping[str, Any]:
    """Parse a JSON object. Anything else becomes an empty object."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def table_in(result: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under `key`, or an empty object."""
    value = result.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
