"""Score of a released grade for a platform: points, a comment, and whose they are there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse

from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.models import Grade, LtiAccount, LtiMember, LtiScore

# Of a verdict without points: from 1 to this.
BEST_SCORE = 5
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class ScoreMessage:
    """Score for a person there; `points` of `maximum`, None where there is none."""

    subject: str
    points: Decimal | None
    maximum: Decimal
    comment: str

    def digest_for(self, url: str) -> str:
        parts = [url, self.subject, str(self.points), str(self.maximum), self.comment]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def body(self, at: datetime) -> bytes:
        """Return the message as JSON.

        Without `scoreGiven` a platform clears what stands there. The maximum is the column's own:
        some platforms scale a score by it, others take it as it is, and so both come to the same.
        """
        message: dict[str, Any] = {
            "userId": self.subject,
            "timestamp": at.isoformat(timespec="milliseconds"),
            "comment": self.comment,
            "activityProgress": "Submitted" if self.points is None else "Completed",
            "gradingProgress": "PendingManual" if self.points is None else "FullyGraded",
        }
        if self.points is not None:
            message |= {"scoreGiven": float(self.points), "scoreMaximum": float(self.maximum)}
        return json.dumps(message).encode()


def message_of(score: LtiScore, subject: str) -> ScoreMessage:
    """Return what is released now, scaled to the column's maximum."""
    item = score.line_item
    grades = Grade.objects.filter(assignment=item.assignment_id, student=score.student_id)
    released = parse_released(grades.values_list("released", flat=True).first())
    points = points_of(released, item.maximum)
    comment = _comment(score, released) if released and points is not None else ""
    return ScoreMessage(subject, points, item.maximum, comment)


def points_of(released: ReleasedVerdict | None, maximum: Decimal) -> Decimal | None:
    """Return a released result as part of a maximum; None without one, and never a 0 for that."""
    if released is None or released.overall_score is None:
        return None
    earned, possible = _result(released)
    if not possible:
        return None
    share = Decimal(str(earned)) / Decimal(str(possible)) * maximum
    return share.quantize(CENT, ROUND_HALF_UP)


def subject_of(score: LtiScore) -> str | None:
    """Return whose grade it is there; None for nobody of that course now.

    A connected account names the person, by its owner's consent; an address never does. A place
    without an account is that of the person on the platform's list.
    """
    item = score.line_item
    members = LtiMember.objects.filter(
        course_link__context=item.context_id,
        course_link__cohort=item.assignment.cohort_id,
        enrollment=score.student_id,
        left_at=None,
    )
    if score.student.user_id is not None:
        accounts = LtiAccount.objects.filter(
            registration=item.context.registration_id, user=score.student.user_id, ended_at=None
        )
        members = members.filter(subject__in=accounts.values("subject"))
    return members.order_by("pk").values_list("subject", flat=True).first()


def _result(released: ReleasedVerdict) -> tuple[float, float]:
    if released.points:
        return released.points.earned, released.points.possible
    return released.overall_score or 0, BEST_SCORE


def _comment(score: LtiScore, released: ReleasedVerdict) -> str:
    earned, possible = _result(released)
    slug = score.line_item.assignment.organization.slug
    path = reverse("audit", args=[slug, released.audit])
    words = [f"{earned:g} of {possible:g}, attempt {released.attempt}.", released.note]
    words.append(f"Report: {settings.SITE_URL}{path}")
    return "\n".join(filter(None, words))
