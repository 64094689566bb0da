"""Zones of people and the secret addresses of their calendars. They belong to no organization."""

from django.conf import settings
from django.db import models


class PersonalCalendar(models.Model):
    """Zone in which a person reads times, and the address of the feed of their deadlines.

    `time_zone` is empty until they choose one. The address is displayed once and not stored:
    `sha256` is the digest of its secret, null without a feed.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calendar"
    )
    time_zone = models.CharField(max_length=64, blank=True)
    # No salt is needed: the secret is random and long. Unique, since requests look it up.
    sha256 = models.CharField(max_length=64, unique=True, null=True, blank=True)
    made_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.time_zone or 'no zone'}"
