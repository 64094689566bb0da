"""The second factor's secrets are sealed before they reach the database (settings: MFA_ADAPTER)."""

from allauth.mfa.adapter import DefaultMFAAdapter

from grading.core.crypto import seal, unseal

PURPOSE = "second factor"


class SealingAdapter(DefaultMFAAdapter):
    """allauth's own, with its hooks for encryption filled in."""

    def encrypt(self, text: str) -> str:
        return seal(text, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text, purpose=PURPOSE)
