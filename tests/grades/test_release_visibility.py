"""Visibility of verdicts to students: by policy before a release, frozen values after it."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grading.core.enums import AuditKind, AuditState, ReleasePolicy
from grading.grades import actions
from grading.grades.releases import release_grades
from grading.models import Assignment, Audit, Enrollment, Grade
from tests.factories.graded_work import CRITERIA, graded, judged, page_of, page_of_audit, signed_in
from tests.factories.grades import SupersededReportFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    rubric_document,
)
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
SCORE = 3.7  # of no other figure of the report
BY_HAND = 'class="chip">by a person<'


def assignment_with(policy: ReleasePolicy) -> Assignment:
    version = RubricVersionFactory.create(
        document=rubric_document(*(key for key, _, _ in CRITERIA))
    )
    made: Assignment = AssignmentFactory.create(
        title="The auditor",
        rubric_version=version,
        cohort__organization=version.organization,
        release_policy=policy,
    )

    return made


@pytest.fixture
def provisional() -> Assignment:
    return assignment_with(ReleasePolicy.PROVISIONAL)


@pytest.fixture
def withheld() -> Assignment:
    return assignment_with(ReleasePolicy.AFTER_RELEASE)


def ada_of(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


def release(assignment: Assignment, by: User | None = None, note: str = "") -> None:
    with everywhere():
        grades = list(Grade.objects.filter(assignment=assignment))
        release_grades(
            assignment=assignment,
            grades=grades,
            by=by or staff_user(assignment.organization),
            note=note,
        )


def pages_of(audit: Audit) -> dict[str, str]:
    """Every address of the site that could tell a student about the audit."""
    assignment = audit.submission.assignment
    organization, cohort = assignment.organization.slug, assignment.cohort.slug
    return {
        "home": "/",
        "organization": f"/o/{organization}/",
        "cohort": f"/o/{organization}/c/{cohort}/",
        "assignment": page_of(assignment, "assignment"),
        "hand-in": page_of(assignment, "submit"),
        "appeals": f"/o/{organization}/appeals/",
        "report": page_of_audit(audit),
        "progress": page_of_audit(audit, "audit-progress"),
        "json": page_of_audit(audit, "audit-json"),
        "markdown": page_of_audit(audit, "audit-markdown"),
    }


def told_at_first(client: Client) -> list[tuple[str, float | None]]:
    """Return the latest verdict of each assignment as the first page shows it."""
    courses = client.get("/").context["student"].current
    return [
        (line.verdict.visibility, line.verdict.score) for course in courses for line in course.lines
    ]


@pytest.mark.parametrize("state", [AuditState.DONE, AuditState.NEEDS_REVIEW])
def test_unreleased_score_is_hidden_by_policy(withheld: Assignment, state: AuditState) -> None:
    ada = ada_of(withheld)
    audit = graded(withheld, ada, SCORE).audit
    with everywhere():
        Audit.objects.update(state=state)
    client = signed_in(ada.user)
    answers = {name: client.get(address) for name, address in pages_of(audit).items()}
    assert {name for name, answer in answers.items() if answer.status_code == 404} == {
        "json",
        "markdown",
    }

    for name, answer in answers.items():
        page = answer.content.decode()
        scores = re.findall(r"3\.7|\d of 5(?! attempt)|needs review|Git forensics", page)
        assert (name, scores) == (name, [])

    assert "Your work was judged" in answers["report"].content.decode()
    assert faults_of(answers["report"].content.decode()) == []


def test_staff_see_unreleased_scores(withheld: Assignment) -> None:
    audit = graded(withheld, ada_of(withheld), SCORE).audit
    page = signed_in(staff_user(withheld.organization)).get(page_of_audit(audit)).content.decode()
    assert ("3.7 <small>of 5" in page, "The student sees only that it was judged" in page) == (
        True,
        True,
    )


def test_unreleased_visible_report_is_marked_provisional(provisional: Assignment) -> None:
    ada = ada_of(provisional)
    audit = graded(provisional, ada, SCORE).audit
    client = signed_in(ada.user)
    page = client.get(page_of_audit(audit)).content.decode()
    assert ("3.7 <small>of 5" in page, "<strong>Provisional:</strong>" in page) == (True, True)
    assert told_at_first(client) == [("provisional", SCORE)]


@pytest.mark.parametrize("policy", ReleasePolicy)
def test_released_report_has_the_note(policy: ReleasePolicy) -> None:
    assignment = assignment_with(policy)
    ada = ada_of(assignment)
    audit = graded(assignment, ada).audit
    release(assignment, note="Read the second part.")
    client = signed_in(ada.user)
    page = client.get(page_of_audit(audit)).content.decode()
    assert ("1.5 <small>of 5" in page, "Read the second part." in page, faults_of(page)) == (
        True,
        True,
        [],
    )
    assert told_at_first(client) == [("released", 1.5)]
    assert client.get(page_of_audit(audit, "audit-json")).json()["overall_score"] == 3.0


@pytest.mark.parametrize("policy", ReleasePolicy)
def test_released_report_stays_after_rejudging(policy: ReleasePolicy) -> None:
    assignment = assignment_with(policy)
    ada = ada_of(assignment)
    audit = graded(assignment, ada).audit
    release(assignment)
    again = judged_again(audit)
    client = signed_in(ada.user)

    for audit_row in (audit, again):
        page = client.get(page_of_audit(audit_row)).content.decode()
        assert ("1.5 <small>of 5" in page, "3.7" in page) == (True, False)

    assert told_at_first(client) == [("released", 1.5)]
    staff = (
        signed_in(staff_user(assignment.organization)).get(page_of_audit(again)).content.decode()
    )
    assert ("Changed since its release" in staff, "3.7" in staff) == (True, True)


def judged_again(audit: Audit) -> Audit:
    """A re-audit of the same submission with another result."""
    again: Audit = AuditFactory.create(
        submission=audit.submission,
        kind=AuditKind.INSTRUCTOR,
        done=True,
        report_digest="9" * 64,
        report={**(audit.report or {}), "overall_score": SCORE},
        overall_score=SCORE,
    )
    with everywhere():
        actions.count_verdict(audit=again)

    return again


def test_superseded_report_stays_visible_to_its_student(
    provisional: Assignment,
) -> None:
    ada = ada_of(provisional)
    audit = graded(provisional, ada).audit
    release(provisional)
    SupersededReportFactory.create(audit=audit, report=audit.report, digest=audit.report_digest)

    with everywhere():
        anew = {**(audit.report or {}), "overall_score": SCORE}
        Audit.objects.filter(pk=audit.pk).update(
            report=anew, report_digest="9" * 64, overall_score=SCORE
        )

    assert signed_in(ada.user).get(page_of_audit(audit, "audit-json")).json() == audit.report


def test_second_release_shows_before_and_after(provisional: Assignment) -> None:
    ada, imogen = ada_of(provisional), staff_user(provisional.organization)
    audit = graded(provisional, ada).audit
    release(provisional, imogen)
    with everywhere():
        actions.override_criterion(
            submission=audit.submission,
            criterion_id="git_forensics",
            score=5,
            reason="So.",
            by=imogen,
        )

    assert BY_HAND not in signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    release(provisional, imogen, "Your appeal was right.")
    page = " ".join(signed_in(ada.user).get(page_of_audit(audit)).content.decode().split())
    for words in ("Your appeal was right.", "Overall: 1.5 → 3.5", "Git forensics: 1 → 5", BY_HAND):
        assert words in page
    assert "State management: " not in page


@pytest.mark.parametrize("policy", ReleasePolicy)
def test_unreleased_attempts_follow_the_policy(
    policy: ReleasePolicy,
) -> None:
    assignment = assignment_with(policy)
    ada = ada_of(assignment)
    audits = [judged(assignment, ada, SCORE, attempt=number) for number in (1, 2)]
    with everywhere():
        actions.count_verdict(audit=audits[1])
    release(assignment)
    audits.append(judged(assignment, ada, SCORE, attempt=3))
    with everywhere():
        actions.count_verdict(audit=audits[2])
    client = signed_in(ada.user)
    hidden = policy == ReleasePolicy.AFTER_RELEASE
    attempts = client.get(page_of(assignment, "assignment")).context["attempts"]
    before, after = ("withheld", "withheld") if hidden else ("", "provisional")
    assert [attempt.visibility for attempt in attempts] == [after, "released", before]
    answers = [client.get(page_of_audit(audit, "audit-json")).status_code for audit in audits]
    assert answers == [404 if hidden else 200, 200, 404 if hidden else 200]


def earlier_and_released(assignment: Assignment) -> tuple[Enrollment, list[Audit]]:
    """Two attempts of Ada's, of which the second was released."""
    ada = ada_of(assignment)
    audits = [judged(assignment, ada, SCORE, attempt=number) for number in (1, 2)]
    with everywhere():
        actions.count_verdict(audit=audits[1])
    release(assignment)
    return ada, audits


def test_attempt_pinned_after_release_waits_for_next_release(
    withheld: Assignment,
) -> None:
    ada, audits = earlier_and_released(withheld)
    with everywhere():
        teacher = staff_user(withheld.organization)
        actions.pin_grade(
            grade=Grade.objects.get(), audit=audits[0], reason="As agreed.", by=teacher
        )

        actions.override_criterion(
            submission=audits[0].submission,
            criterion_id="git_forensics",
            score=5,
            reason="So.",
            by=teacher,
        )

    client = signed_in(ada.user)
    attempts = client.get(page_of(withheld, "assignment")).context["attempts"]
    assert [(attempt.visibility, attempt.score) for attempt in attempts] == [
        ("released", 1.5),
        ("withheld", None),
    ]
    page = client.get(page_of_audit(audits[0])).content.decode()
    assert (BY_HAND in page, "Your work was judged" in page) == (False, True)


@pytest.mark.parametrize("policy", ReleasePolicy)
def test_released_attempt_stays_when_later_attempt_is_released(
    policy: ReleasePolicy,
) -> None:
    assignment = assignment_with(policy)
    ada, audits = earlier_and_released(assignment)
    later = judged(assignment, ada, SCORE, attempt=3)
    with everywhere():
        actions.count_verdict(audit=later)
    release(assignment, note="The third.")

    with everywhere():
        actions.override_criterion(
            submission=audits[1].submission,
            criterion_id="git_forensics",
            score=5,
            reason="So.",
            by=staff_user(assignment.organization),
        )

    client = signed_in(ada.user)
    attempts = client.get(page_of(assignment, "assignment")).context["attempts"]
    assert [(attempt.visibility, attempt.score) for attempt in attempts[:2]] == [
        ("released", 1.5),
        ("released", 1.5),
    ]
    page = " ".join(client.get(page_of_audit(audits[1])).content.decode().split())
    assert (BY_HAND in page, "The third." in page, "attempt 3 was released later" in page) == (
        False,
        False,
        True,
    )


def test_recomputed_unreleased_verdict_is_hidden(
    withheld: Assignment,
) -> None:
    ada = ada_of(withheld)
    audit = graded(withheld, ada).audit
    client = signed_in(ada.user)
    before = client.get(page_of_audit(audit, "audit-progress"))
    with everywhere():
        Audit.objects.update(version=7, report_digest="9" * 64, overall_score=SCORE)
    after = client.get(page_of_audit(audit, "audit-progress"))
    assert (after.content, after.headers["ETag"]) == (before.content, before.headers["ETag"])
