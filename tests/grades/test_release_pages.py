"""Releasing grades, scoring a criterion by hand and letting an attempt count: what is asked first,
what is refused.
"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grading.grades import actions
from grading.grades.releases import release_grades
from grading.models import Assignment, Enrollment, Grade, Notice, Override
from tests.factories.comments import CommentFactory
from tests.factories.graded_work import CRITERIA, graded, judged, page_of, page_of_audit, signed_in
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, RubricVersionFactory, rubric_document
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    version = RubricVersionFactory.create(
        document=rubric_document(*(key for key, _, _ in CRITERIA))
    )
    made: Assignment = AssignmentFactory.create(
        title="The auditor", rubric_version=version, cohort__organization=version.organization
    )
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def imogen(assignment: Assignment) -> User:
    return staff_user(assignment.organization)


@pytest.fixture
def teacher(imogen: User) -> Client:
    return signed_in(imogen)


def released() -> list[str]:
    with everywhere():
        grades = (
            Grade.objects.exclude(released=None).select_related("student").order_by("student__name")
        )
        return [str(grade.student) for grade in grades]


def confirmation(teacher: Client, assignment: Assignment, query: str) -> dict[str, object]:
    """The fields of the page that asks before it releases."""
    context = teacher.get(f"{page_of(assignment, 'release')}?{query}").context
    grades = [grade.pk for grade, _flags in context["grades"]]
    return {"seen": context["form"].fingerprint, "grade": grades}


def test_release_lists_students_and_then_notifies_them(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    graded(assignment, ada)
    graded(
        assignment,
        EnrollmentFactory.create(cohort=assignment.cohort, name="Bob"),
        needs_review=True,
    )
    preview = teacher.get(f"{page_of(assignment, 'release')}?what=unflagged")
    assert [(str(grade.student), flags) for grade, flags in preview.context["grades"]] == [
        ("Ada", [])
    ]
    assert faults_of(preview.content.decode()) == []
    typed = {"what": "unflagged", "seen": preview.context["form"].fingerprint, "note": "Well done."}
    answer = teacher.post(page_of(assignment, "release"), typed, follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["1 grade released."]
    assert (released(), answer.context["counts"].released) == (["Ada"], 1)
    with everywhere():
        assert [notice.user for notice in Notice.objects.select_related("user")] == [ada.user]


def test_selected_grades_are_released_even_if_flagged(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    flagged = graded(assignment, ada, None, needs_review=True)
    page = f"{page_of(assignment, 'release')}?grade={flagged.pk}&grade=x&grade=99999999999999999999"
    html = teacher.get(page).content.decode()
    assert "1 of them is flagged." in html
    assert "1 has no overall score" in html
    teacher.post(
        page_of(assignment, "release"), confirmation(teacher, assignment, f"grade={flagged.pk}")
    )
    assert released() == ["Ada"]


def test_grade_changed_since_page_is_shown_again_and_not_released(
    teacher: Client, imogen: User, assignment: Assignment, ada: Enrollment
) -> None:
    grade = graded(assignment, ada)
    confirmed_form = confirmation(teacher, assignment, "what=unflagged")
    with everywhere():
        actions.override_criterion(
            submission=grade.audit.submission,
            criterion_id="git_forensics",
            score=5,
            reason="So.",
            by=imogen,
        )

    answer = teacher.post(page_of(assignment, "release"), confirmed_form | {"note": "A long word."})
    page = answer.content.decode()
    assert (
        "Something has changed since you opened this page" in page,
        "A long word." in page,
        released(),
    ) == (
        True,
        True,
        [],
    )
    now = answer.context["form"].fingerprint
    assert f'name="seen" value="{now}"' in page
    assert now != confirmed_form["seen"]


def test_release_of_more_than_fifty_needs_typed_number(
    teacher: Client, assignment: Assignment
) -> None:
    for number in range(51):
        graded(assignment, EnrollmentFactory.create(cohort=assignment.cohort, name=f"{number:02d}"))
    confirmed_form = confirmation(teacher, assignment, "what=unflagged")
    for typed in ({}, {"count": "50"}):
        answer = teacher.post(page_of(assignment, "release"), confirmed_form | typed)
        assert answer.context["form"].errors["count"] == ["Type 51 to confirm."]

    assert released() == []
    assert (
        teacher.post(page_of(assignment, "release"), confirmed_form | {"count": " 51 "}).status_code
        == 302
    )
    assert len(released()) == 51


@pytest.mark.parametrize("query", ["", "grade=0", "what=unflagged", "what=everything"])
def test_nothing_to_release_is_reported(
    teacher: Client, assignment: Assignment, query: str
) -> None:
    page = f"{page_of(assignment, 'release')}?{query}"
    assert "Nothing to release" in teacher.get(page).content.decode()
    assert teacher.post(page).status_code == 200


def test_invalid_override_keeps_typed_values(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = graded(assignment, ada).audit
    answer = teacher.post(page_of_audit(audit, "override", 0), {"score": "9", "reason": ""})
    assert answer.context["form"].errors == {
        "score": ["Select a valid choice. 9 is not one of the available choices."],
        "reason": ["This field is required."],
    }
    kept = teacher.post(
        page_of_audit(audit, "override", 0), {"score": "", "reason": "A long word."}
    )
    page = kept.content.decode()
    assert ("A long word." in page, '<a href="#id_score">Score</a>' in page, faults_of(page)) == (
        True,
        True,
        [],
    )
    assert page.count("autofocus") == 1
    assert teacher.get(page_of_audit(audit, "override", 7)).status_code == 404


def test_override_is_shown_beside_verdict_until_withdrawn(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = graded(assignment, ada).audit
    typed = {"score": "5", "reason": "It is in <another> branch."}
    answer = teacher.post(page_of_audit(audit, "override", 0), typed)
    assert answer.headers["Location"] == f"{page_of_audit(audit)}#criterion-1"
    page = teacher.get(page_of_audit(audit)).content.decode()
    assert (
        "5 of 5, by a person</strong> instead of 1 of 5: It is in &lt;another&gt; branch."
        in " ".join(page.split())
    )
    assert ("3.5 <small>of 5" in page, faults_of(page)) == (True, [])
    markdown = teacher.get(page_of_audit(audit, "audit-markdown")).content.decode()
    assert markdown.endswith("""
## Score overrides

| Criterion | Verdict | Counts | Reason |
| --- | --- | --- | --- |
| Git forensics | 1 of 5 | 5 of 5 | It is in &lt;another> branch. |

With them, the overall score is 3.5 of 5.
""")
    teacher.post(page_of_audit(audit, "override", 0), {"withdraw": "1"})
    assert "by a person" not in teacher.get(page_of_audit(audit)).content.decode()
    with everywhere():
        assert Override.objects.filter(withdrawn_at=None).count() == 0


def test_release_is_withdrawn_with_a_reason(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    audit = graded(assignment, ada).audit
    address = page_of_audit(audit, "take-back")
    assert address not in teacher.get(page_of_audit(audit)).content.decode()
    refused = teacher.post(address, {"reason": "Too early."})
    assert "There is no release to withdraw" in refused.content.decode()

    with everywhere():
        release_grades(
            assignment=assignment,
            grades=list(Grade.objects.all()),
            by=staff_user(assignment.organization),
        )

    assert address in teacher.get(page_of_audit(audit)).content.decode()
    html = teacher.get(address).content.decode()
    assert ("a provisional verdict" in html, faults_of(html)) == (True, [])
    assert teacher.post(address, {"reason": ""}).context["form"].errors == {
        "reason": ["This field is required."]
    }
    answer = teacher.post(address, {"reason": "Too early."})
    assert (answer.headers["Location"], released()) == (page_of_audit(audit), [])


def test_an_attempt_is_pinned_with_a_reason_and_unpinned(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    first = judged(assignment, ada)
    graded_ = judged(assignment, ada, attempt=2)
    with everywhere():
        actions.count_verdict(audit=graded_)
    assert "attempt 2</a> counts" in " ".join(
        teacher.get(page_of_audit(first)).content.decode().split()
    )
    refused = teacher.post(page_of_audit(first, "count"), {"reason": ""})
    assert refused.context["form"].errors == {"reason": ["This field is required."]}
    teacher.post(page_of_audit(first, "count"), {"reason": "The second was handed in by mistake."})
    with everywhere():
        assert (Grade.objects.get().audit, Grade.objects.get().pinned) == (first, True)
    assert "This attempt is pinned" in teacher.get(page_of_audit(first)).content.decode()
    teacher.post(page_of_audit(first, "count"), {"unpin": "1"})
    with everywhere():
        assert (Grade.objects.get().audit, Grade.objects.get().pinned) == (graded_, False)


def test_release_is_shown_again_when_a_draft_of_a_comment_was_added(teacher, assignment, ada):
    grade = graded(assignment, ada)
    sent = confirmation(teacher, assignment, f"grade={grade.pk}")
    CommentFactory.create(submission=grade.audit.submission)
    answer = teacher.post(page_of(assignment, "release"), sent)
    assert (answer.status_code, answer.context["comments"], released()) == (200, 1, [])
    now = {**sent, "seen": answer.context["form"].fingerprint}
    assert teacher.post(page_of(assignment, "release"), now).status_code == 302
    assert released() == ["Ada"]
