"""Email to somebody whose password is being guessed."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse


def warn_of_wrong_passwords(*, user_id: int) -> bool:
    """Send the warning; return False for an account without an address, or one that is inactive.

    It belongs to no organization, so it isn't in the outbox. Raises SMTPException, OSError.
    """
    user = User.objects.filter(pk=user_id, is_active=True).exclude(email="").first()
    if user is None:
        return False
    context = {
        "reset": f"{settings.SITE_URL}{reverse('account_reset_password')}",
        "second_factor": f"{settings.SITE_URL}{reverse('mfa_index')}",
    }
    EmailMessage(
        subject=f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}wrong passwords for your account",
        body=render_to_string("notifications/emails/wrong_passwords.txt", context),
        to=[user.email],
        # RFC 3834: an automatic reply must not answer this.
        headers={"Auto-Submitted": "auto-generated"},
    ).send()
    return True
