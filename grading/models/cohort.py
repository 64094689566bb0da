"""Cohorts and enrollments."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from grading.models.tenant import TenantModel


class Cohort(TenantModel):
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60)
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    # A name of the tz database: the zone in which its deadlines are set and shown.
    time_zone = models.CharField(max_length=64, default="UTC")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-starts_on", "name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="cohort_slug_once"),
            # A check on null passes: a cohort may lack either day.
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="cohort_ends_after_start"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Enrollment(TenantModel):
    """Student of a cohort, identified by email; `user` is null until that person accepts.

    The invitation is in Invitation, because it is about the whole organization.

    Students with the same `group` (any word, empty for none) work together and never audit each
    other. `github_name` is a hint from the roster: it proves no account.
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="enrollments")
    # 254 is the longest address that mail servers accept (RFC 5321).
    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=200, blank=True)
    student_number = models.CharField(max_length=64, blank=True)
    group = models.CharField(max_length=60, blank=True)
    github_name = models.CharField(max_length=39, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="enrollments",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "email"]
        constraints = [
            models.UniqueConstraint("cohort", Lower("email"), name="email_once_per_cohort"),
            # Nulls are distinct: any number of students may lack an account.
            models.UniqueConstraint(fields=["cohort", "user"], name="user_once_per_cohort"),
        ]
        # The home page and an acceptance look for an address in every cohort.
        indexes = [models.Index(Lower("email"), name="enrollment_email")]

    def __str__(self) -> str:
        return self.name or self.email
