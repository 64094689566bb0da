"""Letters: to whom and about what, and that each leaves once, whatever dies or is away in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as configuration
from django.core import mail
from django.db import connection
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope
from rq import SimpleWorker

from grading import workflow
from grading.audits import actions as audit_actions
from grading.core.enums import AuditKind, NoticeKind
from grading.jobs import send_letters
from grading.models import Audit, Notice
from grading.notifications import email_outbox
from grading.notifications.choices import choose_emails
from grading.notifications.emails import Email, notify, notify_all
from grading.workflow import give_back, reconcile
from tests.factories.grades import NoticeFactory
from tests.factories.mail_server import HANG_UP, MailServer, serve_mail
from tests.factories.people import UserFactory, everywhere, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory, claimed
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def mail_server(settings: Any) -> Iterator[MailServer]:
    with serve_mail() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = (
            "127.0.0.1",
            server.port,
            10,
        )
        yield server


def written(**fields: Any) -> Any:
    given = {
        "kind": NoticeKind.RELEASED,
        "subject": "Week 2",
        "body": "It was released.",
        "path": "/o/a/audits/1/",
    }
    user = fields.pop("user", None) or UserFactory.create()
    organization = (
        fields.pop("organization", None)
        or NoticeFactory.create(sent_at=timezone.now()).organization
    )
    with scope(organization=organization):
        notify(organization=organization, user=user, **given | fields)
        return Notice.objects.filter(user=user).first()


def states() -> list[tuple[bool, int]]:
    with everywhere():
        return [(notice.sent_at is not None, notice.tries) for notice in Notice.objects.all()]


def jobs() -> list[str]:
    return [job.partition("-")[0] for job in get_queue("letters").job_ids]


@pytest.mark.parametrize("readers", [1, 4])
def test_many_letters_are_written_in_two_queries_and_none_to_who_wants_none(
    readers, django_assert_num_queries
):
    users = UserFactory.create_batch(readers)
    unwilling, organization = (
        UserFactory.create(),
        NoticeFactory.create(sent_at=timezone.now()).organization,
    )
    with scope(organization=organization):
        choose_emails(organization=organization, user=unwilling, wanted=[])
        recipients = [
            Email(user, "Week\n2", "It was released.", "/o/a/")
            for user in [*users, unwilling, None]
        ]
        with django_assert_num_queries(2):
            number = notify_all(
                organization_id=organization.pk, kind=NoticeKind.RELEASED, emails=recipients
            )
        user_ids = Notice.objects.filter(subject="Week 2").values_list("user", flat=True)
        assert (number, sorted(user_ids)) == (readers, sorted(user.pk for user in users))


def test_a_letter_is_announced_when_what_it_tells_of_has_committed(
    django_capture_on_commit_callbacks,
):
    with django_capture_on_commit_callbacks(execute=True):
        written()
        assert jobs() == []
    assert jobs() == ["letters"]


def test_the_job_on_the_queue_sends_it(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        notice = written()
    queue = get_queue("letters")
    SimpleWorker([queue], connection=queue.connection).work(burst=True)
    assert [letter.to for letter in mail.outbox] == [[notice.user.email]]


def test_many_letters_of_one_organization_make_one_job(django_capture_on_commit_callbacks):
    organization = NoticeFactory.create(sent_at=timezone.now()).organization
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            written(organization=organization)
        written()
    assert jobs() == ["letters"] * 2


@pytest.mark.parametrize("missing", [{"email": ""}, {"is_active": False}])
def test_nobody_is_written_to_who_cannot_be(missing):
    assert written(user=UserFactory.create(**missing)) is None


def test_a_place_on_a_roster_without_an_account_gets_no_letter():
    organization = NoticeFactory.create(sent_at=timezone.now()).organization
    with scope(organization=organization):
        notify(
            organization=organization,
            user=None,
            kind=NoticeKind.RELEASED,
            subject="",
            body="",
            path="/",
        )
        assert Notice.objects.filter(sent_at=None).count() == 0


def test_whoever_switched_a_kind_off_gets_the_others_only():
    organization = NoticeFactory.create(sent_at=timezone.now()).organization
    user = UserFactory.create()
    with scope(organization=organization):
        choose_emails(organization=organization, user=user, wanted=[NoticeKind.AUDIT_FAILED])
    assert written(organization=organization, user=user) is None
    assert written(organization=organization, user=user, kind=NoticeKind.AUDIT_FAILED).tries == 0
    with scope(organization=organization):
        choose_emails(organization=organization, user=user, wanted=list(NoticeKind))
    assert written(organization=organization, user=user).user == user


def test_a_letter_says_where_to_look_and_how_to_get_no_more(settings):
    settings.SITE_URL = "https://audits.example"
    notice = written(
        subject="Week 2\nBcc: all@example.org was released", body="Grades & <marks> are out."
    )
    send_letters(notice.organization_id)
    (letter,) = mail.outbox
    off = f"https://audits.example/o/{notice.organization.slug}/notices/?off=released"
    assert (letter.to, letter.subject) == (
        [notice.user.email],
        f"[{notice.organization.name}] Week 2 Bcc: [link removed] was released",
    )
    assert letter.body == (
        "Grades & <marks> are out.\n\nhttps://audits.example/o/a/audits/1/\n\n--\n"
        f"Sent for {notice.organization.name} by Automaton Auditor. "
        "Reason: “One of my grades was released or changed”.\n"
        f"Stop emails of this kind: {off}\n"
    )
    assert letter.extra_headers["List-Unsubscribe"] == f"<{off}>"
    assert letter.extra_headers["Message-ID"] == f"<notice-{notice.pk}@audits.example>"


def test_each_letter_leaves_once_and_only_its_organizations():
    notice, other = NoticeFactory.create(), NoticeFactory.create()
    for _ in range(2):
        send_letters(notice.organization_id)
    assert [letter.to for letter in mail.outbox] == [[notice.user.email]]
    assert states() == [(True, 1), (False, 0)]
    assert other.sent_at is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.processes
@pytest.mark.servers
def test_a_sender_killed_before_it_could_mark_a_letter_sends_that_one_again_and_no_other(
    mail_server,
):
    first = NoticeFactory.create()
    second = NoticeFactory.create(organization=first.organization)
    killed = sender(first.organization_id, mail_server)
    mail_server.victim = killed.pid
    assert killed.wait(timeout=60) == -signal.SIGKILL
    assert states() == [(False, 1), (False, 0)]
    mail_server.victim = None

    def second_is_sent() -> bool:
        send_letters(first.organization_id)
        return states() == [(False, 1), (True, 1)]

    # The killed one's turn ends when PostgreSQL sees that its connection is closed.
    eventually(second_is_sent)
    rest(first)
    send_letters(first.organization_id)
    assert mail_server.recipients() == [first.user.email, second.user.email, first.user.email]
    assert states() == [(True, 2), (True, 1)]
    ids = [letter["Message-ID"] for letter in mail_server.letters]
    assert (ids[0] == ids[2], ids[0] == ids[1]) == (True, False)


def sender(organization_id: int, mail_server: MailServer) -> subprocess.Popen[bytes]:
    """A process of its own that sends an organization's letters."""
    url = (
        urlsplit(os.environ["DATABASE_URL"])
        ._replace(path=f"/{connection.settings_dict['NAME']}")
        .geturl()
    )
    environment = os.environ | {
        "DATABASE_URL": url,
        "EMAIL_URL": f"smtp://127.0.0.1:{mail_server.port}",
        "SECRET_KEY": configuration.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.local",
    }
    send = f"from grading.jobs import send_letters; send_letters({organization_id})"
    return subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", send],
        cwd=configuration.BASE_DIR,
        env=environment,
    )


def rest(notice: Notice) -> None:
    """The letter's time to be tried again has come."""
    with everywhere():
        Notice.objects.filter(pk=notice.pk).update(tried_at=LONG_AGO)


def test_a_letter_arrives_as_plain_text(mail_server):
    notice = NoticeFactory.create(subject="“Week 2”: released", body="Prüfung “Week 2”.\n.\nThere.")
    send_letters(notice.organization_id)
    (letter,) = mail_server.letters
    assert (letter["Subject"], letter["To"]) == (
        f"[{notice.organization.name}] “Week 2”: released",
        notice.user.email,
    )
    assert (letter.get_content_type(), letter["Auto-Submitted"]) == ("text/plain", "auto-generated")
    assert letter.get_content().splitlines()[:4] == ["Prüfung “Week 2”.", ".", "There.", ""]


def test_a_refused_letter_holds_up_no_other_and_is_tried_three_times(mail_server):
    refused = NoticeFactory.create()
    other = NoticeFactory.create(organization=refused.organization)
    mail_server.refused[refused.user.email] = "550 no such person"
    for _ in range(5):
        send_letters(refused.organization_id)
        rest(refused)
    assert states() == [(False, 3), (True, 1)]
    assert mail_server.recipients() == [other.user.email]


@pytest.mark.parametrize("answer", [HANG_UP, "421 going down"])
def test_a_mail_server_that_goes_away_makes_the_rest_wait(mail_server, answer):
    notice = NoticeFactory.create()
    NoticeFactory.create_batch(2, organization=notice.organization)
    mail_server.answers += ["250 taken", answer]
    for _ in range(2):
        send_letters(notice.organization_id)
        assert states() == [(True, 1), (False, 1), (False, 0)]


def test_a_mail_server_that_is_away_costs_no_letter_a_try(settings):
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    notice = NoticeFactory.create()
    send_letters(notice.organization_id)
    assert states() == [(False, 0)]


def test_the_reconciler_announces_what_was_left_and_nothing_else():
    waiting, fresh, sent, refused = NoticeFactory.create_batch(4)
    with everywhere():
        Notice.objects.exclude(pk=fresh.pk).update(created_at=LONG_AGO)
        Notice.objects.filter(pk=sent.pk).update(sent_at=LONG_AGO)
        Notice.objects.filter(pk=refused.pk).update(tries=email_outbox.MAX_TRIES)
    assert [reconcile().with_letters for _ in range(2)] == [1, 1]
    assert [job.split("-")[1] for job in get_queue("letters").job_ids] == [
        str(waiting.organization_id)
    ]


def test_without_a_queue_the_action_holds_all_the_same(
    settings, django_capture_on_commit_callbacks
):
    settings.RQ_QUEUES = {name: {"URL": "redis://127.0.0.1:1/0"} for name in settings.QUEUES}
    with django_capture_on_commit_callbacks(execute=True):
        notice = written()
    assert states()[-1] == (False, 0)
    assert notice.tries == 0


def audit_of(kind: AuditKind, **fields: Any) -> Audit:
    assignment = AssignmentFactory.create(title="Week 2")
    submission = SubmissionFactory.create(assignment=assignment, student=student(assignment.cohort))
    return AuditFactory.create(submission=submission, kind=kind, **fields)


@pytest.mark.parametrize(("kind", "written_to"), [(AuditKind.SELF, 1), (AuditKind.INSTRUCTOR, 0)])
def test_a_student_is_told_that_their_own_audit_failed(kind, written_to):
    audit = audit_of(kind)
    lease = claimed(audit)
    with scope(organization=audit.organization):
        workflow.fail_audit(
            lease=lease, code="repository_empty", message="The repository has no commits."
        )
        notices = list(Notice.objects.values_list("user", "kind", "subject", "path"))
    recipients = (
        audit.submission.student.user_id,
        "audit_failed",
        "Week 2: attempt 1 couldn't be audited",
    )
    assert (
        notices == [(*recipients, f"/o/{audit.organization.slug}/audits/{audit.pk}/")] * written_to
    )


def test_a_student_is_told_after_the_third_lost_attempt_and_not_before():
    audit = audit_of(AuditKind.SELF, running=True)
    with scope(organization=audit.organization):
        give_back(audit=audit, code="worker_lost", message="A person has to look at it.")
        assert Notice.objects.count() == 0
        Audit.objects.filter(pk=audit.pk).update(state="queued", run_attempt=2)
        lease = audit_actions.claim_audit(audit_id=audit.pk, run_attempt=3)
        assert lease is not None
        last = Audit.objects.get(pk=audit.pk)
        give_back(audit=last, code="worker_lost", message="A person has to look at it.")
        assert [notice.body for notice in Notice.objects.all()] == [
            "Attempt 1 at “Week 2” has no verdict. Failed audits don't use an attempt.\n\nA person has to look at it."
        ]
