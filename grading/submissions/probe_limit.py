"""Limits of concurrent probes: each holds a web thread and a child process or a socket.

A probe stores nothing, so neither the attempts nor the open audits limit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

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
    """Hold a probe slot of the account that asks, of its organization and of the site.

    An account is counted over all its cohorts and organizations. Raises SubmissionRefused
    looks_running, looks_full, at once.
    """
    account = by.pk if by else student.user_id
    person = f"enrollment {student.pk}" if account is None else f"account {account}"
    whole = settings.PROBES_AT_ONCE
    limits = (
        (person, MAX_PROBES, "looks_running", YOURS),
        # A quarter stays free for the others.
        (f"organization {student.organization_id}", whole - whole // 4, "looks_full", FULL),
        ("site", whole, "looks_full", FULL),
    )
    with ExitStack() as held:
        for owner, slots, code, sentence in limits:
            slot = held_slot(f"probes of {owner}", slots=slots, seconds=PROBE_SECONDS)
            if held.enter_context(slot) is None:
                raise SubmissionRefused("repo_url", code, sentence)
        yield
