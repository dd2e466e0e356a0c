"""Finds and replaces keys, tokens and passwords in a text.

A secret either has an unmistakable format, or is assigned to a name such as `password` and does not look like a
placeholder, a name or prose. Every pattern is bounded, so the time is linear in the length of the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

MARK = "[redacted"
"""How every mark begins."""

_LONGEST_KEY_BLOCK = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret's kind and position in the text."""

    kind: str
    start: int
    end: int


def find(text: str) -> tuple[Secret, ...]:
    """Return the secrets in text order. Of two that overlap, only the first is returned."""
    candidates = [*_key_blocks(text), *_tokens(text), *_assigned(text)]
    kept: list[Secret] = []
    for secret in sorted(candidates, key=lambda secret: (secret.start, -secret.end)):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return tuple(kept)


def redact(text: str) -> str:
    """Replace every secret with the name of its kind."""
    return replace_secrets(text, lambda secret: mark_of(secret.kind))


def redact_in_place(text: str) -> str:
    """Replace every secret with the name of its kind, and keep all other text on its line."""
    return replace_secrets(
        text, lambda secret: mark_of(secret.kind) + "\n" * text.count("\n", secret.start, secret.end)
    )


def mark_of(kind: str, token: str = "") -> str:
    """The mark that stands for a secret; with a token, for one secret of one call."""
    return f"{MARK} {token}: {kind}]" if token else f"{MARK}: {kind}]"


def replace_secrets(text: str, replacement: Callable[[Secret], str]) -> str:
    """Replace every secret with the text that `replacement` returns for it."""
    parts: list[str] = []
    done = 0
    for secret in find(text):
        parts += [text[done : secret.start], replacement(secret)]
        done = secret.end
    return "".join([*parts, text[done:]])


_TOKENS: Mapping[str, str] = {
    "AWS access key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "Google API key": r"AIza[\w-]{35}",
    "Google access token": r"ya29\.[\w-]{20,2000}",
    "GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})",
    "GitLab token": r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas|ffct)-[\w.-]{20,300}",
    "Slack token": r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,300}",
    "Slack webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{30,200}",
    "Stripe key": r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255}",
    "Anthropic key": r"sk-ant-[\w-]{20,300}",
    "OpenAI key": r"sk-(?:proj-|svcacct-|admin-)?(?=[\w-]{0,300}\d)(?=[\w-]{0,300}[A-Z])[\w-]{20,300}",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "PyPI token": r"pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{34}",
    "SendGrid key": r"SG\.[\w-]{22}\.[\w-]{43}",
    "DigitalOcean token": r"do[opr]_v1_[a-f0-9]{64}",
    "JSON web token": r"eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{10,4000}",
}
_TOKEN = {
    kind: re.compile(rf"(?<![A-Za-z0-9_])(?:{shape})(?![A-Za-z0-9])", re.ASCII) for kind, shape in _TOKENS.items()
}

_BEGIN_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,60}-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr]){0,16000}")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{40}")

_URL_PASSWORD = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}+://[^\s/:@\"']{0,100}+:(?P<value>[^\s/@\"']{3,200}+)@", re.IGNORECASE
)
_ASSIGNED_TO = re.compile(
    r"""
    (?<![A-Za-z0-9])(?P<key>[A-Za-z][\w.-]{0,60}+)["']?
    [ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}
    (?=["'`][^\s"'`]{8}|[^\s"'`,;(){}<>\[\]|=&?]{8})
    """,
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""(?P<quote>["'`])(?P<quoted>[^\s"'`]{8,400}+)(?P=quote)|(?P<bare>[^\s"'`,;(){}<>\[\]|=&?]{8,400}+={0,2}+)"""
)
_LONGEST_VALUE = 400
_QUOTES = ('"', "'", "`")
_DIGIT = re.compile(r"\d")
# An unquoted value that is followed by one of these is a call, an index or part of a longer expression.
_MORE_EXPRESSION = ("(", "[", "{", "<", '"', "'", "`")
_SECRET_WORD = re.compile(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
_SECRET_KEY = re.compile(
    r"(?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key|account_?key|auth_?key|encryption_?key"
    r"|signing_?key|credentials?)(?:_?(?:value|prod|production|dev|staging|live|base64|id))?$"
)
_PUBLIC_KEY = re.compile(r"sha\d*|digest|hash|checksum|integrity|etag|uuid|commit|revision|fingerprint|nonce|public")
_PLACEHOLDER = re.compile(
    r"example|placeholder|changeme|change_me|dummy|redacted|your[-_]|my[-_]|xxx|\*\*\*|\.\.\.|…|^[$%@#<{\[]|\$\{|\{\{"
    r"|environ|getenv|process\.env|secrets?\.|vault|://|^test|^fake|^foo|^bar|123456",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_]++(?:[._:/-][A-Za-z]++)*+\d{0,2}")
_LONG_START = re.compile(r"""["'`]?[A-Za-z0-9+/_-]{32}""")
_LONG_VALUE = re.compile(r"[A-Za-z0-9+/_-]{32,400}={0,2}")
_RANDOM_BITS = 4.4


def _key_blocks(text: str) -> Iterator[Secret]:
    done = 0
    for begin in _BEGIN_KEY.finditer(text):
        if begin.start() < done:
            continue
        end = _END_KEY.search(text, begin.end(), begin.end() + _LONGEST_KEY_BLOCK)
        done = end.end() if end else _body_end(text, begin.end())
        if _KEY_MATERIAL.search(text, begin.end(), done):
            yield Secret(kind="private key", start=begin.start(), end=done)


def _body_end(text: str, start: int) -> int:
    """Return the end of a key block whose END line is missing."""
    body = _KEY_BODY.match(text, start)
    return body.end() if body else start


def _tokens(text: str) -> Iterator[Secret]:
    for kind, shape in _TOKEN.items():
        for found in shape.finditer(text):
            if "EXAMPLE" not in found[0]:
                yield Secret(kind=kind, start=found.start(), end=found.end())


def _assigned(text: str) -> Iterator[Secret]:
    for found in _URL_PASSWORD.finditer(text):
        if not _PLACEHOLDER.search(found["value"]) and found["value"].lower() not in ("password", "pass", "secret"):
            yield Secret(kind="password", start=found.start("value"), end=found.end("value"))
    yield from _values(text)


def _values(text: str) -> Iterator[Secret]:
    """Find secrets in assignments, also in nested ones such as `dsn=db.internal/password=...`.

    A value is only read if it may be a secret. Otherwise `a:a:a:a` would be read again at every colon.
    """
    done = next_digit = 0
    for assigned in _ASSIGNED_TO.finditer(text):
        start = assigned.end()
        is_secret = _SECRET_WORD.search(assigned["key"]) is not None
        if assigned.start() < done or not (is_secret or _LONG_START.match(text, start)):
            continue
        if next_digit < start:
            digit = _DIGIT.search(text, start)
            next_digit = digit.start() if digit else len(text)
        if next_digit > start + _LONGEST_VALUE and not text.startswith(_QUOTES, start):
            continue  # unquoted passwords and random values contain a digit
        found = _VALUE.match(text, start)
        if found is None or text[found.end() : found.end() + 1] in _MORE_EXPRESSION:
            continue
        group = "quoted" if found["quoted"] else "bare"
        kind = _kind_of(assigned["key"], found[group], quoted=group == "quoted")
        if kind:
            yield Secret(kind=kind, start=found.start(group), end=found.end(group))
            done = found.end()


def _kind_of(key: str, value: str, *, quoted: bool) -> str | None:
    """Return the kind of secret that an assigned value is, or None."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[.-]", "_", key).lower()
    if _SECRET_KEY.search(name):
        return "password" if _looks_like_password(value, quoted=quoted) and not _PLACEHOLDER.search(value) else None
    if _PUBLIC_KEY.search(name) or not _LONG_VALUE.fullmatch(value) or _PLACEHOLDER.search(value):
        return None
    return "high-entropy value" if _is_random(value) else None


def _looks_like_password(value: str, *, quoted: bool) -> bool:
    """Tell a password from a name, a call, a path or a word of prose."""
    if _NAME.fullmatch(value) or not re.search(r"[A-Za-z]", value):
        return False
    digits = bool(re.search(r"\d", value))
    return digits or (quoted and bool(re.search(r"[^\w.:/-]", value)))


def _is_random(value: str) -> bool:
    mixed = re.search(r"[a-z]", value) and re.search(r"[A-Z]", value) and len(re.findall(r"\d", value)) >= 2
    return bool(mixed) and value.count("/") < 4 and _bits_per_character(value) >= _RANDOM_BITS


def _bits_per_character(value: str) -> float:
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())
