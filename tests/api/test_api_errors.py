"""However it is asked, the API answers in its one shape: nothing that is sent breaks it, and nothing is passed over in silence."""

import json
from http import HTTPStatus

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django_scopes import scope

from grading.api import request_body
from grading.models import Submission
from tests.api.test_api_schema import SCHEMA
from tests.factories.example_report import report_json
from tests.factories.people import CohortFactory, student
from tests.factories.work import AuditFactory, SubmissionFactory
from tests.web_client.api_program import error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def submissions(assignment):
    return f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/submissions/"


@pytest.fixture
def findings(assignment):
    return f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/findings/"


def error_parts(answer):
    return answer.status_code, error_of(answer)["code"], error_of(answer)["field"]


@pytest.mark.parametrize("cursor", ["nonsense", "cD1ub25zZW5zZQ==", "", "%00"])
def test_a_cursor_that_was_not_given_out_is_none(teacher, submissions, cursor):
    for path in ("cohorts/", "webhooks/", submissions):
        answer = teacher.get(f"{path}?cursor={cursor}")
        assert error_parts(answer) == (HTTPStatus.NOT_FOUND, "not_found", None)


def test_a_cursor_of_one_list_is_none_of_another(teacher, assignment, submissions):
    CohortFactory.create_batch(2, organization=assignment.organization)
    cursor = teacher.get("cohorts/?page_size=1").json()["next"].partition("cursor=")[2]
    assert teacher.get(f"cohorts/?page_size=1&cursor={cursor}").status_code == HTTPStatus.OK
    assert error_parts(teacher.get(f"{submissions}?cursor={cursor}")) == (
        HTTPStatus.NOT_FOUND,
        "not_found",
        None,
    )


def test_what_arrives_between_two_pages_shifts_nothing(teacher, assignment, submissions):
    made = [
        SubmissionFactory(assignment=assignment, student=student(assignment.cohort))
        for _ in range(4)
    ]
    first = teacher.get(f"{submissions}?page_size=2").json()
    SubmissionFactory(assignment=assignment, student=student(assignment.cohort))
    second = teacher.client.get(first["next"]).json()
    listed = [row["id"] for row in first["results"] + second["results"]]
    assert (listed, second["next"]) == ([str(made_row.pk) for made_row in reversed(made)], None)
    assert [
        row["id"] for row in teacher.client.get(second["previous"]).json()["results"]
    ] == listed[:2]


@pytest.mark.parametrize(
    ("query_string", "field"),
    [
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        (f"page_size=1{'0' * 30}", "page_size"),
        ("page_size=000200200", "page_size"),
        ("page_size=%C2%B2", "page_size"),
        ("pagesize=5", "pagesize"),
        ("format=xml", "format"),
    ],
)
def test_what_is_asked_wrongly_of_a_list_is_said(program, query_string, field):
    assert error_parts(program.get(f"cohorts/?{query_string}")) == (
        HTTPStatus.BAD_REQUEST,
        "invalid",
        field,
    )


def test_what_is_asked_of_one_thing_or_of_oneself_is_held_to_the_same(program, assignment):
    for answer in (
        program.get(f"cohorts/{assignment.cohort.slug}/?page_size=5"),
        program.client.get("/api/v1/organizations/?page_size=5&name=x"),
    ):
        assert error_parts(answer)[:2] == (HTTPStatus.BAD_REQUEST, "invalid")


@pytest.mark.parametrize(
    ("query_string", "field"), [("group=lost", "group"), ("groups=new", "groups")]
)
def test_filters_are_refused_where_they_cannot_be_meant(teacher, findings, query_string, field):
    assert error_parts(teacher.get(f"{findings}?{query_string}")) == (
        HTTPStatus.BAD_REQUEST,
        "invalid",
        field,
    )


def test_nobody_is_called_what_no_database_can_hold(teacher, findings):
    assert error_parts(teacher.get(f"{findings}?student=%00")) == (
        HTTPStatus.NOT_FOUND,
        "not_found",
        None,
    )


def test_every_documented_filter_is_taken(teacher, assignment, ada):
    named = {"org": teacher.org, "cohort": assignment.cohort.slug, "assignment": assignment.slug}
    given = {"student": ada.email, "group": "new", "state": "failed", "page_size": 3}
    statuses = []
    for path, methods in json.loads(SCHEMA.read_text())["paths"].items():
        filters = [
            parameter["name"]
            for parameter in methods.get("get", {}).get("parameters", ())
            if parameter["in"] == "query"
        ]
        if set(filters) <= {"cursor"} or "id}" in path or "{rubric}" in path:
            continue
        # A student's own; the teacher who asks here has none.
        if path.endswith(("{cohort}/repositories/", "/push-links/")):
            continue
        query = "&".join(f"{name}={given.get(name, 'x')}" for name in filters if name != "cursor")
        statuses.append(teacher.client.get(f"{path.format(**named)}?{query}").status_code)
    assert len(statuses) > 8
    assert set(statuses) == {HTTPStatus.OK}


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "body", [DEEP, '{"repo_url":' + DEEP, '{"repo_url": "\\ud800"}', '{"ref": ' + "9" * 9000 + "}"]
)
def test_json_that_cannot_be_stored_is_refused_as_unreadable(program, submissions, body):
    assert error_parts(program.post(submissions, body)) == (
        HTTPStatus.BAD_REQUEST,
        "parse_error",
        None,
    )


def test_more_than_is_read_is_refused_before_it_is_read(
    program, submissions, settings, monkeypatch
):
    monkeypatch.setattr(request_body, "MAX_JSON_BYTES", 100)
    settings.UPLOAD_MAX_BYTES = 10
    pdf = SimpleUploadedFile("report.pdf", b"x" * (request_body.FORM_OVERHEAD + 10))
    answers = [
        program.post(submissions, {"repo_url": "x" * 200}),
        program.client.post(
            f"/api/v1/o/{program.org}/{submissions}", {"repo_url": "x", "pdf": pdf}
        ),
        program.client.post(
            f"/api/v1/o/{program.org}/{submissions}", {"repo_url": "x" * 3_000_000}
        ),
    ]
    assert [error_parts(answer) for answer in answers] == [(413, "too_large", None)] * 3


@pytest.mark.parametrize(
    ("content_type", "body", "code"),
    [
        ("multipart/form-data", "garbage", "parse_error"),
        ("multipart/form-data; boundary=x", "garbage", "invalid"),
        ("application/xml", "<a/>", "unsupported_media_type"),
        ("text/plain", "{}", "unsupported_media_type"),
    ],
)
def test_other_bodies_are_refused_in_the_same_shape(program, submissions, content_type, body, code):
    answer = program.post(submissions, body, content_type=content_type)
    assert error_parts(answer)[1] == code
    assert sorted(error_of(answer)) == ["code", "field", "fields", "message"]


def test_a_form_with_too_many_fields_is_refused(program, submissions, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    answer = program.client.post(
        f"/api/v1/o/{program.org}/{submissions}", {f"f{n}": "x" for n in range(9)}
    )
    assert error_parts(answer) == (HTTPStatus.BAD_REQUEST, "parse_error", None)


def test_a_name_of_a_file_may_be_in_any_script(program, submissions, assignment):
    pdf = SimpleUploadedFile("Bericht - Übung ☃.pdf", b"%PDF-1.7 no report")
    answer = program.client.post(
        f"/api/v1/o/{program.org}/{submissions}", {"repo_url": "ftp://x", "pdf": pdf}
    )
    assert error_parts(answer) == (422, "pdf_unreadable", "pdf")
    with scope(organization=assignment.organization):
        assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("method", "allowed"),
    [("put", "GET, POST, HEAD, OPTIONS"), ("patch", "GET, POST, HEAD, OPTIONS")],
)
def test_what_may_not_be_done_names_what_may(program, submissions, method, allowed):
    answer = getattr(program.client, method)(
        f"/api/v1/o/{program.org}/{submissions}", "{}", content_type="application/json"
    )
    assert (error_parts(answer), answer["Allow"]) == ((405, "method_not_allowed", None), allowed)


def test_head_answers_as_get_without_its_body_and_options_what_may_be_done(program, submissions):
    got, head = program.get(submissions), program.head(submissions)
    assert (head.status_code, head.content, head["Content-Type"]) == (200, b"", got["Content-Type"])
    assert (
        program.client.options(f"/api/v1/o/{program.org}/{submissions}")["Allow"]
        == "GET, POST, HEAD, OPTIONS"
    )


@pytest.mark.parametrize("accept", ["text/markdown", "application/json", "image/png", "*/*"])
def test_each_address_answers_in_its_one_form_and_keeps_nothing_on_the_way(
    program, assignment, ada, accept
):
    audit = AuditFactory(
        submission=SubmissionFactory(assignment=assignment, student=ada),
        done=True,
        report=report_json(criteria=2),
    )
    place, headers = f"/api/v1/o/{program.org}/audits/{audit.pk}/report", {"accept": accept}
    answers = [program.client.get(f"{place}{ending}", headers=headers) for ending in (".md", "/")]
    assert [answer["Content-Type"] for answer in answers] == [
        "text/markdown; charset=utf-8",
        "application/json",
    ]
    assert {answer["Cache-Control"] for answer in answers} == {"private, no-store"}
