"""The loop closed: what each attempt changed, whose finding led to it, and what peers caught that one had missed."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from grading.core.enums import ReleasePolicy, ResponseKind
from grading.models import Enrollment, Finding, FindingResponse, Submission
from grading.peer_review.exchange.attempt_history import Loop, Turn, loop_of
from grading.peer_review.exchange.presenters import AXIS, chart_of
from tests.factories.findings import attempt_of, audited, flaw, met, missing
from tests.factories.graded_work import signed_in
from tests.factories.peers import FindingResponseFactory
from tests.factories.people import everywhere, staff_user
from tests.factories.work import AuditFactory, SubmissionFactory
from tests.findings.test_findings_pages import README, SHELL, by_peer, handed_in, page, place

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def read_loop(student: Enrollment, *, is_staff: bool = False) -> Loop:
    with everywhere():
        submission = Submission.objects.select_related("assignment").filter(student=student)[0]
        return loop_of(submission.assignment, student, is_staff=is_staff)


def counts(turn: Turn) -> tuple[Any, ...]:
    changes = turn.changes
    if changes is None:
        return (turn.attempt.score,)
    return (
        turn.attempt.score,
        len(changes.still),
        len(changes.new),
        len(changes.back),
        len(changes.fixed),
    )


def test_each_attempt_tells_what_it_changed():
    first = handed_in()
    audited(first, missing(README), flaw(("a.py", 3), ("b.py", 5)))
    second = attempt_of(first)
    audited(second, met(README), flaw(("b.py", 5), ("c.py", 1)))
    audited(attempt_of(second), missing(README), met(SHELL, flaw=True))
    loop = read_loop(first.student)
    assert [counts(turn) for turn in loop.turns] == [
        (3.0, 0, 3, 0, 0),
        (3.0, 1, 1, 0, 2),
        (3.0, 0, 0, 1, 2),
    ]
    assert [[fix.finding.finding.place for fix in turn.fixes] for turn in loop.turns] == [
        [],
        ["", "a.py"],
        ["b.py", "c.py"],
    ]
    assert {fix.commit for fix in loop.turns[1].fixes} == {second.resolved_commit}


def test_a_fix_names_the_peers_who_had_seen_it_before_and_the_commit_that_was_verified():
    first = handed_in()
    audited(first, missing(README))
    by_peer(first, flaw(("a.py", 3)))
    with everywhere():
        FindingResponseFactory(
            finding=Finding.objects.get(place="a.py"),
            kind=ResponseKind.FIXED,
            commit="abc1234",
            reason="",
        )
    second = attempt_of(first)
    audited(second, met(README), met(SHELL, flaw=True))
    by_peer(second, met(README), met(SHELL, flaw=True))

    def fixes() -> list[tuple[str, tuple[str, ...]]]:
        return sorted((fix.commit, fix.led_by) for fix in read_loop(first.student).turns[1].fixes)

    by_attempt = second.resolved_commit
    assert fixes() == [(by_attempt, ()), (by_attempt, ("Peer 482",))]
    with everywhere():
        FindingResponse.objects.update(verified=True)
    assert fixes() == [(by_attempt, ()), ("abc1234", ("Peer 482",))]


def test_who_caught_what_is_matched_by_identity():
    first = handed_in()
    audited(first, missing(README), flaw(("b.py", 5)))
    by_peer(first, missing(README), flaw(("a.py", 3)))
    caught = read_loop(first.student).caught
    assert [
        [row.finding.place for row in rows]
        for rows in (caught.peers_alone, caught.both, caught.own_alone)
    ] == [
        ["a.py"],
        [""],
        ["b.py"],
    ]


def test_an_attempt_without_a_verdict_tells_nothing_and_leaves_a_gap():
    first = handed_in()
    audited(first, missing(README))
    second = attempt_of(first)
    AuditFactory(submission=second, failed=True)
    audited(attempt_of(second), met(README))
    loop = read_loop(first.student)
    assert [(turn.changes is not None, turn.attempt.score) for turn in loop.turns] == [
        (True, 3.0),
        (False, None),
        (True, 3.0),
    ]
    picture = chart_of(loop.turns)
    assert picture is not None
    assert picture.lines == ()
    assert picture.words == (
        "Attempt 1: 3.0 of 5; 0 still open, 1 new, 0 regressed, 0 fixed. Attempt 2: no score. "
        "Attempt 3: 3.0 of 5; 0 still open, 0 new, 0 regressed, 1 fixed."
    )


def test_the_bars_stand_on_the_axis_in_proportion():
    first = handed_in()
    audited(first, missing(README), missing("tidy.a"), missing("tidy.b"), missing("tidy.c"))
    audited(
        attempt_of(first),
        met(README),
        met("tidy.a"),
        missing("tidy.b"),
        missing("tidy.c"),
        missing("tidy.d"),
    )
    picture = chart_of(read_loop(first.student).turns)
    assert picture is not None
    first_column, two = picture.columns
    assert [(part.kind, part.count, part.y + part.height) for part in first_column.parts] == [
        ("new", 4, AXIS)
    ]
    assert [(part.kind, part.count) for part in two.parts] == [
        ("still", 2),
        ("new", 1),
        ("fixed", 2),
    ]
    still, new, fixed = two.parts
    assert (still.y + still.height, new.y + new.height, fixed.y) == (AXIS, still.y, AXIS + 1)
    assert still.height == 2 * new.height == first_column.parts[0].height / 2
    assert picture.lines == ((first_column.x, first_column.score_y, two.x, two.score_y),)


def test_nothing_is_drawn_before_there_is_anything():
    assert chart_of(()) is None
    first = handed_in()
    assert chart_of(read_loop(first.student).turns) is None
    assert "No peer has audited this work yet." in page(
        signed_in(first.student.user), place(first.assignment, "loop/")
    )


def test_what_is_withheld_is_neither_drawn_nor_counted():
    first = handed_in(release_policy=ReleasePolicy.AFTER_RELEASE)
    audited(first, missing(README))
    audited(attempt_of(first), met(README))
    ada = read_loop(first.student)
    assert [counts(turn) for turn in ada.turns] == [(None,)] * 2
    staff = read_loop(first.student, is_staff=True)
    assert [counts(turn) for turn in staff.turns] == [(3.0, 0, 1, 0, 0), (3.0, 0, 0, 0, 1)]


def test_the_page_offers_to_hand_in_again_and_tells_the_whole_story():
    first = handed_in()
    audited(first, missing(README), missing("tidy.d"))
    by_peer(first, flaw(("a.py", 3)))
    second = attempt_of(first)
    audited(second, met(README), met(SHELL, flaw=True), missing("tidy.d"), missing("tidy.e"))
    by_peer(second, met(SHELL, flaw=True), missing("tidy.e"))
    ada, teacher = signed_in(first.student.user), signed_in(staff_user(first.organization))
    html = page(ada, place(first.assignment, "loop/"))
    assert ("Submit again" in html, "In attempt 2" in html, "Peer 482" in html) == (
        True,
        True,
        True,
    )
    assert "Grace Hopper" not in html
    theirs = page(teacher, place(first.assignment, f"loop/?student={first.student.pk}"))
    assert ("Submit again" in theirs, "Grace Hopper" in theirs) == (False, True)
    assert teacher.get(place(first.assignment, "loop/")).status_code == 302


def test_before_a_first_hand_in_the_page_says_so():
    first = handed_in()
    other = SubmissionFactory.build(assignment=first.assignment, student=None)
    with everywhere():
        first.delete()
    html = page(signed_in(first.student.user), place(other.assignment, "loop/"))
    assert "No submissions yet." in html


def test_as_many_queries_for_two_attempts_as_for_five():
    def queries(attempts: int) -> int:
        submission = first = handed_in()
        for number in range(attempts):
            audited(submission, *(missing(f"tidy.{check}") for check in range(number + 2)))
            by_peer(submission, missing("tidy.0"))
            submission = attempt_of(submission)
        with CaptureQueriesContext(connection) as captured:
            page(signed_in(first.student.user), place(first.assignment, "loop/"))
        return len(captured)

    assert queries(2) == queries(4)
