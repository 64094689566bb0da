"""Handing in through the API: the same rules as the form's, one answer to one key, and no more of a verdict than pages show."""

import json
from http import HTTPStatus
from pathlib import Path

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import ApiScope, ReleasePolicy
from grading.grades.queries.final_scores import released_value_of
from grading.models import Audit, CriterionVerdict, IdempotencyKey, Submission
from tests.factories.example_report import report_json
from tests.factories.grades import GradeFactory, OverrideFactory
from tests.factories.people import staff_user, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, CriterionVerdictFactory, SubmissionFactory
from tests.web_client.api_program import Program, error_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("handed-in") / "work.git"
    make_repository(path, [Commit("Begin", {"main.py": "print(1)\n"})])
    return str(path)


def submissions(assignment):
    return f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/submissions/"


def test_what_is_handed_in_is_queued_and_can_be_watched(program, assignment, ada, repository):
    answer = program.post(submissions(assignment), {"repo_url": repository})
    assert answer.status_code == HTTPStatus.CREATED, answer.content
    submission_body = answer.json()
    assert {
        key: submission_body[key]
        for key in ("assignment", "student", "attempt", "repo_url", "ref", "counts")
    } == {
        "assignment": assignment.slug,
        "student": ada.email,
        "attempt": 1,
        "repo_url": repository,
        "ref": "",
        "counts": True,
    }
    assert len(submission_body["commit"]) == 40
    watched = program.get(f"audits/{submission_body['audit']}/").json()
    assert (watched["state"], watched["position"], watched["report"]) == ("queued", 1, None)
    assert program.get(submissions(assignment)).json()["results"] == [submission_body]
    assert program.get(f"submissions/{submission_body['id']}/").json() == submission_body


@pytest.mark.parametrize(
    ("sent", "status", "code", "field"),
    [
        ({}, 400, "invalid", "repo_url"),
        ({"repo_url": ""}, 400, "invalid", "repo_url"),
        ({"repo_url": "ftp://git.example.org/x"}, 422, "url_not_https", "repo_url"),
        ({"repo_url": "x" * 501}, 400, "invalid", "repo_url"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(program, assignment, sent, status, code, field):
    answer = program.post(submissions(assignment), sent)
    assert (answer.status_code, error_of(answer)["code"], error_of(answer)["field"]) == (
        status,
        code,
        field,
    )
    assert list(error_of(answer)["fields"]) == [field]


@pytest.mark.parametrize("body", ["{", "[]", '"text"', "null", "\0"])
def test_a_body_that_is_no_object_is_refused(program, assignment, body):
    answer = program.post(submissions(assignment), body)
    assert (answer.status_code, sorted(error_of(answer))) == (
        400,
        ["code", "field", "fields", "message"],
    )


def test_a_program_that_asks_again_with_its_key_hands_in_once(program, assignment, repository):
    answers = [
        program.post(
            submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
        )
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()
    with scope(organization=assignment.organization):
        assert Submission.objects.count() == 1


def test_a_key_belongs_to_what_was_first_asked_with_it(program, assignment, repository):
    program.post(
        submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
    )
    answer = program.post(
        submissions(assignment),
        {"repo_url": repository, "ref": "main"},
        headers={"idempotency-key": "run 7"},
    )
    assert (answer.status_code, error_of(answer)["code"]) == (422, "key_reused")


def test_after_a_refusal_the_key_is_free_again(program, assignment, repository):
    refused = program.post(
        submissions(assignment), {"repo_url": "ftp://x"}, headers={"idempotency-key": "run 7"}
    )
    taken = program.post(
        submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
    )
    assert [refused.status_code, taken.status_code] == [422, 201]


def test_a_key_that_is_being_worked_on_is_not_worked_on_twice(program, assignment, ada, repository):
    def meanwhile(**_):
        answer = program.post(
            submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
        )
        refusals.append((answer.status_code, error_of(answer)["code"]))
        return "a" * 40

    refusals: list[tuple[int, str]] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("grading.engine.audits.probe_repository", lambda *_: meanwhile())
        program.post(
            submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
        )
    assert refusals == [(422, "key_in_use")]


def test_another_person_may_use_the_same_key(program, assignment, repository):
    other = student(assignment.cohort)
    theirs = Program(other.user, other.organization.slug)
    for sender in (program, theirs):
        answer = sender.post(
            submissions(assignment), {"repo_url": repository}, headers={"idempotency-key": "run 7"}
        )
        assert answer.status_code == HTTPStatus.CREATED
    with scope(organization=assignment.organization):
        assert IdempotencyKey.objects.count() == 2


def test_without_the_scope_nothing_is_handed_in(assignment, ada, repository):
    reader = Program(ada.user, ada.organization.slug, scopes=[ApiScope.READ])
    answer = reader.post(submissions(assignment), {"repo_url": repository})
    assert (answer.status_code, error_of(answer)["code"]) == (HTTPStatus.FORBIDDEN, "scope_missing")
    with scope(organization=assignment.organization):
        assert not Submission.objects.exists()


def test_staff_see_everybodys_attempts_and_students_their_own(program, assignment, ada):
    for person in (ada, student(assignment.cohort)):
        AuditFactory(submission__assignment=assignment, submission__student=person)
    teacher = Program(staff_user(assignment.organization), assignment.organization.slug)
    counts = [
        len(sender.get(submissions(assignment)).json()["results"]) for sender in (program, teacher)
    ]
    assert counts == [1, 2]


def test_a_long_list_is_paged_in_as_many_queries(assignment, django_assert_max_num_queries):
    teacher = Program(staff_user(assignment.organization), assignment.organization.slug)
    for _ in range(7):
        AuditFactory(
            submission=SubmissionFactory(assignment=assignment, student=student(assignment.cohort))
        )
    collected, address = [], f"{submissions(assignment)}?page_size=3"
    while address:
        with django_assert_max_num_queries(12):
            page = teacher.get(address).json()
        collected += [row["id"] for row in page["results"]]
        address = page["next"] and page["next"].partition(f"/o/{teacher.org}/")[2]
    assert (len(collected), len(set(collected))) == (7, 7)


@pytest.fixture
def audited(assignment, ada):
    return AuditFactory(
        submission__assignment=assignment,
        submission__student=ada,
        done=True,
        report=report_json(criteria=2),
    )


def test_a_report_is_read_as_json_and_as_text(program, audited):
    submission_body = program.get(f"audits/{audited.pk}/").json()
    assert submission_body["report"].endswith(f"/audits/{audited.pk}/report/")
    assert submission_body["overall_score"] == audited.report["overall_score"]
    assert program.get(f"audits/{audited.pk}/report/").json() == json.loads(
        json.dumps(audited.report)
    )
    text = program.get(f"audits/{audited.pk}/report.md")
    assert text["Content-Type"] == "text/markdown; charset=utf-8"
    assert text.content.decode().startswith("# ")


def test_findings_and_checks_of_a_report_are_read_by_other_programs(program, audited):
    sarif = program.get(f"audits/{audited.pk}/report.sarif")
    (run,) = json.loads(sarif.content)["runs"]
    assert sarif["Content-Type"] == "application/sarif+json; charset=utf-8"
    assert run["properties"]["reportDigest"] == audited.report["digest"]
    junit = program.get(f"audits/{audited.pk}/report.junit.xml")
    assert junit["Content-Type"] == "application/xml; charset=utf-8"
    assert junit.content.count(b"<testsuite ") == len(audited.report["criteria"])


def test_a_verdict_that_is_withheld_is_withheld_here_as_well(program, audited, assignment):
    assignment.release_policy = ReleasePolicy.AFTER_RELEASE
    with scope(organization=assignment.organization):
        assignment.save()
    submission_body = program.get(f"audits/{audited.pk}/").json()
    assert (
        submission_body["state"],
        submission_body["overall_score"],
        submission_body["report"],
    ) == ("done", None, None)
    for path in ("report/", "report.md", "report.sarif", "report.junit.xml"):
        assert program.get(f"audits/{audited.pk}/{path}").status_code == HTTPStatus.NOT_FOUND


def test_of_a_withheld_verdict_not_even_its_kind_is_told(program, audited, assignment):
    with scope(organization=assignment.organization):
        Audit.objects.filter(pk=audited.pk).update(state="needs_review")
        type(assignment).objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    assert program.get(f"audits/{audited.pk}/").json()["state"] == "done"


def test_same_work_is_refused_until_it_is_confirmed(program, assignment, repository):
    sent = {"repo_url": repository}
    program.post(submissions(assignment), sent)
    with scope(organization=assignment.organization):
        Audit.objects.update(
            state="done", report={}, report_digest="d" * 64, finished_at=timezone.now()
        )
    refused = program.post(submissions(assignment), sent)
    assert (refused.status_code, error_of(refused)["code"], error_of(refused)["field"]) == (
        422,
        "same_work",
        "again",
    )
    answer = program.post(submissions(assignment), sent | {"again": True})
    assert (answer.status_code, answer.json()["attempt"]) == (HTTPStatus.CREATED, 2)


def test_what_counts_for_the_grade_is_told_but_not_of_a_withheld_verdict(
    program, audited, assignment
):
    GradeFactory(audit=audited)
    SubmissionFactory(assignment=assignment, student=audited.submission.student, attempt=9)

    def counting():
        rows = program.get(submissions(assignment)).json()["results"]
        return {row["attempt"] for row in rows if row["counts_for_grade"]}

    attempt = audited.submission.attempt
    submission_body = program.get(f"submissions/{audited.submission_id}/").json()
    assert (counting(), submission_body["counts_for_grade"]) == ({attempt}, True)
    with scope(organization=assignment.organization):
        type(assignment).objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    assert counting() == set()


def test_a_score_by_hand_counts_here_as_well(program, audited, assignment):
    with scope(organization=assignment.organization):
        CriterionVerdict.objects.filter(audit=audited).delete()
        for position, row in enumerate(audited.report["criteria"]):
            CriterionVerdictFactory(
                audit=audited,
                position=position,
                criterion_id=row["id"],
                name=row["name"],
                score=row["final_score"],
            )
    OverrideFactory(
        submission=audited.submission, criterion_id=audited.report["criteria"][0]["id"], score=1
    )
    with scope(organization=assignment.organization):
        counting = released_value_of(Audit.objects.get(pk=audited.pk))["overall_score"]
    score = program.get(f"audits/{audited.pk}/").json()["overall_score"]
    assert score == counting != audited.report["overall_score"]


def test_another_students_work_answers_like_a_missing_one(audited, assignment):
    other = student(assignment.cohort)
    theirs = Program(other.user, other.organization.slug)
    for path in (
        f"audits/{audited.pk}/",
        f"audits/{audited.pk}/report/",
        f"submissions/{audited.submission_id}/",
    ):
        answer = theirs.get(path)
        assert (answer.status_code, error_of(answer)["code"]) == (HTTPStatus.NOT_FOUND, "not_found")
    with scope(organization=assignment.organization):
        assert Audit.objects.filter(pk=audited.pk).exists()
