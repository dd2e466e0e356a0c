"""`reviewloop completion`, and the names that a shell gets when the user presses Tab; never an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from reviewloop.errors import ExitCode

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.pass_context
def completion(context: click.Context, shell: str, as_json: bool) -> ExitCode:
    r"""Print the script that completes commands and names in your shell.

    Load it from the shell's start-up file:

    \b
    bash  eval "$(reviewloop completion bash)"    in ~/.bashrc
    zsh   eval "$(reviewloop completion zsh)"     in ~/.zshrc
    fish  reviewloop completion fish | source     in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from reviewloop.cli.main import COMPLETE

    kind = get_completion_class(shell)
    assert kind is not None
    asked = kind(context.find_root().command, {}, "reviewloop", COMPLETE)
    script = asked.source_template % asked.source_vars()
    if as_json:
        from reviewloop.cli.output import print_json

        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
    return ExitCode.PASSED


def _completes(find: Callable[[click.Context], Iterable[tuple[str, str]]]) -> Complete:
    """Names with what is known about them. Whatever goes wrong: the shell gets nothing, and the user reads on."""

    def complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name, help=about) for name, about in find(context) if name.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a broken configuration or ledger is said by commands, not at the prompt
            return []

    return complete


def _sessions(context: click.Context) -> Iterable[tuple[str, str]]:
    import os
    from pathlib import Path

    from reviewloop.app.completion import session_names

    return ((name, "") for name in session_names(Path.cwd(), os.environ, context.params.get("config_file")))


def _agents(context: click.Context) -> Iterable[tuple[str, str]]:
    import os
    from pathlib import Path

    from reviewloop.app.completion import agent_names

    return ((name, "") for name in agent_names(Path.cwd(), os.environ, context.params.get("config_file")))


def _tasks(context: click.Context) -> Iterable[tuple[str, str]]:
    import os
    from pathlib import Path

    from reviewloop.app.completion import task_names

    return ((name, "") for name in task_names(Path.cwd(), os.environ, context.params.get("config_file")))


def _rules(_context: click.Context) -> Iterable[tuple[str, str]]:
    from reviewloop.app.completion import rule_names

    return rule_names().items()


sessions, agents, tasks, rules = map(_completes, (_sessions, _agents, _tasks, _rules))
