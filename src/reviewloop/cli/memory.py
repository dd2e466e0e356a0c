"""`reviewloop memory`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import config_option, json_option, with_app
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from datetime import date

    from reviewloop.app import App
    from reviewloop.review.memory import Memory, Pattern
    from reviewloop.views.memory_files import MemoryFiles
    from reviewloop.views.memory_store import MemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Where memories are kept, while nobody else changes them, and what day it is."""

    files: MemoryFiles
    store: MemoryStore
    today: date


by_option = click.option("--by", default="", help="Who says so.")
stage_option = click.option(
    "--stage", type=click.Choice(["spec", "quality"]), default="spec", help="Which reviewers are meant."
)


@click.group(invoke_without_command=True)
@config_option
@json_option
@click.pass_context
def memory(ctx: click.Context, config_file: str | None, as_json: bool) -> ExitCode:
    """What reviewers have learned about each service. Without a subcommand: list it."""
    return ExitCode.PASSED if ctx.invoked_subcommand else _list(config_file, as_json=as_json)


@memory.command("list")
@config_option
@json_option
def list_services(config_file: str | None, as_json: bool) -> ExitCode:
    """List the services and how much is known about each."""
    return _list(config_file, as_json=as_json)


def _list(config_file: str | None, *, as_json: bool) -> ExitCode:
    def work(at: Shelf) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.reports.tables import Table, as_text

        found = [(one, _counts(one, at.today)) for one in at.store.all()]
        if as_json:
            print_json([{"service": one.service, "stage": str(one.stage)} | counts for one, counts in found])
        elif not found:
            message("nothing learned yet")
        else:
            columns = ("service", "stage", "reviews", "active", "false positives", "suppressed", "archived")
            rows = tuple((one.service, str(one.stage), *map(str, counts.values())) for one, counts in found)
            click.echo(as_text([Table(title="memory", columns=columns, rows=rows)]), nl=False)

    return _with_memory(work, config_file)


@memory.command()
@click.argument("service")
@config_option
@json_option
def show(service: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what is known about SERVICE, and what its reviewers are told."""

    def work(at: Shelf) -> None:
        from reviewloop.cli.output import print_json
        from reviewloop.reports.tables import Table, as_text

        found = _of(service, at)
        patterns = [(one, memory) for memory in found for one in memory.patterns]
        if as_json:
            print_json([_pattern_object(one, memory, at.today) for one, memory in patterns])
            return
        columns = ("id", "state", "frequency", "last seen", "severity", "issue", "why not")
        rows = tuple(tuple(str(v) for v in _row(one, at.today)) for one, _ in patterns)
        rules = tuple((rule,) for memory in found for rule in at.files.hand_written(memory.stage, service).rules)
        tables = [Table(title=service, columns=columns, rows=rows), Table(title="rules", columns=("rule",), rows=rules)]
        click.echo(as_text(tables), nl=False)

    return _with_memory(work, config_file)


@memory.command()
@click.argument("service")
@click.argument("text")
@stage_option
@click.option("--severity", type=click.Choice(["critical", "important", "minor"]), default="important")
@click.option("--rule", is_flag=True, help="TEXT is a rule of the service, not an issue.")
@config_option
def add(service: str, text: str, stage: str, severity: str, rule: bool, config_file: str | None) -> ExitCode:
    """Tell the reviewers of SERVICE about an issue to look for, or a rule."""

    def work(at: Shelf) -> None:
        from reviewloop.review.finding import Severity
        from reviewloop.review.memory import add_pattern
        from reviewloop.review.review import Stage

        known = at.files.get(at.store, Stage(stage), service, at.today)
        if not text.strip():
            raise UsageError("there is nothing to remember", hint="say what reviewers should look for")
        if not rule:
            changed = add_pattern(known, text, Severity(severity), at.today, key=f"added {at.today} {known.numbered}")
            _save(changed, at)
        elif not at.files.add_rule(Stage(stage), service, text):
            raise UsageError(f"the file of {service} cannot be written to")

    return _with_memory(work, config_file)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@click.option("--why", required=True, help="Why it is no issue.")
@by_option
@config_option
def dismiss(service: str, pattern: str, why: str, by: str, config_file: str | None) -> ExitCode:
    """Say that PATTERN is no issue in SERVICE. It does not block once three have said so, or one on three days."""

    def work(at: Shelf) -> None:
        from reviewloop.review.memory import Dismissal, dismiss_pattern

        known = _having(pattern, service, at)
        said = Dismissal(key=f"said {at.today} {by}", on=at.today, by=by, why=why)
        _save(dismiss_pattern(known, pattern, said), at)

    return _with_memory(work, config_file)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@config_option
def restore(service: str, pattern: str, config_file: str | None) -> ExitCode:
    """Say that PATTERN is an issue in SERVICE after all, whatever was said before."""

    def work(at: Shelf) -> None:
        from reviewloop.review.memory import restore_pattern

        known = _having(pattern, service, at)
        _save(restore_pattern(known, pattern), at)

    return _with_memory(work, config_file)


@memory.command()
@config_option
@json_option
def prune(config_file: str | None, as_json: bool) -> ExitCode:
    """Forget what is archived: not seen for 30 days."""

    def work(at: Shelf) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.review.memory import prune as pruned

        gone = 0
        for one in at.store.all():
            left = pruned(one, at.today)
            gone += len(one.patterns) - len(left.patterns)
            _save(left, at)
        if as_json:
            print_json({"forgotten": gone})
        else:
            message(f"{gone} forgotten")

    return _with_memory(work, config_file)


@memory.command()
@config_option
def export(config_file: str | None) -> ExitCode:
    """Print everything that was learned, as JSON that `import` takes."""

    def work(at: Shelf) -> None:
        import json

        from reviewloop.cli.output import print_json
        from reviewloop.views.memory_store import encode

        print_json({"memory": [json.loads(encode(one)) for one in at.store.all()]})

    return _with_memory(work, config_file)


@memory.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@config_option
def import_memory(file: str, config_file: str | None) -> ExitCode:
    """Take over what `export` printed. What is known of the same services is replaced."""

    def work(at: Shelf) -> None:
        for one in _exported(file):
            _save(one, at)

    return _with_memory(work, config_file)


def _exported(file: str) -> list[Memory]:
    import json
    from pathlib import Path

    from reviewloop.views.memory_store import decode

    try:
        found: Any = json.loads(Path(file).read_bytes())
        return [decode(one) for one in found["memory"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is nothing that `reviewloop memory export` printed: {error}") from error


def _with_memory(work: Callable[[Shelf], None], config_file: str | None) -> ExitCode:
    async def with_store(app: App) -> ExitCode:
        from datetime import UTC, datetime

        from reviewloop.views.memory_store import opened

        if app.memory is None:
            raise UsageError("this project keeps no memory", hint="`paths.memory` is false in the configuration")
        with opened(app.beside_ledger("memory.db")) as store:
            work(Shelf(files=app.memory, store=store, today=datetime.now(UTC).date()))
        return ExitCode.PASSED

    return with_app(with_store, config_file)


def _save(changed: Memory, at: Shelf) -> None:
    at.files.save(at.store, changed, at.today)
    at.files.write_index(changed.stage, at.store, at.today)


def _of(service: str, at: Shelf) -> list[Memory]:
    from reviewloop.review.review import Stage

    found = [at.files.get(at.store, stage, service, at.today) for stage in Stage]
    if not any(one.numbered or one.reviews for one in found):
        names = ", ".join(dict.fromkeys(one.service for one in at.store.all()))
        raise UsageError(f"nothing is known about {service}", hint=f"known services: {names or 'none'}")
    return found


def _having(pattern: str, service: str, at: Shelf) -> Memory:
    found = _of(service, at)
    for one in found:
        if one.pattern(pattern):
            return one
    names = ", ".join(one.id for memory in found for one in memory.patterns)
    raise UsageError(f"{service} has no pattern {pattern}", hint=f"its patterns are {names or 'none'}")


def _state(one: Pattern, today: date) -> str:
    if one.is_false(today):
        return "suppressed" if one.is_suppressed(today) else "false positive"
    return "archived" if one.is_archived(today) else "active"


def _row(one: Pattern, today: date) -> tuple[object, ...]:
    from reviewloop.review.memory import reason

    why = reason(one) if one.dismissals else ""
    return one.id, _state(one, today), one.frequency, one.last_seen or "", one.severity, one.issue, why


def _pattern_object(one: Pattern, memory: Memory, today: date) -> dict[str, Any]:
    names = ("id", "state", "frequency", "last_seen", "severity", "issue", "why_not")
    return {"stage": str(memory.stage)} | dict(zip(names, _row(one, today), strict=True)) | {"example": one.example}


def _counts(one: Memory, today: date) -> dict[str, int]:
    return {
        "reviews": one.reviews,
        "active": len(one.active(today)),
        "false_positives": len(one.false_positives(today)),
        "suppressed": sum(pattern.is_suppressed(today) for pattern in one.patterns),
        "archived": len(one.archived(today)),
    }
