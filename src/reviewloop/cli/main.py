"""The command line: a table of commands, each loaded when it is called, and the one place where errors become words."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from reviewloop import __version__
from reviewloop.cli.streams import settle_streams
from reviewloop.errors import ConfigError, ExitCode, ReviewloopError, UsageError

_HELP = "see `reviewloop --help`"

COMPLETE = "_REVIEWLOOP_COMPLETE"
"""Where the script that a shell has loaded says what it wants to be completed."""

COMMANDS = {
    "demo": ("reviewloop.cli.demo", "Run the whole loop, offline, in a scratch project."),
    "init": ("reviewloop.cli.init", "Find agents and write a configuration that works with them."),
    "doctor": ("reviewloop.cli.doctor", "Check agents, configuration and ledger."),
    "review": ("reviewloop.cli.review", "Review documents or a change once."),
    "review-changed": ("reviewloop.cli.review_changed", "Review changed documents of a known kind, for hooks and CI."),
    "run": ("reviewloop.cli.run", "Review, revise and review again until it passes."),
    "plan": ("reviewloop.cli.plan", "Write research, requirements, design and tasks, each reviewed."),
    "work": ("reviewloop.cli.work", "Do the tasks of a workflow or a spec."),
    "resume": ("reviewloop.cli.resume", "Continue a session, or answer it."),
    "status": ("reviewloop.cli.status", "Show where sessions stand."),
    "log": ("reviewloop.cli.log", "Show what happened in a session."),
    "diff": ("reviewloop.cli.diff", "Show what a session's authors changed."),
    "undo": ("reviewloop.cli.undo", "Restore the files from before a session's first edit."),
    "events": ("reviewloop.cli.events", "Print the ledger's events."),
    "inbox": ("reviewloop.cli.inbox", "List, show and answer what waits for a person."),
    "record": ("reviewloop.cli.record", "Make a replay from a recorded session."),
    "stability": ("reviewloop.cli.stability", "Measure how often a reviewer changes its mind."),
    "replay-cases": ("reviewloop.cli.replay_cases", "Try another reviewer on recorded cases."),
    "progress": ("reviewloop.cli.progress", "Show the living plan and a summary of all reviews."),
    "memory": ("reviewloop.cli.memory", "List, show and correct what reviewers have learned."),
    "stats": ("reviewloop.cli.stats", "Show review quality and cost."),
    "calibrate": (
        "reviewloop.cli.calibrate",
        "Show how often a panel's decisions were right.",
    ),
    "rules": ("reviewloop.cli.rules", "List the offline rules."),
    "explain": ("reviewloop.cli.explain", "Show a rule's page."),
    "completion": ("reviewloop.cli.completion", "Print the completion script for your shell."),
}


class Commands(click.Group):
    """Commands by name; only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """From the table, so that completing a command's name imports none of them."""
        named = [
            CompletionItem(name, help=about) for name, (_, about) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from reviewloop.text import did_you_mean

            near = did_you_mean(args[0], COMMANDS)
            raise UsageError(_plain(error.message), hint=f"did you mean `{near}`?" if near else _HELP) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="reviewloop")
def cli() -> None:
    """The review gate for what AI agents write.

    Reviewers check an artifact against a rubric, the author fixes what they find, and the loop ends honestly: passed,
    passed with warnings, blocked, waiting for a person, or rejected.
    """


def main(args: list[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    if COMPLETE in os.environ:
        _answer_shell()
    settle_streams()
    _end_as_by_ctrl_c()
    sys.exit(int(run(args)))


def _answer_shell() -> NoReturn:
    """Tell the shell what can be completed. Whatever goes wrong, nothing is printed over the user's line."""
    try:
        cli.main(prog_name="reviewloop")
    except Exception:  # noqa: BLE001 - see above
        sys.exit(1)
    sys.exit(0)


def _end_as_by_ctrl_c() -> None:
    """Let a request to end, by a CI server or a closing terminal, clean up as Ctrl-C does."""

    def interrupt(_number: int, frame: FrameType | None) -> None:
        on_ctrl_c = signal.getsignal(signal.SIGINT)
        if not callable(on_ctrl_c):  # ignored, as in a shell's background
            raise KeyboardInterrupt
        on_ctrl_c(signal.SIGINT, frame)

    for request in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(request) is signal.SIG_DFL:  # not under nohup
            signal.signal(request, interrupt)


def run(args: list[str] | None = None) -> int:
    try:
        result: Any = cli.main(args=args, prog_name="reviewloop", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return _say(
            "error: interrupted\nhint: what was on record is safe; `reviewloop status` says how to go on",
            ExitCode.INTERRUPTED,
        )
    except click.ClickException as error:
        return _say(_usage(error), ExitCode.USAGE)
    except ConfigError as error:
        from reviewloop.reports.config_error import render

        return _say(render(error), error.exit_code)
    except ReviewloopError as error:
        return _say(error.text, error.exit_code)
    except Exception as error:  # noqa: BLE001 - the last resort: never a bare traceback, never a hidden failure
        return _unexpected(error)
    return result if isinstance(result, int) else ExitCode.PASSED


def _usage(error: click.ClickException) -> str:
    """Click's errors in the words and the shape of ours."""
    if error.message.startswith("Usage:"):  # nothing was asked for, and this is the help
        return error.message
    context = error.ctx if isinstance(error, click.UsageError) else None
    near = _near(error, context)
    said = error.message if isinstance(error, click.NoSuchOption) or near else error.format_message()
    help_page = f"see `{context.command_path} --help`" if context else _HELP
    return f"error: {_plain(said)}\nhint: {f'did you mean {near}?' if near else help_page}"


def _near(error: click.ClickException, context: click.Context | None) -> str | None:
    """The option or subcommand that was meant."""
    from reviewloop.text import did_you_mean

    if isinstance(error, click.NoSuchOption) and context:
        options = [option for parameter in context.command.params for option in parameter.opts]
        return did_you_mean(error.option_name, options, likeness=0.7)
    possible: list[str] | None = getattr(error, "possibilities", None)
    return possible[0] if possible else None


def _plain(said: str) -> str:
    return said[:1].lower() + said[1:].removesuffix(".")


def _say(text: str, code: ExitCode) -> ExitCode:
    from reviewloop.cli.output import message

    message(text)
    return code


def _unexpected(error: Exception) -> ExitCode:
    """Say what happened in a line, and keep the traceback where it can be pasted from."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="reviewloop-error-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
    ) as file:
        file.write(f"reviewloop {__version__}, Python {sys.version}\n\n")
        traceback.print_exception(error, file=file)
    return _say(
        f"error: something went wrong inside Reviewloop: {type(error).__name__}: {error}\n"
        f"hint: the details are in {file.name}; nothing that was on record is lost",
        ExitCode.INTERNAL,
    )
