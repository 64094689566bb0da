"""Times at which students last opened results, for marking new ones."""

from django.db import models
from django.db.models import Q

from grading.core.enums import Opened
from grading.models.cohort import Enrollment
from grading.models.tenant import TenantPart


class Opening(TenantPart):
    """Last opening of one object by a student. `about` is its key as text.

    The object is a submission, an appeal or a feedback report. Only the student sees this; whether
    a peer's report was read is in FeedbackReport.read_at.
    """

    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Opened.choices)
    # The longest key is a UUID as text.
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
