"""Encryption of second-factor secrets in the database (settings: MFA_ADAPTER)."""

from allauth.mfa.adapter import DefaultMFAAdapter

from grading.core.crypto import seal, unseal

# The encryption key is derived from it: if it changed, no stored secret could be read.
PURPOSE = "second factor"


class SealingAdapter(DefaultMFAAdapter):
    """allauth's adapter with encryption."""

    def encrypt(self, text: str) -> str:
        return seal(text, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text, purpose=PURPOSE)
