"""Checks that need all settings: names of agents, criteria and rules, and combinations of settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewloop.config.agents import KINDS
from reviewloop.config.discover import exists
from reviewloop.config.fields import Setting
from reviewloop.config.message_text import nearest, shown
from reviewloop.config.model import Config
from reviewloop.config.source_marks import Items, Node, Place, Scalar, Table
from reviewloop.config.workflow import workflow_of
from reviewloop.core.types.rubric import RUBRICS, Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    """A name in the configuration, and its place."""

    name: str
    place: Place


def check(config: Config) -> None:
    """Raise `ConfigError` for the first unknown name, missing file or invalid combination."""
    agents = [name for name, entry in config.agents.items() if not entry.implied or config.profile == "panel"]
    mentions = (*_agents_of_review(config), *_agents_of_tasks(config.tasks), *_agents_of_phases(config))
    _refuse_unknown(mentions, agents, "no agent is named", 'add it under "agents"')
    _check_fallbacks(config, agents)
    _check_egress(config)
    hint = "a new criterion needs a name and a description"
    _refuse_unknown(_mentioned_criteria(config), _criteria(config), "no criterion is named", hint)
    _check_authors(config)
    _check_rules(config.layer.rules)
    _check_constitution(config)
    workflow_of(config)


def _check_authors(config: Config) -> None:
    if config.review.authors and not config.review.author and config.profile != "overlay":
        place = config.review.nodes["authors"].place
        raise place.error('"authors" needs "author" as well', hint="the author fixes findings without a criterion")


def _agents_of_review(config: Config) -> Iterator[_Mention]:
    nodes = config.review.nodes
    for key in ("author", "reviewer", "tie_break", "arbiter"):
        yield from _texts(nodes.get(key))
    if isinstance(authors := nodes.get("authors"), Table):
        for entry in authors.entries.values():
            yield from _texts(entry.value)
    if isinstance(reviewers := nodes.get("reviewers"), Items):
        for item in reviewers.nodes:
            yield from _texts(item.get("agent") if isinstance(item, Table) else item)


def _agents_of_tasks(tasks: Table | None) -> Iterator[_Mention]:
    for task in tasks.entries.values() if tasks else ():
        yield from _texts(_inner(task.value, "agent"))
        overlay = _inner(_inner(task.value, "overlays"), "agentic_review")
        for key in ("coder_agent", "reviewer_agent", "reviewer_agents"):
            yield from _texts(_inner(overlay, key))


def _agents_of_phases(config: Config) -> Iterator[_Mention]:
    written = config.layer.top.get("phases")
    for entry in written.node.entries.values() if written and isinstance(written.node, Table) else ():
        yield from _texts(entry.value)
    execution = config.layer.top.get("execution")
    yield from _texts(_inner(execution.node, "agent") if execution else None)


def _criteria(config: Config) -> frozenset[str]:
    """All known criteria: of the bundled rubrics, of the project's rubric, and those defined under `criteria`."""
    own = (config.review.rubric,) if config.review.rubric else ()
    written_out = (item.name for item in config.review.criteria or () if isinstance(item, Criterion))
    return frozenset((*(name for rubric in (*RUBRICS.values(), *own) for name in rubric.names), *written_out))


def _mentioned_criteria(config: Config) -> Iterator[_Mention]:
    nodes = config.review.nodes
    if isinstance(criteria := nodes.get("criteria"), Items):
        for item in criteria.nodes:
            yield from _texts(item)
    for key in ("min_score", "weights", "authors"):
        yield from _keys(nodes.get(key))


def _check_rules(settings: Mapping[str, Setting]) -> None:
    nodes = {key: setting.node for key, setting in settings.items()}
    mentions = [*_texts(nodes.get("select")), *_texts(nodes.get("ignore"))]
    if isinstance(per_path := nodes.get("per_path"), Table):
        for glob in per_path.entries.values():
            mentions += [*_texts(_inner(glob.value, "select")), *_texts(_inner(glob.value, "ignore"))]
    exact = list(_keys(nodes.get("severity")))
    if not mentions and not exact:
        return
    from reviewloop.rules import all_rules, selectable  # loads every rule, which few commands need

    names = {name for rule in all_rules() for name in (rule.id, rule.name)}
    for mentioned, known in ((mentions, selectable()), (exact, names)):
        _refuse_unknown(mentioned, known, "no rule is named", "`reviewloop rules` lists them")


def _check_fallbacks(config: Config, agents: Collection[str]) -> None:
    """Raise for a fallback that is unknown or leads back to the same agent."""
    for name, entry in config.agents.items():
        chain = [name]
        while isinstance(fallback := config.agents[chain[-1]].settings.get("fallback"), str):
            if fallback not in agents:
                hint = nearest(fallback, agents) or 'add it under "agents"'
                raise config.agents[chain[-1]].error(f"no agent is named {shown(fallback)}", "fallback", hint=hint)
            if fallback in chain:
                raise entry.error(f"the fallbacks form a cycle: {' -> '.join([*chain, fallback])}", "fallback")
            chain.append(fallback)


def _check_egress(config: Config) -> None:
    nodes = {key: setting.node for key, setting in config.layer.egress.items()}
    mentions = list(_texts(nodes.get("allowed_agents")))
    if isinstance(per_path := nodes.get("per_path"), Table):
        for pattern in per_path.entries.values():
            mentions += _texts(_inner(pattern.value, "allowed_agents"))
    known = {*config.agents, *(entry.kind for entry in config.agents.values()), *KINDS}
    _refuse_unknown(mentions, known, "no agent and no kind is named", "use the name or the kind of an agent")


def _check_constitution(config: Config) -> None:
    written = config.layer.top.get("constitution")
    for mention, path in zip(_texts(written.node) if written else (), config.constitution, strict=True):
        if not exists(path):
            raise mention.place.error(f"there is no file {shown(mention.name)}", hint=f"looked for {path}")


def _refuse_unknown(mentions: Iterable[_Mention], known: Collection[str], message: str, hint: str) -> None:
    for mention in mentions:
        if mention.name not in known:
            near = nearest(mention.name, sorted(known))
            raise mention.place.error(f"{message} {shown(mention.name)}", hint=near or hint)


def _texts(node: Node | None) -> Iterator[_Mention]:
    """The names in a text or a list of texts."""
    match node:
        case Scalar():
            yield _Mention(name=node.text, place=node.place)
        case Items():
            for item in node.nodes:
                yield from _texts(item)
        case _:
            return


def _keys(node: Node | None) -> Iterator[_Mention]:
    """The names that are keys of a mapping."""
    for key, entry in node.entries.items() if isinstance(node, Table) else ():
        yield _Mention(name=key, place=entry.key)


def _inner(node: Node | None, key: str) -> Node | None:
    return node.get(key) if isinstance(node, Table) else None
