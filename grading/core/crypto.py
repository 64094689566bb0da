"""Secrets at rest: sealed with a key that follows from SECRET_KEY, each purpose with a key of its own.

After a change of SECRET_KEY the old one belongs into SECRET_KEY_FALLBACKS until everything is sealed anew.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

from grading.core.errors import SealBrokenError


def seal(secret: str, *, purpose: str) -> str:
    """The secret as text that only this site can read, and only for the same purpose."""
    return _keys(purpose).encrypt(secret.encode()).decode("ascii")


def unseal(sealed: str, *, purpose: str) -> str:
    """The secret again. Raises SealBrokenError when it was sealed with another key or for another purpose."""
    try:
        return _keys(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealBrokenError(
            "seal_broken", "A stored secret cannot be read with today's SECRET_KEY."
        ) from error


def _keys(purpose: str) -> MultiFernet:
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([_key(force_bytes(secret), purpose) for secret in secrets])


def _key(secret: bytes, purpose: str) -> Fernet:
    derived = HKDF(SHA256(), length=32, salt=b"automaton-auditor", info=purpose.encode()).derive(
        secret
    )
    return Fernet(base64.urlsafe_b64encode(derived))
