"""Activity log of actions. A database trigger refuses to change or delete a row."""

from django.conf import settings
from django.db import models

from grading.models.cohort import Cohort
from grading.models.tenant import TenantPart


class Activity(TenantPart):
    """One action. `actor` is null if the site itself acted; `verb` is like `submission.handed_in`.

    `cohort` is null for actions outside of cohorts. Rows outlive the objects they are about.
    """

    # No constraint and no SET_NULL: the trigger refuses every change of a row, and so a deleted
    # account or cohort leaves its key behind.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    cohort = models.ForeignKey(
        Cohort,
        on_delete=models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    verb = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    # A UUID as text has 36 characters.
    object_id = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name_plural = "activities"
        indexes = [
            # The organization's log, newest first.
            models.Index(fields=["organization", "-at"], name="activity_log"),
            # A cohort's log, newest first.
            models.Index(fields=["cohort", "-at"], name="activity_of_cohort"),
            # What happened to one object.
            models.Index(fields=["object_type", "object_id"], name="activity_of_object"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.object_type} {self.object_id}"
