"""Words of an answer on a commit, from what the student may see of the attempt at that moment."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal

from django.conf import settings
from django.urls import reverse

from grading.audits.queries import visible_report
from grading.core.enums import AuditState, PushAnswer, PushState
from grading.engine.commit_annotations import Annotation, annotations_of
from grading.models import Audit, Push, Submission
from grading.submissions.queries import audit_to_show, visible_attempts, with_audits

MOST_ANNOTATIONS = 200
MOST_TITLES = 20
WAITING_STATES = (AuditState.RECEIVED, AuditState.QUEUED)
ELSEWHERE = "The report is on the course's site."
WITHHELD = "The result is withheld until the teachers release it."
NO_MODEL = "It is a judgment of the work, and no test: it neither passes nor fails."


@dataclass(frozen=True, slots=True)
class CommitAnswer:
    """Answer on one commit. `conclusion` is "" until the audit has ended; none says pass or fail."""

    status: Literal["queued", "in_progress", "completed"]
    conclusion: Literal["", "neutral", "cancelled"]
    title: str
    summary: str
    url: str
    annotations: tuple[Annotation, ...] = ()

    @property
    def sha256(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def answer_to(push: Push) -> CommitAnswer:
    """Return what is said on the commit of a push now; `link` and its assignment are loaded."""
    link = push.link
    is_full = link.answer == PushAnswer.FULL
    slugs = [link.assignment.organization.slug, link.assignment.cohort.slug, link.assignment.slug]
    page = f"{settings.SITE_URL}{reverse('assignment', args=slugs)}"
    submission = _submission(push)
    audit = audit_to_show(submission) if submission else None
    if submission is None or audit is None:
        is_refused = push.state in (PushState.REFUSED, PushState.LATE)
        sentence = push.sentence if is_refused and is_full else "See the course's site."
        return CommitAnswer("completed", "neutral", "Not submitted", sentence, page)

    url = f"{settings.SITE_URL}{reverse('audit', args=[slugs[0], audit.pk])}"
    if audit.state in WAITING_STATES:
        return CommitAnswer("queued", "", "Submitted", "The audit waits for its turn.", url)
    if audit.state == AuditState.RUNNING:
        return CommitAnswer("in_progress", "", "The audit runs", ELSEWHERE, url)
    if audit.state == AuditState.FAILED:
        sentence = audit.failure_message if is_full else ELSEWHERE
        return CommitAnswer("completed", "cancelled", "Not audited", sentence, url)
    return _of_report(submission, audit, url) if is_full else _done(url)


def _submission(push: Push) -> Submission | None:
    """Return the attempt as the student who linked the branch may read it."""
    rows = Submission.objects.filter(pushes=push)
    related = rows.select_related("assignment", "team", "student")
    submission = with_audits(related).first()
    if submission is not None and submission.team_id is not None:
        submission.read_as = push.link.student
    return submission


def _done(url: str, title: str = "Audited") -> CommitAnswer:
    return CommitAnswer("completed", "neutral", title, ELSEWHERE, url)


def _of_report(submission: Submission, audit: Audit, url: str) -> CommitAnswer:
    visible = visible_report(audit, is_staff=False)
    if visible is None:
        return CommitAnswer("completed", "neutral", "Audited", f"{WITHHELD} {ELSEWHERE}", url)
    attempt = visible_attempts([submission])[0]
    released, score = attempt.released, attempt.score
    if released is not None and released.adjustment is not None:
        # Of the person, not of the work: others read the commit.
        score = released.adjustment.before
    places, titles = annotations_of(visible.document)
    title = "Audited" if score is None else f"{score:.1f} of 5"
    if score is not None and visible.provisional:
        title = f"{title}, provisional"
    return CommitAnswer(
        "completed",
        "neutral",
        title,
        _summary(len(places), titles),
        url,
        places[:MOST_ANNOTATIONS],
    )


def _summary(placed: int, titles: tuple[str, ...]) -> str:
    """Return Markdown that holds no markup of the submission's own words."""
    lines = [f"{placed + len(titles)} findings. {NO_MODEL} {ELSEWHERE}"]
    lines += [f"- {_plain(title)}" for title in titles[:MOST_TITLES]]
    if len(titles) > MOST_TITLES:
        lines.append(f"- and {len(titles) - MOST_TITLES} more")
    if placed > MOST_ANNOTATIONS:
        lines.append(f"\nThe first {MOST_ANNOTATIONS} places are annotated.")
    return "\n".join(lines)


def _plain(text: str) -> str:
    # Mentions and references would notify people; markup would be rendered.
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-!|~@" else c for c in text)
