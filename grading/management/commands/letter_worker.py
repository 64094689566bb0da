"""`manage.py letter_worker`: send emails and webhooks.

No audit waits for a mail server or for the address of a webhook, and no email for an audit.
"""

from typing import Any

from django.conf import settings

from grading.management.commands import audit_worker


class Command(audit_worker.Command):
    help = "Send emails and webhooks until SIGTERM; the running job is finished first."

    def handle(self, *_: Any, **options: Any) -> None:
        from grading.engine import audits as engine_audits

        engine_audits.lower_priority(audit_worker.NICENESS)
        self.serve(settings.LETTER_QUEUES, burst=options["burst"])
