"""Editions of reports: redacted copies for the reader who must not know the other student.

Redacting takes about 2 to 4 microseconds a character and holds the GIL, so a request redacts short
reports only. Of a long one it reads the edition that a job stored (feedback/edition_jobs.py).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from django.db import transaction

from grading.core.audit_queue import KEEP_FAILURE_SECONDS, JobHealth, health_of
from grading.core.enums import EditionState
from grading.core.fair_turns import BULK
from grading.core.job_queues import job_queue
from grading.models import FeedbackEdition, FeedbackReport, Pairing
from grading.peer_review.feedback.edition_keys import hidden_ids, resolved_ids
from grading.peer_review.redaction import (
    Identity,
    redacted_file,
    redacted_import,
    redacted_report,
)

Json = dict[str, Any]
JOB = "grading.jobs.make_edition"
JOB_SECONDS = 3 * 60
# Increase it when the redaction withholds more: editions of an earlier version are made again.
REDACTION_VERSION = 2
# Characters of a report that a request may redact: at most a tenth of a second.
IN_REQUEST = 20_000
Status = Literal["ready", "preparing", "failed"]


@dataclass(frozen=True, slots=True)
class EditionContent:
    """Redacted copy: `document` of this site's report, or `reading` and `original` of an import.

    `suffix` is that of the redacted file.
    """

    document: Json | None = None
    reading: Json | None = None
    original: str | None = None
    suffix: str = ""


@dataclass(frozen=True)  # without slots, so that the digests are computed at first use
class Redaction:
    """Contents of a report under `pairing`, and whom to withhold from its reader.

    `identity` is everyone of the cohort, `partners` the two students alone.
    """

    pairing: Pairing
    document: Json | None
    reading: Json
    original: str
    identity: Identity
    partners: Identity

    @cached_property
    def is_long(self) -> bool:
        return len(self.original) > IN_REQUEST or len(self._contents) > IN_REQUEST

    @cached_property
    def marks_digest(self) -> str:
        return self._digest(self.identity)

    @cached_property
    def partners_digest(self) -> str:
        return self._digest(self.partners)

    def content(self) -> EditionContent:
        """Return the redacted contents. Slow for long ones; one query if they name evidence."""
        if self.document is not None:
            document = redacted_report(self.document, self.identity)
            return EditionContent(document=hidden_ids(document, self.pairing))

        original, suffix = redacted_file(self.original, self.identity)
        return EditionContent(
            reading=resolved_ids(redacted_import(self.reading, self.identity), self.pairing),
            original=resolved_ids(original, self.pairing),
            suffix=suffix,
        )

    def _digest(self, identity: Identity) -> str:
        people = json.dumps([REDACTION_VERSION, asdict(identity)])
        text = f"{people}\n{self._contents}\n{self.original}"
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def _contents(self) -> str:
        # Sorted: the database returns the keys in another order than they were written in.
        return json.dumps([self.document, self.reading], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Edition:
    """Edition for a reader; `content` is None unless it is ready."""

    status: Status
    content: EditionContent | None = None


def edition_of(report: FeedbackReport, redaction: Redaction) -> Edition:
    """Return the edition; short reports are redacted at once. One query for a long one.

    A stored edition is returned while it withholds all that is known today of the two students. If
    it is missing or anything else is known today, its job is enqueued.
    """
    if not redaction.is_long:
        return Edition("ready", redaction.content())

    stored = FeedbackEdition.objects.filter(report=report).first()
    is_of_today = stored is not None and stored.marks == redaction.marks_digest
    state = stored.state if stored is not None else EditionState.WAITING
    if is_of_today and state == EditionState.FAILED:
        return Edition("failed")
    if not is_of_today or state == EditionState.WAITING:
        enqueue_on_commit(report, redaction.marks_digest)
    if stored is not None and is_shown(stored, redaction):
        return Edition("ready", EditionContent(**(stored.content or {})))
    return Edition("preparing")


def is_shown(stored: FeedbackEdition, redaction: Redaction) -> bool:
    """Return whether the stored edition may be shown, if only until a new one is made."""
    return stored.state == EditionState.MADE and stored.partners == redaction.partners_digest


def has_failed_edition(report: FeedbackReport) -> bool:
    return FeedbackEdition.objects.filter(report=report, state=EditionState.FAILED).exists()


def enqueue_on_commit(report: FeedbackReport, marks: str) -> None:
    # Robust: if the queue is down, the reconciler or the next reader enqueues the job.
    transaction.on_commit(
        lambda: enqueue(report.organization_id, str(report.pk), marks), robust=True
    )


def enqueue(organization: int, report: str, marks: str) -> bool:
    """Enqueue the job of these marks unless it waits, runs or failed; return whether it was done.

    Raises redis.RedisError.
    """
    job = job_id(report, marks)
    if health_of(BULK, job) is not JobHealth.MISSING:
        return False
    # At the front, as imports: a reader may wait, but no audit should.
    job_queue(BULK).enqueue_call(
        JOB,
        args=(organization, report),
        job_id=job,
        timeout=JOB_SECONDS,
        result_ttl=0,
        # The reconciler has to see that a job failed.
        failure_ttl=KEEP_FAILURE_SECONDS,
        at_front=True,
    )
    return True


def job_id(report: str, marks: str) -> str:
    """Return the id of the job of these marks: a job that killed its worker stays dead."""
    return f"edition-{report}-{marks[:16]}"
