"""A page that was opened before something changed: what is sent from it never lands on what its reader did not see."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grading.grades import actions
from grading.models import Appeal, Assignment, Audit, BlindGrade, CriterionVerdict, Grade, Override
from tests.factories.graded_work import CRITERIA, graded, page_of_audit, signed_in
from tests.factories.grades import BlindSampleFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.released import FIRST, SECOND, Released, ended, filed
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    rubric_document,
)
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
CHANGED = "changed since you opened the page"


@pytest.fixture
def assignment() -> Assignment:
    version = RubricVersionFactory.create(
        document=rubric_document(*(key for key, _, _ in CRITERIA))
    )
    made: Assignment = AssignmentFactory.create(
        rubric_version=version, cohort__organization=version.organization
    )
    return made


@pytest.fixture
def imogen(assignment: Assignment) -> User:
    return staff_user(assignment.organization)


@pytest.fixture
def teacher(imogen: User) -> Client:
    return signed_in(imogen)


@pytest.fixture
def audit(assignment: Assignment) -> Audit:
    return graded(assignment, student(assignment.cohort, name="Ada")).audit


def fields_of(html: str, action: str) -> dict[str, str]:
    """The hidden fields of the form that is sent there."""
    forms = re.findall(r"<form\b([^>]*)>(.*?)</form>", html, re.DOTALL)
    [body] = [
        body
        for opening, body in forms
        if f'action="{action}"' in opening and 'method="post"' in opening
    ]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', body)
    return {name: value for name, value in hidden if name != "csrfmiddlewaretoken"}


def turn_round(audit: Audit) -> None:
    """As a re-synthesis under a text with the criteria in another order leaves them."""
    with everywhere():
        last = len(CRITERIA) - 1
        for position, (key, _name, _score) in enumerate(CRITERIA):
            CriterionVerdict.objects.filter(audit=audit, criterion_id=key).update(
                position=100 + position
            )
        for position in range(last + 1):
            CriterionVerdict.objects.filter(audit=audit, position=100 + position).update(
                position=last - position
            )
        Audit.objects.filter(pk=audit.pk).update(report_digest="9" * 64)


def given_by_hand() -> list[tuple[str, int]]:
    with everywhere():
        return list(Override.objects.filter(withdrawn_at=None).values_list("criterion_id", "score"))


@pytest.mark.parametrize("opened", ["report", "own page"])
def test_a_score_by_hand_is_not_given_to_a_criterion_that_has_moved_there(
    teacher: Client, audit: Audit, opened: str
) -> None:
    address = page_of_audit(audit, "override", 0)
    page = teacher.get(page_of_audit(audit) if opened == "report" else address).content.decode()
    hidden = fields_of(page, address)
    turn_round(audit)
    answer = teacher.post(address, hidden | {"score": "5", "reason": "A long word."})
    html = answer.content.decode()
    assert (given_by_hand(), CHANGED in html, "A long word." in html, faults_of(html)) == (
        [],
        True,
        True,
        [],
    )
    teacher.post(address, fields_of(html, address) | {"score": "5", "reason": "A long word."})
    assert given_by_hand() == [("state_management", 5)]


def test_a_score_by_hand_does_not_replace_one_that_nobody_saw(
    teacher: Client, imogen: User, audit: Audit
) -> None:
    address = page_of_audit(audit, "override", 0)
    hidden = fields_of(teacher.get(page_of_audit(audit)).content.decode(), address)
    with everywhere():
        actions.override_criterion(
            submission=audit.submission,
            criterion_id="git_forensics",
            score=4,
            reason="So.",
            by=imogen,
        )
    html = teacher.post(address, hidden | {"score": "2", "reason": "No."}).content.decode()
    assert (CHANGED in html, given_by_hand()) == (True, [("git_forensics", 4)])


def test_withdrawing_what_somebody_has_withdrawn_gives_no_score(
    teacher: Client, imogen: User, audit: Audit
) -> None:
    with everywhere():
        override = actions.override_criterion(
            submission=audit.submission,
            criterion_id="git_forensics",
            score=4,
            reason="So.",
            by=imogen,
        )
    address = page_of_audit(audit, "override", 0)
    hidden = fields_of(teacher.get(page_of_audit(audit)).content.decode(), address)
    with everywhere():
        actions.withdraw_override(override=override, by=imogen)
    answer: Any = teacher.post(
        address, hidden | {"score": "4", "reason": "So.", "withdraw": "1"}, follow=True
    )
    assert (given_by_hand(), answer.status_code) == ([], 200)
    assert "the verdict counts again" in answer.content.decode()


def test_blind_scores_stay_with_their_criteria_when_these_change_places(
    teacher: Client, audit: Audit
) -> None:
    assignment = audit.submission.assignment
    sample = BlindSampleFactory.create(
        assignment=assignment, submissions=[str(audit.submission_id)]
    )
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = f"/o/{slugs[0]}/c/{slugs[1]}/a/{slugs[2]}/agreement/{sample.pk}/1/"
    names = re.findall(r'type="radio" name="([^"]+)"', teacher.get(address).content.decode())
    first, second = list(dict.fromkeys(names))
    turn_round(audit)
    teacher.post(address, {first: "1", second: "4", "save": "yes"})
    with everywhere():
        scores = dict(BlindGrade.objects.values_list("criterion_id", "score"))
    assert scores == {"git_forensics": 1, "state_management": 4}


def test_an_appeal_is_not_filed_on_what_was_released_after_its_page_was_opened() -> None:
    released = Released()
    ada = signed_in(released.student.user)
    address = page_of_audit(released.audit, "appeal-new", 0)
    hidden = fields_of(ada.get(address).content.decode(), address)
    with everywhere():
        actions.override_criterion(
            submission=released.submission,
            criterion_id=FIRST,
            score=2,
            reason="So.",
            by=released.teacher,
        )
    released.release()
    html = ada.post(address, hidden | {"text": "Long and well said."}).content.decode()
    assert (CHANGED in html, "Long and well said." in html, faults_of(html)) == (True, True, [])
    ada.post(address, fields_of(html, address) | {"text": "Long and well said."})
    with everywhere():
        assert [appeal.verdict["score"] for appeal in Appeal.objects.all()] == [2]


def test_an_appeal_is_kept_when_another_audit_was_released_while_it_was_written() -> None:
    released = Released()
    ada = signed_in(released.student.user)
    address = page_of_audit(released.audit, "appeal-new", 0)
    hidden = fields_of(ada.get(address).content.decode(), address)
    ended(AuditFactory.create(submission=released.submission, kind="instructor"), **{FIRST: 1})
    released.release()
    with everywhere():
        assert (Grade.objects.get().released or {})["audit"] != str(released.audit.pk)
    answer = ada.post(address, hidden | {"text": "Long and well said."})
    assert (answer.status_code, "Long and well said." in answer.content.decode()) == (200, True)


def test_appeal_page_shows_what_else_changed_since_the_release() -> None:
    released = Released()
    appeal = filed(released)
    address = f"/o/{released.organization.slug}/appeals/{appeal.pk}/"
    teacher = signed_in(released.teacher)
    assert "Other changes since the release" not in teacher.get(address).content.decode()
    with everywhere():
        actions.override_criterion(
            submission=released.submission,
            criterion_id=SECOND,
            score=1,
            reason="So.",
            by=released.teacher,
        )
    html = teacher.get(address).content.decode()
    assert ("Other changes since the release" in html, faults_of(html)) == (True, [])


def test_an_answer_to_an_appeal_is_not_given_on_a_verdict_that_has_changed_since() -> None:
    released = Released()
    address = f"/o/{released.organization.slug}/appeals/{filed(released).pk}/"
    teacher = signed_in(released.teacher)
    hidden = re.findall(r'name="seen" value="(\w{32})"', teacher.get(address).content.decode())
    with everywhere():
        actions.override_criterion(
            submission=released.submission,
            criterion_id=SECOND,
            score=1,
            reason="So.",
            by=released.teacher,
        )
    typed = {"do": "answer", "decision": "3", "answer": "Read again."}
    html = teacher.post(address, typed | {"seen": hidden[0]}).content.decode()
    assert (CHANGED in html, "Read again." in html, faults_of(html)) == (True, True, [])
    with everywhere():
        assert Appeal.objects.get().state == "open"
    [now] = re.findall(r'name="seen" value="(\w{32})"', html)
    assert teacher.post(address, typed | {"seen": now}).status_code == 302
