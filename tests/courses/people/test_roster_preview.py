"""Import of a roster with its preview: everything that was shown is saved, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django_scopes import scope

from grading.core.enums import InvitationState
from grading.core.errors import RosterRefused
from grading.courses.roster import PreviewedRow, confirm_roster, import_roster, preview_roster
from grading.models import Activity, Cohort, Enrollment, Invitation, Notice
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    InvitationFactory,
    staff_user,
    student,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
LIST = "email,name,student_number,group\nada@example.org,Ada L,,Owls\nbob@example.org,Bob,,\ncyd@example.org,,,-\n"


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create()
    EnrollmentFactory.create(cohort=made, email="ada@example.org", name="Ada", group="Crows")
    EnrollmentFactory.create(cohort=made, email="cyd@example.org", name="Cyd")
    return made


@pytest.fixture
def teacher(cohort: Cohort) -> Any:
    return staff_user(cohort.organization)


def upload(client: Client, cohort: Cohort, text: str) -> Any:
    file = SimpleUploadedFile("roster.csv", text.encode())
    return client.post(address(cohort), {"roster": file})


def address(cohort: Cohort) -> str:
    return f"/o/{cohort.organization.slug}/c/{cohort.slug}/roster/"


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def enrolled(cohort: Cohort) -> list[tuple[str, str, str]]:
    with scope(organization=cohort.organization):
        rows = Enrollment.objects.filter(cohort=cohort).order_by("email")
        return list(rows.values_list("email", "name", "group"))


BEFORE = [("ada@example.org", "Ada", "Crows"), ("cyd@example.org", "Cyd", "")]


def test_preview_says_what_each_row_would_do_and_saves_nothing(cohort: Cohort) -> None:
    with scope(organization=cohort.organization):
        preview = preview_roster(cohort=cohort, text=LIST + "no address,X,,\nbob@example.org,,,\n")
    assert preview.rows == (
        PreviewedRow(
            2,
            "ada@example.org",
            "Ada L",
            "",
            "Owls",
            "changed",
            (("name", "Ada", "Ada L"), ("group", "Crows", "Owls")),
        ),
        PreviewedRow(3, "bob@example.org", "Bob", "", "", "new"),
        PreviewedRow(4, "cyd@example.org", "Cyd", "", "", "unchanged"),
        PreviewedRow(
            5,
            "no address",
            "",
            "",
            "",
            "refused",
            reason="“no address” is not an email address.",
        ),
        PreviewedRow(
            6,
            "bob@example.org",
            "",
            "",
            "",
            "refused",
            reason="bob@example.org is already on line 3.",
        ),
    )
    assert not preview.is_importable
    assert enrolled(cohort) == BEFORE


def test_list_with_a_refused_row_saves_nothing_and_a_mended_one_everything(
    cohort: Cohort, teacher: Any
) -> None:
    client = signed_in(teacher)
    refused = upload(client, cohort, LIST + "no address,X,,\n")
    page = refused.content.decode()
    assert "“no address” is not an email address." in page
    assert "Show preview" in page
    assert "Import 4 rows" not in page
    # The button is missing; a program that confirms all the same saves nothing either.
    forced = client.post(address(cohort), refused.context["confirm"].initial)
    assert "Nothing was saved: mend these rows first." in forced.content.decode()
    assert enrolled(cohort) == BEFORE

    preview = upload(client, cohort, LIST)
    done = client.post(address(cohort), preview.context["confirm"].initial, follow=True)
    assert "Imported: 1 new, 1 changed, 1 unchanged." in done.content.decode()
    assert enrolled(cohort) == [
        ("ada@example.org", "Ada L", "Owls"),
        ("bob@example.org", "Bob", ""),
        ("cyd@example.org", "Cyd", ""),
    ]


def test_number_of_letters_is_the_number_that_is_written(cohort: Cohort, teacher: Any) -> None:
    member = student(CohortFactory.create(organization=cohort.organization))
    InvitationFactory.create(
        organization=cohort.organization,
        email="left@example.org",
        state=InvitationState.LEFT,
        answered_at=cohort.created_at,
    )
    text = LIST + f"{member.email},,,\nleft@example.org,,,\n"
    with scope(organization=cohort.organization):
        preview = preview_roster(cohort=cohort, text=text)
        assert preview.letters == 3
        confirm_roster(cohort=cohort, text=text, fingerprint=preview.fingerprint, by=teacher)
        assert Notice.objects.filter(kind="invitation").count() == 3
        assert preview_roster(cohort=cohort, text=text).letters == 0
        assert Invitation.objects.filter(state=InvitationState.INVITED).count() == 3


@pytest.mark.parametrize(("has_letter", "letters"), [(False, 1), (True, 0)])
def test_withdrawn_student_on_a_list_is_invited_again(
    has_letter: bool, letters: int, cohort: Cohort, teacher: Any
) -> None:
    text = "email\nback@example.org\n"
    with scope(organization=cohort.organization):
        withdrawn = InvitationFactory.create(
            organization=cohort.organization,
            email="back@example.org",
            state=InvitationState.REVOKED,
        )
        if has_letter:
            Notice.objects.create(
                organization=cohort.organization,
                kind="invitation",
                invitation=withdrawn,
                address=withdrawn.email,
                sent_at=cohort.created_at,
            )
        preview = preview_roster(cohort=cohort, text=text)
        assert preview.letters == letters
        confirm_roster(cohort=cohort, text=text, fingerprint=preview.fingerprint, by=teacher)
        assert Notice.objects.filter(sent_at=None).count() == letters
        assert Invitation.objects.get().state == InvitationState.INVITED


def test_roster_that_changed_since_the_preview_is_shown_anew(cohort: Cohort, teacher: Any) -> None:
    client = signed_in(teacher)
    preview = upload(client, cohort, LIST)
    with scope(organization=cohort.organization):
        Enrollment.objects.filter(email="ada@example.org").update(name="Ada L")
    answer = client.post(address(cohort), preview.context["confirm"].initial)
    page = answer.content.decode()
    assert "The roster changed since this preview" in page
    assert "bob@example.org" not in [email for email, _name, _group in enrolled(cohort)]
    client.post(address(cohort), answer.context["confirm"].initial)
    assert "bob@example.org" in [email for email, _name, _group in enrolled(cohort)]


def test_confirming_without_a_fingerprint_saves_nothing(cohort: Cohort, teacher: Any) -> None:
    with scope(organization=cohort.organization), pytest.raises(RosterRefused) as refused:
        confirm_roster(cohort=cohort, text=LIST, fingerprint="", by=teacher)
    assert refused.value.code == "roster_changed"
    assert enrolled(cohort) == BEFORE


def test_line_ends_of_a_browser_change_no_fingerprint(cohort: Cohort) -> None:
    text = 'email,name\nbob@example.org,"Bob\nB"\n'
    with scope(organization=cohort.organization):
        prints = {
            preview_roster(cohort=cohort, text=text.replace("\n", end)).fingerprint
            for end in ("\n", "\r\n", "\r")
        }
    assert len(prints) == 1


def test_confirmed_import_is_logged_once_and_its_letters_leave(
    cohort: Cohort, teacher: Any
) -> None:
    with scope(organization=cohort.organization):
        preview = preview_roster(cohort=cohort, text=LIST)
        confirm_roster(cohort=cohort, text=LIST, fingerprint=preview.fingerprint, by=teacher)
        assert list(Activity.objects.values_list("verb", flat=True)) == ["roster.imported"]
    assert mail.outbox == []


def test_preview_needs_as_many_queries_for_thirty_rows_as_for_one(
    cohort: Cohort, django_assert_num_queries: Any
) -> None:
    for rows in (1, 30):
        text = "email\n" + "".join(f"s{n}@example.org\n" for n in range(rows))
        with scope(organization=cohort.organization), django_assert_num_queries(5):
            preview_roster(cohort=cohort, text=text)


@pytest.mark.parametrize("data", [{"text": ""}, {"text": "name\nAda\n", "fingerprint": "x"}])
def test_confirmation_without_a_list_is_refused(
    data: dict[str, str], cohort: Cohort, teacher: Any
) -> None:
    answer = signed_in(teacher).post(address(cohort), data)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.content.decode()
    assert enrolled(cohort) == BEFORE


def test_import_without_preview_still_saves_the_valid_rows(cohort: Cohort) -> None:
    done = import_roster(cohort=cohort, text=LIST + "no address,X,,\n", by=None)
    assert (done.created, done.updated, len(done.refused)) == (1, 1, 1)


def test_preview_names_the_columns_that_are_not_imported(cohort: Cohort, teacher: Any) -> None:
    text = "Email,Number,Section,Notes\r\neve@example.org,17,B,<b>late</b>\r\n"
    preview = upload(signed_in(teacher), cohort, text).context["preview"]
    assert preview.unread == ("Number", "Section", "Notes")
    assert preview.rows == (PreviewedRow(2, "eve@example.org", "", "", "", "new"),)
    assert upload(signed_in(teacher), cohort, LIST).context["preview"].unread == ()
