"""A peer's report that was reported as abusive: by whom it is about, to the teachers, and hidden by their decision alone."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from grading.core.enums import ComplaintState, NoticeKind, Role
from grading.core.errors import FeedbackRefused
from grading.engine.exchange_facts import exchange_of
from grading.findings.queries.visible_findings import findings_of
from grading.models import Activity, Cohort, Complaint, FeedbackReport, Finding, Notice
from grading.peer_review.complaints.actions import complain, decide_complaint
from grading.peer_review.exchange.queries import exchanges_of
from tests.factories.peer_round_work import Circle, client_of, read
from tests.factories.peers import ComplaintFactory, FindingSightingFactory
from tests.factories.people import everywhere, staff_user
from tests.factories.work import AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


class Case:
    """Cy brought a report on Ada's work along, under their pairing."""

    def __init__(self) -> None:
        self.circle = Circle()
        self.report: FeedbackReport = self.circle.brought(self.circle.cy)
        self.ada, self.cy = self.circle.ada, self.circle.cy
        self.teacher = staff_user(self.circle.organization)
        self.here = f"/o/{self.circle.organization.slug}/"
        self.form = f"{self.here}feedback/{self.report.pk}/complain/"

    def decision(self, complaint: Complaint) -> str:
        return f"{self.here}complaints/{complaint.pk}/"

    def complained(self) -> Complaint:
        made: Complaint = ComplaintFactory.create(report=self.report)
        return made

    def hidden(self) -> Complaint:
        made = self.complained()
        with everywhere():
            decide_complaint(complaint=made, hide=True, answer="It insults you.", by=self.teacher)
        return made


@pytest.fixture
def case() -> Case:
    return Case()


def test_only_whom_the_report_is_about_finds_the_form(case: Case) -> None:
    for person in (case.cy, case.circle.bob, case.teacher):
        assert client_of(person).post(case.form, {"text": "x"}).status_code == 404
    with everywhere():
        assert not Complaint.objects.exists()


def test_what_says_too_little_or_too_much_is_refused_beside_it(case: Case) -> None:
    for text in (" ", "x" * 2001):
        answer = client_of(case.ada).post(case.form, {"text": text})
        assert list(answer.context["form"].errors) == ["text"]
    with everywhere():
        assert not Notice.objects.exists()


def test_it_waits_once_and_the_teachers_get_a_letter_without_a_word_of_it(case: Case) -> None:
    owner, _assistant = (
        staff_user(case.circle.organization, role) for role in (Role.OWNER, Role.ASSISTANT)
    )
    page = (
        client_of(case.ada)
        .post(case.form, {"text": "It calls me names."}, follow=True)
        .content.decode()
    )
    assert (
        "It calls me names." in page,
        "<form" in page.partition("</header>")[2],
        faults_of(page),
    ) == (
        True,
        False,
        [],
    )
    with everywhere():
        made = Complaint.objects.get()
        letters = list(Notice.objects.order_by("user"))
        with pytest.raises(FeedbackRefused) as refused:
            complain(report=case.report, text="Again.", by=case.ada.user)
        verbs = Activity.objects.filter(verb__startswith="complaint.").values_list(
            "actor", "detail"
        )
        assert list(verbs) == [(case.ada.user_id, {"complaint": made.pk})]
    assert refused.value.code == "complaint_open"
    assert [(letter.user_id, letter.kind) for letter in letters] == [
        (case.teacher.pk, NoticeKind.COMPLAINT),
        (owner.pk, NoticeKind.COMPLAINT),
    ]
    assert [("names" in letter.body, "Ada" in letter.body) for letter in letters] == [
        (False, False)
    ] * 2
    assert "calls me" in read(case.ada, case.form)


def test_nothing_is_hidden_before_a_teacher_decides(case: Case) -> None:
    made = case.complained()
    assert "Add a docstring" in read(case.ada, f"{case.here}feedback/{case.report.pk}/")
    posted = {"hide": "yes", "answer": "It insults."}
    assistant = staff_user(case.circle.organization, Role.ASSISTANT)
    for person, status in ((case.ada, 404), (case.cy, 404), (assistant, 404)):
        assert client_of(person).post(case.decision(made), posted).status_code == status
    answer = client_of(case.teacher).post(case.decision(made), {"hide": "yes", "answer": ""})
    assert list(answer.context["form"].errors) == ["answer"]
    with everywhere():
        assert FeedbackReport.objects.get().hidden_at is None


def test_the_inbox_and_the_page_of_peers_lead_teachers_to_it(case: Case) -> None:
    made = case.complained()
    inbox = read(case.teacher, f"{case.here}complaints/")
    assert (f'href="{case.decision(made)}"' in inbox, faults_of(inbox)) == (True, [])
    assert "1 open" in read(case.teacher, case.circle.page("peers"))
    assert faults_of(read(case.teacher, case.decision(made))) == []


def test_what_was_hidden_is_hidden_from_its_subject_everywhere_and_from_nobody_else(
    case: Case,
) -> None:
    made = case.complained()
    response = client_of(case.teacher).post(
        case.decision(made), {"hide": "yes", "answer": "It insults you."}
    )
    assert response.status_code == 302
    page = read(case.ada, f"{case.here}feedback/{case.report.pk}/")
    assert ("hidden this report from you" in page, "Add a docstring" in page, faults_of(page)) == (
        True,
        False,
        [],
    )
    client = client_of(case.ada)
    for name in ("report.json", "report.md", "original"):
        assert client.get(f"{case.here}feedback/{case.report.pk}/{name}").status_code == 404
    for person in (case.cy, case.teacher):
        assert "Add a docstring" in read(person, f"{case.here}feedback/{case.report.pk}/")
    assert "It insults you." in read(case.ada, case.form)
    assert "hidden by your teachers" in read(case.ada, case.circle.page("peers"))


def test_who_wrote_it_is_not_told_that_it_was_reported_which_one_person_alone_can_do(
    case: Case,
) -> None:
    report = f"{case.here}feedback/{case.report.pk}/"
    both_pages = [case.circle.page("peers"), report]
    before = [read(case.cy, page) for page in both_pages]
    case.hidden()
    assert [_without_tokens(read(case.cy, page)) for page in both_pages] == list(
        map(_without_tokens, before)
    )
    assert "It was reported as abusive" in read(case.teacher, report)


def _without_tokens(page: str) -> str:
    return re.sub(
        r'nonce="[^"]*"|(?:value|content)="[A-Za-z0-9]{64}"|"X-CSRFToken": ?"[^"]*"', "", page
    )


def test_of_what_was_hidden_no_answer_is_owed_and_none_counts_as_missing(case: Case) -> None:
    def owed() -> tuple[int, int, int]:
        with everywhere():
            findings = findings_of(case.circle.assignment, case.ada, is_staff=False)
            counts = exchange_of(assignment=case.circle.assignment, student=case.ada)
            return len(findings), counts.findings_received, exchanges_of(case.ada)[0].answers.total

    assert owed() == (1, 1, 1)
    case.hidden()
    assert owed() == (0, 0, 0)
    with everywhere():
        assert len(findings_of(case.circle.assignment, case.ada, is_staff=True)) == 1


def test_a_hidden_report_lends_no_title_to_what_the_site_saw_as_well(case: Case) -> None:
    with everywhere():
        finding = Finding.objects.get()
        site = AuditFactory.create(submission=case.report.submission, done=True)
        values = {
            "submission": site.submission,
            "audit": site,
            "report": None,
            "text": "There is no README.",
        }
        FindingSightingFactory.create(finding=finding, **values)
    page = case.circle.page("findings")
    assert "A README" in read(case.ada, page)
    case.hidden()
    for address in (page, f"{page}{finding.pk}/"):
        html = read(case.ada, address)
        assert ("A README" in html, "There is no README." in html) == (False, True)
    assert "A README" in read(case.teacher, f"{page}{finding.pk}/")


def test_a_second_decision_finds_it_decided_and_what_was_hidden_can_be_shown_again(
    case: Case,
) -> None:
    made = case.hidden()
    with everywhere(), pytest.raises(FeedbackRefused) as refused:
        decide_complaint(complaint=made, hide=True, answer="Once more.", by=case.teacher)
    assert refused.value.code == "complaint_over"
    client_of(case.teacher).post(
        case.decision(made), {"hide": "no", "answer": "Read twice: it is harsh, not more."}
    )
    with everywhere():
        assert (Complaint.objects.get().state, FeedbackReport.objects.get().hidden_at) == (
            ComplaintState.DISMISSED,
            None,
        )
        letters = Notice.objects.filter(user=case.ada.user).values_list("kind", "path")
        assert list(letters) == [(NoticeKind.COMPLAINT, case.form)] * 2
    assert "Add a docstring" in read(case.ada, f"{case.here}feedback/{case.report.pk}/")


def test_what_was_decided_is_read_also_when_the_cohort_is_over_and_nothing_else_of_the_report(
    case: Case,
) -> None:
    other = case.circle.brought(case.circle.ada)
    case.hidden()
    with everywhere():
        Cohort.objects.update(ends_on=timezone.now().date() - timedelta(days=1))
    page = read(case.ada, case.form)
    report = f"{case.here}feedback/{case.report.pk}/"
    assert (
        "It insults you." in page,
        "<textarea" in page,
        report in page.replace(case.form, ""),
    ) == (
        True,
        False,
        False,
    )
    refused = [
        client_of(case.ada).get(report),
        client_of(case.ada).post(case.form, {"text": "Again."}),
        client_of(case.cy).get(case.form),
        client_of(case.circle.bob).get(f"{case.here}feedback/{other.pk}/complain/"),
    ]
    assert [answer.status_code for answer in refused] == [404] * 4


@pytest.mark.parametrize("page_name", ["complain", "complaints", "complaint"])
def test_the_pages_ask_at_most_fifteen_queries(
    case: Case, page_name: str, django_assert_max_num_queries: Any
) -> None:
    made = case.complained()
    person, address = {
        "complain": (case.ada, case.form),
        "complaints": (case.teacher, f"{case.here}complaints/"),
        "complaint": (case.teacher, case.decision(made)),
    }[page_name]
    client = client_of(person)
    with django_assert_max_num_queries(15):
        assert client.get(address).status_code == 200
