"""The threshold of an accusation: which recognized secrets are certain, and which only possible.

An example in the documentation, a test's own key, a local service's password or a pattern is
redacted like any secret, and is held against nobody.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import PurePosixPath

# Words of folders whose keys are made up: tests, documentation and examples.
SAMPLE_FOLDERS = frozenset(
    {
        *(
            "t",
            "unit",
            "test",
            "tests",
            "testing",
            "testdata",
            "fixture",
            "fixtures",
            "mock",
            "mocks",
        ),
        *("spec", "specs", "cassettes", "snapshots", "e2e", "unittests"),
        *("doc", "docs", "documentation", "tutorial", "tutorials"),
        *("example", "examples", "sample", "samples"),
    }
)
_SAMPLE_FILE = re.compile(
    r"(?:test_.*|.*[_.-](?:test|tests|spec)|tests|conftest)\.\w+|.*\.(?:md|mdx|rst|adoc|example|sample)"
)
# Kinds that an issuer's prefix shows.
ISSUER_KINDS = frozenset(
    {
        "AWS access key",
        "GitHub token",
        "GitLab token",
        "Stripe key",
        "model provider's key",
        "service key",
        "Slack token",
    }
)
# Signatures inside the real keys of OpenAI and of Groq: "OpenAI" and "XgroqX" in base64.
ISSUER_SIGNATURES = ("T3BlbkFJ", "WGdyb3FY")
SIGNED_CHARACTERS = 48
# Keys of words have fewer bits per character and fewer changes between letters and digits.
ISSUER_BITS, ISSUER_CHANGES = 3.0, 0.15
NAMED_CHANGES = 0.22
# Text before a value that may hold its name.
NAME_CHARACTERS = 60
# Names of public, cached or sorted things end with _key as well.
_SECRET_NAME = re.compile(
    r"(?:api|secret|private|access|auth|encryption|signing|jwt|service|account|master|app)_?key"
    r"|secret|token|passw",
    re.IGNORECASE,
)
# Keys that every browser receives, by their name or by their issuer's prefix; and digests.
_PUBLIC_NAME = re.compile(r"publi[cs]|anon_?key|hash|digest|checksum", re.IGNORECASE)
_PUBLIC_PREFIXES = ("phc_", "pk_")
_USER = re.compile(r"://([^\s:/@\"']{1,64}):\Z")
_EXAMPLE_USERS = frozenset({"user", "username", "name", "login", "foo", "me", "scott"})
# A host with a dot; one without is a service of the same machine or network.
_HOST = re.compile(r"@([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})")
_EXAMPLE_HOST = re.compile(
    r"example|sample|domain|\b(?:foo|bar|baz|host\w{0,8}|server|test|localhost|company)\b"
    r"|\.(?:test|invalid|local)\Z",
    re.IGNORECASE,
)
# Characters of a password in an address by RFC 3986, brackets apart: those are of a pattern.
_ADDRESS_PASSWORD = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w.~!$&*+;=%-]{8,200}")
_ENVIRONMENT_VALUE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[^/\\:()]{8,500}")


def is_certain(kind: str, match: re.Match[str], path: str) -> bool:
    """Return true when a careful reader would call the group `value` of the match a secret."""
    value = match["value"]
    if kind in ISSUER_KINDS:
        is_issued = len(value) >= SIGNED_CHARACTERS and any(
            signature in value for signature in ISSUER_SIGNATURES
        )
        return is_issued or (_is_issued_at_random(kind, value) and not is_sample_folder(path))
    if is_sample_folder(path) or is_sample_file(path):
        return False
    if kind == "password in an address":
        return _is_address_password(match)

    start = match.start("value")
    name = match.string[max(0, start - NAME_CHARACTERS) : start].rpartition("\n")[2]
    if _PUBLIC_NAME.search(name) or value.startswith(_PUBLIC_PREFIXES):
        return False
    if kind == "value of a telling name":
        return _SECRET_NAME.search(name) is not None and changes(value) >= NAMED_CHANGES
    if kind == "value in an environment file":
        return _ENVIRONMENT_VALUE.fullmatch(value) is not None
    return True


def is_sample_folder(path: str) -> bool:
    """Return true for a file in a folder of tests, documentation or examples."""
    folders = PurePosixPath(path.lower()).parts[:-1]
    return any(SAMPLE_FOLDERS.intersection(re.split(r"[_.-]", folder)) for folder in folders)


def is_sample_file(path: str) -> bool:
    """Return true for a test or a text for readers, by the file's name."""
    return _SAMPLE_FILE.fullmatch(PurePosixPath(path.lower()).name) is not None


def entropy(value: str) -> float:
    """Return the bits per character."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares)


def changes(value: str) -> float:
    """Return the share of places where letters and digits meet or a capital follows a small letter.

    Random letters and digits have 0.3 to 0.5 of them, words and dates in any spelling up to 0.2.
    """
    characters = [character for character in value if character.isalnum()]
    met = sum(
        left.isdigit() != right.isdigit() or (left.islower() and right.isupper())
        for left, right in pairwise(characters)
    )
    return met / max(1, len(characters))


def _is_issued_at_random(kind: str, value: str) -> bool:
    # AWS's capitals need not hold a digit.
    least = 0 if kind == "AWS access key" else ISSUER_CHANGES
    return entropy(value) >= ISSUER_BITS and changes(value) >= least


def _is_address_password(match: re.Match[str]) -> bool:
    text, (start, end) = match.string, match.span("value")
    user = _USER.search(text, max(0, start - 70), start)
    host = _HOST.match(text, end)
    if user is None or user[1].lower() in _EXAMPLE_USERS or host is None:
        return False
    return not _EXAMPLE_HOST.search(host[1]) and bool(_ADDRESS_PASSWORD.fullmatch(match["value"]))
