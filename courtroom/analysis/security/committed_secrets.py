"""Committed secrets by kind and line, and their redaction from every text that is shown.

A secret's value leaves this module only to be replaced. Recognized are the documented prefixes of
well-known issuers, private keys, passwords in addresses, and random-looking values assigned to a
name such as api_key. A value that reads like a placeholder is no secret.

Everything recognized is redacted. Only what secret_certainty.py calls certain is an accusation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from courtroom.analysis.security.secret_certainty import entropy, is_certain

# Entropy in bits per character: hex digits of a random key have nearly 4, words about 3.
RANDOM_BITS = 3.4
# Enough to tell a key from "aaaaaaaa" where the prefix itself is proof.
REPEATED_BITS = 2.5
EXAMPLE_ENVIRONMENTS = ("example", "sample", "template", "dist", "test", "defaults")

_PLACEHOLDER = re.compile(
    r"your|example|placeholder|change|dummy|sample|insert|redact|fake|mock|xxx|\.\.\.|test|todo"
    r"|replace|hidden|secret|passw|1234567|abcdef|[<>{}$*]",
    re.IGNORECASE,
)
# Defaults of local services, which protect nothing.
_DEFAULT_PASSWORDS = frozenset(
    {"admin", "guest", "pass", "postgres", "root", "user", "minio", "redis"}
)


@dataclass(frozen=True, slots=True)
class Kind:
    """Kind of secret; the secret is the group `value` of `pattern`.

    A text without any of the `markers` holds no such secret. `ignores_case` is for the markers
    alone. `min_bits` is the least entropy per character.
    """

    name: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]
    min_bits: float = REPEATED_BITS
    ignores_case: bool = False


def _kind(
    name: str,
    markers: str,
    pattern: str,
    min_bits: float = REPEATED_BITS,
    *,
    ignores_case: bool = False,
) -> Kind:
    return Kind(name, tuple(markers.split()), re.compile(pattern), min_bits, ignores_case)


# End of a name that holds a secret, such as OPENAI_API_KEY or db_password.
_NAME_ENDING = (
    r"(?:_key|_KEY|[aA]pi_?[kK]ey|APIKEY|[sS]ecret|SECRET|[tT]oken|TOKEN"
    r"|[pP]assw(?:or)?d|PASSW(?:OR)?D)"
)
# Every quantifier has an upper bound or a fixed end, so that no text makes the search slow.
KINDS = (
    _kind(
        "private key",
        "PRIVATE",
        r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?>(?:\\n|\s)+)"
        r"(?P<value>(?>(?:(?!-----)[A-Za-z0-9+/=\\\s:,-]){60,}))(?=-----END|\Z)",
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
        r"\b(?P<value>sk-(?=[\w-]{0,200}\d)[\w-]{20,}|gsk_[A-Za-z0-9]{40,}|hf_[A-Za-z0-9]{30,}"
        r"|AIza[\w-]{35})",
    ),
    _kind(
        "service key",
        "lsv2_ tvly- npm_ SG.",
        r"\b(?P<value>lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{8,}|tvly-[\w-]{20,}"
        r"|npm_[A-Za-z0-9]{36}\b|SG\.[\w-]{22}\.[\w-]{43})",
    ),
    _kind("Slack token", "xox", r"\b(?P<value>xox[abeoprs]-[A-Za-z0-9-]{20,})"),
    _kind(
        "signed web token",
        "eyJ",
        r"(?<![\w-])(?P<value>eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{20,})",
    ),
    _kind(
        "password in an address",
        "://",
        r"://[^\s:/@\"']{1,64}:(?P<value>[^\s/@\"']{6,200})@(?!localhost|127\.)",
    ),
    _kind(
        "value of a telling name",
        "key secret token passw",
        rf"{_NAME_ENDING}[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"'](?P<value>[\w+/=.~-]{{16,200}})[\"']",
        RANDOM_BITS,
        ignores_case=True,
    ),
)
ENVIRONMENT_KIND = Kind(
    "value in an environment file",
    ("=",),
    re.compile(
        rf"(?m)^[ \t]*(?:export[ \t]+)?\w{{0,60}}{_NAME_ENDING}\w{{0,20}}[ \t]*=[ \t]*[\"']?"
        r"(?P<value>[^\s\"'#]{8,})"
    ),
)


@dataclass(frozen=True, slots=True)
class Secret:
    """Kind and 1-based line of a secret; never its value.

    One that is not certain may be an example, a test's own key or a pattern.
    """

    kind: str
    line: int
    is_certain: bool = True


def secrets_in(text: str, path: str = "") -> list[Secret]:
    """Return the secrets of a file, one per line; `path` shows if it is an environment file."""
    secrets: dict[int, Secret] = {}
    for match, kind in _matches(text, path):
        line = text.count("\n", 0, match.start("value")) + 1
        secret = Secret(kind, line, is_certain(kind, match, path))
        # The first of a line stays, unless a later one is more certain.
        if line not in secrets or secret.is_certain > secrets[line].is_certain:
            secrets[line] = secret
    return [secrets[line] for line in sorted(secrets)]


def redacted(text: str, path: str = "") -> str:
    """Return the text with the name of its kind for every secret, and as many lines as before."""
    # From the end, so that the earlier positions stay right.
    for match, kind in reversed(_matches(text, path)):
        start, end = match.span("value")
        newlines = "\n" * text.count("\n", start, end)
        text = f"{text[:start]}[redacted: {kind}]{newlines}{text[end:]}"
    return text


def is_environment_file(path: str) -> bool:
    """Return true for .env, .env.production and prod.env, not for the example .env.sample."""
    name = PurePosixPath(path).name.lower()
    is_environment = name == ".env" or name.startswith(".env.") or name.endswith(".env")
    return is_environment and not any(word in name for word in EXAMPLE_ENVIRONMENTS)


def _matches(text: str, path: str) -> list[tuple[re.Match[str], str]]:
    """Return match and kind of every secret, without overlaps, in the text's order."""
    kinds = (*KINDS, ENVIRONMENT_KIND) if is_environment_file(path) else KINDS
    matches = [(match, kind.name) for kind in kinds for match in _matches_of_kind(kind, text)]

    kept: list[tuple[re.Match[str], str]] = []
    for match, kind_name in sorted(matches, key=lambda item: (item[0].span("value"), item[1])):
        if not kept or match.start("value") >= kept[-1][0].end("value"):
            kept.append((match, kind_name))
    return kept


def _matches_of_kind(kind: Kind, text: str) -> Iterator[re.Match[str]]:
    # Markers spare the slow patterns on nearly every text.
    marked_text = text.lower() if kind.ignores_case else text
    if not any(map(marked_text.__contains__, kind.markers)):
        return

    for match in kind.pattern.finditer(text):
        value = match["value"]
        is_likely = _is_random(value, kind.min_bits) and not _is_placeholder(value)
        if kind.name == "private key" or is_likely:
            yield match


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value) is not None or value.lower() in _DEFAULT_PASSWORDS


def _is_random(value: str, min_bits: float) -> bool:
    """Return true when a value mixes characters, unlike a sentence, a path or a dotted name."""
    if min_bits == RANDOM_BITS and not re.search(r"\d", value):
        return False
    return entropy(value) >= min_bits
