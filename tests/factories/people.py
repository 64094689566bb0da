"""Users, and the organizations and cohorts they belong to. Every factory enters its scope by
itself.
"""

from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import factory
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.utils import timezone
from django_scopes import scope
from factory.django import DjangoModelFactory

from grading.core.enums import Role
from grading.core.join_codes import new_code
from grading.models import Cohort, Enrollment, Invitation, JoinLink, Membership, Organization

PASSWORD = "a long enough password"


def everywhere() -> AbstractContextManager[None]:
    """The scope of every organization there is now: what a test looks from. No code of the site has
    it.
    """
    entered: AbstractContextManager[None] = scope(organization=list(Organization.objects.all()))
    return entered


class UserFactory(DjangoModelFactory):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password(PASSWORD)

    @factory.post_generation
    def address(self, create: bool, _extracted: Any, **_: Any) -> None:
        EmailAddress.objects.create(user=self, email=self.email, verified=True, primary=True)


class OrganizationFactory(DjangoModelFactory):
    class Meta:
        model = Organization

    name = factory.Sequence(lambda n: f"Institute {n}")
    slug = factory.Sequence(lambda n: f"institute-{n}")
    approved_at = factory.LazyFunction(timezone.now)


class TenantFactory(DjangoModelFactory):
    """Makes rows of any organization, each in the scope of its own."""

    class Meta:
        abstract = True

    @classmethod
    def _create(cls, model_class: Any, *args: Any, **kwargs: Any) -> Any:
        with scope(organization=kwargs["organization"]):
            return super()._create(model_class, *args, **kwargs)


class MembershipFactory(TenantFactory):
    class Meta:
        model = Membership

    organization = factory.SubFactory(OrganizationFactory)
    user = factory.SubFactory(UserFactory)
    email = factory.LazyAttribute(lambda membership: membership.user.email.lower())
    role = Role.STUDENT


class CohortFactory(TenantFactory):
    class Meta:
        model = Cohort

    organization = factory.SubFactory(OrganizationFactory)
    name = factory.Sequence(lambda n: f"Cohort {n}")
    slug = factory.Sequence(lambda n: f"cohort-{n}")


class EnrollmentFactory(TenantFactory):
    """Somebody on the roster who has not accepted; `student()` makes one who has."""

    class Meta:
        model = Enrollment

    cohort = factory.SubFactory(CohortFactory)
    organization = factory.SelfAttribute("cohort.organization")
    email = factory.Sequence(lambda n: f"student{n}@example.org")
    name = factory.Sequence(lambda n: f"Student {n:03d}")


class InvitationFactory(TenantFactory):
    class Meta:
        model = Invitation

    organization = factory.SubFactory(OrganizationFactory)
    email = factory.Sequence(lambda n: f"invited{n}@example.org")


class JoinLinkFactory(TenantFactory):
    class Meta:
        model = JoinLink

    cohort = factory.SubFactory(CohortFactory)
    organization = factory.SelfAttribute("cohort.organization")
    code = factory.LazyFunction(new_code)
    ends_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=14))


def staff_user(organization: Organization, role: Role = Role.INSTRUCTOR) -> User:
    """A user who teaches in the organization."""
    return MembershipFactory.create(organization=organization, role=role).user


def student(cohort: Cohort, **fields: Any) -> Any:
    """An enrollment whose user has accepted the invitation."""
    user = MembershipFactory.create(organization=cohort.organization).user
    return EnrollmentFactory.create(cohort=cohort, user=user, email=user.email, **fields)
