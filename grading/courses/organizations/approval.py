"""Creation of organizations, and their approval by the operators of the site."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import TEACHING_ROLES, NoticeKind, Role
from grading.core.errors import OrganizationRefused, RoleRefused, SlugTaken
from grading.courses.organizations.roles import set_role, update_admin_access
from grading.models import Cohort, Membership, Organization
from grading.notifications.emails import Email, notify, notify_all


def create_organization(
    *, name: str, slug: str, founder: User, is_approved: bool = False
) -> Organization:
    """Create an organization with `founder` as its owner, and ask the operators to approve it.

    A superuser's own is approved, and so is one that the site itself makes (`is_approved`). Raises
    SlugTaken, OrganizationRefused (organization_limit, organization_pending).
    """
    is_approved = is_approved or founder.is_superuser
    with transaction.atomic():
        # Two requests of one account wait for each other here, or both would be below the limit.
        User.objects.select_for_update(no_key=True).get(pk=founder.pk)
        if not is_approved:
            _refuse_further_organizations(founder)
        organization = _insert_organization(name, slug, founder, is_approved=is_approved)

        with scope(organization=organization):
            set_role(organization=organization, user=founder, email=founder.email, role=Role.OWNER)
            record_activity(
                organization=organization,
                actor=founder,
                verb="organization.founded",
                about=organization,
            )
            update_admin_access(organization=organization, user=founder, by=founder)
            if not organization.is_usable:
                _ask_for_approval(organization)
    return organization


def _insert_organization(name: str, slug: str, founder: User, *, is_approved: bool) -> Organization:
    approved_at = timezone.now() if is_approved else None
    try:
        # A savepoint: after its error the transaction takes no more queries.
        with transaction.atomic():
            return Organization.objects.create(
                name=name, slug=slug, founder=founder, approved_at=approved_at
            )
    except IntegrityError as error:
        raise SlugTaken(
            "slug_taken", f"There is already an organization called “{slug}”."
        ) from error


def _refuse_further_organizations(founder: User) -> None:
    """Raise OrganizationRefused if this account may not create another organization now."""
    created = Organization.objects.filter(founder=founder)
    # The refused ones count: each request is a letter to the operator.
    if created.count() >= settings.INSTITUTIONS_PER_ACCOUNT:
        raise OrganizationRefused(
            "organization_limit",
            f"You have created {created.count()} organizations, which is the limit of an account. "
            "Ask the operator of this site for more.",
        )
    pending = created.filter(approved_at=None, refused_at=None).first()
    if settings.INSTITUTIONS_BY_APPROVAL and pending is not None:
        raise OrganizationRefused(
            "organization_pending",
            f"{pending.name} still waits for approval. You can create another one after that.",
        )


def _ask_for_approval(organization: Organization) -> None:
    """Write to the operators, in the caller's transaction and scope."""
    operators = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    founder = organization.founder.email if organization.founder else "unknown"
    waiting = f"{reverse('admin:grading_organization_changelist')}?approved_at__isempty=1"
    notify_all(
        organization_id=organization.pk,
        kind=NoticeKind.APPROVAL,
        emails=[
            Email(
                user=operator,
                subject="An organization asks for approval",
                body=(
                    "An account asks to use this site for an organization.\n\n"
                    f"Name: {organization.name}\nShort name: {organization.slug}\n\n"
                    "Approve or refuse it in the list of organizations. Until then nobody can "
                    "use it."
                ),
                own_words=f"\n\nAccount: {founder}",
                path=waiting,
            )
            for operator in operators
        ],
    )


def approve_organization(*, organization: Organization, by: User) -> bool:
    """Approve it and write to its founder; return False if it was approved already.

    Raises RoleRefused if `by` is no operator.
    """
    return _answer(organization, by, is_approved=True)


def refuse_organization(*, organization: Organization, by: User) -> bool:
    """Refuse it or withdraw its approval and write to its founder; return False if nothing changed.

    Raises RoleRefused if `by` is no operator.
    """
    return _answer(organization, by, is_approved=False)


def _answer(organization: Organization, by: User, *, is_approved: bool) -> bool:
    if not by.is_superuser:
        raise RoleRefused("role_of_operators", "Only operators can approve organizations.")

    now = timezone.now()
    times = (
        {"approved_at": now, "refused_at": None}
        if is_approved
        else {"approved_at": None, "refused_at": now}
    )
    with transaction.atomic(), scope(organization=organization):
        # Two operators may answer at once: the row decides whose answer is written down.
        locked = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        if locked.is_approved == is_approved and (is_approved or locked.refused_at):
            return False

        was_approved = locked.is_approved
        Organization.objects.filter(pk=locked.pk).update(**times)
        verb = _verb(is_approved=is_approved, was_approved=was_approved)
        record_activity(organization=locked, actor=by, verb=f"organization.{verb}", about=locked)
        # Teachers of an organization that nobody can use need no administration.
        for member in Membership.objects.filter(role__in=TEACHING_ROLES).select_related("user"):
            update_admin_access(organization=locked, user=member.user, by=by)
        _write_to_founder(locked, verb)
    return True


def _verb(*, is_approved: bool, was_approved: bool) -> str:
    if is_approved:
        return "approved"
    return "approval_withdrawn" if was_approved else "refused"


ANSWERS = {
    "approved": "was approved by the operator of this site",
    "refused": "was not approved by the operator of this site",
    "approval_withdrawn": "is no longer approved by the operator of this site",
}


def _write_to_founder(organization: Organization, verb: str) -> None:
    body, path = _next_step(organization, verb)
    notify(
        organization=organization,
        user=organization.founder,
        kind=NoticeKind.APPROVAL,
        subject=f"{organization.name} {ANSWERS[verb]}",
        body=f"Your organization {organization.name} {ANSWERS[verb]}.{body}",
        path=path,
    )


def _next_step(organization: Organization, verb: str) -> tuple[str, str]:
    """Return a sentence to add, and the page to open: where nothing exists yet, a first course."""
    page = reverse("organization", args=[organization.slug])
    if verb != "approved" or Cohort.objects.filter(organization=organization).exists():
        return "", page
    query = urlencode({"organization": organization.slug})
    return (
        " The next page makes your course, its first assignment and a link for your students.",
        f"{reverse('course-new')}?{query}",
    )
