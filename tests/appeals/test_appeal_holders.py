"""Appeals that are handed to somebody: to whom, by whom, and what becomes of them."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from grading.appeals.assignments import hand_over
from grading.appeals.decisions import escalate_appeal, keep_verdict
from grading.appeals.queries import InboxFilter, holder_of, inbox
from grading.core.enums import NoticeKind, Role
from grading.core.errors import AppealRefused
from grading.models import Activity, Appeal, Membership, Notice
from tests.factories.graded_work import signed_in
from tests.factories.grades import AppealFactory
from tests.factories.people import MembershipFactory, everywhere, staff_user
from tests.factories.released import Released, filed
from tests.web_client.api_program import Program
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(scope="module")
def kept_released(kept: Path) -> Released:
    return Released()


@pytest.fixture
def released(kept_released: Released, db: None, kept_uploads: None) -> Any:
    made = deepcopy(kept_released)
    with scope(organization=made.organization):
        yield made


@pytest.fixture
def appeal(released: Released) -> Appeal:
    return current(filed(released))


def current(appeal: Appeal) -> Appeal:
    related = ("organization", "assigned_to__user", "submission__assignment")
    return Appeal.objects.select_related(*related).get(pk=appeal.pk)


def member(released: Released, role: Role = Role.INSTRUCTOR) -> Membership:
    made: Membership = MembershipFactory.create(organization=released.organization, role=role)
    return made


def handed() -> Any:
    return Notice.objects.filter(kind=NoticeKind.APPEAL_ASSIGNED)


def inbox_of(released: Released, query: str = "") -> str:
    return f"/o/{released.organization.slug}/appeals/{query}"


def page_of(appeal: Appeal) -> str:
    return f"/o/{appeal.organization.slug}/appeals/{appeal.pk}/"


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.STUDENT])
def test_appeal_is_not_handed_to_somebody_who_cannot_answer_it(released, appeal, role):
    with pytest.raises(AppealRefused) as refused:
        hand_over(appeals=[appeal], to=member(released, role), by=released.teacher)
    assert (refused.value.field, refused.value.code) == ("to", "not_a_teacher")
    assert (current(appeal).assigned_to, handed().count()) == (None, 0)


def test_escalated_appeal_is_handed_to_owners_only(released, appeal):
    escalate_appeal(appeal=appeal, by=released.teacher)
    with pytest.raises(AppealRefused, match="hand it to an owner"):
        hand_over(appeals=[appeal], to=member(released), by=released.teacher)
    owner = member(released, Role.OWNER)
    assert hand_over(appeals=[appeal], to=owner, by=released.teacher) == 1
    assert holder_of(current(appeal)) == owner


def test_answered_appeal_is_not_handed_over(released, appeal):
    stale = current(appeal)
    keep_verdict(appeal=appeal, answer="No.", by=released.teacher)
    with pytest.raises(AppealRefused, match="has changed since you opened the page"):
        hand_over(appeals=[stale], to=member(released), by=released.teacher)


def test_of_two_hand_overs_at_once_the_second_is_refused(released, appeal):
    first, second, stale = member(released), member(released), current(appeal)
    hand_over(appeals=[appeal], to=first, by=released.teacher)
    with pytest.raises(AppealRefused, match="Nothing was handed over"):
        hand_over(appeals=[stale], to=second, by=released.teacher)
    assert holder_of(current(appeal)) == first


def test_one_refusal_hands_over_none(released, appeal):
    other = AppealFactory.create(
        submission=appeal.submission, criterion_id="x", criterion_name="Another"
    )
    escalate_appeal(appeal=other, by=released.teacher)
    with pytest.raises(AppealRefused, match="“Another” was escalated"):
        hand_over(appeals=[appeal, current(other)], to=member(released), by=released.teacher)
    assert (current(appeal).assigned_to, handed().count()) == (None, 0)


def test_new_holder_gets_an_email_without_the_students_name(released, appeal):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    notice = handed().get()
    assert (notice.user_id, notice.path) == (to.user_id, page_of(appeal))
    assert released.student.name not in notice.subject + notice.body
    row = Activity.objects.get(verb="appeal.assigned")
    assert (row.actor_id, row.detail) == (
        released.teacher.pk,
        {"criterion": appeal.criterion_name, "to": to.email},
    )


def test_several_appeals_make_one_email_and_ones_own_choice_none(released, appeal):
    other = AppealFactory.create(submission=appeal.submission, criterion_id="x")
    to = member(released)
    assert hand_over(appeals=[appeal, current(other)], to=to, by=released.teacher) == 2
    assert [notice.subject for notice in Notice.objects.filter(user=to.user)] == [
        "2 appeals were handed to you"
    ]
    mine = Membership.objects.get(user=released.teacher)
    assert hand_over(appeals=[current(appeal)], to=mine, by=released.teacher) == 1
    assert Notice.objects.filter(user=released.teacher).count() == 0


def test_handing_to_the_same_person_changes_nothing(released, appeal):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    assert hand_over(appeals=[current(appeal)], to=to, by=released.teacher) == 0
    assert Activity.objects.filter(verb="appeal.assigned").count() == 1


def test_escalation_frees_an_appeal_from_an_instructor_and_not_from_an_owner(released, appeal):
    hand_over(appeals=[appeal], to=member(released), by=released.teacher)
    escalate_appeal(appeal=current(appeal), by=released.teacher)
    assert current(appeal).assigned_to is None
    other = AppealFactory.create(submission=appeal.submission, criterion_id="x")
    owner = member(released, Role.OWNER)
    hand_over(appeals=[current(other)], to=owner, by=released.teacher)
    escalate_appeal(appeal=current(other), by=released.teacher)
    assert holder_of(current(other)) == owner


@pytest.mark.parametrize("loss", ["role", "membership", "account"])
def test_person_who_may_answer_no_more_frees_their_appeals(released, appeal, loss):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    if loss == "role":
        Membership.objects.filter(pk=to.pk).update(role=Role.ASSISTANT)
    elif loss == "membership":
        to.delete()
    else:
        to.user.is_active = False
        to.user.save()
    assert holder_of(current(appeal)) is None
    assert list(inbox(InboxFilter(holder="nobody"))) == [appeal]
    assert list(inbox(InboxFilter(holder="mine", reader=to.user_id))) == []


def test_inbox_is_filtered_by_mine_and_nobodys(released, appeal):
    other = AppealFactory.create(
        submission=appeal.submission, criterion_id="x", criterion_name="Another"
    )
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    client = signed_in(to.user)
    mine = client.get(inbox_of(released, "?holder=mine")).content.decode()
    assert (page_of(appeal) in mine, page_of(other) in mine) == (True, False)
    nobodys = client.get(inbox_of(released, "?holder=nobody")).content.decode()
    assert (page_of(appeal) in nobodys, page_of(other) in nobodys) == (False, True)


def test_selected_appeals_are_handed_over_in_the_inbox(released, appeal):
    to = member(released)
    client = signed_in(released.teacher)
    html = client.get(inbox_of(released)).content.decode()
    assert faults_of(html) == []
    assert f'<option value="{to.pk}">{to.email}</option>' in html
    answer = client.post(
        inbox_of(released, "?holder=nobody"), {"appeals": [appeal.pk], "to": to.pk}, follow=True
    )
    assert f"1 appeal handed to {to.email}." in answer.content.decode()
    assert holder_of(current(appeal)) == to


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"to": "nobody"}, "Select at least one appeal."),
        ({"appeals": ["APPEAL"]}, "Choose a person, or nobody."),
        ({"appeals": ["0"], "to": "nobody"}, "The list has changed. Select again."),
        ({"appeals": ["APPEAL"], "to": "0"}, "Select a valid choice."),
    ],
)
def test_incomplete_hand_over_says_what_is_missing(released, appeal, sent, sentence):
    sent = {
        key: [str(appeal.pk) if value == "APPEAL" else value for value in values]
        if isinstance(values, list)
        else values
        for key, values in sent.items()
    }
    html = signed_in(released.teacher).post(inbox_of(released), sent).content.decode()
    assert sentence in html
    assert faults_of(html) == []


def test_appeal_is_handed_over_once_for_what_the_page_showed(released, appeal):
    first, second = member(released), member(released)
    client, hand = signed_in(released.teacher), f"{page_of(appeal)}hand/"
    assert f'href="{hand}"' in client.get(page_of(appeal)).content.decode()
    html = client.get(hand).content.decode()
    assert faults_of(html) == []
    fingerprint = html.split('name="hand-seen" value="')[1].partition('"')[0]
    client.post(hand, {"hand-seen": fingerprint, "hand-to": first.pk})
    answer = client.post(hand, {"hand-seen": fingerprint, "hand-to": second.pk})
    assert "This changed since you opened the page" in answer.content.decode()
    assert holder_of(current(appeal)) == first
    assert f"<strong>{first.email}</strong>" in client.get(page_of(appeal)).content.decode()
    client.post(hand, {"hand-to": "nobody"})
    assert current(appeal).assigned_to is None
    assert Activity.objects.filter(verb="appeal.freed").count() == 1


def test_assistant_reads_who_holds_it_and_hands_over_nothing(released, appeal):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    client = signed_in(staff_user(released.organization, Role.ASSISTANT))
    for address in (inbox_of(released), page_of(appeal)):
        html = client.get(address).content.decode()
        assert (to.email in html, "Hand over" in html, "/hand/" in html) == (True, False, False)
    for address in (inbox_of(released), f"{page_of(appeal)}hand/"):
        assert client.post(address, {"to": "nobody", "hand-to": "nobody"}).status_code == 404
    assert holder_of(current(appeal)) == to


def test_student_does_not_learn_who_holds_their_appeal(released, appeal):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    client = signed_in(released.student.user)
    pages = [
        client.get(address).content.decode() for address in (inbox_of(released), page_of(appeal))
    ]
    assert [to.email in html for html in pages] == [False, False]


def test_inbox_asks_the_same_queries_for_one_and_three_appeals_with_holders(released):
    client = signed_in(released.teacher)
    counts = []
    for number in (1, 3):
        while Appeal.objects.count() < number:
            made = AppealFactory.create(
                submission=released.audit.submission, criterion_id=f"c{Appeal.objects.count()}"
            )
            hand_over(appeals=[current(made)], to=member(released), by=released.teacher)
        with CaptureQueriesContext(connection) as queries:
            client.get(inbox_of(released))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
    with everywhere():
        assert Appeal.objects.count() == 3


def test_api_names_the_holder_to_staff_and_to_no_student(released, appeal):
    to = member(released)
    hand_over(appeals=[appeal], to=to, by=released.teacher)
    slug = released.organization.slug
    for user, expected in ((released.teacher, to.email), (released.student.user, None)):
        (row,) = Program(user, slug).get("appeals/").json()["results"]
        assert (row["id"], row["state"], row["assigned_to"]) == (appeal.pk, "open", expected)
