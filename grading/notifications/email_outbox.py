"""Sending of emails from the outbox. A mail server that is down loses none of them.

An email is claimed (its try is counted) before it is sent, and marked afterwards. A machine that
dies in between sends only that one again, with the same Message-ID.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from time import monotonic
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import OPTIONAL_NOTICES, NoticeKind
from grading.core.invitation_links import token_of
from grading.core.user_text import name_in_email
from grading.models import Notice, Organization
from grading.notifications.letter_limits import is_within_limits
from grading.notifications.outbox import Outbox

# The next turn sends the rest; the job's own deadline is 60 s.
SEND_SECONDS = 10
MAX_TRIES = 3
RETRY_AFTER = timedelta(minutes=10)
# SMTP codes below are temporary problems of the server.
PERMANENT_REFUSAL = 500
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    rested = Q(tried_at=None) | Q(tried_at__lt=now - RETRY_AFTER)
    # What waits for a daily email is gathered first (digests.py).
    return Q(rested, sent_at=None, held_at=None, digest_after=None, tries__lt=MAX_TRIES)


EMAILS = Outbox(
    Notice, job="grading.jobs.send_letters", queue="letters", name="letters", seconds=60, due=_due
)


def send_due_emails(*, organization_id: int) -> int:
    """Send due emails for one turn, oldest first; return their number.

    One beyond a daily limit is held back (letter_limits). A refused email is tried again later,
    three times in all. If the server cannot be reached, all emails wait and none loses a try.
    """
    with scope(organization=organization_id):
        with EMAILS.turn(organization_id) as is_ours:
            sent = _send_for_a_turn(organization_id) if is_ours else 0
        if sent:
            EMAILS.enqueue_rest(organization_id)
    return sent


def _send_for_a_turn(organization_id: int) -> int:
    until, sent = monotonic() + SEND_SECONDS, 0
    due = _due_of(organization_id)
    if not due(timezone.now()).exists():
        return 0

    post = get_connection()
    try:
        post.open()
        while monotonic() < until and (notice := _claim(due)):
            if is_within_limits(notice):
                sent += _send(notice, post)
            else:
                # Out of the outbox for good: tomorrow's limit is for tomorrow's letters.
                Notice.objects.filter(pk=notice.pk).update(held_at=timezone.now())
    except (SMTPException, OSError) as error:
        log.warning("mail_server_away", reason=str(error), sent=sent)
        # tried_at alone: all of them wait for RETRY_AFTER, and no try is counted.
        due(timezone.now()).update(tried_at=timezone.now())
    finally:
        post.close()
    return sent


def _due_of(organization_id: int) -> Callable[[datetime], QuerySet[Notice]]:
    """Return the query of due emails; of an organization without approval only the answer to it."""
    is_usable = Organization.objects.usable().filter(pk=organization_id).exists()
    permitted = Q() if is_usable else Q(kind=NoticeKind.APPROVAL)
    return lambda now: Notice.objects.filter(_due(now) & permitted)


def _claim(due: Callable[[datetime], QuerySet[Notice]]) -> Notice | None:
    """Claim the oldest due email; no other worker sees it as due then."""
    now = timezone.now()
    with transaction.atomic():
        waiting = due(now).select_for_update(skip_locked=True, of=("self",))
        notice = waiting.select_related("user", "organization").order_by("pk").first()
        if notice is not None:
            Notice.objects.filter(pk=notice.pk).update(tries=F("tries") + 1, tried_at=now)
    return notice


def _send(notice: Notice, post: BaseEmailBackend) -> bool:
    """Send one email; return whether it was accepted. Raises if the server takes none now."""
    try:
        email_message_of(notice, post).send()
    except SMTPRecipientsRefused as error:
        # Codes alone: the server's text repeats the address, which is not logged.
        codes = [code for code, _text in error.recipients.values()]
        log.warning("letter_refused", notice=notice.pk, codes=codes)
        return False
    except SMTPResponseException as error:
        if error.smtp_code < PERMANENT_REFUSAL:
            raise
        log.warning("letter_refused", notice=notice.pk, codes=[error.smtp_code])
        return False
    Notice.objects.filter(pk=notice.pk).update(sent_at=timezone.now())
    return True


def email_message_of(notice: Notice, post: BaseEmailBackend | None = None) -> EmailMessage:
    """Return the email to send: plain text with its link and an unsubscribe link."""
    name, off = name_in_email(notice.organization.name), _unsubscribe_link(notice)
    context = {"notice": notice, "name": name, "link": _link(notice), "off": off}
    return EmailMessage(
        subject=_subject(notice, name),
        body=render_to_string("notifications/emails/email.txt", context),
        to=[notice.user.email if notice.user else notice.address],
        connection=post,
        headers={
            "Message-ID": f"<notice-{notice.pk}@{urlsplit(settings.SITE_URL).hostname}>",
            # RFC 3834: an automatic reply must not answer this.
            "Auto-Submitted": "auto-generated",
        }
        | ({"List-Unsubscribe": f"<{off}>"} if off else {}),
    )


def _subject(notice: Notice, name: str) -> str:
    # Only the operator's answers speak for the site: no title of staff reads like one of them.
    if notice.kind == NoticeKind.APPROVAL:
        return f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{notice.subject}"
    return f"[{name}] {notice.subject}"


def _link(notice: Notice) -> str:
    if notice.invitation_id is None:
        return f"{settings.SITE_URL}{notice.path}"
    # Signed when it is sent, and stored nowhere: staff could answer in the person's name.
    token = token_of(notice.organization_id, notice.invitation_id)
    return f"{settings.SITE_URL}{reverse('invitation', args=[token])}"


def _unsubscribe_link(notice: Notice) -> str:
    """Return the page that turns this kind off, "" for a kind that is always sent."""
    path = f"{settings.SITE_URL}{reverse('notices', args=[notice.organization.slug])}"
    if notice.kind == NoticeKind.DIGEST:
        return path
    return f"{path}?off={notice.kind}" if notice.kind in OPTIONAL_NOTICES else ""
