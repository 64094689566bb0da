"""Invite addresses to an organization, answer an invitation, and leave.

Nobody becomes a member without their own answer. `invite` and `offer_role` run in the scope and
transaction of their caller; the answers are actions of the person and enter the scope themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import INVITATION_MOVES, InvitationState, Role
from grading.core.errors import InvitationRefused, RoleRefused
from grading.core.own_addresses import addresses_of
from grading.courses.organizations.roles import (
    is_promotion,
    lock_roles,
    refuse_last_owner,
    refuse_roles,
    roles_given_by,
    set_role,
    update_admin_access,
)
from grading.models import (
    Enrollment,
    Invitation,
    Membership,
    Notice,
    Organization,
    PushLink,
    RepositoryAccess,
    RepositoryMember,
)
from grading.notifications.emails import drop_waiting_emails, write_invitations


def invite(*, organization: Organization, emails: Collection[str], by: User | None) -> None:
    """Invite each address, in lower case, that is not invited yet; write its one letter.

    A withdrawn invitation is open again: a person removed by mistake comes back. A member's
    enrollments are linked at once, because they accepted before. Whoever declined or left gets
    nothing. Only rows of this organization are read: the result is the same whether an address has
    an account.
    """
    members = members_by_address(organization, emails)
    _link_members(organization, members)
    Invitation.objects.bulk_create(
        [
            Invitation(organization=organization, email=email, invited_by=by)
            for email in emails
            if email not in members
        ],
        ignore_conflicts=True,
    )
    Invitation.objects.filter(
        organization=organization,
        email__in=[email for email in emails if email not in members],
        state=InvitationState.REVOKED,
    ).update(state=InvitationState.INVITED, invited_by=by)
    _write_letters(organization, emails)


def members_by_address(organization: Organization, emails: Collection[str]) -> dict[str, int]:
    """Return the users whom the organization knows by these addresses."""
    members = Membership.objects.filter(organization=organization)
    known = members.filter(email__in=emails).values_list("email", "user")
    # A member may have accepted with several addresses.
    accepted = Invitation.objects.filter(
        organization=organization, email__in=emails, user__in=members.values("user")
    ).values_list("email", "user")
    return {email: user for email, user in (*known, *accepted) if user is not None}


def _link_members(organization: Organization, members: Mapping[str, int]) -> None:
    """Link the waiting enrollments of members, one for each of their cohorts."""
    waiting = _waiting(organization, members)
    taken = set(
        Enrollment.objects.filter(organization=organization, user__in=members.values())
        .order_by()
        .values_list("cohort", "user")
    )
    linked = []
    for enrollment in waiting:
        user_id = members[enrollment.email.lower()]
        # A roster may list two addresses of one person; one enrollment per cohort has the account.
        if (enrollment.cohort_id, user_id) not in taken:
            taken.add((enrollment.cohort_id, user_id))
            enrollment.user_id = user_id
            linked.append(enrollment)

    Enrollment.objects.bulk_update(linked, ["user"])
    users = User.objects.in_bulk({enrollment.user_id for enrollment in linked})
    for enrollment in linked:
        record_activity(
            organization=organization,
            actor=users.get(enrollment.user_id),
            verb="enrollment.linked",
            about=enrollment,
        )


def _waiting(organization: Organization, emails: Collection[str]) -> list[Enrollment]:
    waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(
        organization=organization, lowered__in=emails, user=None
    )
    # Locked: a second acceptance at the same time links none of them again.
    return list(waiting.order_by("pk").select_for_update())


def letters_to_write(organization: Organization, emails: Collection[str]) -> int:
    """Return how many letters `invite` would write to these addresses. Four queries."""
    members = members_by_address(organization, emails)
    invited = set(
        Invitation.objects.filter(organization=organization, email__in=emails).values_list(
            "email", flat=True
        )
    )
    strangers = [email for email in emails if email not in members]
    new = sum(email not in invited for email in strangers)
    opened = Q(state=InvitationState.REVOKED, email__in=strangers)
    waiting = _without_letter(organization, emails).filter(
        opened | Q(state=InvitationState.INVITED)
    )
    return new + waiting.count()


def _write_letters(organization: Organization, emails: Collection[str]) -> None:
    """Write the letter of each open invitation that has none, or one that a limit held back."""
    unwritten = _unwritten(organization, emails)
    write_invitations(organization=organization, invitations=list(unwritten))


def _unwritten(organization: Organization, emails: Collection[str]) -> QuerySet[Invitation]:
    return _without_letter(organization, emails).filter(state=InvitationState.INVITED)


def _without_letter(organization: Organization, emails: Collection[str]) -> QuerySet[Invitation]:
    letters = Notice.objects.filter(invitation=OuterRef("pk"), held_at=None)
    return Invitation.objects.filter(~Exists(letters), organization=organization, email__in=emails)


def revoke_invitation(*, organization: Organization, email: str) -> bool:
    """Take back a student's open invitation and a letter that waits; return whether it was open.

    Runs in the scope and transaction of its caller.
    """
    invitations = Invitation.objects.filter(
        organization=organization,
        email=email.lower(),
        role=Role.STUDENT,
        state=InvitationState.INVITED,
    )
    Notice.objects.filter(invitation__in=invitations, sent_at=None, tries=0).delete()
    return bool(invitations.update(state=InvitationState.REVOKED))


def renew_invitation(*, organization: Organization, email: str, by: User | None) -> bool:
    """Open a withdrawn invitation again, or write its missing letter; return whether one is written.

    Runs in the scope and transaction of its caller.
    """
    letters = letters_to_write(organization, [email.lower()])
    invite(organization=organization, emails=[email.lower()], by=by)
    return letters > 0


def check_offer(*, organization: Organization, email: str, role: Role, by: User) -> None:
    """Raise RoleRefused if `by` may not offer this role to the address, or it was refused."""
    invitations = Invitation.objects.filter(organization=organization, email=email)
    for invitation in invitations:
        _refuse_after_refusal(invitation)
    member = members_by_address(organization, [email]).get(email)
    membership = Membership.objects.filter(organization=organization, user=member).first()
    if not is_promotion(membership, role):
        raise RoleRefused("role_lower", "This person has that role or a higher one already.")
    # An open offer counts too: a new one takes its place.
    offered = [row.role for row in invitations if row.state == InvitationState.INVITED]
    refuse_roles(organization, [role, *offered], by)


def _refuse_after_refusal(invitation: Invitation) -> None:
    if invitation.state in {InvitationState.DECLINED, InvitationState.LEFT}:
        raise RoleRefused(
            "role_declined",
            "This person declined an invitation or left. Only they can come back, on their page "
            "“Invitations”.",
        )


def offer_role(
    *, organization: Organization, email: str, role: Role, by: User | None
) -> Invitation:
    """Offer a role to an address; it holds once the person accepts. Raises RoleRefused.

    One letter per address holds for offers too: a second offer is on the home page alone.
    """
    invitation, _created = Invitation.objects.select_for_update().get_or_create(
        organization=organization, email=email.lower(), defaults={"invited_by": by}
    )
    _refuse_after_refusal(invitation)
    invitation.role, invitation.state, invitation.invited_by = role, InvitationState.INVITED, by
    invitation.save()
    _write_letters(organization, [invitation.email])
    record_activity(
        organization=organization, actor=by, verb="membership.offered", about=invitation, role=role
    )
    return invitation


def withdraw_offer(membership: Membership) -> None:
    """Withdraw an open offer of another role to this member."""
    Invitation.objects.filter(
        organization=membership.organization_id,
        email=membership.email,
        state=InvitationState.INVITED,
    ).update(
        role=membership.role,
        state=InvitationState.ACCEPTED,
        user=membership.user_id,
        answered_at=timezone.now(),
    )


def withdraw_role(*, invitation: Invitation, by: User | None) -> bool:
    """Take back an open offer of a role, also to a mistyped address; return whether it was open.

    The person stays invited as a student. Who may give a role may take back its offer.
    """
    with transaction.atomic(), scope(organization=invitation.organization_id):
        organization = lock_roles(invitation.organization_id)
        offers = Invitation.objects.filter(pk=invitation.pk, state=InvitationState.INVITED)
        offer = offers.exclude(role=Role.STUDENT).first()
        if offer is None or offer.role not in roles_given_by(organization, by):
            return False

        offers.update(role=Role.STUDENT)
        record_activity(
            organization=organization,
            actor=by,
            verb="membership.offer_withdrawn",
            about=offer,
            role=offer.role,
        )
    return True


def accept_invitation(*, invitation: Invitation, user: User) -> Membership:
    """Make the user a member and link their enrollments. Raises InvitationRefused.

    Accepting again changes nothing. A person who declined or left may still accept.
    """
    if invitation.email not in addresses_of(user):
        raise InvitationRefused(
            "invitation_address", f"Sign in with {invitation.email} to accept this invitation."
        )
    with transaction.atomic(), scope(organization=invitation.organization_id):
        organization = lock_roles(invitation.organization_id)
        # Read again: an owner may have changed the offer since the page was shown.
        invitation.refresh_from_db()
        if invitation.state == InvitationState.REVOKED:
            raise InvitationRefused("invitation_revoked", "This invitation was withdrawn.")
        # An offered role holds once: its owner may have taken it back since, and the address may
        # belong to another account now.
        is_open = invitation.state == InvitationState.INVITED
        offered = Role(invitation.role) if is_open else Role.STUDENT
        moved = _answer(invitation, InvitationState.ACCEPTED, user=user)
        membership = Membership.objects.filter(organization=organization, user=user).first()
        if membership is not None and not moved:
            return membership

        membership = set_role(
            organization=organization,
            user=user,
            email=membership.email if membership else invitation.email,
            role=_higher(offered, membership),
        )
        _link_members(organization, {invitation.email: user.pk})
        record_activity(
            organization=organization,
            actor=user,
            verb="membership.accepted",
            about=membership,
            role=membership.role,
        )
        update_admin_access(organization=organization, user=user, by=user)
    return membership


def accept_from_platform(
    *, organization: Organization, user: User, email: str, role: Role, is_vouched: bool
) -> Membership:
    """Make the user a member whom a learning platform of the organization named; a member stays one.

    The person came by themselves, so that is their answer to an open invitation of this address,
    and to a refusal. `is_vouched` says that the platform gave the address: then waiting places on
    rosters are theirs. Runs in the scope and transaction of its caller.
    """
    lock_roles(organization.pk)
    membership = Membership.objects.filter(organization=organization, user=user).first()
    if membership is None:
        membership = set_role(organization=organization, user=user, email=email, role=role)
        record_activity(
            organization=organization,
            actor=user,
            verb="membership.launched",
            about=membership,
            role=role,
        )
        update_admin_access(organization=organization, user=user, by=user)
    if is_vouched and email:
        offers = Invitation.objects.filter(
            organization=organization, email=email.lower(), role=Role.STUDENT
        )
        for invitation in offers.exclude(state=InvitationState.REVOKED):
            _answer(invitation, InvitationState.ACCEPTED, user=user)
        _link_members(organization, {email.lower(): user.pk})
    return membership


def _higher(role: Role, membership: Membership | None) -> Role:
    """Return the higher role: an instructor who is on a roster stays an instructor."""
    order = list(Role)
    current = Role(membership.role) if membership else role
    return min(role, current, key=order.index)


def decline_invitation(*, invitation: Invitation, by: User | None) -> None:
    """Decline; no letter of this organization follows. `by` is None for the letter's link.

    A member who declines another role stays what they are.
    """
    with transaction.atomic(), scope(organization=invitation.organization_id):
        # A refused role must not wait for a late acceptance.
        if _answer(invitation, InvitationState.DECLINED, role=Role.STUDENT):
            record_activity(
                organization=invitation.organization_id,
                actor=by,
                verb="membership.declined",
                about=invitation,
            )


def leave_organization(*, organization: Organization, user: User) -> None:
    """End the user's membership; their work stays with the organization. Raises RoleRefused."""
    with transaction.atomic(), scope(organization=organization):
        lock_roles(organization.pk)
        membership = Membership.objects.select_for_update().get(
            organization=organization, user=user
        )
        refuse_last_owner(organization=organization, user=user)

        # Founders were never invited: the row keeps that they left.
        Invitation.objects.get_or_create(organization=organization, email=membership.email)
        Invitation.objects.filter(
            Q(user=user) | Q(email=membership.email), organization=organization
        ).update(state=InvitationState.LEFT, role=Role.STUDENT, answered_at=timezone.now())
        Enrollment.objects.filter(organization=organization, user=user).update(user=None)
        RepositoryMember.objects.filter(organization=organization, user=user).delete()
        PushLink.objects.filter(organization=organization, owner=user).delete()
        RepositoryAccess.objects.filter(organization=organization, owner=user).delete()
        record_activity(
            organization=organization, actor=user, verb="membership.left", about=membership
        )
        drop_waiting_emails(organization_id=organization.pk, user_id=user.pk)
        membership.delete()
        update_admin_access(organization=organization, user=user, by=user)


def _answer(invitation: Invitation, state: InvitationState, **changes: object) -> bool:
    """Move the invitation to an answer if that is legal, and drop a letter that waits."""
    sources = [source for source, moves in INVITATION_MOVES.items() if state in moves]
    movable = Q(state__in=sources)
    if state == InvitationState.ACCEPTED:
        # Accepted by an account that was deleted since.
        movable |= Q(state=InvitationState.ACCEPTED, user=None)
    moved = Invitation.objects.filter(movable, pk=invitation.pk).update(
        state=state, answered_at=timezone.now(), **changes
    )
    Notice.objects.filter(invitation=invitation, sent_at=None, tries=0).delete()
    return bool(moved)
