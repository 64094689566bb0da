"""The pages of appeals: what each reader sees, what is refused beside its field, and how much is
asked of PostgreSQL.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from grading.appeals.decisions import change_score, escalate_appeal, keep_verdict
from grading.core.enums import AppealState, Role
from grading.models import Appeal, AuditContents, Grade
from tests.factories.graded_work import signed_in
from tests.factories.grades import AppealFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.released import FIRST, SECOND, Released, filed, judged
from tests.factories.work import SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(scope="module")
def kept_released(kept: Path) -> Released:
    return Released()


@pytest.fixture
def released(kept_released: Released, db: None, kept_uploads: None) -> Released:
    return deepcopy(kept_released)


@pytest.fixture
def ada(released: Released) -> Client:
    return signed_in(released.student.user)


@pytest.fixture
def teacher(released: Released) -> Client:
    return signed_in(released.teacher)


def filing(released: Released, position: int = 0) -> str:
    return f"/o/{released.organization.slug}/audits/{released.audit.pk}/criteria/{position}/appeal/"


def inbox(released: Released, query: str = "") -> str:
    return f"/o/{released.organization.slug}/appeals/{query}"


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    html = answer.content.decode()
    assert faults_of(html) == []
    return html


def test_student_files_an_appeal_and_sees_it(released, ada):
    cited = (released.audit.report or {})["criteria"][0]["evidence"][0]
    form = page(ada, filing(released))
    assert "3 of 3 appeals left" in form
    assert f'value="{cited}"' in form
    sent = {"text": "Five <b>commits</b>.", "cited": [cited], "places": "src/a.py:3"}
    answer = ada.post(filing(released), sent, follow=True)
    html = answer.content.decode()
    assert faults_of(html) == []
    assert "Five &lt;b&gt;commits&lt;/b&gt;." in html
    assert "2 of 3 appeals left" in html
    assert f'id="{cited}"' in html
    assert "blob/4f2a9c1d7e0b35a86c1f9d2e4b7a60c3d8e5f412/src/a.py#L3" in html
    assert "Git forensics" in page(ada, inbox(released))


def test_invalid_appeal_keeps_typed_text(released, ada):
    answer = ada.post(filing(released), {"text": "x" * 2001, "places": "/etc/passwd"})
    html = answer.content.decode()
    assert faults_of(html) == []
    assert (
        html.count("x" * 2001),
        html.count("/etc/passwd</textarea>"),
        html.count('aria-invalid="true"'),
    ) == (1, 1, 2)
    assert "Line 1 is not a place" in html


def test_missing_place_is_refused_beside_its_field_and_keeps_what_was_typed(released, ada):
    with scope(organization=released.organization):
        AuditContents.objects.create(
            organization=released.organization, audit=released.audit, files={"src/graph.py": 120}
        )
    sent = {"text": "It is there.", "places": "src/graph.py:1\r\nsrc/grpah.py:3"}
    html = ada.post(filing(released), sent).content.decode()
    assert faults_of(html) == []
    assert "The nearest is src/graph.py (120 lines)." in html
    assert (html.count("src/grpah.py:3</textarea>"), html.count('aria-invalid="true"')) == (1, 1)
    with everywhere():
        assert Appeal.objects.count() == 0


def test_text_length_is_counted_like_the_browser(released, ada):
    answer = ada.post(filing(released), {"text": "\r\n".join("x" * 1000)})
    assert answer.status_code == 302
    with everywhere():
        assert len(Appeal.objects.get().text) == 1999


@pytest.mark.parametrize("position", [3, 99])
def test_unknown_criterion_answers_404(released, ada, position):
    assert ada.get(filing(released, position)).status_code == 404


def test_only_the_student_can_file(released, teacher):
    classmate = signed_in(student(released.assignment.cohort).user)
    assert [client.get(filing(released)).status_code for client in (teacher, classmate)] == [
        404,
        404,
    ]
    appeal = filed(released)
    assert classmate.get(inbox(released, f"{appeal.pk}/")).status_code == 404


def test_unreleased_attempt_cannot_be_appealed(released, ada):
    later = judged(released.assignment, student=released.student, attempt=2)
    assert (
        ada.get(filing(released).replace(str(released.audit.pk), str(later.pk))).status_code == 404
    )


def test_appeal_after_the_deadline_is_refused(released, ada):
    with scope(organization=released.organization):
        Grade.objects.update(released_at="2026-01-05T12:00Z")
    assert "The deadline for appeals was 12 January 2026, 12:00 UTC." in page(ada, filing(released))
    answer = ada.post(filing(released), {"text": "Late."}).content.decode()
    assert (answer.count("Late."), answer.count("The deadline for appeals was 12 January")) == (
        1,
        1,
    )
    with everywhere():
        assert Appeal.objects.count() == 0


@pytest.mark.parametrize(
    ("most", "released_at", "sentence"),
    [
        (3, None, "2 of 3 appeals left, until"),
        (1, None, "0 of 1 appeal left, until"),
        (3, "2026-01-05T12:00Z", "The deadline for appeals was"),
    ],
)
def test_report_shows_allowance_beside_each_criterion(most, released_at, sentence):
    released = Released(max_appeals=most)
    filed(released)
    if released_at:
        with scope(organization=released.organization):
            Grade.objects.update(released_at=released_at)

    html = page(
        signed_in(released.student.user),
        f"/o/{released.organization.slug}/audits/{released.audit.pk}/",
    )
    assert html.count(sentence) == 3
    assert html.count("Appeal this criterion") == (2 if sentence.startswith("2") else 0)
    assert html.count("Appeal on this criterion") == 1


def test_student_withdraws_an_unanswered_appeal(released, ada):
    appeal = filed(released)
    assert "Withdraw appeal" in page(ada, inbox(released, f"{appeal.pk}/"))
    ada.post(inbox(released, f"{appeal.pk}/"), {"do": "withdraw"})
    assert released.now(appeal).state == AppealState.WITHDRAWN
    assert "Withdraw appeal" not in page(ada, inbox(released, f"{appeal.pk}/"))


def test_a_student_cannot_answer_their_own_appeal(released, ada):
    appeal = filed(released)
    ada.post(
        inbox(released, f"{appeal.pk}/"), {"do": "answer", "decision": "5", "answer": "Thank you."}
    )
    assert released.now(appeal).state == AppealState.OPEN


def test_a_student_reads_the_answer(released, ada):
    appeal = filed(released)
    with scope(organization=released.organization):
        change_score(appeal=appeal, score=2, answer="It was read too kindly.", by=released.teacher)
    html = page(ada, inbox(released, f"{appeal.pk}/"))
    assert "Changed: 5 → 2 of 5" in html
    assert "It was read too kindly." in html


def test_teacher_sees_both_sides_and_effects_of_scores(released, teacher):
    appeal = filed(released)
    html = page(teacher, inbox(released, f"{appeal.pk}/"))
    for words in (
        "The history has five commits.",
        "Released verdict",
        "Current verdict",
    ):
        assert html.count(words) == 1

    assert html.count('type="radio"') == 6
    assert "One criterion, no model call: 0 USD" in html
    assert "4.3 → <strong>3.0</strong>" in html  # 5, 4 and 4; with 1 instead of 5


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"decision": "keep"}, "Write an answer or choose a reason above"),
        ({"answer": "Because."}, "This field is required."),
        ({"decision": "6", "answer": "Because."}, "Select a valid choice."),
        (
            {"decision": "5", "answer": "Because."},
            "The score is already 5 of 5. Keep the verdict instead.",
        ),
    ],
)
def test_invalid_answer_keeps_typed_text(released, teacher, sent, error):
    appeal = filed(released)
    answer = teacher.post(inbox(released, f"{appeal.pk}/"), {"do": "answer"} | sent)
    html = answer.content.decode()
    assert faults_of(html) == []
    assert error in html
    assert html.count("Because.") == ("answer" in sent)
    assert released.now(appeal).state == AppealState.OPEN


@pytest.mark.parametrize("meanwhile", [keep_verdict, escalate_appeal])
def test_late_answer_is_shown_again_with_the_reason(released, teacher, meanwhile):
    appeal, owner = filed(released), staff_user(released.organization, Role.OWNER)
    given = {"answer": "It was weighed."} if meanwhile is keep_verdict else {}
    with scope(organization=released.organization):
        meanwhile(appeal=appeal, by=owner, **given)
    sent = {"do": "answer", "decision": "2", "answer": "A long reason."}
    html = teacher.post(inbox(released, f"{appeal.pk}/"), sent).content.decode()
    assert faults_of(html) == []
    assert html.count("A long reason.") == 1
    assert (
        "changed since you opened it" if meanwhile is keep_verdict else "An owner must answer it"
    ) in html


def test_answer_joins_chosen_reason_and_text(released, teacher):
    appeal = filed(released)
    reason = "The audit misread the evidence."
    sent = {"do": "answer", "decision": "2", "reason": reason, "answer": "Line 3."}
    assert teacher.post(inbox(released, f"{appeal.pk}/"), sent).status_code == 302
    assert released.now(appeal).answer == f"{reason}\n\nLine 3."


def test_buttons_rejudge_or_escalate_an_appeal(released, teacher):
    first, second = filed(released), filed(released, SECOND)
    staff_user(released.organization, Role.OWNER)
    teacher.post(inbox(released, f"{first.pk}/"), {"do": "rejudge"})
    teacher.post(inbox(released, f"{second.pk}/"), {"do": "escalate"})
    assert [released.now(filed_appeal).state for filed_appeal in (first, second)] == [
        "rejudging",
        "escalated",
    ]
    assert "an owner must answer it" in page(teacher, inbox(released, f"{second.pk}/"))
    assert ">progress</a>" in page(teacher, inbox(released, f"{first.pk}/"))


def test_assistant_reads_but_cannot_answer(released):
    assistant = signed_in(staff_user(released.organization, Role.ASSISTANT))
    appeal = filed(released)
    assert "Answer appeal" not in page(assistant, inbox(released, f"{appeal.pk}/"))
    assert assistant.post(inbox(released, f"{appeal.pk}/"), {"do": "escalate"}).status_code == 404


def names(html: str) -> list[str]:
    table = html.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        part.partition("</a>")[0].rpartition(">")[2] for part in table.split('<th scope="row">')[1:]
    ]


def test_inbox_lists_waiting_appeals_oldest_first(released, teacher):
    assert "No appeals are waiting for an answer." in page(teacher, inbox(released))
    first, second, third = (filed(released, key) for key in (FIRST, SECOND, "graph_orchestration"))
    with scope(organization=released.organization):
        keep_verdict(appeal=second, answer="It was weighed.", by=released.teacher)
        escalate_appeal(appeal=third, by=released.teacher)

    assert names(page(teacher, inbox(released))) == ["Git forensics", "Graph orchestration"]
    assert names(page(teacher, inbox(released, "?state=escalated"))) == ["Graph orchestration"]
    assert names(page(teacher, inbox(released, f"?state=all&criterion={SECOND}"))) == [
        "State management rigour"
    ]
    assert first.state == AppealState.OPEN


def test_unknown_filter_is_reported_and_ignored(released, teacher):
    filed(released)
    html = page(
        teacher, inbox(released, "?state=odd&cohort=nowhere&assignment=x&criterion=y&page=99")
    )
    assert html.count("Select a valid choice.") == 4
    assert names(html) == ["Git forensics"]


def test_criterion_upheld_too_often_is_marked(released, teacher):
    for decided, state, criterion in [
        (3, "kept", "often"),
        (1, "changed", "often"),
        (2, "kept", "rarely"),
        (2, "changed", "alarming"),
        (2, "kept", "alarming"),
    ]:
        for _ in range(decided):
            AppealFactory.create(
                submission=SubmissionFactory.create(assignment=released.assignment),
                criterion_id=criterion,
                criterion_name=criterion.title(),
                state=state,
                decided_at="2026-11-20T12:00Z",
                new_score=4 if state == "changed" else None,
            )

    html = page(teacher, inbox(released)).partition("Upheld, by criterion")[2]
    assert names(html) == ["Alarming", "Often", "Rarely"]
    assert html.count("check this criterion") == 1
    assert "?state=decided&amp;criterion=alarming" in html


def test_inbox_queries_are_constant(released, teacher):
    filed(released)
    counts = []
    for more in (0, 4):
        for _ in range(more):
            AppealFactory.create(
                submission=SubmissionFactory.create(assignment=released.assignment)
            )
        with CaptureQueriesContext(connection) as queries:
            page(teacher, inbox(released))
        counts.append(len(queries))

    assert counts[0] == counts[1]
