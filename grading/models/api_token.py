"""What lets a program in as a person. It belongs to the person and not to an organization."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """The right to do some of what its user may do, until it expires or is revoked.

    The token itself is shown once and kept nowhere: `sha256` is of the whole of it, `prefix` its first characters, for
    people to tell theirs apart. `scopes` are values of ApiScope. `last_used_at` is right to a minute.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
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
