"""The pages of findings: what each reader sees, what is owed, answers refused beside their field, and the query counts."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from grading.core.enums import Anonymity, AuditKind, FeedbackSource, ReleasePolicy
from grading.grades.releases import release_grades
from grading.models import Assignment, FeedbackReport, Finding, FindingResponse, Grade, Submission
from tests.factories.findings import attempt_of, audited, flaw, met, missing
from tests.factories.graded_work import signed_in
from tests.factories.peers import FindingResponseFactory, PairingFactory, RoundMemberFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
README, SHELL = "tidy.readme", "tidy.shell"


def handed_in(**fields: Any) -> Submission:
    assignment = AssignmentFactory.create(**fields)
    made: Submission = SubmissionFactory.create(
        assignment=assignment,
        student=student(assignment.cohort, name="Ada Lovelace"),
        resolved_commit="1" * 40,
    )
    return made


def place(assignment: Assignment, rest: str = "findings/") -> str:
    return (
        f"/o/{assignment.organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}/{rest}"
    )


def address(submission: Submission, check: str = README) -> str:
    """Return the address of the finding of this check in the submission."""
    with everywhere():
        finding = Finding.objects.get(student=submission.student, check_id=check)
    return place(submission.assignment, f"findings/{finding.pk}/")


def page(client: Client, where: str, status: int = 200) -> str:
    answer = client.get(where)
    assert answer.status_code == status
    html = answer.content.decode()
    if status == 200:
        assert faults_of(html) == []
    return html


def by_peer(
    submission: Submission, *checks: Any, name: str = "Grace Hopper", **fields: Any
) -> FeedbackReport:
    """A peer's audit of the submission, under a pairing of a double-blind round in which they are “Peer 482”."""
    pairing = PairingFactory.create(
        round__assignment=submission.assignment,
        round__anonymity=fields.get("anonymity", Anonymity.DOUBLE_BLIND),
        auditee=submission.student,
        auditor=student(submission.assignment.cohort, name=name),
    )
    RoundMemberFactory.create(round=pairing.round, student=pairing.auditor, alias="Peer 482")
    audit = audited(submission, *checks, kind=AuditKind.PEER)
    with scope(organization=submission.organization):
        return FeedbackReport.objects.create(
            organization=submission.organization,
            assignment=submission.assignment,
            pairing=pairing,
            kind="peer",
            source=FeedbackSource.PLATFORM,
            author=pairing.auditor,
            subject=submission.student,
            submission=submission,
            audit=audit,
        )


def test_a_student_sees_what_is_new_open_fixed_and_came_back():
    first = handed_in()
    audited(first, missing(README), flaw(("a.py", 3), ("b.py", 5)), missing("tidy.old"))
    second = attempt_of(first)
    audited(second, met(README), flaw(("a.py", 4)), met("tidy.old"))
    third = attempt_of(second)
    audited(third, missing(README), flaw(("a.py", 4), ("c.py", 8)), met("tidy.old"))
    html = page(signed_in(first.student.user), place(first.assignment))
    order = [html.index(f"{words}</h2>") for words in ("Regressed", "New", "Still open", "Fixed")]
    assert order == sorted(order)
    assert (html.count("<tr>"), html.count("</strong> regressed</a>")) == (4 + 5, 1)
    assert "<code>c.py:8</code>" in html
    assert "<code>b.py:5</code>" in html


def test_what_no_audit_has_looked_for_since_says_so():
    first = handed_in()
    audited(first, missing(README), missing("tidy.dropped"))
    audited(attempt_of(first), missing(README))
    assert (
        page(signed_in(first.student.user), place(first.assignment)).count("not checked since") == 1
    )


def test_nothing_found_is_said_in_words():
    first = handed_in()
    assert "No findings yet" in page(signed_in(first.student.user), place(first.assignment))


def test_staff_choose_whose_findings_they_read_and_answer_none():
    first = handed_in()
    audited(first, missing(README))
    teacher = signed_in(staff_user(first.organization))
    html = page(teacher, place(first.assignment))
    assert f"?student={first.student.pk}" in html
    assert "Findings in the work of Ada Lovelace" in page(
        teacher, place(first.assignment, f"findings/?student={first.student.pk}")
    )
    for nobody in ("0", "x", "²"):
        page(teacher, place(first.assignment, f"findings/?student={nobody}"), 404)
    assert "Save answer" not in page(teacher, address(first))
    assert teacher.post(address(first), {"kind": "will_fix"}).status_code == 404
    with everywhere():
        assert not FindingResponse.objects.exists()


def test_a_student_asking_for_another_sees_their_own():
    first = handed_in()
    audited(first, missing(README))
    other = student(first.assignment.cohort)
    html = page(
        signed_in(other.user), place(first.assignment, f"findings/?student={first.student.pk}")
    )
    assert README not in html


def test_a_verdict_that_is_withheld_is_withheld_here_and_a_peers_finding_is_not():
    first = handed_in(release_policy=ReleasePolicy.AFTER_RELEASE)
    audited(first, missing(README), flaw(("a.py", 3)))
    ada = signed_in(first.student.user)
    assert "No findings yet that you can see" in page(ada, place(first.assignment))
    page(ada, address(first), 404)
    by_peer(first, flaw(("a.py", 3)))
    html = page(ada, place(first.assignment))
    assert (README in html, "a.py" in html, "Peer 482" in html) == (False, True, True)
    assert "my audits" not in html
    assert page(signed_in(staff_user(first.organization)), address(first)).count("present") >= 1


def test_who_saw_it_is_called_as_the_round_lets_them_be_called():
    first = handed_in()
    audited(first, missing(README))
    by_peer(first, missing(README), flaw(("a.py", 3)))
    ada, teacher = signed_in(first.student.user), signed_in(staff_user(first.organization))
    for where in (place(first.assignment), address(first)):
        html = page(ada, where)
        assert ("Peer 482" in html, "Grace Hopper" in html) == (True, False)
    listed = f"findings/?student={first.student.pk}"
    assert "Grace Hopper" in page(teacher, place(first.assignment, listed))
    missed = page(ada, place(first.assignment, "findings/?seen=missed"))
    assert ("a.py" in missed, f">{README}<" in missed) == (True, False)


def test_a_filter_that_is_unknown_is_said_and_asks_for_nothing():
    first = handed_in()
    audited(first, missing(README))
    html = page(
        signed_in(first.student.user),
        place(first.assignment, "findings/?group=lost&criterion=none&page=x"),
    )
    assert html.count("Unknown choice: showing all") == 2
    assert "1 of 1" in html


def test_answers_are_owed_to_peers_alone_and_filtered_by_kind():
    first = handed_in()
    audited(first, missing(README))
    by_peer(first, flaw(("a.py", 3), ("b.py", 3)))
    ada = signed_in(first.student.user)
    assert "<strong>2</strong> answers due" in page(ada, place(first.assignment))
    with everywhere():
        FindingResponseFactory(finding=Finding.objects.get(place="a.py"))
    assert "1 of 3" in page(ada, place(first.assignment, "findings/?answer=owed"))
    assert "1 of 3" in page(ada, place(first.assignment, "findings/?answer=deferred"))


def test_what_is_wrong_with_an_answer_stands_beside_its_field_and_nothing_typed_is_lost():
    first = handed_in()
    audited(first, missing(README))
    ada = signed_in(first.student.user)
    html = ada.post(
        address(first), {"kind": "fixed", "commit": "main", "reason": "Done & dusted."}
    ).content.decode()
    assert faults_of(html) == []
    assert 'value="main"' in html
    assert "Done &amp; dusted." in html
    assert 'id="id_commit_error"' in html
    assert (
        ada.post(address(first), {"kind": "deferred"})
        .content.decode()
        .count('id="id_reason_error"')
        == 1
    )
    assert 'id="id_kind_error"' in ada.post(address(first), {"reason": "?"}).content.decode()
    with everywhere():
        assert not FindingResponse.objects.exists()


def test_an_answer_is_kept_and_the_earlier_ones_can_be_read():
    first = handed_in()
    audited(first, missing(README))
    ada = signed_in(first.student.user)
    assert ada.post(address(first), {"kind": "will_fix", "reason": "Tomorrow."}).status_code == 302
    ada.post(address(first), {"kind": "contested", "reason": "<b>It is there.</b>"})
    html = page(ada, address(first))
    assert "&lt;b&gt;It is there.&lt;/b&gt;" in html
    assert "Tomorrow." in html
    assert "Earlier answers" in html


def test_a_finding_is_found_at_its_own_assignment_alone():
    first = handed_in()
    audited(first, missing(README))
    other = AssignmentFactory.create(cohort=first.assignment.cohort)
    page(
        signed_in(first.student.user),
        address(first).replace(first.assignment.slug, other.slug),
        404,
    )


def test_as_many_queries_for_one_finding_as_for_many():
    def queries(count: int) -> int:
        first = handed_in()
        audited(first, *(missing(f"tidy.{number}") for number in range(count)))
        by_peer(first, *(missing(f"tidy.{number}") for number in range(count)))
        second = attempt_of(first)
        audited(second, *(met(f"tidy.{number}") for number in range(count // 2)))
        client = signed_in(first.student.user)
        with CaptureQueriesContext(connection) as captured:
            page(client, place(first.assignment))
        return len(captured)

    assert queries(2) == queries(9)


def since(html: str) -> list[int]:
    """Return the counts of fixed, regressed, new and open findings in the report."""
    section = html.partition("Since earlier attempts")[2].partition("</section>")[0]
    return [part.count("<li>") for part in section.split("since-part")[1:]]


def test_the_report_says_what_became_of_the_findings_since_the_attempt_before():
    first = handed_in()
    before = audited(first, missing(README), flaw(("a.py", 3), ("b.py", 5)))
    second = attempt_of(first)
    after = audited(second, met(README), flaw(("b.py", 5), ("c.py", 8)))
    ada, teacher = signed_in(first.student.user), signed_in(staff_user(first.organization))
    reports = f"/o/{first.organization.slug}/audits/"
    assert "Since earlier attempts" not in page(ada, f"{reports}{before.pk}/")
    for reader in (ada, teacher):
        html = page(reader, f"{reports}{after.pk}/")
        assert since(html) == [2, 0, 1, 1]


def test_the_report_tells_nothing_of_an_attempt_before_that_is_withheld():
    first = handed_in(release_policy=ReleasePolicy.AFTER_RELEASE)
    audited(first, missing(README))
    audit = audited(attempt_of(first), met(README), flaw(("a.py", 3)))
    with everywhere():
        [grade] = Grade.objects.select_related("assignment", "student")
        release_grades(
            assignment=first.assignment, grades=[grade], by=staff_user(first.organization)
        )
    html = page(signed_in(first.student.user), f"/o/{first.organization.slug}/audits/{audit.pk}/")
    assert since(html) == [0, 0, 1, 0]
