"""Answers on pushed commits: check runs at a GitHub, statuses at other hosts, and what they keep to themselves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import PushAnswer, PushState, ReleasePolicy
from grading.engine.commit_annotations import Annotation
from grading.grades.actions import override_criterion
from grading.grades.member_grades import adjust_grade
from grading.grades.releases import release_grades, withdraw_release
from grading.jobs import run_audit
from grading.models import Audit, Grade, Push, PushLink
from grading.submissions.pushes import answer_texts, check_runs, commit_answers
from grading.submissions.pushes.commit_answers import PAUSES, send_due_answers
from tests.factories.people import everywhere, staff_user
from tests.factories.pushes import (
    SECRET,
    encoded,
    github_headers,
    github_payload,
    link_of,
    push_of,
)
from tests.factories.repository_accesses import TOKEN, access_of, app_access_of
from tests.waiting import just_past

pytestmark = pytest.mark.django_db
ADAS = "private/course/ada"


@pytest.fixture
def link(assignment: Any, ada: Any, host: str, private: Any, github: Any) -> PushLink:
    """Ada's branch, linked by the GitHub App."""
    access = app_access_of(ada, host=host, path=ADAS)
    place = {"address": f"{private.url}/course/ada.git", "host": host, "path": ADAS}
    return link_of(assignment, ada, access=access, repository_id=1, sealed_secret="", **place)


@pytest.fixture
def pushed(link: PushLink, commits: list[str], submit: Any) -> Push:
    """A push that is an attempt and waits for its audit."""
    push_of(link, commit=commits[1])
    return submit()[0]


def answer(link: PushLink) -> Push:
    """Send what is due, however long it had to wait, and return the push."""
    with everywhere():
        Push.objects.exclude(answer_at=None).update(answer_at=timezone.now() - timedelta(seconds=1))
    send_due_answers(organization_id=link.organization_id)
    with everywhere():
        return Push.objects.get(link=link)


def audit_of(push: Push) -> Audit:
    with everywhere():
        key = Audit.objects.get(submission=push.submission_id).pk
    run_audit(str(key), 1)
    with everywhere():
        return Audit.objects.get(pk=key)


def set_policy(assignment: Any, policy: ReleasePolicy) -> None:
    with scope(organization=assignment.organization):
        type(assignment).objects.filter(pk=assignment.pk).update(release_policy=policy)


def check_run_of(github: Any) -> tuple[str, str, str]:
    """Status, conclusion and title of the run that GitHub shows: the last of its name."""
    run = github.check_runs[-1]
    return run["status"], run.get("conclusion", ""), run["output"]["title"]


def test_push_is_answered_as_it_waits_and_when_it_is_judged(
    github, link, deliver, submit, commits, settings
):
    settings.GITHUB_APP_WEBHOOK_SECRET = SECRET
    names: dict[str, Any] = {"repository": {"id": 1}, "installation": {"id": 7}}
    body = encoded(github_payload(commit=commits[1], **names))
    assert deliver("/hooks/github/", body, github_headers(body)) == 202
    pushed = submit()[0]
    answer(link)
    assert check_run_of(github) == ("queued", "", "Submitted")
    audit = audit_of(pushed)
    push = answer(link)
    assert [run["head_sha"] for run in github.check_runs] == [commits[1]]
    assert check_run_of(github) == (
        "completed",
        "neutral",
        f"{audit.overall_score:.1f} of 5, provisional",
    )
    assert (push.answer_at, push.answer_error, push.answer_tries) == (None, "", 0)
    # One token for this repository, with no other right.
    assert github.tokens[next(iter(github.writers))] == frozenset({1})


def test_withheld_result_leaves_nothing_on_the_commit_before_its_release(
    github, link, pushed, assignment
):
    set_policy(assignment, ReleasePolicy.AFTER_RELEASE)
    audit = audit_of(pushed)
    answer(link)
    assert check_run_of(github) == ("completed", "neutral", "Audited")
    sent = json.dumps(github.check_runs)
    assert (github.check_runs[-1]["annotations"], "of 5" in sent, "findings" in sent) == (
        [],
        False,
        False,
    )

    teacher = staff_user(assignment.organization)
    with scope(organization=assignment.organization):
        grade = Grade.objects.get()
        release_grades(assignment=assignment, grades=[grade], by=teacher)
    answer(link)
    assert check_run_of(github) == ("completed", "neutral", f"{audit.overall_score:.1f} of 5")

    with scope(organization=assignment.organization):
        withdraw_release(grade=Grade.objects.get(), reason="A mistake", by=teacher)
    answer(link)
    assert check_run_of(github) == ("completed", "neutral", "Audited")


def test_adjustment_of_a_person_is_not_told_to_readers_of_the_repository(
    github, link, pushed, assignment
):
    score = audit_of(pushed).overall_score
    teacher = staff_user(assignment.organization)
    with scope(organization=assignment.organization):
        adjust_grade(grade=Grade.objects.get(), delta=-0.5, reason="No part", by=teacher)
        release_grades(assignment=assignment, grades=[Grade.objects.get()], by=teacher)
        assert (Grade.objects.get().released or {})["overall_score"] != score
    answer(link)
    assert check_run_of(github) == ("completed", "neutral", f"{score:.1f} of 5")


def test_override_changes_the_answer_only_where_the_student_sees_it(
    github, link, pushed, assignment
):
    audit_of(pushed)
    answer(link)
    before = check_run_of(github)
    with scope(organization=assignment.organization):
        override_criterion(
            submission=pushed.submission,
            criterion_id=_criterion(pushed),
            score=1,
            reason="Empty",
            by=staff_user(assignment.organization),
        )
    answer(link)
    assert (check_run_of(github) != before, len(github.check_runs)) == (True, 2)


def _criterion(push: Push) -> str:
    report: Any = Audit.objects.get(submission=push.submission_id).report
    return str(report["criteria"][0]["id"])


def test_same_answer_is_not_sent_twice(github, link, pushed):
    answer(link)
    with everywhere():
        Push.objects.update(answer_at=just_past())
    answer(link)
    assert len([row for row in github.requests if "check-runs" in row]) == 1


def test_answer_that_says_only_done_holds_no_result(github, link, pushed):
    with everywhere():
        PushLink.objects.update(answer=PushAnswer.DONE)
    audit_of(pushed)
    answer(link)
    run = github.check_runs[-1]
    assert (check_run_of(github), run["annotations"], run["output"]["summary"]) == (
        ("completed", "neutral", "Audited"),
        [],
        "The report is on the course's site.",
    )


def test_no_answer_is_sent_where_the_student_wants_none(github, link, commits, submit):
    with everywhere():
        PushLink.objects.update(answer=PushAnswer.NOTHING)
    push_of(link, commit=commits[1])
    audit_of(submit()[0])
    answer(link)
    assert github.check_runs == []


def test_failed_audit_is_cancelled_with_its_sentence_and_no_score(github, link, pushed, private):
    private.is_allowed = lambda *_: False
    audit = audit_of(pushed)
    assert audit.state == "failed"
    answer(link)
    assert check_run_of(github) == ("completed", "cancelled", "Not audited")
    assert github.check_runs[-1]["output"]["summary"] == audit.failure_message


def test_refused_push_says_why(github, link, commits, submit, assignment):
    with scope(organization=assignment.organization):
        type(assignment).objects.filter(pk=assignment.pk).update(
            due_at=timezone.now() - timedelta(days=1), late_policy="refuse"
        )
    push_of(link, commit=commits[0])
    assert submit()[0].state == PushState.LATE
    answer(link)
    assert check_run_of(github) == ("completed", "neutral", "Not submitted")
    assert "was due on" in github.check_runs[-1]["output"]["summary"]


def test_annotations_stand_at_lines_of_files_fifty_in_a_request(github, link, pushed, monkeypatch):
    rows = tuple(
        Annotation("main.py", n, n + 1, "warning", f"Finding {n}", "Words") for n in range(1, 121)
    )
    monkeypatch.setattr(answer_texts, "annotations_of", lambda _report: (rows, ("@all [x](y)",)))
    audit_of(pushed)
    answer(link)
    run = github.check_runs[-1]
    lines = [(row["path"], row["start_line"], row["end_line"]) for row in run["annotations"]]
    assert lines == [("main.py", n, n + 1) for n in range(1, 121)]
    assert {row["annotation_level"] for row in run["annotations"]} == {"warning"}
    assert "- \\@all \\[x\\]\\(y\\)" in run["output"]["summary"]


def test_github_that_is_down_gets_the_answer_later(github, link, pushed):
    github.failing = 1
    push = answer(link)
    assert (github.check_runs, push.answer_tries, push.answer_at is not None) == ([], 1, True)
    assert push.answer_error == "GitHub did not answer as expected. Try again in a few minutes."
    push = answer(link)
    assert (len(github.check_runs), push.answer_error) == (1, "")


def test_answer_is_given_up_after_its_last_try(github, link, pushed, monkeypatch):
    monkeypatch.setattr(commit_answers, "PAUSES", PAUSES[:1])
    github.failing = 100
    for _ in range(2):
        push = answer(link)
    assert (push.answer_at, push.answer_error != "") == (None, True)


def _no_permission(github: Any) -> None:
    github.may_write_checks = False


def _reader(github: Any) -> None:
    github.rights[(ADAS, "ada")] = "read"


def _removed(github: Any) -> None:
    github.installations = {}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_no_permission, check_runs.NO_RIGHT),
        (_reader, check_runs.NOT_A_WRITER),
        (_removed, check_runs.NO_RIGHT),
    ],
)
def test_app_without_the_right_answers_nothing_and_says_so(github, link, pushed, change, sentence):
    change(github)
    push = answer(link)
    assert (push.answer_at, push.answer_error, github.check_runs) == (None, sentence, [])


# -- statuses by a token ---------------------------------------------------------------------------


@pytest.fixture
def hosts_api() -> Iterator[Any]:
    """An API that takes every status; `server.seen` are path, headers and body."""
    server: Any

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"]))
            server.seen.append((self.path, dict(self.headers), json.loads(text)))
            self.send_response(server.status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen, server.status = [], 201
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


STATUS_FORMS = {
    "gitlab": ("/api/v4/projects/ada%2Fproject/statuses/", "PRIVATE-TOKEN", "", "name"),
    "gitea": ("/api/v1/repos/ada/project/statuses/", "Authorization", "token ", "context"),
    "github": ("/api/v3/repos/ada/project/statuses/", "Authorization", "Bearer ", "context"),
}


@pytest.fixture
def status_link(assignment: Any, ada: Any, hosts_api: Any) -> PushLink:
    host = f"127.0.0.1:{hosts_api.server_port}"
    place = {"address": f"http://{host}/ada/project", "host": host, "path": "ada/project"}
    return link_of(assignment, ada, **place)


def refused_push(link: PushLink, forge: str) -> Push:
    return push_of(
        link,
        forge=forge,
        state=PushState.REFUSED,
        sentence="You have used your only attempt.",
        answer_at=just_past(),
    )


@pytest.mark.parametrize("forge", STATUS_FORMS)
def test_status_is_set_by_the_students_own_token(redis, hosts_api, status_link, ada, forge):
    access_of(ada, host=status_link.host, path="ada/project")
    push = refused_push(status_link, forge)
    assert answer(status_link).answer_error == ""
    path, header, prefix, name = STATUS_FORMS[forge]
    target, headers, body = hosts_api.seen[0]
    assert (target, headers[header]) == (f"{path}{push.commit}", f"{prefix}{TOKEN}")
    assert (body["state"], body["description"], name in body) == (
        "success",
        "Not submitted. You have used your only attempt.",
        True,
    )


def test_token_of_somebody_else_or_for_another_repository_sets_no_status(
    redis, hosts_api, status_link, ada, ben
):
    access_of(ben, host=status_link.host, path="ada/project")
    access_of(ada, host=status_link.host, path="ada/other")
    refused_push(status_link, "gitlab")
    assert answer(status_link).answer_error.startswith("To answer on the commit we need your token")
    assert hosts_api.seen == []


def test_host_that_refuses_the_token_is_told_and_not_asked_again(
    redis, hosts_api, status_link, ada
):
    access_of(ada, host=status_link.host, path="ada/project")
    hosts_api.status = 403
    refused_push(status_link, "gitlab")
    push = answer(status_link)
    assert (push.answer_at, "it answered 403" in push.answer_error) == (None, True)
