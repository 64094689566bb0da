"""Invitations of addresses to an organization."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from grading.core.enums import InvitationState, Role
from grading.models.tenant import TenantModel


class Invitation(TenantModel):
    """Invitation of one address to an organization, and the person's answer.

    A table of its own, not a state of the enrollment: a refusal holds for every cohort and outlives
    them, and a role needs no enrollment. `email` is lower case. `user` is the account that accepted;
    before that nobody knows whether the address has one.
    """

    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.STUDENT)
    state = models.CharField(
        max_length=8,
        choices=InvitationState.choices,
        default=InvitationState.INVITED,
        editable=False,
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
    )
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["email"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "email"], name="one_invitation_per_address"
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_known"),
            models.CheckConstraint(condition=Q(email=Lower("email")), name="invitation_lower_case"),
            models.CheckConstraint(
                condition=Q(state__in=("invited", "revoked"))
                | Q(
                    state__in=("accepted", "declined", "left"),
                    answered_at__isnull=False,
                ),
                name="invitation_answer_has_a_time",
            ),
        ]
        # The home page looks for a person's addresses over all organizations.
        indexes = [models.Index(fields=["email"], name="invitation_email")]

    def __str__(self) -> str:
        return self.email
