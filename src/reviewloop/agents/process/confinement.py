"""Starts a program that can neither write to the user's tree nor outlive Reviewloop.

This file runs as a script, without the package, so that it starts in milliseconds:

    python -I -S confinement.py --parent PID --report FD [--deny-write ROOT] -- PROGRAM ARGUMENT...

The program replaces this process, so its exit code and signals reach the caller unchanged. If the program cannot be
started, the reason goes to descriptor FD: an error number, or a sentence if the confinement failed.

Where the kernel has Landlock, everything below ROOT is read-only for the program and its descendants. Landlock can
only allow, so writing is allowed in all siblings of ROOT and of its parent directories. As a consequence, nothing can
be created directly in a directory above ROOT, so every agent gets its own temporary directory. Landlock does not
protect the permissions, owners and times of files.
"""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import struct
import sys
from contextlib import suppress
from functools import cache

# Importing `typing` would more than double the time that the script takes to start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_QUERY, _PATH_BENEATH = 1, 1
_SET_PDEATHSIG, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 36, 38

_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
# Removing and making entries of every type: bits 4 to 12.
_CHANGE_ENTRIES = sum(1 << bit for bit in range(4, 13))


def confinement() -> Literal["landlock"] | None:
    """Return the mechanism that write-protects the user's tree on this machine, or None."""
    return "landlock" if _landlock_version() else None


def launch(command: Sequence[str], *, report: int, deny_write: str | None = None) -> list[str]:
    """Return the command line that starts `command` through this file."""
    options = ["--parent", str(os.getpid()), "--report", str(report)]
    if deny_write is not None:
        options += ["--deny-write", deny_write]
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), *options, "--", *command]  # noqa: PTH100


def main(arguments: Sequence[str]) -> None:
    split = arguments.index("--")
    options = dict(zip(arguments[:split:2], arguments[1:split:2], strict=True))
    command = list(arguments[split + 1 :])
    report = int(options["--report"])
    os.set_inheritable(report, False)
    _die_with(int(options["--parent"]))
    # Python ignores these two signals and the program would inherit that: `yes | head` in a script would then fail.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        if "--deny-write" in options and confinement():
            _deny_write(options["--deny-write"])
    except OSError as error:
        os.write(report, f"Landlock: {error}".encode())
        sys.exit(126)
    try:
        os.execv(command[0], command)  # noqa: S606
    except OSError as error:
        os.write(report, str(error.errno).encode())
        sys.exit(127)


def _die_with(parent: int) -> None:
    """End when the parent ends, and adopt orphaned descendants, so that the parent finds them below this process."""
    # To the kernel, the parent is the thread that started this process: the event loop's, which waits for it.
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    # The parent may have ended before the request above.
    if os.getppid() != parent:
        sys.exit(1)


def _deny_write(root: str) -> None:
    rights = _WRITE_FILE | _CHANGE_ENTRIES
    if (version := _landlock_version()) >= 2:
        rights |= _REFER
    if version >= 3:
        rights |= _TRUNCATE
    attributes = struct.pack("=Q", rights)
    ruleset = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    for path in _siblings(os.path.realpath(root)):
        # A path that cannot be allowed stays forbidden, which is safe.
        with suppress(OSError):
            _allow(ruleset, path, rights)
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _syscall(_RESTRICT_SELF, ruleset, 0)


def _siblings(root: str) -> Iterator[str]:
    """Yield the siblings of `root` and of every directory above it."""
    above = "/"
    for step in root.split("/")[1:]:
        with suppress(OSError):
            yield from (os.path.join(above, name) for name in os.listdir(above) if name != step)  # noqa: PTH118, PTH208
        above = os.path.join(above, step)  # noqa: PTH118


def _allow(ruleset: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        mode = os.fstat(fd).st_mode
        # The target of a symbolic link has its own rule, or none.
        if not stat.S_ISLNK(mode):
            allowed = rights if stat.S_ISDIR(mode) else rights & (_WRITE_FILE | _TRUNCATE)
            _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, fd), 0)
    finally:
        os.close(fd)


def _landlock_version() -> int:
    if sys.platform != "linux":
        return 0
    try:
        return _syscall(_CREATE_RULESET, None, 0, _VERSION_QUERY)
    except OSError:
        return 0


def _prctl(option: int, value: int) -> None:
    words = [ctypes.c_ulong(word) for word in (value, 0, 0, 0)]
    _checked(_libc().prctl(option, *words))


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    words = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return _checked(_libc().syscall(ctypes.c_long(number), *words))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
