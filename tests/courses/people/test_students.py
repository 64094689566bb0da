"""Single students: add, change, group, move, invite, remove with all that belongs to them."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import OPEN_STATES, AuditState, InvitationState, Role
from grading.core.errors import InvitationRefused, PeopleRefused
from grading.core.uploads import delete_orphans
from grading.courses.archive.cohort_inventory import KINDS
from grading.courses.organizations.invitations import accept_invitation
from grading.courses.people.removal import holdings_of, remove_student
from grading.courses.people.students import (
    add_student,
    change_student,
    group_students,
    invite_again,
    move_student,
    withdraw_invitation,
)
from grading.models import (
    Activity,
    Audit,
    Cohort,
    Enrollment,
    Grade,
    Invitation,
    Notice,
    Organization,
    RoundMember,
    Submission,
)
from grading.models.tenant import TenantModel
from tests.factories.grades import GradeFactory
from tests.factories.institutes import institute
from tests.factories.peers import RoundMemberFactory
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    JoinLinkFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def cohort() -> Any:
    made = CohortFactory.create(name="Autumn")
    with scope(organization=made.organization):
        yield made


@pytest.fixture
def teacher(cohort: Cohort) -> Any:
    return staff_user(cohort.organization)


def fields(**changes: str) -> dict[str, str]:
    return {"email": "ada@example.org", "name": "Ada", "student_number": "7", "group": ""} | changes


def code_of(refused: Any) -> tuple[str, str]:
    return refused.value.field, refused.value.code


def verbs() -> list[str]:
    return list(Activity.objects.order_by("pk").values_list("verb", flat=True))


def invitation_of(email: str) -> Invitation:
    return Invitation.objects.get(email=email)


def base(cohort: Cohort) -> str:
    return f"/o/{cohort.organization.slug}/c/{cohort.slug}/people/"


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_added_student_is_invited_by_one_letter(cohort: Cohort, teacher: Any) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields(email="Ada@example.org"))
    assert (ada.email, ada.user) == ("ada@example.org", None)
    assert invitation_of("ada@example.org").state == InvitationState.INVITED
    assert Notice.objects.filter(kind="invitation").count() == 1
    assert verbs() == ["enrollment.added"]


def test_student_who_was_removed_is_invited_when_added_again(cohort: Cohort, teacher: Any) -> None:
    added = add_student(cohort=cohort, by=teacher, **fields())
    remove_student(student=added, typed="", fingerprint=holdings_of(added).fingerprint, by=teacher)
    add_student(cohort=cohort, by=teacher, **fields())
    assert Invitation.objects.get().state == InvitationState.INVITED
    assert Notice.objects.count() == 1


def test_address_that_is_on_the_roster_is_refused_in_any_case(cohort: Cohort, teacher: Any) -> None:
    EnrollmentFactory.create(cohort=cohort, email="ADA@example.org")
    with pytest.raises(PeopleRefused) as refused:
        add_student(cohort=cohort, by=teacher, **fields())
    assert code_of(refused) == ("email", "email_taken")


def test_new_address_is_invited_in_place_of_the_former(cohort: Cohort, teacher: Any) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields(email="typo@example.org"))
    change_student(student=ada, by=teacher, **fields(name="Ada L"))
    states = dict(Invitation.objects.values_list("email", "state"))
    assert states == {"typo@example.org": "revoked", "ada@example.org": "invited"}
    with pytest.raises(InvitationRefused, match="withdrawn"):
        accept_invitation(
            invitation=invitation_of("typo@example.org"),
            user=UserFactory.create(email="typo@example.org"),
        )


def test_address_of_a_person_who_accepted_cannot_change(cohort: Cohort, teacher: Any) -> None:
    ada = student(cohort)
    with pytest.raises(PeopleRefused) as refused:
        change_student(student=ada, by=teacher, **fields())
    assert code_of(refused) == ("email", "email_accepted")


def test_form_that_was_saved_unchanged_leaves_no_row_in_the_log(
    cohort: Cohort, teacher: Any
) -> None:
    ada = EnrollmentFactory.create(
        cohort=cohort, email="Ada@example.org", name="Ada", student_number="7"
    )
    change_student(student=ada, by=teacher, **fields())
    assert verbs() == []


def test_change_that_somebody_else_made_meanwhile_is_shown_and_not_overwritten(
    cohort: Cohort, teacher: Any
) -> None:
    ada = EnrollmentFactory.create(cohort=cohort, name="Ada")
    client = signed_in(teacher)
    address = f"{base(cohort)}{ada.pk}/"
    form = client.get(address).context["form"]
    Enrollment.objects.filter(pk=ada.pk).update(name="Ada Lovelace")
    sent = {"act": "change", "seen": form.fingerprint, "email": ada.email, "name": "A."}
    assert "This changed since you opened the page" in client.post(address, sent).content.decode()
    ada.refresh_from_db()
    assert ada.name == "Ada Lovelace"


def test_selected_students_move_to_a_group_and_others_stay(cohort: Cohort, teacher: Any) -> None:
    ada, bob, cyd = (EnrollmentFactory.create(cohort=cohort) for _ in range(3))
    foreign = EnrollmentFactory.create()
    client = signed_in(teacher)
    done = client.post(base(cohort), {"students": [ada.pk, bob.pk], "group": "Owls"}, follow=True)
    assert "2 students changed: now in group Owls." in done.content.decode()
    assert set(Enrollment.objects.filter(group="Owls")) == {ada, bob}
    refused = client.post(base(cohort), {"students": [foreign.pk], "group": "Owls"})
    assert refused.context["form"].errors
    assert group_students(cohort=cohort, students=[foreign.pk], group="Owls", by=teacher) == 0
    cyd.refresh_from_db()
    assert cyd.group == ""


@pytest.mark.parametrize(
    ("query", "names"),
    [("q=love", ["Ada Lovelace"]), ("q=s9", ["Bob"]), ("group=Owls", ["Bob"]), ("q=xx", [])],
)
def test_search_finds_by_name_number_and_group(
    query: str, names: list[str], cohort: Cohort, teacher: Any
) -> None:
    EnrollmentFactory.create(cohort=cohort, name="Ada Lovelace", email="a@example.org")
    EnrollmentFactory.create(
        cohort=cohort, name="Bob", email="b@example.org", student_number="S9", group="Owls"
    )
    lines = signed_in(teacher).get(f"{base(cohort)}?{query}").context["lines"]
    assert [line.student.name for line in lines] == names


def test_assistant_reads_the_pages_and_changes_nothing(cohort: Cohort) -> None:
    ada = EnrollmentFactory.create(cohort=cohort)
    client = signed_in(staff_user(cohort.organization, Role.ASSISTANT))
    page = client.get(f"{base(cohort)}{ada.pk}/").content.decode()
    assert "Withdraw invitation" not in page
    assert client.post(f"{base(cohort)}{ada.pk}/", {"act": "withdraw"}).status_code == 404
    assert client.post(base(cohort), {"students": [ada.pk], "group": "x"}).status_code == 404
    assert client.get(f"{base(cohort)}{ada.pk}/remove/").status_code == 404


def test_withdrawn_invitation_cannot_be_accepted_until_it_is_renewed(
    cohort: Cohort, teacher: Any
) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields())
    user = UserFactory.create(email="ada@example.org")
    withdraw_invitation(student=ada, by=teacher)
    with pytest.raises(InvitationRefused, match="withdrawn"):
        accept_invitation(invitation=invitation_of(ada.email), user=user)
    with pytest.raises(PeopleRefused) as refused:
        withdraw_invitation(student=ada, by=teacher)
    assert code_of(refused) == ("", "invitation_not_open")
    assert Notice.objects.count() == 0

    assert invite_again(student=ada, by=teacher)
    assert accept_invitation(invitation=invitation_of(ada.email), user=user).role == Role.STUDENT
    with pytest.raises(PeopleRefused, match="accepted already"):
        invite_again(student=Enrollment.objects.get(pk=ada.pk), by=teacher)


def test_nobody_gets_a_second_letter_before_they_accept(cohort: Cohort, teacher: Any) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields())
    Notice.objects.update(sent_at=timezone.now())
    withdraw_invitation(student=ada, by=teacher)
    assert not invite_again(student=ada, by=teacher)
    assert Notice.objects.count() == 1
    assert invitation_of(ada.email).state == InvitationState.INVITED


def test_student_without_work_moves_to_another_cohort(cohort: Cohort, teacher: Any) -> None:
    ada, other = (
        student(cohort, group="Owls"),
        CohortFactory.create(organization=cohort.organization),
    )
    move_student(student=ada, to=other, by=teacher)
    moved = Enrollment.objects.get(pk=ada.pk)
    assert (moved.cohort, moved.group, moved.user) == (other, "", ada.user)
    assert verbs() == ["enrollment.moved"] * 2


def test_student_with_work_or_a_place_there_does_not_move(cohort: Cohort, teacher: Any) -> None:
    ada, other = student(cohort), CohortFactory.create(organization=cohort.organization)
    SubmissionFactory.create(assignment=AssignmentFactory.create(cohort=cohort), student=ada)
    bob = EnrollmentFactory.create(cohort=cohort, email="bob@example.org")
    EnrollmentFactory.create(cohort=other, email="BOB@example.org")
    for row, code in ((ada, "student_has_work"), (bob, "email_taken")):
        with pytest.raises(PeopleRefused) as refused:
            move_student(student=row, to=other, by=teacher)
        assert code_of(refused) == ("cohort", code)


def test_another_institutions_cohort_is_refused(cohort: Cohort, teacher: Any) -> None:
    ada, foreign = EnrollmentFactory.create(cohort=cohort), CohortFactory.create()
    with pytest.raises(PeopleRefused) as refused:
        move_student(student=ada, to=foreign, by=teacher)
    assert code_of(refused) == ("cohort", "cohort_foreign")
    answer = signed_in(teacher).post(
        f"{base(cohort)}{ada.pk}/", {"act": "move", "cohort": foreign.pk}
    )
    assert answer.context["move"].errors


def test_move_is_offered_where_there_is_another_cohort(cohort: Cohort, teacher: Any) -> None:
    ada, client = EnrollmentFactory.create(cohort=cohort), signed_in(teacher)
    page = f"{base(cohort)}{ada.pk}/"
    assert "Move to another cohort" not in client.get(page).text
    CohortFactory.create(organization=cohort.organization)
    assert "Move to another cohort" in client.get(page).text


def test_student_without_work_goes_without_a_typed_word(cohort: Cohort, teacher: Any) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields())
    remove_student(student=ada, typed="", fingerprint=holdings_of(ada).fingerprint, by=teacher)
    assert list(Enrollment.objects.all()) == []
    assert invitation_of("ada@example.org").state == InvitationState.REVOKED


@pytest.mark.parametrize(("has_other", "left"), [(False, []), (True, ["elsewhere"])])
def test_emails_about_the_cohort_do_not_reach_who_was_removed(
    has_other: bool, left: list[str], cohort: Cohort, teacher: Any
) -> None:
    ada = student(cohort)
    if has_other:
        other = CohortFactory.create(organization=cohort.organization)
        EnrollmentFactory.create(cohort=other, user=ada.user)
    place = f"/o/{cohort.organization.slug}/"
    for subject, path in (("here", f"{place}c/{cohort.slug}/a/week-1/"), ("elsewhere", place)):
        Notice.objects.create(
            organization=cohort.organization,
            user=ada.user,
            kind="released",
            subject=subject,
            path=path,
        )
    remove_student(student=ada, typed="", fingerprint=holdings_of(ada).fingerprint, by=teacher)
    assert list(Notice.objects.values_list("subject", flat=True)) == left


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"typed": "ada"}, "typed_differs"), ({"fingerprint": ""}, "holdings_changed")],
)
def test_student_with_work_stays_unless_the_address_is_typed_for_what_is_shown(
    changes: dict[str, str], code: str, cohort: Cohort, teacher: Any
) -> None:
    ada = student(cohort)
    SubmissionFactory.create(assignment=AssignmentFactory.create(cohort=cohort), student=ada)
    sent = {"typed": ada.email, "fingerprint": holdings_of(ada).fingerprint} | changes
    with pytest.raises(PeopleRefused) as refused:
        remove_student(student=ada, by=teacher, **sent)
    assert refused.value.code == code
    assert Submission.objects.count() == 1


def test_student_whose_audit_runs_or_whose_round_runs_stays(cohort: Cohort, teacher: Any) -> None:
    assignment = AssignmentFactory.create(cohort=cohort)
    ada, bob = student(cohort), student(cohort)
    AuditFactory.create(submission__assignment=assignment, submission__student=ada)
    RoundMemberFactory.create(round__assignment=assignment, student=bob)
    assert "waiting or running" in holdings_of(ada).refusal
    assert "is in round " in holdings_of(bob).refusal
    for row in (ada, bob):
        with pytest.raises(PeopleRefused) as refused:
            remove_student(
                student=row,
                typed=row.email,
                fingerprint=holdings_of(row).fingerprint,
                by=teacher,
            )
        assert refused.value.code == "student_busy"


def test_work_that_other_students_have_grades_for_stays(cohort: Cohort, teacher: Any) -> None:
    assignment = AssignmentFactory.create(cohort=cohort)
    ada, bob = student(cohort), student(cohort)
    audit = AuditFactory.create(
        submission__assignment=assignment, submission__student=ada, done=True
    )
    GradeFactory.create(audit=audit, student=bob)
    assert "for a team" in holdings_of(ada).refusal


@pytest.fixture
def whole() -> Any:
    """An institution with a row in every table, and nothing that runs."""
    organization: Organization = institute()
    with scope(organization=organization):
        # Its round is over, as the factories leave it in the future.
        RoundMember.objects.update(left_at=timezone.now())
        Audit.objects.filter(state__in=OPEN_STATES).update(
            state=AuditState.FAILED, finished_at=timezone.now()
        )
        yield organization


def counts() -> dict[str, int]:
    return {
        model.__name__: model.objects.count()
        for model in apps.get_models()
        if issubclass(model, TenantModel)
    }


def test_everything_of_the_student_goes_and_another_students_work_stays(
    whole: Any, django_capture_on_commit_callbacks: Any
) -> None:
    teacher = staff_user(whole)
    cohort = Cohort.objects.get(slug="same")
    assignment = cohort.assignments.get(slug="same")
    ada = Enrollment.objects.get(name__endswith=" student")
    bob = student(cohort)
    kept = AuditFactory.create(
        submission__assignment=assignment,
        submission__student=bob,
        submission__pdf=ContentFile(b"%PDF", name="bob.pdf"),
        done=True,
    )
    GradeFactory.create(audit=kept)
    mine = Submission.objects.filter(student=ada)
    upload = default_storage.save("ada.pdf", ContentFile(b"%PDF"))
    mine.update(pdf=upload, pdf_sha256="cd" * 32)
    holdings, before = holdings_of(ada), counts()
    remove_student(
        student=ada, typed=ada.email.upper(), fingerprint=holdings.fingerprint, by=teacher
    )
    delete_orphans()
    assert not default_storage.exists(upload)
    assert not Enrollment.objects.filter(pk=ada.pk).exists()
    assert list(Submission.objects.filter(student=bob)) == [kept.submission]
    assert Grade.objects.filter(student=bob).count() == 1
    assert default_storage.exists(kept.submission.pdf.name)
    after = counts()
    # What belongs to the cohort stays, and so does the log.
    for name in ("Assignment", "PairingRound", "BulkRun", "BlindSample", "ModelUsage"):
        assert (name, after[name]) == (name, before[name])
    assert Activity.objects.filter(verb="enrollment.removed").count() == 1


def test_every_kind_of_the_inventory_that_refers_to_a_student_is_followed(whole: Any) -> None:
    ada = Enrollment.objects.get(name__endswith=" student")
    labels = {label for label, _number in holdings_of(ada).kinds}
    assert {"submissions", "audits", "grades", "findings", "appeals", "judges' opinions"} <= labels
    assert len(KINDS) > len(labels)


def test_pages_of_a_student_say_what_goes(cohort: Cohort, teacher: Any) -> None:
    ada = student(cohort, name="Ada")
    AuditFactory.create(
        submission__assignment=AssignmentFactory.create(cohort=cohort),
        submission__student=ada,
        done=True,
    )
    client, address = signed_in(teacher), f"{base(cohort)}{ada.pk}/remove/"
    page = client.get(address)
    assert "Submissions" in page.content.decode()
    sent = {"typed": "no", "fingerprint": page.context["holdings"].fingerprint}
    refused = client.post(address, sent).content.decode()
    assert f"Type {ada.email} to remove them." in refused
    done = client.post(address, sent | {"typed": ada.email}, follow=True)
    assert "Ada was removed." in done.content.decode()
    assert Enrollment.objects.filter(pk=ada.pk).count() == 0


def test_withdrawn_person_may_still_join_by_the_link(cohort: Cohort, teacher: Any) -> None:
    ada = add_student(cohort=cohort, by=teacher, **fields())
    withdraw_invitation(student=ada, by=teacher)
    link = JoinLinkFactory.create(cohort=cohort)
    user = UserFactory.create(email="ada@example.org")
    signed_in(user).post(f"/join/{link}/")
    assert Enrollment.objects.get(pk=ada.pk).user == user


def test_extension_is_given_from_the_page_of_the_student(cohort: Cohort, teacher: Any) -> None:
    ada, bob = student(cohort), student(cohort)
    assignment = AssignmentFactory.create(cohort=cohort)
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/a/{assignment.slug}/extensions/"
    page = signed_in(teacher).get(f"{base(cohort)}{ada.pk}/").text
    assert f'href="{address}?student={ada.pk}#new-heading"' in page

    form = signed_in(teacher).get(address, {"student": ada.pk}).text
    assert f'value="{ada.pk}" selected' in form
    assert f'value="{bob.pk}" selected' not in form
    assert " selected" not in signed_in(teacher).get(address, {"student": "none"}).text


def test_assistants_read_who_gives_extensions(cohort: Cohort) -> None:
    assignment = AssignmentFactory.create(cohort=cohort)
    helper = signed_in(staff_user(cohort.organization, Role.ASSISTANT))
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/a/{assignment.slug}/extensions/"
    page = helper.get(address).text
    assert "Owners and instructors give extensions." in page
    assert "Give extension" not in page
