"""Judging many again, as a teacher meets it: counted and priced before, typed above fifty,
followed, stopped.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from grading.bulk.progress import Change, end_item, fail_item
from grading.bulk.queries import Progress, progress_of
from grading.core.enums import Bench, BulkItemState, BulkState, BulkVerb
from grading.models import Assignment, Audit, BulkItem, BulkRun, Grade
from tests.factories.graded_work import signed_in
from tests.factories.grades import BulkItemFactory, BulkRunFactory, GradeFactory
from tests.factories.people import everywhere, staff_user
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def teacher(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization))


def graded(assignment: Assignment, number: int, **fields: Any) -> list[Grade]:
    audits = [
        AuditFactory.create(done=True, submission__assignment=assignment) for _ in range(number)
    ]
    return [GradeFactory.create(audit=audit, **fields) for audit in audits]


def start_page(assignment: Assignment) -> str:
    return reverse(
        "bulk", args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    )


def page_of(run: BulkRun, name: str = "bulk-run") -> str:
    return reverse(name, args=[run.organization.slug, run.pk])


def choice(assignment: Assignment, **chosen: Any) -> dict[str, Any]:
    given = {
        "verb": BulkVerb.REJUDGE,
        "scope": "all",
        "rubric_version": assignment.rubric_version_id,
    }
    return given | chosen


def runs() -> int:
    with everywhere():
        return BulkRun.objects.count()


def test_bulk_page_is_valid_with_and_without_grades(
    teacher: Client, assignment: Assignment
) -> None:
    page = teacher.get(start_page(assignment)).content.decode()
    assert (faults_of(page), "There are no verdicts yet" in page) == ([], True)
    graded(assignment, 1, widest_spread=3)
    page = teacher.get(start_page(assignment)).content.decode()
    assert (faults_of(page), "judges far apart" in page) == ([], True)


@pytest.mark.parametrize(
    ("chosen", "field", "words"),
    [
        ({"verb": "nonsense"}, "verb", "not one of the available choices"),
        ({"rubric_version": "0"}, "rubric_version", "not one of the available choices"),
        ({"verb": BulkVerb.REAUDIT, "criterion": 0}, "criterion", "Only a re-judge"),
        ({"criterion": 7}, "criterion", "not one of the available choices"),
        ({"scope": "failed"}, "scope", "Choose re-audit"),
        ({"scope": "chosen"}, "scope", "No students are selected"),
        ({"scope": "chosen", "grade": ["0"]}, "grade", "not one of the available choices"),
    ],
)
def test_invalid_choice_is_reported_beside_its_field(
    teacher: Client, assignment: Assignment, chosen: dict[str, Any], field: str, words: str
) -> None:
    graded(assignment, 1)
    answer = teacher.post(start_page(assignment), choice(assignment, **chosen, start="1"))
    assert list(answer.context["form"].errors) == [field]
    page = answer.content.decode()
    assert (words in page, faults_of(page), runs()) == (True, [], 0)
    assert answer.context["form"]["verb"].value() == chosen.get("verb", BulkVerb.REJUDGE)


def test_selected_students_stay_selected_after_an_error(
    teacher: Client, assignment: Assignment
) -> None:
    ticked, other = graded(assignment, 2)
    data = choice(assignment, scope="chosen", grade=[ticked.pk], criterion=7, start="1")
    answer = teacher.post(start_page(assignment), data)
    listed = {grade.pk: chosen for grade, _flags, chosen in answer.context["listed"]}
    assert (listed, runs()) == ({ticked.pk: True, other.pk: False}, 0)


def test_count_and_cost_are_shown_before_anything_starts(
    teacher: Client, assignment: Assignment
) -> None:
    graded(assignment, 2)
    data: dict[str, Any] = {
        "verb": "resynthesise",
        "scope": "all",
        "rubric_version": assignment.rubric_version_id,
    }
    answer = teacher.get(start_page(assignment), data)  # as a preview links to it
    page = answer.content.decode()
    assert ("0 USD" in page, "Re-synthesise 2 audits" in page, faults_of(page), runs()) == (
        True,
        True,
        [],
        0,
    )
    with everywhere():
        Assignment.objects.update(bench=Bench.LLM)
    page = teacher.post(start_page(assignment), choice(assignment)).content.decode()
    assert ("no audit with models has been measured here" in page, runs()) == (True, 0)


def test_scope_selects_flagged_chosen_or_failed(teacher: Client, assignment: Assignment) -> None:
    plain, flagged = *graded(assignment, 1), *graded(assignment, 1, needs_review=True)
    failed = AuditFactory.create(failed=True, submission__assignment=assignment)

    def chosen_audits(**chosen: Any) -> list[Audit]:
        answer = teacher.post(start_page(assignment), choice(assignment, **chosen))
        return list(answer.context["estimate"].audits)

    assert chosen_audits(scope="flagged") == [flagged.audit]
    assert chosen_audits(scope="chosen", grade=[plain.pk]) == [plain.audit]
    assert chosen_audits(scope="failed", verb=BulkVerb.REAUDIT) == [failed]
    assert sorted(a.pk for a in chosen_audits()) == sorted([plain.audit_id, flagged.audit_id])


def test_run_above_fifty_needs_typed_number(teacher: Client, assignment: Assignment) -> None:
    graded(assignment, 51)
    data = choice(assignment, verb=BulkVerb.RESYNTHESISE, start="1")
    answer = teacher.post(start_page(assignment), data | {"confirmed": "50"})
    page = answer.content.decode()
    assert (list(answer.context["form"].errors), faults_of(page), runs()) == (["confirmed"], [], 0)
    assert "Type the number of audits, 51" in page
    answer = teacher.post(start_page(assignment), data | {"confirmed": "51"})
    with everywhere():
        run = BulkRun.objects.get()
    assert (answer.status_code, answer.headers["Location"], run.total) == (302, page_of(run), 51)


def test_run_starts_and_is_cancelled_without_javascript(
    teacher: Client, assignment: Assignment
) -> None:
    graded(assignment, 2)
    teacher.post(start_page(assignment), choice(assignment, criterion=0, confirmed=2, start="1"))
    with everywhere():
        run = BulkRun.objects.get()
    page = teacher.get(page_of(run)).content.decode()
    assert (faults_of(page), "0 of 2 finished" in page, "http-equiv" in page) == ([], True, True)
    data = teacher.get(page_of(run, "bulk-cancel")).content.decode()
    assert (faults_of(data), "Cancel the rest" in data) == ([], True)
    teacher.post(page_of(run, "bulk-cancel"), {"cancel": "1"})
    page = teacher.get(page_of(run)).content.decode()
    assert (faults_of(page), "2 cancelled" in page, "http-equiv" in page) == ([], True, False)
    teacher.post(page_of(run, "bulk-cancel"), {"cancel": "1"})
    with everywhere():
        assert BulkRun.objects.get().state == BulkState.CANCELLED


def test_unchanged_progress_fragment_answers_304(teacher: Client, assignment: Assignment) -> None:
    run = BulkRunFactory.create(assignment=assignment, total=2)
    items = [BulkItemFactory.create(run=run, score_before=4.0) for _ in range(2)]
    first = teacher.get(page_of(run, "bulk-progress"))
    cached_headers = {"If-None-Match": first.headers["ETag"]}
    assert teacher.get(page_of(run, "bulk-progress"), headers=cached_headers).status_code == 304
    with everywhere():
        end_item(item=items[0], change=Change(criteria=2, score_before=4.0, score_after=2.5))
    second = teacher.get(page_of(run, "bulk-progress"), headers=cached_headers)
    assert (second.status_code, "HX-Refresh" in second.headers, b"2.5" in second.content) == (
        200,
        False,
        True,
    )

    with everywhere():
        fail_item(
            item=items[1],
            code="record_unreadable",
            message="The stored report is of an older make.",
        )

    last = teacher.get(page_of(run, "bulk-progress"))
    assert last.headers["HX-Refresh"] == "true"
    page = teacher.get(page_of(run)).content.decode()
    assert (faults_of(page), "of an older make" in page) == ([], True)
    listed = {
        name: [item.pk for item in teacher.get(page_of(run), {"show": name}).context["page"]]
        for name in ("changed", "failed", "waiting", "nonsense")
    }
    both = [item.pk for item in items]
    assert listed == {"changed": both[:1], "failed": both[1:], "waiting": [], "nonsense": both}
    misread = teacher.get(page_of(run), {"show": "nonsense", "page": "x"}).context["misread"]
    assert [sentence.split("”")[0] for sentence in misread] == ["“show=nonsense", "“page=x"]


def test_progress_counts_add_up_when_an_item_ends_meanwhile(
    assignment: Assignment,
) -> None:
    read_before = BulkRunFactory.create(assignment=assignment, total=4)
    states = (BulkItemState.WAITING, BulkItemState.DONE, BulkItemState.CANCELLED)
    for state in states:
        BulkItemFactory.create(run=read_before, state=state)
    BulkItemFactory.create(run=read_before, state=BulkItemState.FAILED, code="engine_failed")
    with everywhere():
        counts = progress_of(read_before)
    assert counts == Progress(total=4, done=2, failed=1, changed=0, waiting=1, cancelled=1)
    assert read_before.done == 0


def test_past_run_numbers_link_to_attempts(teacher: Client, assignment: Assignment) -> None:
    run = BulkRunFactory.create(
        assignment=assignment,
        total=3,
        done=2,
        failed=1,
        changed=1,
        state=BulkState.DONE,
        finished_at=timezone.now(),
    )
    page = teacher.get(start_page(assignment)).content.decode()
    wanted = [
        f'{page_of(run)}{query}#everything-heading"'
        for query in ("", "?show=changed", "?show=failed")
    ]
    assert [address in page for address in wanted] == [True] * 3


def test_resynthesis_under_next_version_starts_from_page() -> None:
    assignment = small_assignment()
    audit, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    client = signed_in(staff_user(assignment.organization))
    data = choice(
        assignment, verb=BulkVerb.RESYNTHESISE, rubric_version=heavier.pk, confirmed=1, start="1"
    )
    assert client.post(start_page(assignment), data).status_code == 302
    with everywhere():
        item = BulkItem.objects.select_related("run").get()
    assert (item.audit_id, item.run.rubric_version_id) == (audit.pk, heavier.pk)


@pytest.mark.parametrize("page", ["start", "run", "progress"])
def test_bulk_page_queries_are_constant(
    page: str, teacher: Client, assignment: Assignment, django_assert_max_num_queries: Any
) -> None:
    run = BulkRunFactory.create(assignment=assignment, total=31)
    address = {
        "start": start_page(assignment),
        "run": page_of(run),
        "progress": page_of(run, "bulk-progress"),
    }

    def queries(number: int) -> int:
        for grade in graded(assignment, number):
            BulkItemFactory.create(
                run=run, submission=grade.audit.submission, audit=grade.audit, changed=True
            )
        with django_assert_max_num_queries(100) as data:
            teacher.get(address[page], choice(assignment))
        return len(data)

    assert queries(1) == queries(30)
