"""Rounds of peers: begun whole or not at all, changed by few pairs, and nothing lost of what is finished."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Anonymity
from grading.core.errors import RoundRefused
from grading.models import Activity, Enrollment, Pairing, PairingRound, RoundMember
from grading.peer_review.rounds.actions import (
    end_pairing,
    fingerprint_of_change,
    join_round,
    leave_round,
    pair_by_hand,
    plan_to_join,
    start_round,
    swap_pairings,
)
from grading.peer_review.rounds.queries import round_state_of
from tests.factories.peers import FeedbackReportFactory
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user
from tests.factories.work import AssignmentFactory, RubricVersionFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


class Course:
    """An assignment with so many students, in its scope."""

    def __init__(self, students: int = 7, **cohort: Any) -> None:
        self.assignment = AssignmentFactory.create(cohort=CohortFactory.create(**cohort))
        self.cohort = self.assignment.cohort
        self.teacher = staff_user(self.assignment.organization)
        self.students = [EnrollmentFactory.create(cohort=self.cohort) for _ in range(students)]

    def start(self, **changes: Any) -> PairingRound:
        given: dict[str, Any] = {
            "assignment": self.assignment,
            "peers": 2,
            "anonymity": Anonymity.DOUBLE_BLIND,
            "starts_at": NOW,
            "ends_at": NOW + timedelta(days=7),
            "students": self.students,
            "by": self.teacher,
        }
        return start_round(**given | changes)


@pytest.fixture
def course() -> Any:
    made = Course()
    with scope(organization=made.assignment.organization):
        yield made


def loads_of(round_: PairingRound) -> tuple[set[int], set[int]]:
    """The different numbers of others that members audit, and are audited by."""
    state = round_state_of(round_)
    return set(state.audit_counts().values()), set(state.auditor_counts().values())


def pairing(round_: PairingRound, auditor: Enrollment | None = None) -> Pairing:
    pairings = Pairing.objects.filter(round=round_, ended_at=None)
    first = (pairings.filter(auditor=auditor) if auditor else pairings).order_by("pk").first()
    assert first is not None
    return first


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"peers": 7}, "peers", "too_many_peers"),
        ({"peers": 0}, "peers", "too_many_peers"),
        ({"students": []}, "peers", "too_few_students"),
        ({"ends_at": NOW}, "ends_at", "ends_before_start"),
    ],
)
def test_a_round_that_cannot_be_is_not_begun(
    course: Course, changes: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(RoundRefused) as refused:
        course.start(**changes)
    assert (refused.value.field, refused.value.code) == (field, code)
    assert (PairingRound.objects.count(), RoundMember.objects.count()) == (0, 0)


def test_a_round_ends_with_its_cohort_at_the_latest() -> None:
    course = Course(ends_on=date.today())  # noqa: DTZ011 -- a cohort's last day has no zone
    with scope(organization=course.assignment.organization), pytest.raises(RoundRefused) as refused:
        course.start()
    assert refused.value.code == "ends_after_cohort"


def test_only_students_of_the_cohort_take_part(course: Course) -> None:
    with pytest.raises(RoundRefused) as refused:
        course.start(students=[*course.students, EnrollmentFactory.create()])
    assert refused.value.code == "not_enrolled"


def test_a_draft_of_a_rubric_is_not_audited_under(course: Course) -> None:
    draft = RubricVersionFactory.create(
        rubric__organization=course.assignment.organization, draft=True
    )
    with pytest.raises(RoundRefused) as refused:
        course.start(rubric_version=draft)
    assert (refused.value.field, refused.value.code) == ("rubric_version", "rubric_not_published")


def test_a_round_pairs_everybody_and_is_logged(course: Course) -> None:
    begun = course.start()
    assert (begun.number, loads_of(begun)) == (1, ({2}, {2}))
    assert Pairing.objects.filter(made_by=None).count() == 14
    activity = Activity.objects.get(verb="round.started")
    assert activity.detail == {"number": 1, "students": 7, "peers": 2, "anonymity": "double_blind"}
    assert activity.cohort == course.cohort


def test_two_clicks_are_one_round_and_the_next_has_the_next_number(course: Course) -> None:
    course.start(seed="ab")
    with pytest.raises(RoundRefused) as refused:
        course.start(seed="ab")
    assert (refused.value.code, course.start().number) == ("already_started", 2)


def test_a_student_is_called_the_same_in_every_round_of_an_assignment(course: Course) -> None:
    course.start(students=course.students[:5])
    course.start()
    members = RoundMember.objects.values_list("student", "alias")
    names = dict(members)
    assert (len(members), len(set(names.values()))) == (12, 7)
    assert {(student, names[student]) for student, _ in members} == set(members)


def test_what_a_student_is_called_says_nothing_of_roster_or_circle(course: Course) -> None:
    another = AssignmentFactory.create(cohort=course.cohort)
    seats = [
        list(RoundMember.objects.filter(round=begun).values_list("student", "alias"))
        for begun in (course.start(seed="ab"), course.start(seed="ab", assignment=another))
    ]
    orders, names = zip(*(zip(*seat, strict=True) for seat in seats), strict=True)
    assert orders[0] == orders[1]
    assert names[0] != names[1]
    assert all(re.fullmatch(r"Peer \d{3}", name) for name in names[0] + names[1])


def test_a_late_joiner_gets_their_peers_and_a_finished_pair_stays(course: Course) -> None:
    begun = course.start()
    finished = pairing(begun)
    FeedbackReportFactory.create(pairing=finished)
    late = EnrollmentFactory.create(cohort=course.cohort)
    change = join_round(round=begun, student=late, by=course.teacher)
    assert loads_of(begun) == ({2}, {2})
    assert (len(change.ended), len(change.added)) == (2, 4)
    finished.refresh_from_db()
    assert finished.ended_at is None
    assert RoundMember.objects.get(student=late).position == 7
    assert Activity.objects.get(verb="round.joined").detail["added"] == 4


def test_nobody_joins_twice_from_elsewhere_or_when_it_is_over(course: Course) -> None:
    begun = course.start()
    over = course.start(starts_at=NOW - timedelta(days=2), ends_at=NOW - timedelta(days=1))
    elsewhere = EnrollmentFactory.create()
    for round_, student, code in (
        (begun, course.students[0], "in_the_round"),
        (begun, elsewhere, "not_enrolled"),
        (over, course.students[0], "round_over"),
    ):
        with pytest.raises(RoundRefused) as refused:
            join_round(round=round_, student=student, by=None)
        assert refused.value.code == code


def test_what_would_be_done_otherwise_than_it_was_shown_is_not_done(course: Course) -> None:
    begun = course.start()
    late = EnrollmentFactory.create(cohort=course.cohort)
    joining = plan_to_join(round_state_of(begun), begun, late)
    # Another late joiner may leave this plan as it was. A pair that it ends must still be there.
    auditor, auditee = min(joining.ended)
    ended = Pairing.objects.get(auditor=auditor, auditee=auditee)
    end_pairing(pairing=ended, reason="They are siblings.", by=course.teacher)
    with pytest.raises(RoundRefused) as refused:
        join_round(round=begun, student=late, by=None, fingerprint=fingerprint_of_change(joining))
    assert (refused.value.code, RoundMember.objects.count()) == ("round_changed", 7)


def test_who_leaves_ends_what_is_open_and_leaves_everybody_an_auditor(course: Course) -> None:
    begun = course.start()
    leaver = course.students[3]
    finished = pairing(begun, leaver)
    FeedbackReportFactory.create(pairing=finished)
    leave_round(round=begun, student=leaver, reason=" Ill,\n until spring ", by=course.teacher)
    state = round_state_of(begun)
    assert [pair for pair in state.pairs if leaver.pk in pair] == [(leaver.pk, finished.auditee_id)]
    assert min(state.auditor_counts()[member] for member in state.members) >= 1
    assert Activity.objects.get(verb="round.left").detail["reason"] == "Ill, until spring"
    with pytest.raises(RoundRefused) as refused:
        leave_round(round=begun, student=leaver, reason="Again.", by=course.teacher)
    assert refused.value.code == "not_in_the_round"


def test_who_left_may_come_back_to_their_name_and_place(course: Course) -> None:
    begun = course.start()
    before = RoundMember.objects.get(student=course.students[0])
    leave_round(round=begun, student=course.students[0], reason="Ill.", by=None)
    join_round(round=begun, student=course.students[0], by=None)
    back = RoundMember.objects.get(student=course.students[0])
    assert (back.pk, back.alias, back.position, back.left_at) == (
        before.pk,
        before.alias,
        before.position,
        None,
    )
    assert loads_of(begun)[0] == {2}


def test_a_pair_by_hand_is_one_more_and_says_by_whom(course: Course) -> None:
    begun = course.start()
    state = round_state_of(begun)
    first_pair, other = next(
        (a, b)
        for a in course.students
        for b in course.students
        if a != b and (a.pk, b.pk) not in state.pairs
    )
    pair_by_hand(round=begun, auditor=first_pair, auditee=other, by=course.teacher)
    assert Pairing.objects.get(made_by=course.teacher).auditee == other
    assert Counter(round_state_of(begun).audit_counts().values()) == {2: 6, 3: 1}
    with pytest.raises(RoundRefused) as refused:
        pair_by_hand(round=begun, auditor=first_pair, auditee=other, by=course.teacher)
    assert refused.value.code == "paired_already"


def test_a_pairing_is_ended_once_and_with_a_reason(course: Course) -> None:
    ended = pairing(course.start())
    for reason, code in (
        (" \n", "reason_missing"),
        ("They are siblings.", ""),
        ("Again.", "pairing_ended"),
    ):
        if code:
            with pytest.raises(RoundRefused) as refused:
                end_pairing(pairing=ended, reason=reason, by=course.teacher)
            assert refused.value.code == code
        else:
            end_pairing(pairing=ended, reason=reason, by=course.teacher)
    ended.refresh_from_db()
    assert (ended.ended_at is not None, ended.end_reason) == (True, "They are siblings.")


def test_two_exchange_whom_they_audit(course: Course) -> None:
    begun = course.start(peers=1)
    first_pair = pairing(begun)
    taken = {first_pair.auditor_id, first_pair.auditee_id}
    other = Pairing.objects.exclude(auditor__in=taken).exclude(auditee__in=taken).first()
    assert other is not None
    swap_pairings(pairing=first_pair, other=other, by=course.teacher)
    made = Pairing.objects.filter(made_by=course.teacher).values_list("auditor", "auditee")
    assert set(made) == {
        (first_pair.auditor_id, other.auditee_id),
        (other.auditor_id, first_pair.auditee_id),
    }
    assert loads_of(begun) == ({1}, {1})
