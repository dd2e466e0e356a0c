"""No message shows what stands under `env`, a key, a token or a password."""

from __future__ import annotations

import pytest

from config.conftest import Project, lines

SECRET = "hunter2-hunter2"


def test_the_line_is_shown_with_stars_in_it(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:66: duplicate key "kind"
          2 |   mine: {kind: command, env: {API: ***************, B: *}, kind: command}
            |                                                            ^^^^
        hint: it is also on line 2; keep one of them
    """).replace("2:66", "2:60") == project.complaint(
        f"agents:\n  mine: {{kind: command, env: {{API: {SECRET}, B: c}}, kind: command}}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        # understood, and wrong somewhere
        "agents:\n  a: {kind: command, env: {X: SECRET}, kind: x}",
        "agents:\n  a: {kind: comand, env: [X=SECRET]}",
        "agents:\n  a: {kind: comand, api_key: SECRET}",
        "agents:\n  env: SECRET",
        "agents:\n  token: [SECRET]",
        "agents:\n  a: {env: {X: &s SECRET}, kind: claud}\n  b: *s",
        "agents:\n  a: &s SECRET\n  b: {kind: command, env: {X: *s}}",
        "env: SECRET",
        "agents:\n  a: {env: {X:SECRET, X:SECRET}, kind: command}",
        "agents:\n  a: {env: {!X SECRET}, kind: command}",
        "agents:\n  a:\n    env:\n      X: 'one\n        SECRET'\n    kind: x",
        "agents:\n  a:\n    env:\n      X: |\n        SECRET\n    kind: x",
        "ledger: mysql://me:SECRET@host/db",
        "ledger: postgresql://me:SECRET@host/db\nledger: x",
        # not understood at all
        'agents:\n  a: {kind: command, env: {X: "SECRET}}',
        "agents:\n  a: {kind: command, env {X: SECRET}}",
        "agents:\n  a: {kind: command, :env: {X: SECRET}}",
        "agents:\n  a:\n    env:\n      X: SECRET: y\n",
        "agents:\n  a:\n    env:\n      X: *SECRET\n",
        "agents:\n  a:\n    env: {\n      X: '1',\n      Y: *SECRET }\n",
        "agents:\n  a:\n    env:\n      X: @SECRET\n",
        "agents:\n  a:\n    env:\n      X: one\n      two SECRET\n    kind: x",
        "agents:\n  a:\n    env:\n      X:\n\tSECRET\n",
        "agents:\n  a:\n    env:\n      KEY: a\nB: c\n      X: SECRET: y\n",
        "agents:\n  a:\n    password: SECRET: y\n",
        "agents:\n  a: {url: 'http://me:SECRET@host', b: c: d}\n",
        "agents:\n  a:\n    env:\n      X: SECRET\x01\n",
    ],
)
def test_a_secret_is_in_no_message(project: Project, text: str) -> None:
    said = project.complaint(text.replace("SECRET", SECRET))

    assert "hunter2" not in said


def test_what_is_not_a_secret_stays_readable_beside_one(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:5:12: not valid YAML: mapping values are not allowed here
          5 |     kind: x: y
            |            ^
        hint: put text with ": " in quotes, and indent all keys of a mapping equally
    """) == project.complaint("agents:\n  a:\n    env:\n      X: y\n    kind: x: y\n")


def test_a_secret_is_in_no_representation(project: Project) -> None:
    config = project.config(
        f"agents: {{a: {{kind: command, command: [x], env: {{X: {SECRET}}}}}}}\nledger: postgresql://me:{SECRET}@host/db"
    )

    assert SECRET not in repr(config) + repr(config.layer) + repr(config.agents["a"].table)
    assert {"X": SECRET} == config.agents["a"].settings["env"]
