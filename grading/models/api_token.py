"""API tokens. They belong to a person and not to an organization."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """Token that lets a program do part of what its user may do, until it expires or is revoked.

    Its text is displayed once and not stored: `sha256` is the digest of the whole text, `prefix`
    its first characters, by which people recognise their tokens. `scopes` are values of ApiScope.
    `last_used_at` is accurate to a minute.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    # No salt is needed: the text is random and long. Unique, since requests look it up.
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"
