"""Extensions: other dates and limits for one student or one group of an assignment."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import ExtensionEnding
from grading.models.cohort import Enrollment
from grading.models.submission import Assignment
from grading.models.tenant import TenantModel


class Extension(TenantModel):
    """Relief for a student, or for those whom the roster has in `group`; null fields change nothing.

    It is never deleted: `ending` says if it was withdrawn or replaced by a newer one. The terms that
    follow from it are in courses/extensions/queries.py.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="extensions")
    student = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, null=True, blank=True, related_name="extensions"
    )
    group = models.CharField(max_length=60, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    max_attempts = models.PositiveSmallIntegerField(null=True, blank=True)
    no_late_mark = models.BooleanField(default=False)
    reason = models.TextField()
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    given_at = models.DateTimeField(auto_now_add=True)
    ending = models.CharField(max_length=9, choices=ExtensionEnding.choices, blank=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-given_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(student__isnull=False, group="") | Q(student=None) & ~Q(group=""),
                name="extension_for_student_or_group",
            ),
            models.CheckConstraint(
                condition=Q(due_at__isnull=False)
                | Q(max_attempts__isnull=False)
                | Q(no_late_mark=True),
                name="extension_gives_something",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="extension_has_a_reason"),
            models.CheckConstraint(
                condition=Q(ending="", ended_at=None)
                | Q(ending__in=ExtensionEnding.values, ended_at__isnull=False),
                name="extension_ended_has_a_time",
            ),
            models.UniqueConstraint(
                fields=["assignment", "student"],
                condition=Q(ending="", student__isnull=False),
                name="one_extension_per_student",
            ),
            models.UniqueConstraint(
                fields=["assignment", "group"],
                condition=Q(ending="", student=None),
                name="one_extension_per_group",
            ),
        ]

    def __str__(self) -> str:
        return str(self.student) if self.student_id else f"group {self.group}"
