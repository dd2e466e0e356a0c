"""Doing what `review` was asked to do: gather, check, report."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from reviewloop import __version__
from reviewloop.app.rule_batch import check_all
from reviewloop.app.rule_review import reviewed_by_rules
from reviewloop.app.targets.gathering import STDIN, Asked, Gathered, Gathering, documents, from_input, gather
from reviewloop.app.targets.projects import repository_at
from reviewloop.app.targets.walk import Walk
from reviewloop.cli.options import refuse_half_a_change, refuse_unknown_task
from reviewloop.cli.output import message
from reviewloop.cli.streams import nobody_reads
from reviewloop.config.rule_settings import ProjectRules, load_rules
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.review import Verdict
from reviewloop.documents import parse
from reviewloop.errors import ArtifactError, ExitCode, UsageError
from reviewloop.reports import render
from reviewloop.reports.fail_on import FailOn, fail_on
from reviewloop.reports.phrases import left_out
from reviewloop.reports.report import ReviewReport, RuleInfo
from reviewloop.reports.screen import Screen
from reviewloop.rules import fingerprint
from reviewloop.rules.registry import rules_for
from reviewloop.rules.settings import RuleSettings

BASELINE = ".reviewloop/baseline.json"
POLL = 0.5
_WITH_WARNINGS = ("terminal", "json", "sarif", "markdown")
"""The formats that have a place for what is wrong with the run itself."""

_WITH_LEFT_OUT = (*_WITH_WARNINGS, "github", "junit")
"""The formats that have a place for what could not be read."""

_CODES = {
    Verdict.PASS: ExitCode.PASSED,
    Verdict.NEEDS_REVISION: ExitCode.NEEDS_REVISION,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """One call of `review`: what it is pointed at and what it was asked."""

    paths: tuple[str, ...]
    form: str
    asked: Mapping[str, Any]

    def once(self) -> ExitCode:
        _refuse_agents_settings(self.asked)
        started = time.perf_counter()
        project = load_rules(Path.cwd(), os.environ, file=_path(self.asked["config_file"]))
        gathering = self._gather()
        _refuse_to_overwrite(self.asked["output"], gathering)
        settings = self._settings(project)
        if self.asked["agents"]:
            from reviewloop.app.agent_review import ask_agents

            look = ask_agents(gathering.found, self.asked, settings)
            reviewed, reviewers, warnings = look.reviewed, look.reviewers, look.warnings
        else:
            reports = check_all(gathering.found, settings)
            reviewed = [reviewed_by_rules(one, said) for one, said in zip(gathering.found, reports, strict=True)]
            reviewers, warnings = (), ()
        report = ReviewReport(
            artifacts=tuple(reviewed),
            rules=tuple(_info({one.artifact.kind for one in gathering.found})),
            reviewers=("rules", *reviewers),
            asked_agents=bool(self.asked["agents"]),
            left_out=gathering.left_out,
            warnings=warnings,
            notes=tuple(f"passed over: {one}" for one in gathering.passed_over),
            tool_version=__version__,
            elapsed=time.perf_counter() - started,
        )
        if self.asked["write_baseline"]:
            return self._write_baseline(report, project.root)
        self._print(report)
        return self._exit_code(report)

    def watch(self) -> ExitCode:
        """Review again whenever a file changes, until interrupted."""
        if self.asked["git_range"] or self.paths == (STDIN,):
            raise UsageError("--watch is for files and folders", hint="leave it out, or name what to watch")
        try:
            self._watch()
        except KeyboardInterrupt:
            return ExitCode.INTERRUPTED  # that is how watching ends
        return ExitCode.PASSED

    def _watch(self) -> None:
        seen: dict[str, int] | None = None
        while not nobody_reads():
            now = self._stamps()
            if now != seen:
                seen = now
                if sys.stdout.isatty():
                    click.clear()
                self._once_more()
                message("watching for changes; Ctrl-C ends it")
            time.sleep(POLL)

    def _once_more(self) -> None:
        """Somebody is at work on the files: what cannot be read now may be there the next time."""
        try:
            self.once()
        except ArtifactError as error:
            message(f"error: {error.message}\nhint: {error.hint}")

    def _gather(self) -> Gathering:
        kind = self.asked["kind"]
        asked = Asked(kind=Kind(kind) if kind else None, upstream=self.asked["upstream"], prd=self.asked["prd"])
        refuse_half_a_change(self.paths, self.asked["git_range"], self.asked["task"])
        if self.asked["git_range"]:
            return Gathering(found=(self._change(),))
        if STDIN in self.paths and len(self.paths) > 1:
            raise UsageError("standard input is reviewed by itself", hint="leave out - or the other paths")
        if self.paths == (STDIN,):
            if self.asked["agents"]:
                raise UsageError("--agents reviews files", hint="save it to a file in the project, and name that")
            return Gathering(found=(from_input(sys.stdin.buffer, asked),))
        if not self.paths:
            raise UsageError("there is nothing to review", hint="name files or folders: reviewloop review specs/")
        return gather(self.paths, Path.cwd(), asked)

    def _change(self) -> Gathered:
        from reviewloop.config.discover import project_root
        from reviewloop.workspace.files import Limits
        from reviewloop.workspace.source import Upstream, locate_change, read_artifact

        cwd = Path.cwd()
        root = Path(os.path.realpath(project_root(cwd)))
        upstream = [Upstream(kind=Kind.DESIGN, path=path) for path in self.asked["upstream"]]
        source = locate_change(root, cwd, self.asked["git_range"], task=self.asked["task"], upstream=upstream)
        artifact = read_artifact(root, source, Limits())
        if self.asked["task"] and not self.asked["agents"]:
            _refuse_unknown_task(self.asked["task"], artifact)
        base = os.path.relpath(root, cwd)
        return Gathered(artifact=artifact, repository=repository_at(root), base=base, source=source)

    def _settings(self, project: ProjectRules) -> RuleSettings:
        rules = project.rules
        _refuse_unknown_rules((*self.asked["select"], *self.asked["ignore"]))
        return replace(
            rules,
            select=(*rules.select, *self.asked["select"]),
            ignore=(*rules.ignore, *self.asked["ignore"]),
            baseline=frozenset() if self.asked["write_baseline"] else self._baseline(project.root),
            task=(self.asked["task"] or "").rpartition("#")[2] or None,
        )

    def _baseline(self, root: Path) -> frozenset[str]:
        import json

        path = _path(self.asked["baseline"]) or root / BASELINE
        if not path.is_file():
            if self.asked["baseline"]:
                raise UsageError(f"there is no baseline {path}", hint="make one with --write-baseline")
            return frozenset()
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            return frozenset(known["fingerprints"])
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} is no baseline: {error}", hint="make a new one with --write-baseline") from error

    def _write_baseline(self, report: ReviewReport, root: Path) -> ExitCode:
        from reviewloop.views.atomic_files import replace_json

        path = _path(self.asked["baseline"]) or root / BASELINE
        if path.exists() and path.suffix != ".json":
            raise UsageError(f"{path} is no baseline", hint="name a .json file, so that nothing else is overwritten")
        known = sorted({fingerprint(finding) for finding in report.findings})
        try:
            replace_json(path, {"version": 1, "fingerprints": known})
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        _warn(*map(left_out, report.left_out), *report.warnings)
        message(f"wrote {path}: {len(known)} findings are known from now on")
        unknown = report.is_incomplete and not self.asked["exit_zero"]
        return ExitCode.INCONCLUSIVE if unknown else ExitCode.PASSED

    def _print(self, report: ReviewReport) -> None:
        output = self.asked["output"]
        screen = Screen.of(sys.stdout, os.environ) if output is None else Screen()
        text = render(report, self.form, screen=screen)
        _warn(
            *(map(left_out, report.left_out) if output or self.form not in _WITH_LEFT_OUT else ()),
            *(report.warnings if output or self.form not in _WITH_WARNINGS else ()),
        )
        if output is None:
            click.echo(text, nl=False)
            return
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{output} cannot be written: {error.strerror}") from error
        message(f"wrote {output}")

    def _exit_code(self, report: ReviewReport) -> ExitCode:
        if self.asked["exit_zero"]:
            return ExitCode.PASSED
        if self.asked["fail_on"]:
            return self._code_by_severity(report, FailOn(self.asked["fail_on"]))
        return _CODES[report.verdict]

    def _code_by_severity(self, report: ReviewReport, threshold: FailOn) -> ExitCode:
        """What could not be read or judged may hold anything, so a threshold says nothing about it."""
        if fail_on(report.findings, threshold):
            return ExitCode.NEEDS_REVISION
        if threshold is not FailOn.NEVER and report.is_incomplete:
            return ExitCode.INCONCLUSIVE
        return ExitCode.PASSED

    def _stamps(self) -> dict[str, int]:
        """When each file was last changed."""
        stamps: dict[str, int] = {}
        for file in documents(self.paths, Path.cwd(), Walk()):
            with suppress(OSError):  # it is gone; the review will say so if it was named
                stamps[file] = Path(file).stat().st_mtime_ns
        return stamps


def _info(kinds: Iterable[Kind]) -> list[RuleInfo]:
    """What reports say about the rules for these kinds of artifact."""
    rules = {rule.id: rule for kind in kinds for rule in rules_for(kind)}
    return [
        RuleInfo(
            id=rule.id,
            name=rule.name,
            severity=rule.severity,
            summary=rule.summary,
            description=rule.page,
            docs=f"docs/rules/{rule.id}.md",
        )
        for rule in sorted(rules.values(), key=lambda one: (int(one.id[3:]), one.id))
    ]


def _refuse_to_overwrite(output: str | None, gathering: Gathering) -> None:
    """A review edits nothing, least of all what it reviews."""
    if output is None:
        return
    documents = {Path(one.base, path).resolve() for one in gathering.found for path in one.artifact.paths}
    if Path(output).resolve() in documents:
        raise UsageError(f"{output} is what is reviewed", hint="write the report to another file")


def _refuse_agents_settings(asked: Mapping[str, Any]) -> None:
    """Who names a reviewer wants it to be asked."""
    given = [name for name in ("profile", "reviewer", "timeout") if asked[name] is not None]
    if given and not asked["agents"]:
        raise UsageError(f"--{given[0]} is for agents", hint="add --agents, or leave it out")


def _warn(*warnings: str) -> None:
    for warning in warnings:
        message(f"warning: {warning}")


def _path(given: str | None) -> Path | None:
    return Path(given) if given else None


def _refuse_unknown_rules(names: Collection[str]) -> None:
    if not names:
        return
    from reviewloop.config.message_text import nearest, shown
    from reviewloop.rules import selectable  # loads every rule

    for name in names:
        if name not in selectable():
            hint = nearest(name, sorted(selectable())) or "`reviewloop rules` lists them"
            raise UsageError(f"no rule is named {shown(name)}", hint=hint)


def _refuse_unknown_task(asked: str, change: Artifact) -> None:
    file, _, number = asked.rpartition("#")
    if not file:
        raise UsageError(f"--task {asked} does not say in which file", hint="write tasks.md#1.2")
    documents = [
        parse(one.path, one.text) for above in change.upstream if above.kind is Kind.TASKS for one in above.files
    ]
    refuse_unknown_task(file, number, [task.id for document in documents for task in document.tasks])
