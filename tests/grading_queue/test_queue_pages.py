"""Pages of the grading queue as plain forms: no script is needed for anything."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.grading_queue.actions import DEFAULT_REASON
from grading.grading_queue.queries import Work
from grading.models import Enrollment, Submission
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import staff_user
from tests.grading_queue.work import Course
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(scope="module")
def kept_course(kept: Path) -> Course:
    return Course(students=3)


@pytest.fixture
def course(kept_course: Course, db: None, kept_uploads: None) -> Course:
    return deepcopy(kept_course)


@pytest.fixture
def anna(course: Course) -> Client:
    return signed_in(course.anna)


def address_of(course: Course, number: int = 0, place: int | None = None) -> str:
    slugs = [course.organization.slug, course.assignment.cohort.slug, course.assignment.slug]
    student = course.audits[number].submission.student_id
    if place is None:
        return reverse("queue-student", args=[*slugs, student])
    return reverse("queue-criterion", args=[*slugs, place, student])


def fields_of(client: Client, address: str, position: int | None = 0) -> dict[str, Any]:
    """Return the hidden fields of a criterion's form, or of the whole work's, as the page has them."""
    context = client.get(address).context
    if position is None:
        whole = context["whole"]
        return {"shown": whole["shown"], "flag_shown": whole["flag_shown"]}
    row = next(row for row in context["rows"] if row.verdict.position == position)
    return {"position": position, "shown": row.shown, "flag_shown": row.flag_shown}


def post(client: Client, address: str, position: int | None = 0, **fields: Any) -> Any:
    return client.post(address, fields_of(client, address, position) | fields)


def listed(answer: Any) -> list[str]:
    return [work.name for work, _address, _openers in answer.context["works"]]


def test_overview_of_assignment_without_verdicts_is_valid() -> None:
    course = Course(students=0)
    page = signed_in(course.anna).get(page_of(course.assignment, "queue")).content.decode()
    assert (faults_of(page), "There are no verdicts yet." in page) == ([], True)


def test_overview_and_works_have_no_faults(course: Course, anna: Client) -> None:
    for address in (
        page_of(course.assignment, "queue"),
        address_of(course),
        address_of(course, 0, 1),
    ):
        assert faults_of(anna.get(address).content.decode()) == []


def test_unknown_student_and_criterion_are_missing(course: Course, anna: Client) -> None:
    slugs = [course.organization.slug, course.assignment.cohort.slug, course.assignment.slug]
    nobody = reverse("queue-student", args=[*slugs, 0])
    assert [anna.get(a).status_code for a in (nobody, address_of(course, 0, 9))] == [404, 404]


def test_score_by_student_goes_on_to_next_criterion_then_to_next_student(
    course: Course, anna: Client
) -> None:
    first, second = address_of(course), address_of(course, 1)
    assert post(anna, first, score=2).url == f"{first}#c-1"
    assert post(anna, first, 1, score=4).url == second
    assert course.overrides() == [(2, DEFAULT_REASON)]


def test_score_by_criterion_goes_on_to_next_student(course: Course, anna: Client) -> None:
    answer = post(anna, address_of(course, 0, 1), 1, score=1)
    assert answer.url == address_of(course, 1, 1)


def test_score_stays_where_going_on_is_switched_off(course: Course, anna: Client) -> None:
    own_address = address_of(course, 0, 0)
    saved: Any = anna.post(
        page_of(course.assignment, "queue"), {"go_on": "off", "back": own_address}
    )
    assert (saved.url, post(anna, own_address, score=1).url) == (own_address, f"{own_address}#c-0")


def test_last_student_leads_to_the_next_criterion_that_waits(course: Course, anna: Client) -> None:
    post(anna, address_of(course, 0, 1), 1, score=1)
    answer = post(anna, address_of(course, 2, 0), score=1)
    assert answer.url == address_of(course, 1, 1)


def test_last_student_of_the_last_criterion_leads_back_to_one_that_waits(
    course: Course, anna: Client
) -> None:
    answer = post(anna, address_of(course, 2, 1), 1, score=1)
    assert answer.url == address_of(course, 0, 0)


def test_last_work_of_the_list_leads_to_overview(course: Course, anna: Client) -> None:
    for number in range(3):
        post(anna, address_of(course, number, 1), 1, score=1)
    answer = post(anna, address_of(course, 2, 0), score=1)
    assert answer.url == page_of(course.assignment, "queue")


def test_settings_lead_to_no_other_site(course: Course, anna: Client) -> None:
    overview = page_of(course.assignment, "queue")
    answer: Any = anna.post(overview, {"blind": "on", "back": "https://elsewhere.example/"})
    assert answer.url == overview


def test_empty_decision_is_refused_beside_the_criterion(course: Course, anna: Client) -> None:
    answer = post(anna, address_of(course))
    assert (answer.status_code, answer.context["rows"][0].error) == (
        200,
        "Choose a score, or mark this as reviewed.",
    )
    assert faults_of(answer.content.decode()) == []


def test_score_of_other_reader_is_shown_and_asked_about(course: Course, anna: Client) -> None:
    address, ben = address_of(course), signed_in(course.ben)
    fields = fields_of(anna, address)
    post(ben, address, score=2)
    answer = anna.post(address, fields | {"score": 1})
    row = answer.context["rows"][0]
    assert row.error.startswith(f"{course.ben.email} scored this 2 of 5 meanwhile.")
    assert (course.overrides(), row.score) == ([(2, DEFAULT_REASON)], 2)
    # The page that asks has the new fingerprint: choosing again replaces.
    anna.post(address, fields | {"shown": row.shown, "score": 1})
    assert course.overrides() == [(1, DEFAULT_REASON)]


def test_typed_reason_is_kept_when_the_score_is_refused(course: Course, anna: Client) -> None:
    address = address_of(course)
    fields = fields_of(anna, address)
    post(signed_in(course.ben), address, score=2)
    page = anna.post(address, fields | {"score": 1, "reason": "One commit alone."})
    assert 'value="One commit alone."' in page.content.decode()


def test_filters_stay_in_the_addresses(course: Course, anna: Client) -> None:
    way = anna.get(address_of(course, 1) + "?show=unreviewed&of=all").context["way"]
    query = "?show=unreviewed&of=all"
    assert (way.previous, way.next) == (
        address_of(course) + query,
        address_of(course, 2) + query,
    )


def test_unreadable_filter_is_ignored_and_reported(course: Course, anna: Client) -> None:
    answer = anna.get(page_of(course.assignment, "queue") + "?show=nonsense")
    assert (len(listed(answer)), bool(answer.context["form"].errors)) == (3, True)


def test_next_unreviewed_and_next_flagged_go_round_the_end(course: Course, anna: Client) -> None:
    post(anna, address_of(course, 2, 0), do="reviewed")
    post(anna, address_of(course, 0, 0), do="flag", word="ask")
    way = anna.get(address_of(course, 1, 0)).context["way"]
    assert (way.next_unreviewed, way.next_flagged) == (address_of(course, 0, 0),) * 2


def test_overview_filters_what_is_not_reviewed_and_flagged(course: Course, anna: Client) -> None:
    post(anna, address_of(course), None, do="reviewed")
    post(anna, address_of(course, 1), None, do="flag", word="ask")
    overview = page_of(course.assignment, "queue")
    assert listed(anna.get(f"{overview}?show=unreviewed")) == ["Student 02", "Student 03"]
    assert listed(anna.get(f"{overview}?show=flagged")) == ["Student 02"]


def test_own_share_comes_first_and_others_can_be_opened(course: Course, anna: Client) -> None:
    plan = {"method": "student", "readers": [course.anna.pk, course.ben.pk]}
    teacher = signed_in(course.teacher)
    teacher.post(page_of(course.assignment, "queue-plan"), plan)
    overview = page_of(course.assignment, "queue")
    mine, bens_rows = listed(anna.get(overview)), listed(signed_in(course.ben).get(overview))
    assert sorted([*mine, *bens_rows]) == ["Student 01", "Student 02", "Student 03"]
    assert len(listed(anna.get(f"{overview}?of=all"))) == 3
    theirs = next(n for n in range(3) if f"Student 0{n + 1}" in bens_rows)
    rows = anna.get(address_of(course, theirs)).context["rows"]
    assert [row.is_mine for row in rows] == [False, False]
    post(anna, address_of(course, theirs), do="flag")
    refusal = post(anna, address_of(course, theirs), score=1).context["rows"][0].error
    assert refusal.startswith("This is in another reader's share.")


def test_progress_counts_criteria_of_each_share(course: Course, anna: Client) -> None:
    plan = {"method": "criterion", "readers": [course.anna.pk, course.ben.pk]}
    signed_in(course.teacher).post(page_of(course.assignment, "queue-plan"), plan)
    mine = int(course.anna.pk > course.ben.pk)
    reader = {row.reader.pk: row for row in progress(anna, course)}[course.anna.pk]
    assert (reader.reviewed, reader.total) == (0, 3)
    post(anna, address_of(course, 0, mine), mine, do="reviewed")
    reader = {row.reader.pk: row for row in progress(anna, course)}[course.anna.pk]
    assert (reader.reviewed, reader.total) == (1, 3)


def progress(client: Client, course: Course) -> list[Any]:
    rows: list[Any] = client.get(page_of(course.assignment, "queue")).context["progress"]
    return rows


def test_plan_without_readers_is_refused_beside_the_field(course: Course) -> None:
    teacher = signed_in(course.teacher)
    answer = teacher.post(page_of(course.assignment, "queue-plan"), {"method": "student"})
    assert answer.context["form"].errors == {"readers": ["Choose at least one reader."]}


def test_open_work_of_one_reader_is_shown_to_the_other_alone(course: Course, anna: Client) -> None:
    slugs = [course.organization.slug, course.assignment.cohort.slug, course.assignment.slug]
    student = course.audits[0].submission.student_id
    heartbeat = reverse("queue-presence", args=[*slugs, student])
    ben = signed_in(course.ben)
    assert course.ben.email not in ben.post(heartbeat).content.decode()
    assert f"{course.ben.email} has this open." in anna.post(heartbeat).content.decode()
    assert anna.get(address_of(course)).context["openers"] == [course.ben.email]
    assert anna.get(address_of(course, 1)).context["openers"] == []


def test_hidden_names_leave_name_email_and_owner_of_repository_off_the_page(
    course: Course, anna: Client
) -> None:
    with scope(organization=course.organization):
        student = course.audits[0].submission.student_id
        Enrollment.objects.filter(pk=student).update(name="Ada Lovelace", email="ada@example.org")
        Submission.objects.update(repo_url="https://github.com/ada-lovelace/work")
    anna.post(page_of(course.assignment, "queue"), {"blind": "on"})
    for address in (
        page_of(course.assignment, "queue"),
        address_of(course),
        address_of(course, 0, 0),
    ):
        page = anna.get(address).content.decode()
        assert re.search("(?i)lovelace|ada@|example-student", page) is None
        assert re.search(r"Student \d{4}", page)


def test_pages_cost_as_many_queries_for_thirty_students_as_for_three(
    course: Course, anna: Client, django_assert_max_num_queries: Any
) -> None:
    for address in (address_of(course), page_of(course.assignment, "queue")):
        with django_assert_max_num_queries(15):
            anna.get(address)


def test_student_and_teacher_of_another_place_see_nothing(course: Course) -> None:
    work: Work = course.work()
    elsewhere = Course(students=0)
    for user in (work.student.user, staff_user(elsewhere.organization)):
        assert signed_in(user).get(address_of(course)).status_code == 404


def test_work_flagged_in_the_queue_is_not_released_with_the_unflagged(course: Course) -> None:
    teacher = signed_in(course.teacher)
    release = page_of(course.assignment, "release")
    address = address_of(course, 1)
    assert post(teacher, address, do="flag", word="ask Imogen").status_code == 302
    overview = teacher.get(page_of(course.assignment, "grades")).context
    answer = teacher.get(release, {"what": "unflagged"})
    names = [grade.student.name for grade, _flags in answer.context["grades"]]
    assert (overview["unflagged"], overview["counts"].flags["staff"], names) == (
        2,
        1,
        ["Student 01", "Student 03"],
    )


def test_overview_counts_the_reviewed_criteria_of_a_begun_work(
    course: Course, anna: Client
) -> None:
    post(anna, address_of(course), do="reviewed")
    html = anna.get(page_of(course.assignment, "queue")).content.decode()
    assert (html.count("1 of 2 reviewed"), html.count(">not reviewed</span>")) == (1, 2)


def test_teachers_give_an_extension_from_the_page_of_the_student(course: Course) -> None:
    address = address_of(course)
    student_pk = course.audits[0].submission.student_id
    link = f'href="{page_of(course.assignment, "extensions")}?student={student_pk}#new-heading"'
    teacher = signed_in(course.teacher)
    assert link in teacher.get(address).text
    assert link not in signed_in(course.anna).get(address).text

    # An extension names its student: a reader without names gets no link to it.
    teacher.post(page_of(course.assignment, "queue"), {"blind": "on"})
    assert link not in teacher.get(address).text
