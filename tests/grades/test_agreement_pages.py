"""Blind grading in the browser's hands: the verdict is withheld until it was earned, and nothing
typed is lost.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from grading.core.form_fingerprint import fingerprint_of
from grading.models import Assignment, BlindGrade, BlindSample, CriterionVerdict
from tests.factories.example_report import report_json
from tests.factories.grades import BlindGradeFactory, BlindSampleFactory, GradeFactory
from tests.factories.people import EnrollmentFactory, everywhere, staff_user
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    OpinionRecordFactory,
)
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
VERDICT = 5
CRITERIA = (("git_forensics", "Git forensics"), ("state_management", "State"))
GIT, STATE = (f"score-{fingerprint_of(key)}" for key, _name in CRITERIA)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor", slug="auditor")
    return made


@pytest.fixture
def user(assignment: Assignment) -> Any:
    return staff_user(assignment.organization)


@pytest.fixture
def teacher(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def judged(assignment: Assignment, **submission: Any) -> Any:
    audit = AuditFactory.create(
        submission__assignment=assignment,
        submission__student=EnrollmentFactory.create(cohort=assignment.cohort),
        done=True,
        report=report_json(criteria=2),
        **{f"submission__{name}": value for name, value in submission.items()},
    )

    for position, (key, name) in enumerate(CRITERIA):
        CriterionVerdictFactory.create(
            audit=audit, position=position, criterion_id=key, name=name, score=VERDICT
        )

    return GradeFactory.create(audit=audit)


def sample_of(assignment: Assignment, *grades: Any) -> BlindSample:
    made: BlindSample = BlindSampleFactory.create(
        assignment=assignment, submissions=[str(grade.audit.submission_id) for grade in grades]
    )
    return made


def page_of(assignment: Assignment, name: str = "agreement", *place: int) -> str:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return reverse(name, args=[*slugs, *place])


def test_pages_without_verdicts_are_valid_and_draw_is_refused_beside_its_field(
    teacher: Client, assignment: Assignment
) -> None:
    page = teacher.get(page_of(assignment)).content.decode()
    assert (faults_of(page), "Nothing has been graded blind" in page) == ([], True)
    answer = teacher.post(page_of(assignment, "blind-sample"), {"size": "3", "seed": "1"})
    assert faults_of(answer.content.decode()) == []
    assert answer.context["form"].errors == {"size": ["There is no verdict to compare with yet."]}


def test_no_empty_headings_before_blind_grading(teacher: Client, assignment: Assignment) -> None:
    judged(assignment)
    page = teacher.get(page_of(assignment)).content.decode()
    assert (faults_of(page), "figures-heading" in page, "grids-heading" in page) == (
        [],
        False,
        False,
    )


def test_draw_redirects_to_first_submission(teacher: Client, assignment: Assignment) -> None:
    judged(assignment)
    answer: Any = teacher.post(page_of(assignment, "blind-sample"), {"size": "3", "seed": "1"})
    with everywhere():
        sample = BlindSample.objects.get()
    assert (sample.seed, answer.url) == (1, page_of(assignment, "blind", sample.pk, 1))


def test_blind_page_hides_scores_and_student(teacher: Client, assignment: Assignment) -> None:
    grade = judged(assignment)
    sample = sample_of(assignment, grade)
    page = teacher.get(page_of(assignment, "blind", sample.pk, 1)).content.decode()
    assert faults_of(page) == []
    assert ("os.system" in page, "src/tools/git_forensics.py" in page) == (True, True)
    secrets = (
        grade.student.name,
        "Chief Justice",
        "reaches for the shell",
        "come to 5",
        "The court",
        str(grade.audit_id),
    )
    assert [text for text in secrets if text in page] == []


def test_finishing_early_saves_scores_and_marks_missing_ones(
    teacher: Client, assignment: Assignment
) -> None:
    sample = sample_of(assignment, judged(assignment))
    answer = teacher.post(page_of(assignment, "blind", sample.pk, 1), {GIT: "2", "finish": "yes"})
    page = answer.content.decode()
    assert (answer.status_code, faults_of(page), "The court" in page) == (200, [], False)
    assert list(answer.context["form"].errors) == [STATE]

    with everywhere():
        assert [(row.criterion_id, row.score, row.sealed) for row in BlindGrade.objects.all()] == [
            ("git_forensics", 2, False)
        ]


def test_invalid_score_is_refused_and_empty_form_saves_nothing(
    teacher: Client, assignment: Assignment
) -> None:
    sample = sample_of(assignment, judged(assignment))
    address = page_of(assignment, "blind", sample.pk, 1)
    assert list(teacher.post(address, {GIT: "6", "save": "yes"}).context["form"].errors) == [GIT]
    assert teacher.post(address, {"save": "yes"}).context["form"].non_field_errors() == [
        "Give at least one score."
    ]
    with everywhere():
        assert not BlindGrade.objects.exists()


def test_saving_continues_and_finishing_reveals_the_verdict(
    teacher: Client, assignment: Assignment
) -> None:
    sample = sample_of(assignment, judged(assignment), judged(assignment))
    first, second = (page_of(assignment, "blind", sample.pk, place) for place in (1, 2))
    saved: Any = teacher.post(first, {GIT: "2", "save": "yes"})
    finished: Any = teacher.post(first, {GIT: "2", STATE: "5", "finish": "yes"})
    assert (saved.url, finished.url) == (second, first)
    page = teacher.get(first).content.decode()
    assert (faults_of(page), page.count("The court"), "radio" in page) == ([], 2, False)
    late = teacher.post(first, {GIT: "5", "save": "yes"})
    assert "change your scores" in late.content.decode()


def test_report_downloads_under_a_safe_name(teacher: Client, assignment: Assignment) -> None:
    grade = judged(
        assignment,
        pdf=ContentFile(b"%PDF-1.7", name="x.pdf"),
        pdf_name='"=cmd".pdf',
    )
    sample = sample_of(assignment, grade)
    answer: Any = teacher.get(page_of(assignment, "blind-pdf", sample.pk, 1))
    name = f'attachment; filename="auditor-sample-{sample.pk}-1.pdf"'
    assert (answer.headers["Content-Disposition"], b"".join(answer)) == (name, b"%PDF-1.7")


def test_place_outside_the_sample_is_not_found(teacher: Client, assignment: Assignment) -> None:
    sample = sample_of(assignment, judged(assignment))
    assert [
        teacher.get(page_of(assignment, "blind", sample.pk, place)).status_code for place in (0, 2)
    ] == [
        404,
        404,
    ]


def scored(assignment: Assignment, user: Any, score: int) -> Any:
    grade = judged(assignment)
    for judge, given in (("Prosecutor", 2), ("Defense", 5), ("TechLead", 4)):
        OpinionRecordFactory.create(
            audit=grade.audit, judge=judge, score=given, criterion_id=CRITERIA[0][0]
        )

    for key, _name in CRITERIA:
        BlindGradeFactory.create(
            submission=grade.audit.submission,
            graded_by=user,
            criterion_id=key,
            score=score,
            sealed=True,
        )

    return grade


def test_figures_are_marked_unreliable_and_widest_disagreement_is_first(
    teacher: Client, user: Any, assignment: Assignment
) -> None:
    near, far = scored(assignment, user, 4), scored(assignment, user, 1)
    answer = teacher.get(page_of(assignment))
    page = answer.content.decode()
    assert (faults_of(page), "not reliable" in page) == ([], True)
    assert [(row.student, row.distance) for _criterion, row in answer.context["rows"]] == [
        (str(far.student), 4),
        (str(far.student), 4),
        (str(near.student), 1),
        (str(near.student), 1),
    ]
    view = answer.context["criteria"][0]
    assert (view.figures.units, view.figures.bias.value, view.figures.exact.value) == (2, 2.5, 0.0)
    assert [round(offset.people.value, 2) for offset in view.offsets] == [-0.5, 2.5, 1.5]


def test_grid_cell_filters_and_invalid_filters_show_all(
    teacher: Client, user: Any, assignment: Assignment
) -> None:
    scored(assignment, user, 4), scored(assignment, user, 1)
    listed = {
        query: len(teacher.get(page_of(assignment) + query).context["rows"])
        for query in (
            "?criterion=0&person=1&court=5",
            "?criterion=1",
            "?criterion=x&person=9&page=-1",
        )
    }
    assert list(listed.values()) == [1, 2, 4]
    page = teacher.get(f"{page_of(assignment)}?criterion=7&person=9&page=-1").content.decode()
    reported = [
        f"“{query_string}” is not valid here" in page
        for query_string in ("criterion=7", "person=9", "page=-1")
    ]
    assert (reported, faults_of(page)) == ([True] * 3, [])


def test_verdict_is_hidden_from_readers_who_have_not_graded(
    teacher: Client, assignment: Assignment
) -> None:
    scored(assignment, staff_user(assignment.organization), 1)
    answer = teacher.get(page_of(assignment))
    assert (answer.context["rows"], answer.context["hidden"]) == ([], 2)
    assert len(teacher.get(page_of(assignment) + "?everybody=on").context["rows"]) == 2


@pytest.mark.parametrize("works", [1, 3, 30])
def test_agreement_page_queries_are_constant(
    teacher: Client,
    user: Any,
    assignment: Assignment,
    works: int,
    django_assert_max_num_queries: Any,
) -> None:
    for _ in range(works):
        scored(assignment, user, 3)
    with django_assert_max_num_queries(14) as counted:
        teacher.get(page_of(assignment))
    assert len(counted) == 14
    with everywhere():
        assert CriterionVerdict.objects.count() == 2 * works
