"""Links by which people join a cohort by themselves."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from grading.core.join_codes import spoken_form
from grading.models.cohort import Cohort
from grading.models.tenant import TenantModel


class JoinLink(TenantModel):
    """Link of one cohort; whoever knows its code may join until `ends_at`.

    A replaced or closed link keeps its row, so that its code is answered as ended and is never
    given to another cohort.
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="join_links")
    # Letters and digits of grading.core.join_codes, without hyphens.
    code = models.CharField(max_length=12, unique=True)
    ends_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["cohort"], condition=Q(closed_at=None), name="one_join_link_per_cohort"
            ),
        ]

    def __str__(self) -> str:
        return spoken_form(self.code)

    @property
    def is_open(self) -> bool:
        return self.closed_at is None and timezone.now() < self.ends_at
