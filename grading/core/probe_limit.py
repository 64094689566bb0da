"""Limits of concurrent probes: each holds a web thread and a child process or a socket.

An organization and the site are limited on each machine, whose threads they would take; more
machines take more submissions.
A probe stores nothing, so neither the attempts nor the open audits limit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from socket import gethostname

from django.conf import settings
from django.contrib.auth.models import User

from grading.core.errors import SubmissionRefused
from grading.core.held_slots import held_slot
from grading.models import Enrollment

# Two, so that a second click or a check beside a submission is not refused.
MAX_PROBES = 2
# Longer than any probe takes.
PROBE_SECONDS = 60
YOURS = f"{MAX_PROBES} of your submissions are being checked. Wait for their results."
FULL = "Many repositories are being checked at the moment. Try again in a few seconds."


@contextmanager
def limited_probe(student: Enrollment, *, by: User | None = None) -> Iterator[None]:
    """Hold a slot of the account that asks, and on this machine of its organization and the site.

    An account is counted over all machines, cohorts and organizations. Raises SubmissionRefused
    looks_running, looks_full, at once.
    """
    account = by.pk if by else student.user_id
    person = f"enrollment {student.pk}" if account is None else f"account {account}"
    machine, whole = gethostname(), settings.PROBES_AT_ONCE
    # A quarter stays free for the others.
    share = whole - whole // 4
    limits = (
        (person, MAX_PROBES, "looks_running", YOURS),
        (f"organization {student.organization_id} on {machine}", share, "looks_full", FULL),
        (f"the site on {machine}", whole, "looks_full", FULL),
    )
    with ExitStack() as held:
        for owner, slots, code, sentence in limits:
            slot = held_slot(f"probes of {owner}", slots=slots, seconds=PROBE_SECONDS)
            if held.enter_context(slot) is None:
                raise SubmissionRefused("repo_url", code, sentence)
        yield
