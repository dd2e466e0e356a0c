from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.redaction import find, redact

# Made up, and put together here, so that nobody's scanner takes this file for a leak.
LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC"
SECRETS = {
    "AWS access key": "AKIA" + "Q3EGZ2TCDVJ4WXYM",
    "Google API key": "AIza" + LETTERS + "abc",
    "Google access token": "ya29." + LETTERS,
    "GitHub token": "ghp_" + LETTERS + "wxyz",
    "GitLab token": "glpat-" + LETTERS[:20],
    "Slack token": "xoxb-" + "1234567890-" + LETTERS,
    "Slack webhook": "hooks.slack.com/services/" + "T0AB12CD3/B0EF45GH6/" + LETTERS[:24],
    "Stripe key": "sk_live_" + LETTERS[:24],
    "Anthropic key": "sk-ant-" + "api03-" + LETTERS,
    "OpenAI key": "sk-proj-" + LETTERS,
    "npm token": "npm_" + LETTERS + "wxyz",
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS * 2,
    "Hugging Face token": "hf_" + LETTERS + "ab",
    "SendGrid key": "SG." + LETTERS[:22] + "." + LETTERS + LETTERS[:11],
    "DigitalOcean token": "dop_v1_" + "0123456789abcdef" * 4,
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + LETTERS,
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n" + f"{LETTERS}{LETTERS}\n" * 4 + "-----END RSA PRIVATE KEY-----",
}
ASSIGNED = [
    ("password = '{}'", "hunter2-Tr0ub4dor"),
    ("DB_PASSWORD={}", "hunter2-Tr0ub4dor"),
    ("dbPassword: {}", "hunter2-Tr0ub4dor"),
    ('"client_secret": "{}",', "b4c0ffee-77aa"),
    ("aws_secret_access_key = {}", LETTERS + "/+abCD12"),
    ("curl 'https://x.example.com/a?b=1&token={}&c=2'", "abc123defg"),
    ("https://bob:{}@host/path", "s3cr3t-thing"),
    ("data = {}", LETTERS + LETTERS[::-1]),
]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_by_its_shape(kind: str) -> None:
    text = f"Before.\nIt is {SECRETS[kind]} here.\n"

    assert f"Before.\nIt is [redacted: {kind}] here.\n" == redact(text)


@pytest.mark.parametrize(("template", "value"), ASSIGNED)
def test_a_secret_is_found_by_where_it_stands(template: str, value: str) -> None:
    found = find(template.format(value))

    assert [value] == [template.format(value)[secret.start : secret.end] for secret in found]


@pytest.mark.parametrize(
    "text",
    [
        "token: identifies the user for ten minutes",
        "The password: at least twelve characters.",
        "password = os.environ['DB_PASSWORD']",
        "api_key = settings.api_key",
        "api_key: ${API_KEY}",
        "secret: {{ vault.secret }}",
        'token = "<your token>"',
        "token = get_token1(user)",
        "password: ********",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "commit = 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "integrity: sha512-" + LETTERS + LETTERS[::-1],
        "path = src/reviewloop/agents/secrets_and_other_things_that_are_long.py",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "sk-learn-is-a-library-with-a-long-name",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "https://user:password@host/",
        "| `review.reviewers[].allow_failure` | true or false | `false` | Whether the review counts |",
        "FR-12: `GET /export?token=abc` answers 401.",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert text == redact(text)


def test_a_key_whose_end_was_cut_off_is_found() -> None:
    text = SECRETS["private key"].partition("-----END")[0]

    assert "[redacted: private key]" == redact(text)


def test_a_key_in_a_json_string_is_found() -> None:
    text = '{"private_key": "' + SECRETS["private key"].replace("\n", "\\n") + '"}'

    assert '{"private_key": "[redacted: private key]"}' == redact(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dsn=db.internal/password=hunter22x", "dsn=db.internal/password=[redacted: password]"),
        ("A=xoxa-0000000000/PASSWORD=0000000A", "A=[redacted: Slack token]/PASSWORD=[redacted: password]"),
        ('dsn="host=db,password=hunter22x,port=5432"', 'dsn="host=db,password=[redacted: password],port=5432"'),
        ("A=xoxa-0000000000/PASSWORD:0000000A", "A=[redacted: Slack token]/PASSWORD:[redacted: password]"),
    ],
)
def test_a_secret_inside_another_value_is_found(text: str, expected: str) -> None:
    assert expected == redact(text)


around = st.text(st.characters(codec="utf-8"), max_size=200)


@given(around, st.sampled_from(sorted(SECRETS)), around)
def test_no_surroundings_hide_a_secret(before: str, kind: str, after: str) -> None:
    assert SECRETS[kind] not in redact(f"{before} {SECRETS[kind]} {after}")


@given(
    st.text()
    | st.lists(st.sampled_from([*SECRETS.values(), "password=", "'", " ", "\n", "://", ":", "@", "x9"])).map("".join)
)
def test_findings_are_in_order_apart_and_gone_after_redaction(text: str) -> None:
    found = find(text)

    assert all(secret.start < secret.end for secret in found)
    assert all(first.end <= second.start for first, second in pairwise(found))
    assert redact(text) == redact(redact(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a-",
        "a.",
        "A_",
        "a=",
        "a:",
        "a:'",
        "password=",
        "pwd:",
        "sk-",
        "eyJaaaaaaaaaaaa.",
        "a://b:",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_no_text_takes_forever(piece: str) -> None:
    find(piece * (200_000 // len(piece)))
