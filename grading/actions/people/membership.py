"""Founding an organization, and joining those that expect one's e-mail."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower
from django_scopes import scope

from grading.actions.activities import note
from grading.actions.people.roles import open_or_close_administration
from grading.enums import Role
from grading.errors import SlugTaken
from grading.models import Enrollment, Membership, Organization
from grading.walls import as_person


def found_organization(*, name: str, slug: str, founder: User) -> Organization:
    """A new organization with `founder` as its owner. Raises SlugTaken."""
    try:
        with transaction.atomic():
            organization = Organization.objects.create(name=name, slug=slug)
    except IntegrityError as error:
        raise SlugTaken("slug_taken", f"Another organization is called “{slug}” already.") from error
    with transaction.atomic(), scope(organization=organization):
        Membership.objects.create(organization=organization, user=founder, role=Role.OWNER)
        note(organization=organization, actor=founder, verb="organization.founded", about=organization)
        open_or_close_administration(organization=organization, user=founder, by=founder)
    return organization


def link_enrollments(*, user: User) -> int:
    """Give `user` every enrollment that waits for an e-mail of theirs; answer with how many there were.

    Only verified e-mails count where verification is mandatory: else anyone could claim a classmate's
    place by signing up with their address.
    """
    emails = _own_emails(user)
    with as_person(user):
        waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(lowered__in=emails, user=None)
        enrollments = list(waiting)
    with transaction.atomic():
        return sum(_link(enrollment, user) for enrollment in enrollments)


def _own_emails(user: User) -> set[str]:
    addresses = EmailAddress.objects.filter(user=user)
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return {address.email.lower() for address in addresses.filter(verified=True)}
    return {address.email.lower() for address in addresses} | {user.email.lower()} - {""}


def _link(enrollment: Enrollment, user: User) -> bool:
    """In the enrollment's own organization; False when they are in this cohort already, or somebody was quicker."""
    organization = enrollment.organization_id
    with scope(organization=organization):
        if Enrollment.objects.filter(cohort=enrollment.cohort_id, user=user).exists():
            return False
        if not Enrollment.objects.filter(pk=enrollment.pk, user=None).update(user=user):
            return False
        Membership.objects.get_or_create(
            organization_id=organization, user=user, defaults={"role": Role.STUDENT}
        )
        note(organization=organization, actor=user, verb="enrollment.linked", about=enrollment)
    return True


def link_on_login() -> None:
    """Link at every login and whenever an e-mail is confirmed (called once, when the app is ready)."""
    user_logged_in.connect(_on_login, dispatch_uid="link_enrollments_on_login")
    email_confirmed.connect(_on_confirmation, dispatch_uid="link_enrollments_on_confirmation")


def _on_login(user: User, **_: Any) -> None:
    link_enrollments(user=user)


def _on_confirmation(email_address: EmailAddress, **_: Any) -> None:
    link_enrollments(user=email_address.user)
