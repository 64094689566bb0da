"""Committed secrets: which kind stands where, and their removal from whatever is shown.

A secret's value leaves this module only to be replaced. Recognised are the documented prefixes of well-known
issuers, private keys, passwords in addresses, and random-looking values given to a telling name; what reads
like a placeholder is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

# Bits per character: hex digits of a random key have nearly 4, words about 3.
RANDOM_BITS = 3.4
REPEATED_BITS = 2.5
EXAMPLE_ENVIRONMENTS = ("example", "sample", "template", "dist", "test", "defaults")

_PLACEHOLDER = re.compile(
    r"your|example|placeholder|change|dummy|sample|insert|redact|fake|mock|xxx|\.\.\.|test|todo|replace|hidden"
    r"|secret|passw|1234567|abcdef|[<>{}$*]",
    re.IGNORECASE,
)
_EVERYDAY_PASSWORDS = frozenset(
    {"admin", "guest", "pass", "postgres", "root", "user", "minio", "redis"}
)


@dataclass(frozen=True, slots=True)
class Kind:
    """`markers`: a text with none of them, in any case where case is open, holds no such secret.

    The secret is the group `value` of `pattern`.
    """

    name: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]
    least_bits: float = REPEATED_BITS
    is_case_open: bool = False


def _kind(
    name: str,
    markers: str,
    pattern: str,
    least_bits: float = REPEATED_BITS,
    *,
    is_case_open: bool = False,
) -> Kind:
    return Kind(name, tuple(markers.split()), re.compile(pattern), least_bits, is_case_open)


# What a telling name ends in, such as OPENAI_API_KEY or db_password.
_TELLING = r"(?:_key|_KEY|[aA]pi_?[kK]ey|APIKEY|[sS]ecret|SECRET|[tT]oken|TOKEN|[pP]assw(?:or)?d|PASSW(?:OR)?D)"
KINDS = (
    _kind(
        "private key",
        "PRIVATE",
        r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:\\n|\s)+(?P<value>[A-Za-z0-9+/=\\\s:,-]{60,}?)(?=-----END|\Z)",
    ),
    _kind("AWS access key", "AKIA ASIA", r"\b(?P<value>(?:AKIA|ASIA)[A-Z2-7]{16})\b"),
    _kind(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\b(?P<value>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b",
    ),
    _kind("GitLab token", "glpat-", r"\b(?P<value>glpat-[\w-]{20,})"),
    _kind("Stripe key", "sk_live_ rk_live_", r"\b(?P<value>[rs]k_live_[A-Za-z0-9]{16,})\b"),
    _kind(
        "model provider's key",
        "sk- gsk_ hf_ AIza",
        r"\b(?P<value>sk-(?=[\w-]*\d)[\w-]{20,}|gsk_[A-Za-z0-9]{40,}|hf_[A-Za-z0-9]{30,}|AIza[\w-]{35})",
    ),
    _kind(
        "service key",
        "lsv2_ tvly- npm_ SG.",
        r"\b(?P<value>lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{8,}|tvly-[\w-]{20,}|npm_[A-Za-z0-9]{36}\b|SG\.[\w-]{22}\.[\w-]{43})",
    ),
    _kind("Slack token", "xox", r"\b(?P<value>xox[abeoprs]-[A-Za-z0-9-]{20,})"),
    _kind("signed web token", "eyJ", r"\b(?P<value>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,})"),
    _kind(
        "password in an address",
        "://",
        r"://[^\s:/@\"']{1,64}:(?P<value>[^\s/@\"']{6,200})@(?!localhost|127\.)",
    ),
    _kind(
        "value of a telling name",
        "key secret token passw",
        rf"{_TELLING}[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"'](?P<value>[\w+/=.~-]{{16,200}})[\"']",
        RANDOM_BITS,
        is_case_open=True,
    ),
)
ENVIRONMENT_KIND = Kind(
    "value in an environment file",
    ("=",),
    re.compile(
        rf"(?m)^[ \t]*(?:export[ \t]+)?\w{{0,60}}{_TELLING}\w{{0,20}}[ \t]*=[ \t]*[\"']?(?P<value>[^\s\"'#]{{8,}})"
    ),
)


@dataclass(frozen=True, slots=True)
class Secret:
    """What kind of secret stands on which 1-based line; never its value."""

    kind: str
    line: int


def secrets_in(text: str, path: str = "") -> list[Secret]:
    """The secrets of a file, by line; `path` tells whether it is an environment file."""
    found = {
        text.count("\n", 0, start) + 1: kind for start, _, kind in reversed(_spans(text, path))
    }
    return [Secret(kind, line) for line, kind in sorted(found.items())]


def redacted(text: str, path: str = "") -> str:
    """The text with every secret replaced by the name of its kind; it keeps its number of lines."""
    for start, end, kind in reversed(_spans(text, path)):
        text = (
            text[:start] + f"[redacted: {kind}]" + "\n" * text.count("\n", start, end) + text[end:]
        )
    return text


def is_environment_file(path: str) -> bool:
    """.env, .env.production, prod.env: not the example that is meant to be committed."""
    name = PurePosixPath(path).name.lower()
    if name != ".env" and not name.startswith(".env.") and not name.endswith(".env"):
        return False
    return not any(word in name for word in EXAMPLE_ENVIRONMENTS)


def _spans(text: str, path: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of every secret, none overlapping, in the text's order."""
    kinds = (*KINDS, ENVIRONMENT_KIND) if is_environment_file(path) else KINDS
    spans = sorted(span for kind in kinds for span in _matches(kind, text))
    kept: list[tuple[int, int, str]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _matches(kind: Kind, text: str) -> Iterator[tuple[int, int, str]]:
    searched = text.lower() if kind.is_case_open else text
    if not any(marker in searched for marker in kind.markers):
        return
    for match in kind.pattern.finditer(text):
        value = match["value"]
        if kind.name == "private key" or (
            _is_random(value, kind.least_bits) and not _is_placeholder(value)
        ):
            yield *match.span("value"), kind.name


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value) is not None or value.lower() in _EVERYDAY_PASSWORDS


def _is_random(value: str, least_bits: float) -> bool:
    """Random values mix characters; a sentence, a path or a dotted name given to a telling name does not."""
    if least_bits == RANDOM_BITS and not re.search(r"\d", value):
        return False
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts) >= least_bits
