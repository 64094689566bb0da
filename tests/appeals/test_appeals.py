"""Filing and withdrawing an appeal: refusals, their order, and stored values."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.appeals.actions import withdraw_appeal
from grading.appeals.decisions import change_score, keep_verdict
from grading.appeals.queries import Allowance, allowance_of
from grading.core.code_locations import read_places, refuse_missing
from grading.core.enums import AppealState
from grading.core.errors import AppealRefused
from grading.grades.actions import override_criterion
from grading.models import Activity, Appeal, Grade
from tests.factories.released import FIRST, SECOND, THIRD, Released, filed, judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def refusal(released: Released, criterion_id: str = FIRST, **fields: Any) -> tuple[str, str]:
    with pytest.raises(AppealRefused) as refused:
        filed(released, criterion_id, **fields)
    return refused.value.field, refused.value.code


def kept(released: Released, appeal: Appeal) -> None:
    with scope(organization=released.organization):
        keep_verdict(appeal=appeal, answer="It was weighed.", by=released.teacher)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"text": " \n"}, "text", "text_missing"),
        ({"text": "x" * 2001}, "text", "text_too_long"),
        ({"cited": ["E-00000000"]}, "cited", "evidence_unknown"),
        ({"places": "/etc/passwd:1"}, "places", "place_unreadable"),
        ({"criterion_id": "unheard_of"}, "", "criterion_unknown"),
    ],
)
def test_invalid_appeal_is_refused_beside_its_field(fields, field, code):
    assert refusal(Released(), **fields) == (field, code)


def test_unreleased_grade_cannot_be_appealed():
    released = Released()
    with scope(organization=released.organization):
        Grade.objects.filter(pk=released.grade.pk).update(released=None, released_at=None)
    assert refusal(released) == ("", "not_released")


@pytest.mark.parametrize(
    ("ago", "codes"),
    [(timedelta(days=6, hours=23), []), (timedelta(days=7, minutes=1), ["window_over"])],
)
def test_appeals_close_after_the_assignments_days(ago, codes):
    released = Released()
    with scope(organization=released.organization):
        Grade.objects.filter(pk=released.grade.pk).update(released_at=timezone.now() - ago)
    assert [code for code in codes if refusal(released)[1] == code] == codes
    assert codes or filed(released).state == AppealState.OPEN


def test_only_open_and_kept_appeals_use_the_allowance():
    released = Released(max_appeals=2)
    first, second = filed(released), filed(released, SECOND)
    assert refusal(released, THIRD) == ("", "appeals_used_up")
    with scope(organization=released.organization):
        withdraw_appeal(appeal=first, by=released.student.user)
        change_score(appeal=second, score=5, answer="It was missed.", by=released.teacher)

    assert [filed(released, key).state for key in (FIRST, THIRD)] == ["open", "open"]
    kept(released, filed_on(released, THIRD))
    assert refusal(released, SECOND) == ("", "appeals_used_up")


def filed_on(released: Released, criterion_id: str) -> Appeal:
    with scope(organization=released.organization):
        latest_appeal = Appeal.objects.filter(criterion_id=criterion_id).order_by("pk").last()
    assert latest_appeal is not None
    return released.now(latest_appeal)


def test_allowance_has_number_and_deadline():
    released = Released(max_appeals=2, appeal_days=3)
    filed(released)
    grade = released.grade
    with scope(organization=released.organization):
        allowance = allowance_of(grade)
    assert grade.released_at is not None
    assert allowance == Allowance(until=grade.released_at + timedelta(days=3), most=2, used=1)
    assert (allowance.left, allowance.is_over) == (1, False)


def test_pending_or_kept_verdict_cannot_be_appealed_again():
    released = Released()
    appeal = filed(released)
    assert refusal(released) == ("", "appeal_pending")
    kept(released, appeal)
    assert refusal(released) == ("", "appeal_answered")

    with scope(organization=released.organization):
        override_criterion(
            submission=released.submission,
            criterion_id=FIRST,
            score=2,
            reason="Read again.",
            by=released.teacher,
        )

    released.release()
    assert filed(released).verdict["score"] == 2


def test_excluded_criterion_can_be_appealed():
    released = Released()
    with scope(organization=released.organization):
        grade: Any = released.grade
        grade.released["criteria"][0] |= {"score": None, "excluded": True}
        grade.save()
    assert filed(released).verdict["excluded"] is True


def test_appeal_keeps_the_released_verdict():
    released = Released()
    report: Any = released.audit.report
    cited = report["criteria"][0]["evidence"][:2]
    appeal = filed(
        released, cited=cited[::-1], places=" src/a.py:3-9\r\n\r\nPage 4 ", text="One\r\ntwo "
    )
    assert (appeal.text, appeal.cited, appeal.places) == ("One\ntwo", cited, "src/a.py:3-9\npage 4")
    assert (appeal.submission, appeal.criterion_name, appeal.report_digest) == (
        released.submission,
        "Git forensics",
        released.audit.report_digest,
    )
    assert [appeal.verdict] == (released.grade.released or {})["criteria"][:1]
    with scope(organization=released.organization):
        logged = Activity.objects.get(verb="appeal.filed")
    assert (logged.actor_id, logged.cohort_id) == (
        released.student.user_id,
        released.assignment.cohort_id,
    )


def test_an_appeal_stays_with_the_attempt_that_was_released():
    released = Released()
    judged(released.assignment, student=released.student, attempt=2)
    assert filed(released).submission == released.submission


def test_an_answered_appeal_cannot_be_withdrawn():
    released = Released()
    appeal = filed(released)
    kept(released, appeal)
    with (
        scope(organization=released.organization),
        pytest.raises(AppealRefused, match="changed since you opened it"),
    ):
        withdraw_appeal(appeal=appeal, by=released.student.user)

    assert released.now(appeal).state == AppealState.KEPT


@pytest.mark.parametrize(
    "line",
    [
        "",
        "src/graph.py",
        "src/graph.py:41",
        "src/graph.py:41-60",
        "page 3",
        "src/a b (1).py:2",
        "C#/Program.cs:7",
    ],
)
def test_location_is_parsed(line):
    assert [str(place) for place in read_places(line)] == [line] * bool(line)


@pytest.mark.parametrize(
    "line",
    [
        "../secret",
        "a/../../b:1",
        "/etc/passwd",
        "~/x",
        "a\\b",
        "a.py:0",
        "a.py:9-3",
        "a.py:x",
        "a.py:1:2",
        ":4",
        "x" * 301,
        "a\u202eb.py:1",
        "a.py:99999999",
    ],
)
def test_invalid_location_is_reported_with_its_line(line):
    with pytest.raises(AppealRefused, match=r"^Line 2 is not a place"):
        read_places(f"ok.py:1\n{line}")


def test_too_many_locations_are_refused():
    with pytest.raises(AppealRefused, match="limit is 20"):
        read_places("a.py\n" * 21)


AUDITED = {"src/graph.py": 120, "src/nodes/judges.py": 1, "logo.png": None, "docs/a b.md": 3}


@pytest.mark.parametrize(
    "line",
    [
        "src/graph.py",
        "./src/graph.py:120",
        "src/graph.py:1-120",
        "src/nodes",
        "src/nodes/",
        "logo.png",
        "docs/a b.md:3",
        "page 1",
        "page 4",
    ],
)
def test_audited_place_is_accepted(line):
    refuse_missing(read_places(line), AUDITED, 4)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("src/graph.py:121", "the file has 120 lines."),
        ("src/graph.py:100-121", "the file has 120 lines."),
        ("src/nodes/judges.py:2", "the file has 1 line."),
        ("logo.png:1", "it is a binary file."),
        (
            "src/grpah.py:3",
            "the audited commit has no such file. The nearest is src/graph.py (120 lines).",
        ),
        (
            "judges.py:1",
            "the audited commit has no such file. The nearest is src/nodes/judges.py (1 line).",
        ),
        ("src/nodes:3", "the audited commit has no such file."),
        ("zzz.rs", "the audited commit has no such file."),
        ("page 5", "the report has 4 pages."),
        ("page 0", "the report has 4 pages."),
    ],
)
def test_missing_place_is_refused_with_what_exists(line, sentence):
    with pytest.raises(AppealRefused) as refused:
        refuse_missing(read_places(f"src/graph.py:1\n{line}"), AUDITED, 4)
    assert (refused.value.field, refused.value.code) == ("places", "place_missing")
    assert refused.value.sentence.startswith(f"“{line}” does not exist: {sentence[:-1]}")


def test_unknown_contents_refuse_nothing():
    refuse_missing(read_places("src/x.py:3\npage 9"), None, None)
