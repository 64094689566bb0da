"""Key pairs of the site, one set for each learning platform."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.db.models import Q, QuerySet
from django.utils import timezone
from jwt.algorithms import RSAAlgorithm

from grading.core.crypto import seal, unseal
from grading.models import LtiKey, LtiRegistration

# The encryption key is derived from it: if it changed, no stored key could be read.
SEAL = "lti-key"
BITS, EXPONENT = 2048, 65537
# Platforms keep our public keys for a while: a new one is published before it signs, and an old one
# after it signed last.
PUBLISHED_BEFORE, PUBLISHED_AFTER = timedelta(hours=1), timedelta(days=1)


def make_key(registration: LtiRegistration, *, signs_from: datetime) -> LtiKey:
    """Store a new key pair. Runs in the scope and transaction of its caller."""
    private = rsa.generate_private_key(public_exponent=EXPONENT, key_size=BITS)
    pem = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return LtiKey.objects.create(
        organization_id=registration.organization_id,
        registration=registration,
        sealed_private=seal(pem.decode(), purpose=SEAL),
        public_jwk=RSAAlgorithm.to_jwk(private.public_key(), as_dict=True),
        signs_from=signs_from,
    )


def published_keys(registration: LtiRegistration) -> QuerySet[LtiKey]:
    """Return the keys that a platform may meet in our messages, the newest first."""
    now = timezone.now()
    current = Q(published_until=None) | Q(published_until__gt=now)
    return LtiKey.objects.filter(current, registration=registration)


def signing_key(registration: LtiRegistration) -> LtiKey:
    """Return the key that signs now: the newest one that is not merely announced."""
    keys = published_keys(registration).filter(signs_from__lte=timezone.now())
    # `registrations` makes the first key with the registration, and none is ever the last to go.
    return keys.order_by("-signs_from", "-pk")[:1].get()


def private_half(key: LtiKey) -> rsa.RSAPrivateKey:
    """Return the private half. Raises SealBrokenError."""
    pem = unseal(key.sealed_private, purpose=SEAL).encode()
    # The seal vouches for a key that was made here; proving again that its factors are prime takes a
    # hundred times as long as a signature.
    private = serialization.load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(private, rsa.RSAPrivateKey)  # noqa: S101 -- only such keys are sealed here
    return private


def key_set(registration: LtiRegistration) -> dict[str, list[dict[str, Any]]]:
    """Return our JSON Web Key Set for a platform."""
    return {
        "keys": [
            {"kty": "RSA", "n": key.public_jwk["n"], "e": key.public_jwk["e"]}
            | {"kid": str(key.kid), "alg": "RS256", "use": "sig"}
            for key in published_keys(registration)
        ]
    }
