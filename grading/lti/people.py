"""People who come from a learning platform: their account here, their role, and their roster place.

Nobody gets into an account that existed before without having signed in to it and agreed. A new
account belongs to whoever came, and is no other person's: it claims an address only if no account
has it.
"""

from __future__ import annotations

from secrets import token_hex

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import STAFF_ROLES, Role
from grading.core.errors import LaunchRefused, PlatformRefused
from grading.core.own_addresses import addresses_of
from grading.courses.organizations.invitations import accept_from_platform
from grading.courses.people.join_links import ordered_addresses
from grading.lti.claims import LaunchClaims
from grading.lti.launches import USED, enter_launch
from grading.lti.queries import claims_of
from grading.models import (
    Cohort,
    Enrollment,
    LtiAccount,
    LtiLaunch,
    LtiMember,
    LtiRegistration,
    Membership,
)

TAKEN = (
    "The roster of {cohort} has {email} for another account. Open this link again after you have "
    "connected that account, or ask your teacher."
)

NO_ADDRESS = (
    "Your learning platform does not tell your email address, and your account here has none that is "
    "confirmed. Staff find students by it: confirm one in your account, then open the link again."
)


def continue_launch(*, launch: LtiLaunch, user: User) -> None:
    """Let the user of a connected account in. Raises LaunchRefused."""
    claims = claims_of(launch)
    with transaction.atomic(), scope(organization=launch.organization_id):
        _become_member(launch.registration, user, claims, claims.email, is_new=False)
        enter_launch(launch=launch, user=user)


def connect_account(*, launch: LtiLaunch, user: User) -> None:
    """Connect the account in which the user is signed in, and let them in.

    Raises LaunchRefused, PlatformRefused account_connected.
    """
    claims = claims_of(launch)
    with transaction.atomic(), scope(organization=launch.organization_id):
        is_new = _connect(launch, user, claims)
        _become_member(launch.registration, user, claims, claims.email, is_new=is_new)
        enter_launch(launch=launch, user=user)


def create_account(*, launch: LtiLaunch, name: str, email: str) -> User:
    """Make a new account for a launch's person, and let them in; return it.

    `name` and `email` are what the person typed, where the platform tells neither. Raises
    LaunchRefused, PlatformRefused email: it stands on a roster already.
    """
    claims = claims_of(launch)
    with transaction.atomic(), scope(organization=launch.organization_id):
        if not claims.email:
            _refuse_known_address(email)
        user = _new_user(claims.email or email, claims.name or name)
        is_new = _connect(launch, user, claims)
        _become_member(launch.registration, user, claims, claims.email or email, is_new=is_new)
        enter_launch(launch=launch, user=user)
    return user


def enroll(*, cohort: Cohort, user: User, claims: LaunchClaims) -> Enrollment | None:
    """Give a student of the platform a place on the cohort's roster; None for staff here.

    Runs in the scope and transaction of its caller. Raises LaunchRefused launch_taken.
    """
    member = Membership.objects.filter(organization=cohort.organization_id, user=user).first()
    if claims.role != "student" or member is None or member.role in STAFF_ROLES:
        return None
    # Two launches of one person at the same time.
    Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
    students = Enrollment.objects.filter(cohort=cohort)
    if enrolled := students.filter(user=user).first():
        return enrolled
    email = claims.email or member.email
    if not email:
        raise LaunchRefused("launch_address", NO_ADDRESS)
    if students.annotate(lowered=Lower("email")).filter(lowered=email).exists():
        raise LaunchRefused("launch_taken", TAKEN.format(cohort=cohort, email=email), email)
    student = Enrollment.objects.create(
        organization_id=cohort.organization_id,
        cohort=cohort,
        user=user,
        email=email,
        name=claims.name or user.get_full_name(),
    )
    record_activity(
        organization=cohort.organization_id, actor=user, verb="enrollment.launched", about=student
    )
    return student


def role_from(registration: LtiRegistration, claims: LaunchClaims) -> Role | None:
    """Return the role that a newcomer gets, never above what the platform and the owner say."""
    if claims.role == "student":
        return Role.STUDENT
    if not claims.is_teacher or not registration.teacher_role:
        return None
    return Role.ASSISTANT if claims.role == "assistant" else Role(registration.teacher_role)


def _become_member(
    registration: LtiRegistration, user: User, claims: LaunchClaims, email: str, *, is_new: bool
) -> None:
    """Make the user a member; who is one keeps their role.

    Who came before and is none any more has left, or an owner has ended their role: no launch gives
    it back.
    """
    members = Membership.objects.filter(organization=registration.organization_id, user=user)
    role = role_from(registration, claims)
    if not is_new and role != Role.STUDENT:
        role = None
    if role is None and not members.exists():
        raise LaunchRefused(
            "launch_role",
            f"Your role in the learning platform opens nothing here by itself. Ask an owner of "
            f"{registration.organization} to invite you.",
            claims.role or "",
        )
    accept_from_platform(
        organization=registration.organization,
        user=user,
        email=email or _own_address(user),
        role=role or Role.STUDENT,
        is_vouched=bool(claims.email) and not _is_place_of_another(registration, claims),
    )


def _is_place_of_another(registration: LtiRegistration, claims: LaunchClaims) -> bool:
    """Return whether a place that waits for this address is that of another person there.

    People can change their address there, and would get the place and grades of another.
    """
    others = LtiMember.objects.filter(
        course_link__context__registration=registration, left_at=None, enrollment__user=None
    ).exclude(subject=claims.subject)
    return others.filter(enrollment__email__iexact=claims.email).exists()


def _own_address(user: User) -> str:
    return ordered_addresses(user)[0] if addresses_of(user) else ""


def _connect(launch: LtiLaunch, user: User, claims: LaunchClaims) -> bool:
    """Connect the account; return whether this person was never connected before."""
    place = {"registration_id": launch.registration_id, "subject": claims.subject}
    try:
        with transaction.atomic():
            account, is_new = LtiAccount.objects.select_for_update().get_or_create(
                **place, defaults={"user": user, "organization_id": launch.organization_id}
            )
            # Of two first launches at the same time, the second must not take the person away.
            if account.ended_at is None and account.user_id != user.pk:
                raise LaunchRefused("launch_used", USED)
            account.user, account.ended_at = user, None
            account.save(update_fields=["user", "ended_at"])
    except IntegrityError as error:
        sentence = (
            "This account is connected with another person of your learning platform already. Sign "
            "in to your own account, or create a new one."
        )
        raise PlatformRefused("", "account_connected", sentence) from error
    record_activity(
        organization=launch.organization_id,
        actor=user,
        verb="platform.account_connected",
        about=account,
        platform=launch.registration.name,
    )
    return is_new


def part_account(*, account: LtiAccount, by: User) -> None:
    """Let a platform open the account no more; memberships and work stay. It is idempotent."""
    with transaction.atomic():
        rows = LtiAccount.objects.filter(pk=account.pk, ended_at=None)
        if rows.update(ended_at=timezone.now()):
            record_activity(
                organization=account.organization_id,
                actor=by,
                verb="platform.account_parted",
                about=account,
                platform=account.registration.name,
            )


def _new_user(email: str, name: str) -> User:
    """Return a new account without a password; an address that another account has stays theirs."""
    is_free = not (
        EmailAddress.objects.filter(email__iexact=email).exists()
        or User.objects.filter(email__iexact=email).exists()
    )
    own, (first, _, last) = (email if is_free else ""), name.partition(" ")
    user = User(username=f"user-{token_hex(6)}", email=own, first_name=first[:150])
    user.last_name = last[:150]
    user.set_unusable_password()
    user.save()
    if own:
        EmailAddress.objects.create(user=user, email=own, primary=True, verified=False)
    return user


def _refuse_known_address(email: str) -> None:
    """Refuse a typed address that stands for somebody in the organization that is entered."""
    is_known = Membership.objects.filter(email__iexact=email).exists()
    if is_known or Enrollment.objects.filter(email__iexact=email).exists():
        sentence = (
            "This address is known here already. Sign in to its account, or ask your teacher."
        )
        raise PlatformRefused("email", "email_known", sentence)
