"""Encryption of stored secrets, and secrets for keyed hashes, with keys derived from SECRET_KEY, one for each purpose.

After a change of SECRET_KEY keep the old one in SECRET_KEY_FALLBACKS until all secrets are sealed
again.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

from grading.core.errors import SealBrokenError


def seal(secret: str, *, purpose: str) -> str:
    """Return the secret encrypted for this purpose."""
    return _keys(purpose).encrypt(secret.encode()).decode("ascii")


def unseal(sealed: str, *, purpose: str) -> str:
    """Return the decrypted secret. Raises SealBrokenError for another key or purpose."""
    try:
        return _keys(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealBrokenError(
            "seal_broken", "A stored secret cannot be read with today's SECRET_KEY."
        ) from error


def secret_for(purpose: str) -> bytes:
    """Return 32 secret bytes for this purpose. They change with SECRET_KEY."""
    return _derived(force_bytes(settings.SECRET_KEY), purpose)


def _keys(purpose: str) -> MultiFernet:
    # The order matters: MultiFernet encrypts with the first key and decrypts with any.
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([_key(force_bytes(secret), purpose) for secret in secrets])


def _key(secret: bytes, purpose: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_derived(secret, purpose)))


def _derived(secret: bytes, purpose: str) -> bytes:
    # SECRET_KEY is random already, so the salt may be fixed.
    key = HKDF(SHA256(), length=32, salt=b"automaton-auditor", info=purpose.encode())
    return key.derive(secret)
