"""When a student last opened what they were told: for the marks that say what is new to them."""

from django.db import models
from django.db.models import Q

from grading.core.enums import Opened
from grading.models.cohort import Enrollment
from grading.models.tenant import TenantModel


class Opening(TenantModel):
    """`about` is the key of what was opened, as text: a submission's, an appeal's or a feedback report's.

    Told to nobody but the student: whether a peer's report was read stands in FeedbackReport.read_at.
    """

    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Opened.choices)
    about = models.CharField(max_length=36)
    opened_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["student", "kind", "about"], name="opened_last_once"),
            models.CheckConstraint(condition=Q(kind__in=Opened.values), name="opening_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.about}"
