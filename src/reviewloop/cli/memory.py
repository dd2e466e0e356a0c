"""`reviewloop memory`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.app.memory import Shelf, exported, having, of_service, with_memory
from reviewloop.cli.options import config_option, json_option
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from datetime import date

    from reviewloop.core.types.memory_pattern import Memory, Pattern

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
    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.reports.tables import Table, as_text

        found = [(one, _counts(one, at.today)) for one in at.memories]
        if as_json:
            print_json([{"service": one.service, "stage": str(one.stage)} | counts for one, counts in found])
        elif not found:
            message("nothing learned yet")
        else:
            columns = ("service", "stage", "reviews", "active", "false positives", "suppressed", "archived")
            rows = tuple((one.service, str(one.stage), *map(str, counts.values())) for one, counts in found)
            click.echo(as_text([Table(title="memory", columns=columns, rows=rows)]), nl=False)

    return with_memory(work, config_file)


@memory.command()
@click.argument("service")
@config_option
@json_option
def show(service: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what is known about SERVICE, and what its reviewers are told."""

    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import print_json
        from reviewloop.core.types.review import Stage
        from reviewloop.reports.tables import Table, as_text

        found = of_service(service, at)
        patterns = [(one, memory) for memory in found for one in memory.patterns]
        if as_json:
            print_json([_pattern_object(one, memory, at.today) for one, memory in patterns])
            return
        columns = ("id", "state", "frequency", "last seen", "severity", "issue", "why not")
        rows = tuple(tuple(str(v) for v in _row(one, at.today)) for one, _ in patterns)
        written = [at.keeper.files.hand_written(stage, service) for stage in Stage]
        rules = tuple((rule,) for one in written for rule in one.rules)
        tables = [Table(title=service, columns=columns, rows=rows), Table(title="rules", columns=("rule",), rows=rules)]
        click.echo(as_text(tables), nl=False)

    return with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("text")
@stage_option
@click.option("--severity", type=click.Choice(["critical", "important", "minor"]), default="important")
@click.option("--rule", is_flag=True, help="TEXT is a rule of the service, not an issue.")
@config_option
def add(service: str, text: str, stage: str, severity: str, rule: bool, config_file: str | None) -> ExitCode:
    """Tell the reviewers of SERVICE about an issue to look for, or a rule."""

    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import message
        from reviewloop.core.session.events.memory import PatternAdded, RuleAdded
        from reviewloop.core.types.finding import Severity
        from reviewloop.core.types.review import Stage

        where, on = Stage(stage), at.today
        if not text.strip():
            raise UsageError("there is nothing to remember", hint="say what reviewers should look for")
        if not rule:
            added = PatternAdded(stage=where, service=service, on=on, issue=text, severity=Severity(severity))
            await at.record(added)
        elif at.keeper.files.add_rule(where, service, text):
            await at.record(RuleAdded(stage=where, service=service, on=on, rule=text))
        else:
            raise UsageError(f"the file of {service} cannot be written to")
        message(f"reviewers of {service} are told that from now on")

    return with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@click.option("--why", required=True, help="Why it is no issue.")
@by_option
@config_option
def dismiss(service: str, pattern: str, why: str, by: str, config_file: str | None) -> ExitCode:
    """Say that PATTERN is no issue in SERVICE. It does not block once three have said so, or one on three days."""

    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import message
        from reviewloop.core.session.events.memory import PatternDismissed

        stage = having(pattern, service, at).stage
        await at.record(PatternDismissed(stage=stage, service=service, on=at.today, pattern=pattern, why=why, by=by))
        message(f"{pattern} is on record as no issue in {service}")

    return with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@config_option
def restore(service: str, pattern: str, config_file: str | None) -> ExitCode:
    """Say that PATTERN is an issue in SERVICE after all, whatever was said before."""

    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import message
        from reviewloop.core.session.events.memory import PatternRestored

        stage = having(pattern, service, at).stage
        await at.record(PatternRestored(stage=stage, service=service, on=at.today, pattern=pattern))
        message(f"{pattern} is an issue in {service} again")

    return with_memory(work, config_file, service)


@memory.command()
@config_option
@json_option
def prune(config_file: str | None, as_json: bool) -> ExitCode:
    """Forget what is archived: not seen for 30 days."""

    async def work(at: Shelf) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.core.session.events.memory import PatternsPruned

        archived = {(one.stage, one.service): [old.id for old in one.archived(at.today)] for one in at.memories}
        gone = sum(map(len, archived.values()))
        await at.record(
            *(
                PatternsPruned(stage=stage, service=service, on=at.today, patterns=tuple(ids))
                for (stage, service), ids in archived.items()
                if ids
            )
        )
        if as_json:
            print_json({"forgotten": gone})
        else:
            message(f"{gone} forgotten")

    return with_memory(work, config_file)


@memory.command()
@config_option
def export(config_file: str | None) -> ExitCode:
    """Print everything that was learned, as JSON that `import` takes."""

    async def work(at: Shelf) -> None:
        import json

        from reviewloop.cli.output import print_json
        from reviewloop.memory.store import encode

        print_json({"memory": [json.loads(encode(one)) for one in at.memories]})

    return with_memory(work, config_file)


@memory.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@config_option
def import_memory(file: str, config_file: str | None) -> ExitCode:
    """Take over what `export` printed. What is known of the same services is replaced."""

    async def work(at: Shelf) -> None:
        from reviewloop.core.session.events.memory import MemoryImported

        await at.record(
            *(
                MemoryImported(stage=one.stage, service=one.service, on=at.today, memory=one, origin=file)
                for one in exported(file)
            )
        )

    return with_memory(work, config_file)


def _state(one: Pattern, today: date) -> str:
    if one.is_false(today):
        return "suppressed" if one.is_suppressed(today) else "false positive"
    return "archived" if one.is_archived(today) else "active"


def _row(one: Pattern, today: date) -> tuple[object, ...]:
    from reviewloop.core.memory.recall import reason

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
