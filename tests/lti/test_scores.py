"""Grades in a platform's gradebook: what arrives there, and an outcome for each that does not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading import jobs
from grading.core.enums import ScoreState
from grading.grades.releases import withdraw_release
from grading.lti import score_deliveries
from grading.lti.claims import GRADES
from grading.lti.score_deliveries import send_due_scores
from grading.models import (
    Enrollment,
    Grade,
    LtiAccount,
    LtiContext,
    LtiCourseLink,
    LtiLineItem,
    LtiMember,
    LtiRegistration,
    LtiScore,
)
from grading.notifications.webhook_deliveries import MAX_TRIES
from grading.workflow import reconcile
from tests.factories.grade_works import attempt, change, judged, release, the_grade
from tests.factories.lti import (
    LtiAccountFactory,
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiMemberFactory,
    LtiResourceLinkFactory,
)
from tests.factories.lti_server import LtiServer
from tests.factories.lti_services import AGS, SCOPES, CourseThere, somebody
from tests.factories.people import OrganizationFactory, staff_user, student
from tests.factories.work import AssignmentFactory
from tests.lti.traveller import Traveller
from tests.waiting import just_past

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def inside(registration: LtiRegistration) -> Iterator[None]:
    with scope(organization=registration.organization):
        yield


@pytest.fixture
def assignment(link: LtiCourseLink, course: CourseThere) -> Any:
    """One that a link of the course opens, with a column of its own."""
    made = AssignmentFactory.create(cohort=link.cohort, slug="auditor", title="The auditor")
    LtiResourceLinkFactory.create(
        context=link.context,
        assignment=made,
        resource_link_id="link-1",
        lineitem_url=course.add_column("own", resourceLinkId="link-1"),
    )
    return made


@pytest.fixture
def ada(link: LtiCourseLink, course: CourseThere) -> Enrollment:
    return connected(link, course, "ada")


@pytest.fixture
def teacher(registration: LtiRegistration) -> Any:
    return staff_user(registration.organization)


def connected(link: LtiCourseLink, course: CourseThere, subject: str) -> Enrollment:
    """A student of the course who came from it."""
    made: Enrollment = student(link.cohort, name=subject.title())
    course.people.append(somebody(subject))
    LtiAccountFactory.create(
        registration=link.context.registration, subject=subject, user=made.user
    )
    LtiMemberFactory.create(course_link=link, subject=subject, enrollment=made)
    return made


def send(registration: LtiRegistration) -> LtiScore:
    """Send what is due; return the only score."""
    send_due_scores(organization_id=registration.organization_id)
    return LtiScore.objects.get()


def again(score: LtiScore) -> None:
    LtiScore.objects.filter(pk=score.pk).update(next_at=just_past())


def test_a_released_grade_arrives_as_a_part_of_the_columns_maximum(
    registration, course, assignment, ada, teacher
):
    submission = attempt(assignment, ada)
    audit = judged(submission, 5, 4)
    release(assignment, teacher, "Well done.")
    score = send(registration)
    assert course.score_of("own", "ada") == 90
    (message,) = course.book.values()
    assert (message["scoreGiven"], message["scoreMaximum"]) == (90.0, 100.0)
    assert message["comment"] == (
        "4.5 of 5, attempt 1.\nWell done.\n"
        f"Report: {settings.SITE_URL}/o/{registration.organization.slug}/audits/{audit.pk}/"
    )
    assert (score.state, score.points, score.status) == (ScoreState.SENT, Decimal(90), 200)
    assert score.sent_at == score.stamped_at


@pytest.mark.parametrize(("scales", "maximum", "points"), [(True, 10, 9), (False, 10, 9)])
def test_a_platform_that_scales_and_one_that_does_not_show_the_same(
    registration, course, assignment, ada, teacher, scales, maximum, points
):
    course.scales = scales
    course.add_column("own", maximum, resourceLinkId="link-1")
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    send(registration)
    assert course.score_of("own", "ada") == points


def test_nothing_is_sent_before_a_release_or_where_it_is_by_click(
    registration, course, assignment, ada, teacher, link
):
    judged(attempt(assignment, ada), 5, 4)
    assert LtiScore.objects.count() == 0
    LtiCourseLink.objects.update(sends_grades=False)
    release(assignment, teacher)
    assert (LtiScore.objects.count(), course.server.requests) == (0, [])


def test_a_grade_without_a_score_is_never_a_0(registration, course, assignment, ada, teacher):
    judged(attempt(assignment, ada), None, None)
    release(assignment, teacher)
    score = send(registration)
    assert (score.state, score.points, course.book) == (ScoreState.NO_SCORE, None, {})


def test_a_change_is_sent_later_and_the_same_is_not_sent_twice(
    registration, course, assignment, ada, teacher
):
    submission = attempt(assignment, ada)
    judged(submission, 5, 4)
    release(assignment, teacher)
    first = send(registration)
    assert LtiScore.objects.update(state=ScoreState.WAITING, next_at=just_past()) == 1
    same = send(registration)
    assert (same.state, same.sent_at, len(course.server.asked("/course/columns/own/scores"))) == (
        ScoreState.SENT,
        first.sent_at,
        1,
    )
    change(submission, teacher, 2, "tidy")
    release(assignment, teacher)
    second = send(registration)
    assert course.score_of("own", "ada") == 60
    assert (second.state, second.points) == (ScoreState.SENT, Decimal(60))
    assert first.stamped_at is not None
    assert second.stamped_at is not None
    assert first.stamped_at < second.stamped_at


def test_a_withdrawn_release_is_cleared_there(registration, course, assignment, ada, teacher):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    send(registration)
    withdraw_release(grade=the_grade(), reason="A mistake.", by=teacher)
    score = send(registration)
    assert course.score_of("own", "ada") is None
    assert "scoreMaximum" not in course.book["/course/columns/own", "ada"]
    assert (score.state, score.points) == (ScoreState.WITHDRAWN, None)


def test_a_release_that_is_withdrawn_before_it_was_sent_asks_nobody(
    registration, course, assignment, ada, teacher
):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    withdraw_release(grade=the_grade(), reason="A mistake.", by=teacher)
    assert send(registration).state == ScoreState.NO_SCORE
    assert course.server.requests == []


def test_a_teachers_score_there_stands_and_our_next_change_says_so_again(
    registration, course, assignment, ada, teacher
):
    submission = attempt(assignment, ada)
    judged(submission, 5, 4)
    release(assignment, teacher)
    send(registration)
    course.overridden.add("ada")
    change(submission, teacher, 2, "tidy")
    release(assignment, teacher)
    score = send(registration)
    assert (score.state, score.status) == (ScoreState.OVERRIDDEN, 400)
    assert course.score_of("own", "ada") == 90
    # Back to what was sent at first: what stands there is still the teacher's.
    change(submission, teacher, 5, "tidy")
    release(assignment, teacher)
    assert send(registration).state == ScoreState.OVERRIDDEN


def test_timestamps_grow_and_an_older_one_than_theirs_is_an_outcome(
    registration, course, assignment, ada, teacher
):
    submission = attempt(assignment, ada)
    judged(submission, 5, 4)
    release(assignment, teacher)
    score = send(registration)
    ahead = timezone.now() + timedelta(hours=1)
    LtiScore.objects.update(stamped_at=ahead)
    change(submission, teacher, 2, "tidy")
    release(assignment, teacher)
    assert send(registration).stamped_at == ahead + timedelta(milliseconds=1)
    LtiScore.objects.update(stamped_at=timezone.now(), state="waiting", digest="")
    again(score)
    older = send(registration)
    assert (older.state, older.status) == (ScoreState.OLDER, 409)


@pytest.mark.parametrize(
    ("answer", "state", "words"),
    [
        ((403, {"error": "locked"}), ScoreState.REFUSED, 'answered 403: {"error": "locked"}'),
        ((400, {"error": "bad"}), ScoreState.REFUSED, 'answered 400: {"error": "bad"}'),
        ((422, {"error": "User not found in course"}), ScoreState.UNKNOWN, "answered 422"),
        ((500, b""), ScoreState.WAITING, "answered 500"),
        ((429, b""), ScoreState.WAITING, "answered 429"),
    ],
)
def test_a_refusal_is_kept_with_the_platforms_words_and_an_outage_is_tried_again(
    registration, course, assignment, ada, teacher, answer, state, words
):
    course.server.answers["/course/columns/own/scores"] = answer
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    score = send(registration)
    assert (score.state, score.status, score.tries) == (state, answer[0], 1)
    assert words in score.answer
    assert score.next_at is not None
    assert score.next_at > timezone.now()


def test_the_last_try_fails_and_a_platform_that_is_away_costs_the_others_no_try(
    registration, course, assignment, ada, teacher, link
):
    connected(link, course, "bob")
    bob = Enrollment.objects.get(name="Bob")
    for person in (ada, bob):
        judged(attempt(assignment, person), 5, 4)
    release(assignment, teacher)
    LtiRegistration.objects.update(token_url="http://127.0.0.1:1/token")
    LtiScore.objects.filter(student=ada).update(
        tries=MAX_TRIES - 1, next_at=timezone.now() - timedelta(minutes=1)
    )
    send_due_scores(organization_id=registration.organization_id)
    states = dict(LtiScore.objects.values_list("student", "state"))
    assert states == {ada.pk: ScoreState.FAILED, bob.pk: ScoreState.WAITING}
    assert "did not answer" in LtiScore.objects.get(student=ada).answer


def test_a_refused_token_is_replaced_once(registration, course, assignment, ada, teacher):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    course.refused_tokens = 1
    assert send(registration).state == ScoreState.SENT
    LtiScore.objects.update(state="waiting", digest="", next_at=just_past())
    course.refused_tokens = 2
    assert send(registration).state == ScoreState.REFUSED


@pytest.mark.parametrize("scopes", [[], [f"{AGS}lineitem"]])
def test_a_platform_that_grants_no_scores_is_not_asked(
    registration, course, assignment, ada, teacher, scopes
):
    LtiContext.objects.update(grade_scopes=scopes)
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    assert (send(registration).state, course.server.requests) == (ScoreState.REFUSED, [])


def test_a_grade_goes_to_the_person_whom_the_account_agreed_to_be_and_to_no_other(
    registration, course, assignment, ada, teacher
):
    LtiAccount.objects.update(ended_at=timezone.now())
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    assert (send(registration).state, course.book) == (ScoreState.UNKNOWN, {})


def test_a_grade_goes_to_the_courses_that_the_student_is_in(
    registration, course, assignment, ada, teacher, link
):
    other = LtiContextFactory.create(
        deployment=link.context.deployment,
        lineitems_url=course.columns_url,
        grade_scopes=SCOPES,
    )
    second = LtiCourseLinkFactory.create(context=other, cohort=link.cohort)
    LtiResourceLinkFactory.create(
        context=other, assignment=assignment, lineitem_url=course.add_column("second")
    )
    bob = connected(second, course, "bob")
    for person in (ada, bob):
        judged(attempt(assignment, person), 5, 4)
    release(assignment, teacher)
    send_due_scores(organization_id=registration.organization_id)
    assert sorted(course.book) == [
        ("/course/columns/own", "ada"),
        ("/course/columns/second", "bob"),
    ]


def test_who_left_the_course_gets_no_grade_there(registration, course, assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 5, 4)
    release(assignment, teacher)
    send(registration)
    LtiMember.objects.update(left_at=timezone.now())
    change(submission, teacher, 2, "tidy")
    release(assignment, teacher)
    assert send(registration).state == ScoreState.UNKNOWN
    assert course.score_of("own", "ada") == 90


def test_a_release_during_the_sending_is_sent_too(registration, course, assignment, ada, teacher):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    claimed = score_deliveries._claim()
    assert claimed is not None
    sent = score_deliveries._send(claimed)
    withdraw_release(grade=the_grade(), reason="A mistake.", by=teacher)
    score_deliveries._store_outcome(claimed, sent)
    score = LtiScore.objects.get()
    assert (score.state, score.points, course.score_of("own", "ada")) == (
        ScoreState.WAITING,
        Decimal(90),
        90,
    )
    assert send(registration).state == ScoreState.WITHDRAWN
    assert course.score_of("own", "ada") is None


def test_a_worker_that_died_while_it_sent_leaves_nothing_there_after_a_withdrawal(
    registration, course, assignment, ada, teacher
):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    claimed = score_deliveries._claim()
    assert claimed is not None
    # Its outcome is never stored.
    score_deliveries._send(claimed)
    withdraw_release(grade=the_grade(), reason="A mistake.", by=teacher)
    assert send(registration).state == ScoreState.WITHDRAWN
    assert course.score_of("own", "ada") is None


def test_a_lost_job_is_enqueued_by_the_reconciler_for_its_organization_alone(
    registration, course, assignment, ada, teacher
):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    LtiScore.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    queue = get_queue("webhooks")
    queue.empty()
    assert reconcile().with_scores == 1
    (job,) = queue.jobs
    queue.empty()
    assert job.func_name == "grading.jobs.send_scores"
    assert list(job.args) == [registration.organization_id]
    send_due_scores(organization_id=OrganizationFactory.create().pk)
    assert course.book == {}
    jobs.send_scores(*job.args)
    assert course.score_of("own", "ada") == 90


@pytest.mark.parametrize(
    "words", ["User not found in course or is not a student", "Invalid user id: 7", "No such user"]
)
def test_a_stranger_is_known_by_the_platforms_words(words):
    assert score_deliveries.NO_USER.search(words)
    assert score_deliveries.NO_USER.search("The user is not allowed to write grades") is None


class TestColumns:
    """The column of an assignment, where the launches name none."""

    @pytest.fixture(autouse=True)
    def unnamed(self, assignment, ada, teacher, course) -> None:
        assignment.lti_links.update(lineitem_url="")
        course.columns.clear()
        judged(attempt(assignment, ada), 5, 4)
        release(assignment, teacher)

    def column(self) -> str:
        url: str = LtiLineItem.objects.get().url
        return url

    def test_the_links_own_is_taken_and_not_its_twin_of_a_copied_course(
        self, registration, course, assignment
    ):
        key = str(assignment.pk)
        course.add_column("old", resourceId=key, resourceLinkId="link-0")
        own = course.add_column("new", 20, resourceId=key, resourceLinkId="link-1")
        assert send(registration).state == ScoreState.SENT
        assert (self.column(), course.score_of("new", "ada")) == (own, 18)

    def test_one_with_our_key_is_taken_where_none_has_the_link(
        self, registration, course, assignment
    ):
        course.add_column("foreign", resourceId="other")
        ours = course.add_column("ours", resourceId=str(assignment.pk))
        assert send(registration).state == ScoreState.SENT
        assert self.column() == ours

    def test_one_is_made_once_and_found_again(self, registration, course, assignment):
        score = send(registration)
        assert score.state == ScoreState.SENT
        (made,) = course.columns.values()
        assert (made["label"], made["scoreMaximum"], made["resourceLinkId"], made["tag"]) == (
            "The auditor",
            100,
            "link-1",
            "automaton-auditor",
        )
        LtiLineItem.objects.update(url="", read_at=None)
        LtiScore.objects.update(state="waiting", next_at=just_past(), digest="")
        assert send(registration).state == ScoreState.SENT
        assert len(course.columns) == 1

    def test_one_that_is_gone_is_looked_for_again(self, registration, course, assignment):
        score = send(registration)
        course.columns.clear()
        LtiScore.objects.update(state="waiting", next_at=just_past(), digest="")
        assert send(registration).state == ScoreState.WAITING
        again(score)
        assert send(registration).state == ScoreState.SENT

    def test_none_may_be_made(self, registration, course, link):
        LtiContext.objects.update(grade_scopes=[f"{AGS}lineitem.readonly", f"{AGS}score"])
        score = send(registration)
        assert (score.state, "no column" in score.answer) == (ScoreState.REFUSED, True)

    def test_one_of_another_origin_gets_no_token_of_ours(self, registration, course, assignment):
        path = "/course/columns"
        url = "http://127.0.0.1:1/steal"
        course.server.answers[path] = (
            200,
            [{"id": url, "scoreMaximum": 1, "resourceLinkId": "link-1"}],
        )
        # It is not taken; the answer to our own new column is a list, too.
        score = send(registration)
        assert (score.state, self.column()) == (ScoreState.WAITING, "")

    def test_one_whose_address_no_database_holds_is_none(self, registration, course):
        ids = [f"{course.columns_url}/{end}" for end in ("\x00", "\ud800")]
        rows = [{"id": url, "scoreMaximum": 1, "resourceLinkId": "link-1"} for url in ids]
        course.server.answers["/course/columns"] = (200, rows)
        assert (send(registration).state, self.column()) == (ScoreState.WAITING, "")

    @pytest.mark.parametrize("maximum", [0, float("nan"), float("inf"), "NaN", True, None])
    def test_one_without_a_maximum_is_refused(self, registration, course, assignment, maximum):
        assignment.lti_links.update(lineitem_url=course.add_column("own", maximum))
        score = send(registration)
        assert (score.state, "no maximum" in score.answer) == (ScoreState.REFUSED, True)

    def test_an_address_that_is_none_is_refused(self, registration, course):
        LtiContext.objects.update(lineitems_url="http://[")
        score = send(registration)
        assert (score.state, "no web address" in score.answer) == (ScoreState.REFUSED, True)


@pytest.mark.parametrize("sends_grades", [True, False])
def test_a_grade_that_was_released_before_the_first_launch_goes_after_it(
    registration, platform, course, assignment, ada, teacher, link, sends_grades
):
    LtiCourseLink.objects.update(sends_grades=sends_grades)
    LtiMember.objects.all().delete()
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    traveller = Traveller(registration, platform, course=link.context.context_id)
    traveller.custom = {"auditor_assignment": str(assignment.pk)}
    traveller.enter(change=lambda claims: claims.pop(GRADES))
    send_due_scores(organization_id=registration.organization_id)
    states = list(LtiScore.objects.values_list("state", flat=True))
    assert states == ([ScoreState.SENT] if sends_grades else [])


def test_a_grade_that_had_nobody_to_go_to_is_sent_after_a_launch(
    registration, course, assignment, ada, teacher, link
):
    from grading.notifications.gradebooks import queue_known_scores

    LtiMember.objects.update(left_at=timezone.now())
    judged(attempt(assignment, ada), 5, 4)
    LtiMember.objects.update(left_at=None)
    release(assignment, teacher)
    LtiAccount.objects.update(ended_at=timezone.now())
    assert send(registration).state == ScoreState.UNKNOWN
    LtiAccount.objects.update(ended_at=None)
    queue_known_scores(link=link, students=[ada.pk])
    assert send(registration).state == ScoreState.SENT


def test_a_name_that_is_not_found_is_tried_again(registration, assignment, ada, teacher):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    LtiRegistration.objects.update(token_url="https://platform.invalid/token")
    score = send(registration)
    assert (score.state, "couldn't reach platform.invalid" in score.answer) == (
        ScoreState.WAITING,
        True,
    )


def test_the_platform_is_read_only_by_the_servers_own_client(
    registration, platform: LtiServer, assignment, ada, teacher, settings
):
    judged(attempt(assignment, ada), 5, 4)
    release(assignment, teacher)
    settings.ALLOW_LOCAL_REPOSITORIES = False
    score = send(registration)
    assert (score.state, platform.requests) == (ScoreState.REFUSED, [])
    assert Grade.objects.count() == 1
