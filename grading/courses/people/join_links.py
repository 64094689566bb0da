"""Create, move and close a cohort's join link, and join a cohort by it."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import STAFF_ROLES, InvitationState, Role
from grading.core.errors import PeopleRefused
from grading.core.join_codes import new_code
from grading.core.own_addresses import addresses_of
from grading.core.time_zones import in_words
from grading.courses.organizations.invitations import accept_invitation
from grading.courses.organizations.roles import lock_roles, set_role
from grading.courses.people.queries import join_link_of
from grading.models import Cohort, Enrollment, Invitation, JoinLink, Membership, Organization

# Longer than any course; a link that is forgotten must end some day.
MAX_DAYS = 366
ENDED = "This join link has ended. Ask your teacher for a new one."


def open_join_link(*, cohort: Cohort, ends_at: datetime, by: User) -> JoinLink:
    """Create the cohort's join link in place of an earlier one. Raises PeopleRefused ends_at."""
    _check_end(ends_at)
    with transaction.atomic():
        # Locked, because two teachers may replace it at the same time.
        Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
        JoinLink.objects.filter(cohort=cohort, closed_at=None).update(closed_at=timezone.now())
        link = JoinLink.objects.create(
            organization_id=cohort.organization_id,
            cohort=cohort,
            code=new_code(),
            ends_at=ends_at,
            created_by=by,
        )
        _record(link, "join_link.opened", by, ends_at=_end_in_words(cohort, ends_at))
    return link


def move_join_link_end(*, cohort: Cohort, ends_at: datetime, by: User) -> None:
    """Move the end of the link, which keeps its code. Raises PeopleRefused ends_at, no_link."""
    _check_end(ends_at)
    with transaction.atomic():
        link = _current_link(cohort)
        if link.ends_at != ends_at:
            link.ends_at = ends_at
            link.save(update_fields=["ends_at"])
            _record(link, "join_link.changed", by, ends_at=_end_in_words(cohort, ends_at))


def close_join_link(*, cohort: Cohort, by: User) -> None:
    """End the link now. Raises PeopleRefused no_link."""
    with transaction.atomic():
        link = _current_link(cohort)
        link.closed_at = timezone.now()
        link.save(update_fields=["closed_at"])
        _record(link, "join_link.closed", by)


def _current_link(cohort: Cohort) -> JoinLink:
    link = join_link_of(cohort, lock=True)
    if link is None:
        raise PeopleRefused("", "no_link", "The join link was closed meanwhile.")
    return link


def _check_end(ends_at: datetime) -> None:
    now = timezone.now()
    if ends_at <= now:
        raise PeopleRefused("ends_at", "end_past", "The end must be in the future.")
    if ends_at > now + timedelta(days=MAX_DAYS):
        raise PeopleRefused("ends_at", "end_too_late", "A join link lasts a year at most.")


def _end_in_words(cohort: Cohort, ends_at: datetime) -> str:
    return in_words(ends_at, ZoneInfo(cohort.time_zone))


def _record(link: JoinLink, verb: str, by: User, **detail: str) -> None:
    record_activity(organization=link.organization_id, actor=by, verb=verb, about=link, **detail)


def join_cohort(*, link: JoinLink, user: User, name: str = "") -> Enrollment:
    """Enroll the user by a join link, and make them a member of its organization.

    A waiting place on the roster under one of their addresses becomes theirs. Otherwise they are
    enrolled with their own address and this name. Joining again changes nothing. Raises
    PeopleRefused: join_ended, join_staff, join_address, join_taken, name_missing.
    """
    with transaction.atomic(), scope(organization=link.organization_id):
        # Before the organization, in the order of an import of the roster: it would else block us
        # while we block it.
        Cohort.objects.select_for_update(no_key=True).get(pk=link.cohort_id)
        organization = lock_roles(link.organization_id)
        # Read again under the lock: it may have been closed since the page was shown.
        link = JoinLink.objects.select_related("cohort").get(pk=link.pk)
        enrolled = Enrollment.objects.filter(cohort=link.cohort, user=user).first()
        if enrolled is not None and _role_of(organization, user) is not None:
            return enrolled
        _check_join(link, organization, user)

        emails = ordered_addresses(user)
        _become_member(organization, user, emails)
        return _enroll(link.cohort, user, emails, name)


def _check_join(link: JoinLink, organization: Organization, user: User) -> None:
    if not link.is_open:
        raise PeopleRefused("", "join_ended", ENDED)
    if _role_of(organization, user) in STAFF_ROLES:
        raise PeopleRefused("", "join_staff", "You are staff here: only students join by the link.")


def _role_of(organization: Organization, user: User) -> str | None:
    members = Membership.objects.filter(organization=organization, user=user)
    return members.values_list("role", flat=True).first()


def ordered_addresses(user: User) -> list[str]:
    """Return the user's own addresses, the primary one first. Raises PeopleRefused join_address."""
    own = addresses_of(user)
    if not own:
        sentence = "Confirm the email address of your account first, then open the link again."
        raise PeopleRefused("", "join_address", sentence)
    primary = EmailAddress.objects.get_primary(user)
    first = primary.email.lower() if primary else user.email.lower()
    return sorted(own, key=lambda email: (email != first, email))


def _become_member(organization: Organization, user: User, emails: list[str]) -> None:
    """Accept the student's invitations, which links their other cohorts too, or add the member."""
    invitations = Invitation.objects.filter(
        organization=organization, email__in=emails, role=Role.STUDENT
    ).exclude(state=InvitationState.ACCEPTED, user__isnull=False)
    # Of a withdrawn one nothing is accepted; the link itself makes the member.
    invitations = invitations.exclude(state=InvitationState.REVOKED)
    for invitation in invitations:
        accept_invitation(invitation=invitation, user=user)

    if _role_of(organization, user) is None:
        membership = set_role(
            organization=organization, user=user, email=emails[0], role=Role.STUDENT
        )
        record_activity(
            organization=organization, actor=user, verb="membership.joined", about=membership
        )


def _enroll(cohort: Cohort, user: User, emails: list[str], name: str) -> Enrollment:
    """Return the user's enrollment: linked by an invitation, waiting under an address, or new."""
    students = Enrollment.objects.filter(cohort=cohort)
    linked = students.filter(user=user).first()
    if linked is not None:
        return linked

    students_by_email = {
        student.email.lower(): student
        for student in students.annotate(lowered=Lower("email")).filter(lowered__in=emails)
    }
    waiting = [
        students_by_email[email]
        for email in emails
        if email in students_by_email and not students_by_email[email].user_id
    ]
    if not waiting and emails[0] in students_by_email:
        sentence = f"{emails[0]} is already enrolled with another account. Ask your teacher."
        raise PeopleRefused("", "join_taken", sentence)
    if not waiting and not name.strip():
        raise PeopleRefused("name", "name_missing", "Enter your name.")

    student = (
        waiting[0]
        if waiting
        else Enrollment(organization_id=cohort.organization_id, cohort=cohort, email=emails[0])
    )
    student.user = user
    student.name = student.name or name.strip()
    student.save()
    record_activity(
        organization=cohort.organization_id, actor=user, verb="enrollment.joined", about=student
    )
    return student
