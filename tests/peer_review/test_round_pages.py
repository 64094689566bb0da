"""The pages of a round of peers, as its teachers use them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grading.models import Assignment, Notice, Pairing, PairingRound, RoundMember
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.running_round import Running, words_of
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
NOW = timezone.now().replace(second=0, microsecond=0)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create()
    for name in ("Ada", "Bob", "Cyd", "Dee", "Eve"):
        EnrollmentFactory.create(
            cohort=made.cohort, name=name, group="twins" if name in ("Ada", "Bob") else ""
        )
    return made


@pytest.fixture
def teacher(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization))


def form_values(**fields: Any) -> dict[str, Any]:
    given = {
        "peers": "1",
        "anonymity": "double_blind",
        "starts_at": f"{NOW:%Y-%m-%dT%H:%M}",
        "who": "everybody",
        "ends_at": f"{NOW + timedelta(days=7):%Y-%m-%dT%H:%M}",
        "rubric_version": "",
        "seed": "ab" * 16,
    }
    return given | fields


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"peers": "5"}, "Rounds with 5 peers need at least 6 students. This one has 5."),
        ({"peers": "4"}, "2 of the 5 students are in group “twins”"),
        ({"peers": "0"}, "greater than or equal to 1"),
        ({"ends_at": f"{NOW:%Y-%m-%dT%H:%M}"}, "The round would end before it starts."),
        ({"who": "chosen"}, "Select at least one student in the list below."),
        ({"who": "with_work"}, "Rounds with 1 peer need at least 2 students. This one has 0."),
        ({"anonymity": "masked"}, "Select a valid choice."),
    ],
)
def test_a_round_that_cannot_be_says_why_and_keeps_what_was_chosen(
    teacher: Client, assignment: Assignment, changed: dict[str, str], sentence: str
) -> None:
    page = teacher.post(
        page_of(assignment, "round-new"), form_values(start="yes", **changed)
    ).content.decode()
    assert faults_of(page) == []
    assert sentence in words_of(page)
    assert 'value="' + changed.get("peers", "1") + '"' in page
    with everywhere():
        assert PairingRound.objects.count() == 0


def test_the_form_opens_with_a_week_and_two_peers(teacher: Client, assignment: Assignment) -> None:
    page = teacher.get(page_of(assignment, "round-new")).content.decode()
    assert (faults_of(page), 'name="peers" value="2"' in page) == ([], True)


def test_a_preview_says_how_many_pairs_and_begins_nothing(
    teacher: Client, assignment: Assignment
) -> None:
    with everywhere():
        ada = assignment.cohort.enrollments.get(name="Ada")
    SubmissionFactory.create(assignment=assignment, student=ada, resolved_commit="c" * 40)
    answer = teacher.post(page_of(assignment, "round-new"), form_values())
    preview = answer.context["preview"]
    assert faults_of(answer.content.decode()) == []
    assert (preview.students, preview.pairs, preview.groups, preview.days) == (5, 5, 1, "7")
    assert (preview.keeps_apart, preview.without_work, preview.without_account) == (True, 4, 5)
    with everywhere():
        assert PairingRound.objects.count() == 0


def test_so_few_that_some_audit_each_other_is_said(teacher: Client, assignment: Assignment) -> None:
    page = teacher.post(page_of(assignment, "round-new"), form_values(peers="3")).content.decode()
    words = words_of(page)
    assert "Some students audit each other . With 3 peers, it takes at least 7 students" in words


def test_a_start_pairs_the_chosen_and_a_second_click_does_nothing(
    teacher: Client, assignment: Assignment
) -> None:
    with everywhere():
        chosen = list(
            assignment.cohort.enrollments.exclude(name="Eve").values_list("pk", flat=True)
        )
    sent = form_values(who="chosen", students=chosen, start="yes")
    begun = teacher.post(page_of(assignment, "round-new"), sent)
    again = teacher.post(page_of(assignment, "round-new"), sent)
    with everywhere():
        assert set(RoundMember.objects.values_list("student", flat=True)) == set(chosen)
        assert (Pairing.objects.count(), PairingRound.objects.get().number) == (4, 1)
    assert (begun.status_code, begun["Location"]) == (
        302,
        page_of(assignment, "round-new").replace("new", "1"),
    )
    assert "This round has already been started." in again.content.decode()


def test_a_round_of_nobody_yet_is_sound(teacher: Client) -> None:
    made = Running(3, handed_in=False)
    page = made.read()
    assert "Remind 0" in page
    assert page.count('<span class="pair-state waiting">nothing submitted yet</span>') == 3


def test_the_page_of_a_round_tells_and_draws_who_owes_what() -> None:
    made = Running()
    made.report(made.pairings[0], findings=2)
    made.audit(made.pairings[1], done=True, read_at=timezone.now())
    made.audit(made.pairings[2], running=True)
    page = made.read()
    assert (
        'aria-label="Who audits whom among 5 students. 5 pairs: 2 due; 1 audit running; 1 received; 1 read."'
        in page
    )
    words = words_of(page)
    for name, text in ((0, "received imported"), (1, "read"), (2, "audit running"), (3, "due")):
        pairing = made.pairings[name]
        assert f"{pairing.auditee} {text} change" in words
    assert "0 of 2" in words


def test_a_large_round_is_drawn_by_what_each_owes() -> None:
    made = Running(52)
    page = made.read()
    assert 'aria-label="Who audits whom among 52 students. 52 pairs: 52 due."' in page
    assert (page.count('<rect class="owed"'), "One column per student" in page) == (53, True)


def test_reports_are_drawn_by_the_day_they_arrived() -> None:
    made = Running(ends_at=timezone.now() + timedelta(days=1))
    start = made.round.starts_at
    for pairing, days in zip(made.pairings, (0, 1, 1, 3), strict=False):
        report = made.report(pairing)
        with everywhere():
            type(report).objects.filter(pk=report.pk).update(
                created_at=start + timedelta(days=days)
            )
    first, second, _third, fourth = (
        f"{day.day} {day:%b}" for day in (start + timedelta(days=n) for n in range(4))
    )
    page = made.read()
    assert f'aria-label="Reports received: {first}: 1; {second}: 2; {fourth}: 1 (1 late)."' in page
    assert page.count('class="late"') == 4


def test_a_long_round_is_drawn_in_few_bars() -> None:
    made = Running(ends_at=timezone.now() + timedelta(days=100))
    made.report(made.pairings[0])
    assert len(re.findall('class="late"', made.read())) == 34


def test_who_is_put_into_one_group_later_is_marked_and_who_is_outside_counted() -> None:
    made = Running()
    pairing = made.pairings[0]
    EnrollmentFactory.create(cohort=made.assignment.cohort)
    with everywhere():
        pair = [pairing.auditor_id, pairing.auditee_id]
        made.assignment.cohort.enrollments.filter(pk__in=pair).update(group="Owls")
    page = made.read()
    assert page.count(">same group<") == 1
    assert "1 of the cohort does not take part." in page


def test_only_who_owes_something_is_listed_on_demand() -> None:
    made = Running()
    done = made.pairings[0]
    made.report(done)
    page = made.read(show="owing")
    assert ("All (5)" in page, "Something due (4)" in page) == (True, True)
    assert re.findall(r'<th scope="row">\d+. ([^<]*) <', page).count(str(done.auditor)) == 0


def test_a_round_that_is_over_marks_what_came_late() -> None:
    made = Running(ends_at=timezone.now() - timedelta(hours=1))
    made.report(made.pairings[0])
    page = made.read()
    assert page.count(">late<") == 5
    assert "over" in words_of(page)


def test_assistants_look_and_change_nothing() -> None:
    made = Running()
    made.teacher = signed_in(staff_user(made.assignment.organization, role="assistant"))  # type: ignore[arg-type]  # -- as the database has it
    assert "change" not in words_of(made.read()).replace("exchange", "")


def test_one_click_reminds_and_says_how_many() -> None:
    made = Running(student=student)
    assert "Remind 5" in made.read()
    assert "Remind 5 students" in made.read("round-remind")
    answer = made.teacher.post(made.page("round-remind"), {"remind": "yes"}, follow=True)
    assert "5 students reminded." in answer.content.decode()
    assert "Nobody can be reminded now." in made.read("round-remind")
    with everywhere():
        assert Notice.objects.count() == 5


@pytest.mark.parametrize("name", ["round", "round-remind", "round-change"])
def test_thirty_students_cost_what_three_do(name: str) -> None:
    asked_for = []
    for students in (3, 30):
        made = Running(students, student=student)
        for pairing in made.pairings[:2]:
            made.report(pairing, findings=1)
        made.read(name)
        with CaptureQueriesContext(connection) as queries:
            made.read(name)
        asked_for.append(len(queries))
    assert asked_for[0] == asked_for[1]
