"""Organizations (the tenants) and their members."""

from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django_scopes import ScopedManager

from grading.core.enums import Role

_Row = TypeVar("_Row", bound=models.Model)
if TYPE_CHECKING:
    _Scoped = models.Manager
else:  # django-scopes makes its managers at run time, where no type checker sees them
    _Scoped = type(ScopedManager(organization="organization"))


class TenantManager(_Scoped[_Row]):
    """Manager of the rows of the entered organization; outside a scope queries raise ScopeError."""


class OrganizationQuerySet(models.QuerySet["Organization"]):
    def usable(self) -> "OrganizationQuerySet":
        """Return those that people can enter: the approved ones where approval is needed."""
        return self.exclude(approved_at=None) if settings.INSTITUTIONS_BY_APPROVAL else self


class Organization(models.Model):
    """Institution that uses the site. Organizations never see each other.

    `approved_at` is null until an operator approves it. Until then the operator's models don't
    serve it, and it shares its turns in the queue (core/fair_turns.py). `refused_at` is the time at
    which an operator refused it or withdrew the approval. `founder` is null when the account is
    gone, and for organizations older than this field.
    """

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    founder = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    approved_at = models.DateTimeField("approved", null=True, blank=True)
    refused_at = models.DateTimeField("refused", null=True, blank=True)

    objects = OrganizationQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(approved_at=None) | models.Q(refused_at=None),
                name="organization_approved_or_refused",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_approved(self) -> bool:
        return self.approved_at is not None

    @property
    def is_usable(self) -> bool:
        return self.is_approved or not settings.INSTITUTIONS_BY_APPROVAL


class TenantModel(models.Model):
    """Row of one organization; a query outside a scope raises.

    The organization is on the row itself, even if a parent has it, so that row-level security
    compares one column. Organizations are closed, not deleted: their history is append-only.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")

    objects = TenantManager()

    class Meta:
        abstract = True

    def clean(self) -> None:
        """Refuse references to rows of other organizations: a user may teach in several."""
        for field in self._meta.get_fields():
            if isinstance(field, models.ForeignKey) and issubclass(
                field.related_model, TenantModel
            ):
                # Reading a required relation without a key raises; the form reports that field.
                row = getattr(self, field.name, None) if getattr(self, field.attname) else None
                if row is not None and row.organization_id != self.organization_id:
                    raise ValidationError({field.name: "This belongs to another organization."})


class TenantPart(TenantModel):
    """Row of an organization that is found by its parent's key, or by an index of its own.

    One on the organization alone would be the widest of all and be read for nothing: PostgreSQL
    combines it with the others (docs/decisions/0025-history-in-one-table-each.md).
    """

    organization = models.ForeignKey(
        Organization, on_delete=models.PROTECT, related_name="+", db_index=False
    )

    class Meta:
        abstract = True


class Membership(TenantModel):
    """Member of an organization. `email` is the address by which the organization knows them.

    It is the invited address, or the founder's own: staff never see the account's other addresses.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    email = models.EmailField(max_length=254, blank=True, editable=False)
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.STUDENT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user"], name="one_membership_per_user"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email or 'no address'}, {self.get_role_display().lower()}"
