"""Pairs of ssh keys that the site makes: the private half never leaves it, the public one is shown."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

COMMENT = "automaton-auditor"


def new_pair() -> tuple[str, str]:
    """Return a private key in OpenSSH's format, and the line of its public half for a host's form."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return private.decode("ascii"), f"{public.decode('ascii')} {COMMENT}"
