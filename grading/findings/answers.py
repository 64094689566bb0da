"""Answers of a finding's owner: fixed by a commit, will be fixed, deferred, contested, dismissed."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import ResponseKind
from grading.core.errors import FindingRefused
from grading.core.team_access import is_present_member
from grading.core.user_text import normalized, refuse_too_long
from grading.findings.fix_verification import verify_again, verify_on_commit
from grading.findings.queries.gone_findings import audit_sightings
from grading.models import Finding, FindingHelp, FindingResponse

REASON_MAX_LENGTH = 2000
WHOLE_FORM = ""
# git abbreviates a hash to seven characters or more.
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_COMMIT_PAGE = re.compile(r"https?://\S+/commits?/([0-9A-Fa-f]{7,40})/?")
MISSING_REASONS = {
    ResponseKind.DEFERRED: "Explain why it has to wait: what comes first, or is more important?",
    ResponseKind.CONTESTED: (
        "Explain why this is not a finding: what was misread, or isn't in the rubric?"
    ),
    ResponseKind.DISMISSED: (
        "Explain why nothing follows from it: the report's author and your teachers read this."
    ),
}


def answer_finding(
    *, finding: Finding, kind: str, by: User, commit: str = "", reason: str = ""
) -> FindingResponse:
    """Answer the finding; the earlier answer stays on the record. A worker then looks up a fix.

    Repeating the current answer changes nothing, but a lookup that failed is repeated. Raises FindingRefused: not_yours, cohort_over, kind_unknown,
    audit_saw_it, commit_missing, commit_malformed, commit_not_asked, commit_audited,
    reason_missing, reason_too_long.
    """
    kind, commit, reason = _parse_kind(kind), _parse_commit(commit), normalized(reason)
    _check_owner(finding, by)
    _check_fields(kind, commit, reason)
    _refuse_if_audited(finding, kind, commit)

    with transaction.atomic():
        # One answer at a time: two tabs would else both become the current one.
        Finding.objects.select_for_update(no_key=True).get(pk=finding.pk)
        current = FindingResponse.objects.filter(finding=finding, replaced_at=None)
        before = current.first()
        content = (kind, commit, reason)
        if before is not None and (before.kind, before.commit, before.reason) == content:
            if verify_again(before):
                _record(before, by)
            return before

        current.update(replaced_at=timezone.now())
        answer = FindingResponse.objects.create(
            organization_id=finding.organization_id,
            finding=finding,
            kind=kind,
            commit=commit,
            reason=reason,
        )
        _record(answer, by)
        if kind == ResponseKind.FIXED:
            verify_on_commit(answer)
    return answer


def _record(answer: FindingResponse, by: User) -> None:
    record_activity(
        organization=answer.organization_id,
        actor=by,
        verb="finding.answered",
        about=answer.finding,
        answer=answer.get_kind_display(),
        title=answer.finding.title[:200],
        commit=answer.commit[:12],
    )


def _parse_kind(kind: str) -> ResponseKind:
    if kind not in ResponseKind.values:
        raise FindingRefused("kind", "kind_unknown", "Choose an answer.")
    return ResponseKind(kind)


def _parse_commit(written: str) -> str:
    """Return the hash in lower case, also from the address of the commit's page."""
    text = written.strip()
    page = _COMMIT_PAGE.fullmatch(text)
    return (page[1] if page else text).lower()


def _check_owner(finding: Finding, by: User) -> None:
    if not is_present_member(by.pk, finding.first_submission):
        raise FindingRefused(
            WHOLE_FORM, "not_yours", "Only the author of the work can answer a finding."
        )
    last_day = finding.assignment.cohort.ends_on
    if last_day is not None and last_day < timezone.now().date():
        sentence = f"The cohort ended on {last_day:%d %B %Y}: answers can no longer be changed."
        raise FindingRefused(WHOLE_FORM, "cohort_over", sentence)


def _check_fields(kind: ResponseKind, commit: str, reason: str) -> None:
    if kind == ResponseKind.FIXED and not commit:
        raise FindingRefused("commit", "commit_missing", "Enter the commit that fixed it.")
    if kind == ResponseKind.FIXED and not _COMMIT.fullmatch(commit):
        sentence = "Enter 7 to 40 characters of the commit's hash: digits 0-9 and letters a-f."
        raise FindingRefused("commit", "commit_malformed", sentence)
    if kind != ResponseKind.FIXED and commit:
        sentence = "A commit belongs to the answer “Fixed”: choose it, or leave this blank."
        raise FindingRefused("commit", "commit_not_asked", sentence)
    if kind in MISSING_REASONS and not reason:
        raise FindingRefused("reason", "reason_missing", MISSING_REASONS[kind])
    refuse_too_long(reason, REASON_MAX_LENGTH, field="reason", refused=FindingRefused)


def _refuse_if_audited(finding: Finding, kind: ResponseKind, commit: str) -> None:
    """Refuse to dismiss what an audit saw, and as its fix the commit in which an audit saw it."""
    if kind not in (ResponseKind.DISMISSED, ResponseKind.FIXED):
        return

    sightings = audit_sightings(finding)
    if sightings and kind == ResponseKind.DISMISSED:
        sentence = "An audit of this site saw this too. If it is wrong, choose “Contested”."
        raise FindingRefused("kind", "audit_saw_it", sentence)
    for sighting in sightings:
        if kind == ResponseKind.FIXED and sighting.submission.resolved_commit.startswith(commit):
            sentence = (
                f"This is the commit of attempt {sighting.submission.attempt}, and its audit "
                "saw the fault there. Enter a later commit."
            )
            raise FindingRefused("commit", "commit_audited", sentence)


def reply_whether_helpful(*, finding: Finding, helpful: bool, by: User) -> None:
    """Store whether the finding helped; the latest reply counts. Raises FindingRefused not_yours."""
    # No Activity row: the log names its actor, and replies are anonymous to teachers.
    if not is_present_member(by.pk, finding.first_submission):
        raise FindingRefused(
            WHOLE_FORM, "not_yours", "Only the author of the work can say if a finding helped."
        )

    FindingHelp.objects.update_or_create(
        finding=finding,
        defaults={
            "organization_id": finding.organization_id,
            "helpful": helpful,
            "said_at": timezone.now(),
        },
    )
