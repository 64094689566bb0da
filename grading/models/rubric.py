"""Rubrics and their numbered versions. A database trigger protects published versions."""

from django.db import models
from django.db.models import Q

from grading.core.enums import RubricState
from grading.models.tenant import TenantModel


class Rubric(TenantModel):
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="rubric_slug_once")
        ]

    def __str__(self) -> str:
        return self.name


class RubricVersion(TenantModel):
    """Version of a rubric. `document` is the rubric in the courtroom's format.

    `digest` is its SHA-256, set when it is published. `based_on` is the version it was copied from;
    `note` explains it to people.
    """

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=RubricState.choices, default=RubricState.DRAFT)
    document = models.JSONField()
    based_on = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(max_length=300, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["rubric", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "number"], name="rubric_number_once"),
            models.UniqueConstraint(
                fields=["rubric"],
                condition=Q(state=RubricState.PUBLISHED),
                name="one_published_version",
            ),
            models.CheckConstraint(
                condition=Q(state__in=RubricState.values), name="rubric_state_known"
            ),
            models.CheckConstraint(
                # A draft has no digest, since its document still changes.
                condition=Q(state=RubricState.DRAFT, digest="", published_at=None)
                | ~Q(state=RubricState.DRAFT) & ~Q(digest="") & Q(published_at__isnull=False),
                name="published_rubric_is_sealed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rubric} v{self.number}"
