"""The outbox: letters leave after what they tell of has committed, and a mail server that is away loses none.

A letter is claimed (its try is counted) before it is handed over and marked afterwards, so a machine that dies in
between sends that one letter again and no other; both carry the same Message-ID.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from time import monotonic
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.models import Notice
from grading.notifications.outbox import Outbox

STOP_AFTER_SECONDS = 120  # what is left then goes with the next job
MAX_TRIES = 3
NEXT_TRY = timedelta(minutes=10)
REFUSED_FOR_GOOD = 500  # SMTP: below it the trouble is the server's, and passes
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    rested = Q(tried_at=None) | Q(tried_at__lt=now - NEXT_TRY)
    return Q(rested, sent_at=None, tries__lt=MAX_TRIES)


EMAILS = Outbox(Notice, job="grading.jobs.send_letters", name="letters", seconds=180, due=_due)


def send_due_emails(*, organization_id: int) -> int:
    """Send what is due, oldest first, for at most two minutes; how many left.

    A letter that was refused is tried again later, three times in all. A server that cannot be reached costs no
    letter a try: all of them wait.
    """
    until, sent = monotonic() + STOP_AFTER_SECONDS, 0
    with scope(organization=organization_id):
        if not Notice.objects.filter(_due(timezone.now())).exists():
            return 0
        post = get_connection()
        try:
            post.open()
            while monotonic() < until and (notice := _claim()):
                sent += _sent(notice, post)
        except (SMTPException, OSError) as error:
            log.warning("mail_server_away", reason=str(error), sent=sent)
            Notice.objects.filter(_due(timezone.now())).update(tried_at=timezone.now())
        finally:
            post.close()
    return sent


def _claim() -> Notice | None:
    """The oldest letter that is due, no longer due for anybody else."""
    now = timezone.now()
    with transaction.atomic():
        waiting = Notice.objects.filter(_due(now)).select_for_update(skip_locked=True, of=("self",))
        notice = waiting.select_related("user", "organization").order_by("pk").first()
        if notice is not None:
            Notice.objects.filter(pk=notice.pk).update(tries=F("tries") + 1, tried_at=now)
    return notice


def _sent(notice: Notice, post: BaseEmailBackend) -> bool:
    """Whether the letter left; a server that cannot take any letter now raises."""
    try:
        email_message_of(notice, post).send()
    except SMTPRecipientsRefused as error:
        codes = [
            code for code, _said in error.recipients.values()
        ]  # what it says repeats the address
        log.warning("letter_refused", notice=notice.pk, codes=codes)
        return False
    except SMTPResponseException as error:
        if error.smtp_code < REFUSED_FOR_GOOD:
            raise
        log.warning("letter_refused", notice=notice.pk, codes=[error.smtp_code])
        return False
    Notice.objects.filter(pk=notice.pk).update(sent_at=timezone.now())
    return True


def email_message_of(notice: Notice, post: BaseEmailBackend | None = None) -> EmailMessage:
    """The letter as it leaves: plain text, its link, and how to get no more of its kind."""
    off = f"{settings.SITE_URL}{reverse('notices', args=[notice.organization.slug])}?off={notice.kind}"
    context = {"notice": notice, "link": f"{settings.SITE_URL}{notice.path}", "off": off}
    return EmailMessage(
        subject=f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{notice.subject}",
        body=render_to_string("notifications/emails/letter.txt", context),
        to=[notice.user.email],
        connection=post,
        headers={
            "Message-ID": f"<notice-{notice.pk}@{urlsplit(settings.SITE_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{off}>",
        },
    )
