"""Findings, pairings, rubrics and exports through the API: what the pages would show, and what the actions would refuse."""

import json
from http import HTTPStatus

import pytest
from django_scopes import scope

from grading.core.enums import Anonymity, ApiScope, RubricState
from grading.models import Activity, FeedbackReport, FindingResponse, RubricVersion
from tests.factories.grades import GradeFactory
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingFactory,
    FindingSightingFactory,
    PairingFactory,
    RoundMemberFactory,
)
from tests.factories.people import staff_user, student
from tests.factories.work import AuditFactory, SubmissionFactory, rubric_document
from tests.web_client.api_program import Program, error_of

pytestmark = pytest.mark.django_db


def below(assignment):
    return f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}"


@pytest.fixture
def submission(assignment, ada):
    return SubmissionFactory(assignment=assignment, student=ada, resolved_commit="a" * 40)


def found_in(submission, number):
    audit = AuditFactory(submission=submission, done=True)
    findings = [
        FindingFactory(first_submission=submission, title=f"Finding {n}") for n in range(number)
    ]
    for finding in findings:
        FindingSightingFactory(finding=finding, audit=audit, lines=[7, 9])
    return findings


def test_findings_are_listed_with_their_places_a_page_at_a_time(program, assignment, submission):
    found_in(submission, 5)
    first = program.get(f"{below(assignment)}/findings/?page_size=3").json()
    second = program.client.get(first["next"]).json()
    assert (len(first["results"]), len(second["results"]), second["next"]) == (3, 2, None)
    assert program.client.get(second["previous"]).json()["results"] == first["results"]
    row = first["results"][0]
    assert (row["group"], row["place"], row["lines"], row["answer"]) == (
        "new",
        "src/graph.py",
        [7, 9],
        None,
    )


@pytest.mark.parametrize(
    ("query", "count"), [("group=new", 2), ("group=fixed", 0), ("criterion=other", 0)]
)
def test_findings_are_narrowed(program, assignment, submission, query, count):
    found_in(submission, 2)
    assert len(program.get(f"{below(assignment)}/findings/?{query}").json()["results"]) == count


def test_a_cursor_that_names_nothing_is_refused(program, assignment, submission):
    answer = program.get(f"{below(assignment)}/findings/?cursor=ü")
    assert (answer.status_code, error_of(answer)["code"]) == (HTTPStatus.NOT_FOUND, "not_found")


def test_staff_say_whose_findings_they_mean(teacher, assignment, submission, ada):
    found_in(submission, 1)
    assert teacher.get(f"{below(assignment)}/findings/").status_code == HTTPStatus.NOT_FOUND
    rows = teacher.get(f"{below(assignment)}/findings/?student={ada.email}").json()["results"]
    assert len(rows) == 1


def test_an_answer_is_taken_as_the_page_takes_it(program, assignment, submission):
    finding = found_in(submission, 1)[0]
    answer = program.post(
        f"findings/{finding.pk}/answers/", {"kind": "deferred", "reason": "The parser first."}
    )
    assert answer.status_code == HTTPStatus.CREATED
    stored = program.get(f"findings/{finding.pk}/").json()["answer"]
    assert answer.json() == stored
    assert (stored["kind"], stored["reason"], stored["status"], stored["verified"]) == (
        "deferred",
        "The parser first.",
        None,
        None,
    )
    commit = "f" * 40
    claimed = program.post(f"findings/{finding.pk}/answers/", {"kind": "fixed", "commit": commit})
    assert (claimed.json()["commit"], claimed.json()["status"], claimed.json()["verified"]) == (
        commit,
        "claimed",
        None,
    )


def test_an_answer_that_says_too_little_is_refused_beside_its_field(
    program, assignment, submission
):
    finding = found_in(submission, 1)[0]
    answer = program.post(f"findings/{finding.pk}/answers/", {"kind": "contested"})
    assert (answer.status_code, error_of(answer)["field"]) == (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "reason",
    )
    with scope(organization=assignment.organization):
        assert not FindingResponse.objects.exists()


def test_nobody_answers_for_somebody_else(teacher, assignment, submission):
    finding = found_in(submission, 1)[0]
    answer = teacher.post(f"findings/{finding.pk}/answers/", {"kind": "will_fix"})
    assert answer.status_code == HTTPStatus.NOT_FOUND


def paired(assignment, ada, *, anonymity=Anonymity.DOUBLE_BLIND, **sides):
    peer = student(assignment.cohort)
    pairing = PairingFactory(
        round__assignment=assignment,
        round__anonymity=anonymity,
        **{"auditor": ada, "auditee": peer} | sides,
    )
    RoundMemberFactory(round=pairing.round, student=peer, alias="Peer 482")
    return pairing, peer


def test_under_a_blind_the_other_has_an_alias_and_nothing_else(program, assignment, ada):
    pairing, peer = paired(assignment, ada)
    text = program.get(f"cohorts/{assignment.cohort.slug}/pairings/").content.decode()
    row = json.loads(text)["results"][0]
    assert (row["id"], row["side"], row["other"]) == (str(pairing.pk), "auditor", "Peer 482")
    text += program.get(f"pairings/{pairing.pk}/").content.decode()
    assert not [word for word in (peer.email, peer.name, peer.user.username) if word in text]


def test_where_they_know_each_other_the_name_is_said(program, assignment, ada):
    pairing, peer = paired(assignment, ada, anonymity=Anonymity.OPEN)
    assert program.get(f"pairings/{pairing.pk}/").json()["other"] == str(peer)


def test_many_pairings_are_listed_in_as_many_queries_as_few(
    program, assignment, ada, django_assert_max_num_queries
):
    counts = []
    for pairings in (1, 2, 3):
        paired(assignment, ada)
        with django_assert_max_num_queries(13) as counted:
            listed = program.get(f"cohorts/{assignment.cohort.slug}/pairings/").json()["results"]
        assert len(listed) == pairings
        counts.append(len(counted))
    assert counts[1] == counts[2]  # the first has to write down that its token was used


def test_an_audit_of_nothing_is_refused(program, assignment, ada):
    pairing, _ = paired(assignment, ada)
    answer = program.post(f"pairings/{pairing.pk}/", {})
    assert (answer.status_code, error_of(answer)["code"]) == (422, "nothing_handed_in")


def test_a_peers_audit_is_queued(program, assignment, ada):
    pairing, peer = paired(assignment, ada)
    SubmissionFactory(assignment=assignment, student=peer, resolved_commit="b" * 40)
    answer = program.post(f"pairings/{pairing.pk}/", {})
    assert (answer.status_code, answer.json()["state"]) == (HTTPStatus.CREATED, "queued")
    assert [
        report_row["id"] for report_row in program.get(f"pairings/{pairing.pk}/").json()["reports"]
    ] == [answer.json()["id"]]


def test_an_imported_report_is_read_and_its_subject_has_read_it(program, assignment, ada):
    peer = student(assignment.cohort)
    pairing = PairingFactory(round__assignment=assignment, auditor=peer, auditee=ada)
    report = FeedbackReportFactory(
        pairing=pairing, reading={"layout": "headings", "criteria": [], "findings": []}
    )
    stored = program.get(f"feedback/{report.pk}/").json()
    assert (stored["signed"], stored["report"]) == (False, None)
    with scope(organization=assignment.organization):
        assert FeedbackReport.objects.get().read_at is not None


def test_asking_for_the_head_of_a_report_is_not_reading_it(program, assignment, ada):
    pairing = PairingFactory(
        round__assignment=assignment, auditor=student(assignment.cohort), auditee=ada
    )
    report = FeedbackReportFactory(pairing=pairing, reading={"criteria": [], "findings": []})
    assert program.head(f"feedback/{report.pk}/").status_code == HTTPStatus.OK
    with scope(organization=assignment.organization):
        assert FeedbackReport.objects.get().read_at is None


@pytest.mark.parametrize("state", ["done", "needs_review", "degraded"])
def test_what_a_peers_audit_ended_in_is_told_by_its_report_alone(
    program, assignment, ada, submission, state
):
    pairing = PairingFactory(
        round__assignment=assignment, auditor=student(assignment.cohort), auditee=ada
    )
    audit = AuditFactory(
        submission=submission, kind="peer", done=True, state=state, overall_score=None
    )
    FeedbackReportFactory(pairing=pairing, platform=True, audit=audit, submission=submission)
    (row,) = program.get(f"pairings/{pairing.pk}/").json()["reports"]
    assert (row["state"], row["created_on"]) == ("done", audit.finished_at.date().isoformat())


def test_rubrics_are_for_the_staff(program, teacher, assignment):
    version = assignment.rubric_version
    assert [row["slug"] for row in teacher.get("rubrics/").json()["results"]] == [
        version.rubric.slug
    ]
    rows = teacher.get(f"rubrics/{version.rubric.slug}/versions/").json()["results"]
    assert [row["number"] for row in rows] == [1]
    assert teacher.get(f"versions/{version.pk}/").json()["document"] == version.document
    for path in ("rubrics/", f"rubrics/{version.rubric.slug}/versions/", f"versions/{version.pk}/"):
        assert program.get(path).status_code == HTTPStatus.NOT_FOUND


def test_a_rubric_is_brought_in_as_a_draft(teacher, assignment):
    text = json.dumps(rubric_document("tidy") | {"id": "other", "name": "Another"})
    answer = teacher.post("rubrics/import/", {"text": text, "source": "a script"})
    assert (answer.status_code, answer.json()["state"]) == (HTTPStatus.CREATED, RubricState.DRAFT)
    again = teacher.post("rubrics/import/", {"text": text})
    assert (again.status_code, error_of(again)["code"]) == (422, "rubric_known")
    with scope(organization=assignment.organization):
        assert RubricVersion.objects.filter(rubric__slug="other").count() == 1


def test_what_is_no_rubric_is_refused(teacher):
    answer = teacher.post("rubrics/import/", {"text": "{"})
    assert (answer.status_code, error_of(answer)["code"].startswith("rubric_")) == (422, True)


def test_a_preview_stores_nothing(teacher, assignment, submission):
    GradeFactory(audit=AuditFactory(submission=submission, done=True))
    with scope(organization=assignment.organization):
        before = (RubricVersion.objects.count(), Activity.objects.count())
    answer = teacher.post(
        f"{below(assignment)}/preview/", {"document": assignment.rubric_version.document}
    )
    assert answer.status_code == HTTPStatus.OK
    assert [row["student"] for row in answer.json()] == [submission.student.email]
    with scope(organization=assignment.organization):
        assert (RubricVersion.objects.count(), Activity.objects.count()) == before
    refused = teacher.post(f"{below(assignment)}/preview/", {"document": {"criteria": []}})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "rubric_faulty")


def test_an_export_is_the_pages_own_and_logged(teacher, assignment, ada):
    answer = teacher.post(f"{below(assignment)}/export/", {"layout": "moodle"})
    assert (answer.status_code, answer["Content-Type"]) == (
        HTTPStatus.OK,
        "text/csv; charset=utf-8",
    )
    assert ada.email in b"".join(answer.streaming_content).decode()
    with scope(organization=assignment.organization):
        assert Activity.objects.filter(verb="grades.exported").count() == 1


def test_each_part_needs_its_scope(assignment, ada, submission):
    finding = found_in(submission, 1)[0]
    reader = Program(ada.user, ada.organization.slug, scopes=[ApiScope.READ])
    boss = Program(
        staff_user(assignment.organization), assignment.organization.slug, scopes=[ApiScope.READ]
    )
    answers = [
        reader.post(f"findings/{finding.pk}/answers/", {"kind": "will_fix"}),
        boss.post("rubrics/import/", {"text": "{}"}),
        boss.post(f"{below(assignment)}/preview/", {"document": {}}),
        boss.post(f"{below(assignment)}/export/", {}),
    ]
    assert [error_of(answer)["code"] for answer in answers] == ["scope_missing"] * 4
