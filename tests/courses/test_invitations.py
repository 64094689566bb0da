"""Invitations: a person joins by accepting, and reads no stranger's words before that."""

from __future__ import annotations

import re
from datetime import timedelta
from time import time
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import InvitationState, Role
from grading.core.errors import InvitationRefused
from grading.core.invitation_links import token_of
from grading.courses.actions import create_cohort
from grading.courses.organizations.approval import create_organization
from grading.courses.organizations.invitations import accept_invitation, decline_invitation
from grading.courses.roster import import_roster
from grading.models import Cohort, Enrollment, Invitation, Membership, Notice, Organization
from grading.notifications.email_outbox import send_due_emails
from grading.peer_review.rounds.reminders import remind_due
from tests.factories.graded_work import signed_in
from tests.factories.people import (
    CohortFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)

pytestmark = pytest.mark.django_db
BAIT = "Your account will be closed today. Confirm it at https://northfie1d.example/login"
ACCEPTED, DECLINED, LEFT = (
    InvitationState.ACCEPTED,
    InvitationState.DECLINED,
    InvitationState.LEFT,
)


@pytest.fixture
def bram() -> User:
    user: User = UserFactory.create(email="bram@demo.test")
    return user


@pytest.fixture
def evil() -> Organization:
    """An organization that a stranger has founded."""
    return create_organization(
        name="Evil\r\ninstitute https://evil.example", slug="evil", founder=UserFactory.create()
    )


@pytest.fixture
def cohort(evil: Organization) -> Cohort:
    return create_cohort(organization=evil, name=BAIT, slug="bait", by=None)


def invited(cohort: Cohort, *emails: str) -> list[Invitation]:
    import_roster(cohort=cohort, text="\n".join(["email", *emails]), by=None)
    with scope(organization=cohort.organization):
        return list(Invitation.objects.filter(email__in=emails).select_related("organization"))


def state_of(invitation: Invitation) -> str:
    with scope(organization=invitation.organization_id):
        return Invitation.objects.get(pk=invitation.pk).state


def is_member(user: User, organization: Organization) -> bool:
    with scope(organization=organization):
        return Membership.objects.filter(user=user).exists()


def linked(user: User, cohort: Cohort) -> bool:
    with scope(organization=cohort.organization):
        return Enrollment.objects.filter(user=user, cohort=cohort).exists()


def letters_sent(organization: Organization) -> int:
    return send_due_emails(organization_id=organization.pk)


def answer(client: Client, invitation: Invitation, word: str) -> Any:
    sent = {"invitation": invitation.pk, "answer": word}
    return client.post(reverse("invitations"), sent)


def rows_about(word: str, page: str) -> list[str]:
    return [
        row for row in re.findall(r"<tr>((?:(?!<tr>).)*?)</tr>", page, re.DOTALL) if word in row
    ]


def link(invitation: Invitation) -> str:
    return reverse("invitation", args=[token_of(invitation.organization_id, invitation.pk)])


# What a stranger cannot do.


def test_import_makes_no_account_a_member(bram: User, cohort: Cohort) -> None:
    invited(cohort, bram.email)
    assert (is_member(bram, cohort.organization), linked(bram, cohort)) == (False, False)
    assert signed_in(bram).get("/o/evil/").status_code == 404
    assert signed_in(bram).get("/o/evil/c/bait/").status_code == 404


def test_login_makes_nobody_a_member(bram: User, cohort: Cohort) -> None:
    invited(cohort, bram.email)
    signed_in(bram).get("/")
    assert is_member(bram, cohort.organization) is False


def test_letter_holds_no_word_of_the_stranger_but_a_cleaned_name(
    bram: User, cohort: Cohort
) -> None:
    invited(cohort, bram.email)
    assert letters_sent(cohort.organization) == 1
    [letter] = mail.outbox
    assert letter.to == [bram.email]
    assert letter.subject == "[Evil institute] you are invited"
    assert [word in letter.body for word in ("evil.example", "northfie1d", "closed")] == [False] * 3
    assert len(set(re.findall(r"https?://[^/\s]+", str(letter.body)))) == 1


def test_address_gets_one_letter_of_an_organization(bram: User, cohort: Cohort) -> None:
    other = create_cohort(organization=cohort.organization, name="Two", slug="two", by=None)
    for target in (cohort, cohort, other):
        invited(target, bram.email)
        letters_sent(cohort.organization)
    assert [letter.to for letter in mail.outbox] == [[bram.email]]


def test_nobody_is_written_to_after_a_refusal(bram: User, cohort: Cohort) -> None:
    [invitation] = invited(cohort, bram.email)
    decline_invitation(invitation=invitation, by=bram)
    with scope(organization=cohort.organization):
        Cohort.objects.get(pk=cohort.pk).delete()
    again = create_cohort(organization=cohort.organization, name="Two", slug="two", by=None)
    invited(again, bram.email)
    assert letters_sent(cohort.organization) == 0
    assert "invites" not in signed_in(bram).get("/").content.decode()


def test_roster_is_the_same_with_and_without_an_account(bram: User, cohort: Cohort) -> None:
    with scope(organization=cohort.organization):
        owner = Membership.objects.get().user
    client = signed_in(owner)
    text = b"email\nbram@demo.test\nnoab@demo.test\n"
    sent = {"roster": SimpleUploadedFile("roster.csv", text)}
    address = reverse("roster", args=["evil", "bait"])
    preview = client.post(address, sent)
    rows = rows_about("demo.test", preview.content.decode())
    assert rows[0].replace("bram", "noab").replace(">2<", ">3<") == rows[1]
    confirmed = preview.context["confirm"].initial
    page = client.post(address, confirmed, follow=True).content.decode()
    # Each row has the key of its student.
    rows = [re.sub(r"\d+", "", row) for row in rows_about("demo.test", page)]
    assert len(rows) == 2
    assert rows[0].replace("bram", "noab") == rows[1]
    listing = client.get(reverse("admin:grading_enrollment_changelist")).content.decode()
    assert [row.count("icon-no") for row in rows_about("demo.test", listing)] == [1, 1]


def test_reminders_write_to_nobody_who_is_only_invited(bram: User, cohort: Cohort) -> None:
    from tests.factories.peers import PairingFactory
    from tests.factories.work import AssignmentFactory

    invited(cohort, bram.email)
    assignment = AssignmentFactory.create(cohort=cohort, title=BAIT)
    with scope(organization=cohort.organization):
        enrollment = Enrollment.objects.get(email=bram.email)
    PairingFactory.create(round__assignment=assignment, auditor=enrollment)
    remind_due()
    with scope(organization=cohort.organization):
        assert set(Notice.objects.values_list("kind", flat=True)) == {"invitation"}


def test_unverified_address_can_neither_see_nor_accept(
    bram: User, cohort: Cohort, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    [invitation] = invited(cohort, "victim@demo.test")
    EmailAddress.objects.create(user=bram, email="victim@demo.test", verified=False)
    client = signed_in(bram)
    assert "invites" not in client.get("/").content.decode()
    assert answer(client, invitation, "accept").status_code == 404
    with pytest.raises(InvitationRefused):
        accept_invitation(invitation=invitation, user=bram)
    assert is_member(bram, cohort.organization) is False


def test_invitation_of_somebody_else_is_missing(cohort: Cohort) -> None:
    [invitation] = invited(cohort, "ada@example.org")
    client = signed_in(UserFactory.create())
    assert [answer(client, invitation, word).status_code for word in ("accept", "decline")] == [
        404,
        404,
    ]
    assert state_of(invitation) == InvitationState.INVITED


def test_invitation_of_an_organization_without_approval_is_not_shown(
    bram: User, cohort: Cohort, settings: Any
) -> None:
    invited(cohort, bram.email)
    settings.INSTITUTIONS_BY_APPROVAL = True
    assert "invites" not in signed_in(bram).get("/").content.decode()


@pytest.mark.parametrize("token", ["missing", "eyJhIjoxfQ:1abc:forged"])
def test_forged_link_is_missing(client: Client, token: str) -> None:
    assert client.get(reverse("invitation", args=[token])).status_code == 404


def test_opening_the_link_answers_nothing(client: Client, cohort: Cohort) -> None:
    [invitation] = invited(cohort, "ada@example.org")
    assert client.get(link(invitation)).status_code == 200
    assert state_of(invitation) == InvitationState.INVITED


def test_reader_of_the_link_with_another_address_does_not_become_a_member(cohort: Cohort) -> None:
    [invitation] = invited(cohort, "ada@example.org")
    other = UserFactory.create()
    response: Any = signed_in(other).post(link(invitation), {"answer": "accept"})
    assert response.url == reverse("account_email")
    assert is_member(other, cohort.organization) is False


def test_last_owner_cannot_leave() -> None:
    organization = create_organization(name="Ours", slug="ours", founder=UserFactory.create())
    with scope(organization=organization):
        owner = Membership.objects.get().user
    page = signed_in(owner).post(reverse("leave", args=["ours"]), {"understood": "on"})
    assert "make somebody else an owner first" in page.content.decode()
    assert is_member(owner, organization)


# What a person can do.


def test_invitation_on_the_home_page_names_organization_and_cohort(
    bram: User, cohort: Cohort
) -> None:
    invited(cohort, bram.email)
    page = signed_in(bram).get("/").content.decode()
    assert ["Evil institute" in page, "Confirm it at [link removed]" in page] == [True, True]
    assert [word in page for word in ("evil.example", "northfie1d")] == [False, False]


def test_accepting_links_every_cohort_of_that_organization_alone(bram: User) -> None:
    cohort, elsewhere = CohortFactory.create(), CohortFactory.create()
    second = CohortFactory.create(organization=cohort.organization)
    [invitation] = invited(cohort, bram.email)
    invited(second, bram.email)
    invited(elsewhere, bram.email)
    response = answer(signed_in(bram), invitation, "accept")
    assert response.url == reverse("organization", args=[cohort.organization.slug])
    assert [linked(bram, target) for target in (cohort, second, elsewhere)] == [True, True, False]
    # A letter that waited is not sent any more.
    assert letters_sent(cohort.organization) == 0


def test_member_needs_not_accept_another_cohort(bram: User) -> None:
    first = CohortFactory.create()
    [invitation] = invited(first, bram.email)
    accept_invitation(invitation=invitation, user=bram)
    second = CohortFactory.create(organization=first.organization)
    invited(second, bram.email)
    assert linked(bram, second)
    assert letters_sent(first.organization) == 0


def test_invitation_of_another_address_of_a_member_waits_for_them(bram: User) -> None:
    own = student(CohortFactory.create(), name="Bram")
    EmailAddress.objects.create(user=own.user, email="private@demo.test", verified=True)
    second = CohortFactory.create(organization=own.organization)
    [invitation] = invited(second, "private@demo.test")
    assert linked(own.user, second) is False
    accept_invitation(invitation=invitation, user=own.user)
    assert linked(own.user, second) is True
    with scope(organization=own.organization):
        assert Membership.objects.get(user=own.user).email == own.email


def test_staff_see_the_invited_address_and_no_other_of_the_account(bram: User) -> None:
    cohort = CohortFactory.create()
    EmailAddress.objects.create(user=bram, email="study@demo.test", verified=True)
    [invitation] = invited(cohort, "study@demo.test")
    accept_invitation(invitation=invitation, user=bram)
    owner = staff_user(cohort.organization, Role.OWNER)
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    client = signed_in(owner)
    with scope(organization=cohort.organization):
        member = Membership.objects.get(user=bram)
    pages = [
        client.get(reverse(f"admin:grading_{model}_changelist"), {"q": ""}).content.decode()
        for model in ("membership", "activity", "notice", "enrollment", "invitation")
    ]
    pages.append(
        client.get(reverse("admin:grading_membership_change", args=[member.pk])).content.decode()
    )
    assert [word in page for page in pages for word in (bram.email, bram.username)] == [False] * 12
    results = client.get(reverse("admin:grading_membership_changelist"), {"q": bram.email})
    assert results.context["cl"].result_count == 0


def test_signing_up_by_the_link_accepts(client: Client) -> None:
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, "new@demo.test")
    response: Any = client.post(link(invitation), {"answer": "accept"})
    assert response.url.startswith(f"{reverse('account_signup')}?email=new%40demo.test")
    assert b'value="new@demo.test"' in client.get(response.url).content
    sign_up(client, "new@demo.test")
    user = User.objects.get(email="new@demo.test")
    assert linked(user, cohort)
    assert re.fullmatch("user-[0-9a-f]{12}", user.username)


def sign_up(client: Client, email: str, query: str = "") -> Any:
    password = "a long enough word"
    sent = {"email": email, "password1": password, "password2": password}
    return client.post(reverse("account_signup") + query, sent)


def test_letter_proves_its_address_to_a_new_account(client: Client, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, "later@demo.test")
    client.post(link(invitation), {"answer": "accept"})
    answer = sign_up(client, "Later@demo.test")
    user = User.objects.get(email="later@demo.test")
    assert (answer.url, linked(user, cohort)) == ("/", True)
    assert EmailAddress.objects.get(user=user).verified
    assert mail.outbox == []


def test_another_address_is_confirmed_by_a_letter_of_its_own(client: Client, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, "later@demo.test")
    client.post(link(invitation), {"answer": "accept"})
    sign_up(client, "other@demo.test")
    user = User.objects.get(email="other@demo.test")
    assert not EmailAddress.objects.get(user=user).verified
    [confirm] = re.findall(r"http\S+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    client.post(confirm)
    assert (linked(user, cohort), state_of(invitation)) == (False, InvitationState.INVITED)


@pytest.mark.parametrize(
    "state", [state for state in InvitationState if state != InvitationState.INVITED]
)
def test_letter_of_an_answered_or_withdrawn_invitation_proves_no_address(
    state: InvitationState, client: Client, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, "later@demo.test")
    client.post(link(invitation), {"answer": "accept"})
    with everywhere():
        Invitation.objects.filter(pk=invitation.pk).update(state=state, answered_at=timezone.now())
    sign_up(client, "later@demo.test")
    user = User.objects.get(email="later@demo.test")
    assert not EmailAddress.objects.get(user=user).verified
    assert linked(user, cohort) is False


@pytest.mark.parametrize(("days", "is_proof"), [(13, True), (15, False)])
def test_letter_proves_its_address_for_fourteen_days(
    days: int, is_proof: bool, client: Client, settings: Any, monkeypatch: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    [invitation] = invited(CohortFactory.create(), "later@demo.test")
    sent_at = time() - days * 24 * 3600
    with monkeypatch.context() as patched:
        patched.setattr("django.core.signing.time.time", lambda: sent_at)
        address = link(invitation)
    client.post(address, {"answer": "accept"})
    sign_up(client, "later@demo.test")
    assert EmailAddress.objects.get(email="later@demo.test").verified is is_proof


def test_letter_of_one_person_proves_no_address_of_another_who_is_invited(
    client: Client, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    [own, _other] = sorted(
        invited(CohortFactory.create(), "own@demo.test", "victim@demo.test"),
        key=lambda row: row.email,
    )
    client.post(link(own), {"answer": "accept"})
    sign_up(client, "victim@demo.test")
    assert not EmailAddress.objects.get(email="victim@demo.test").verified


def test_confirmed_address_accepts_where_the_letter_is_old(
    client: Client, settings: Any, monkeypatch: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    monkeypatch.setattr("grading.core.invitation_links.PROOF", timedelta(0))
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, "old@demo.test")
    client.post(link(invitation), {"answer": "accept"})
    sign_up(client, "old@demo.test")
    user = User.objects.get(email="old@demo.test")
    assert linked(user, cohort) is False
    [confirm] = re.findall(r"http\S+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    client.post(confirm)
    assert linked(user, cohort) is True


def test_signing_in_by_the_link_accepts_no_other_persons_invitation(client: Client) -> None:
    [invitation] = invited(CohortFactory.create(), "ada@example.org")
    client.post(link(invitation), {"answer": "accept"})
    client.force_login(UserFactory.create())
    assert state_of(invitation) == InvitationState.INVITED


def test_declining_by_the_link_needs_no_account(client: Client, cohort: Cohort) -> None:
    [invitation] = invited(cohort, "ada@example.org")
    client.post(link(invitation), {"answer": "decline"})
    assert state_of(invitation) == DECLINED


def test_roster_shows_answers_to_staff() -> None:
    cohort = CohortFactory.create()
    users = [UserFactory.create(email=f"{name}@demo.test") for name in ("ada", "bob", "cyd")]
    rows = invited(cohort, *[user.email for user in users], "dee@demo.test")
    accept_invitation(invitation=rows[0], user=users[0])
    decline_invitation(invitation=rows[1], by=users[1])
    accept_invitation(invitation=rows[2], user=users[2])
    signed_in(users[2]).post(
        reverse("leave", args=[cohort.organization.slug]), {"understood": "on"}
    )
    page = signed_in(staff_user(cohort.organization)).get(
        reverse("people", args=[cohort.organization.slug, cohort.slug])
    )
    lines = page.context["lines"]
    assert {line.student.email[:3]: line.state for line in lines} == {
        "ada": ACCEPTED,
        "bob": DECLINED,
        "cyd": LEFT,
        "dee": InvitationState.INVITED,
    }


def test_member_who_left_sees_nothing_and_can_come_back() -> None:
    own = student(CohortFactory.create())
    slug, client = own.organization.slug, signed_in(own.user)
    response: Any = client.post(reverse("leave", args=[slug]), {"understood": "on"})
    assert response.url == "/"
    assert client.get(reverse("organization", args=[slug])).status_code == 404
    with scope(organization=own.organization):
        invitation = Invitation.objects.get(email=own.email)
        assert Enrollment.objects.get(pk=own.pk).user is None
    invited(own.cohort, own.email)
    assert linked(own.user, own.cohort) is False
    answer(client, invitation, "accept")
    assert linked(own.user, own.cohort) is True


def test_accepting_twice_changes_nothing(bram: User) -> None:
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, bram.email)
    first = accept_invitation(invitation=invitation, user=bram)
    assert accept_invitation(invitation=invitation, user=bram) == first


def test_new_account_of_the_address_may_accept_after_the_old_one_was_deleted(bram: User) -> None:
    cohort = CohortFactory.create()
    [invitation] = invited(cohort, bram.email)
    accept_invitation(invitation=invitation, user=bram)
    with everywhere():  # as the operator in the administration
        bram.delete()
    again = UserFactory.create(email="bram@demo.test")
    assert "invites" in signed_in(again).get("/").content.decode()
    answer(signed_in(again), invitation, "accept")
    assert linked(again, cohort)
