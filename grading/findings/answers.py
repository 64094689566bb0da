"""What its owner answers to a finding: fixed by a commit, to be fixed, deferred or contested; the latest counts."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import ResponseKind
from grading.core.errors import FindingRefused
from grading.core.user_text import refuse_longer, typed
from grading.findings.fix_verification import verify_again, verify_on_commit
from grading.models import Finding, FindingHelp, FindingResponse

MOST_CHARACTERS = 2000
WHOLE_FORM = ""
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_PAGE_OF_ONE = re.compile(r"https?://\S+/commits?/([0-9A-Fa-f]{7,40})/?")
REASONS_MISSING = {
    ResponseKind.DEFERRED: "Say why it has to wait: what has to come first, or what is more important.",
    ResponseKind.CONTESTED: "Say why it is no finding: what was misread, or what the rubric does not ask.",
}


def answer_finding(
    *, finding: Finding, kind: str, by: User, commit: str = "", reason: str = ""
) -> FindingResponse:
    """Answer in the place of what was answered before, which stays on the record; a fix is then verified by a worker.

    The same answer once more is the one that stands; a fix that was not confirmed is then looked up again, as its commit
    may have been pushed meanwhile. Raises FindingRefused: not_yours, cohort_over, kind_unknown,
    commit_missing, commit_malformed, commit_not_asked, reason_missing, reason_too_long.
    """
    kind, commit, reason = _kind(kind), _commit_in(commit), typed(reason)
    _refuse_others(finding, by)
    _refuse_too_little(kind, commit, reason)
    with transaction.atomic():
        Finding.objects.select_for_update(no_key=True).get(pk=finding.pk)
        standing = FindingResponse.objects.filter(finding=finding, replaced_at=None)
        before = standing.first()
        if before is not None and (before.kind, before.commit, before.reason) == (
            kind,
            commit,
            reason,
        ):
            if verify_again(before):
                _note(before, by)
            return before
        standing.update(replaced_at=timezone.now())
        answer = FindingResponse.objects.create(
            organization_id=finding.organization_id,
            finding=finding,
            kind=kind,
            commit=commit,
            reason=reason,
        )
        _note(answer, by)
        if kind == ResponseKind.FIXED:
            verify_on_commit(answer)
    return answer


def _note(answer: FindingResponse, by: User) -> None:
    record_activity(
        organization=answer.organization_id,
        actor=by,
        verb="finding.answered",
        about=answer.finding,
        answer=answer.get_kind_display(),
        title=answer.finding.title[:200],
        commit=answer.commit[:12],
    )


def _kind(kind: str) -> ResponseKind:
    if kind not in ResponseKind.values:
        raise FindingRefused("kind", "kind_unknown", "Choose what you answer.")
    return ResponseKind(kind)


def _commit_in(written: str) -> str:
    """A hash in small letters, also out of the address of its page."""
    text = written.strip()
    page = _PAGE_OF_ONE.fullmatch(text)
    return (page[1] if page else text).lower()


def _refuse_others(finding: Finding, by: User) -> None:
    if finding.student.user_id != by.pk:
        raise FindingRefused(
            WHOLE_FORM, "not_yours", "Only whose work it is about answers a finding."
        )
    last_day = finding.assignment.cohort.ends_on
    if last_day is not None and last_day < timezone.now().date():
        sentence = f"The cohort ended on {last_day:%d %B %Y}: what was answered stays as it is."
        raise FindingRefused(WHOLE_FORM, "cohort_over", sentence)


def _refuse_too_little(kind: ResponseKind, commit: str, reason: str) -> None:
    if kind == ResponseKind.FIXED and not commit:
        raise FindingRefused("commit", "commit_missing", "Name the commit that fixed it.")
    if kind == ResponseKind.FIXED and not _COMMIT.fullmatch(commit):
        sentence = "A commit is named by 7 to 40 of the digits 0-9 and letters a-f of its hash."
        raise FindingRefused("commit", "commit_malformed", sentence)
    if kind != ResponseKind.FIXED and commit:
        sentence = "A commit belongs to the answer “Fixed”: choose that, or leave this empty."
        raise FindingRefused("commit", "commit_not_asked", sentence)
    if kind in REASONS_MISSING and not reason:
        raise FindingRefused("reason", "reason_missing", REASONS_MISSING[kind])
    refuse_longer(reason, MOST_CHARACTERS, field="reason", refused=FindingRefused)


def say_whether_it_helped(*, finding: Finding, helpful: bool, by: User) -> None:
    """The latest word stands. No Activity: the log names who, and whoever answers is told that teachers do not learn it.

    Raises FindingRefused not_yours.
    """
    if finding.student.user_id != by.pk:
        raise FindingRefused(
            "", "not_yours", "Only whose work it is about says whether a finding helped."
        )
    FindingHelp.objects.update_or_create(
        finding=finding,
        defaults={
            "organization_id": finding.organization_id,
            "helpful": helpful,
            "said_at": timezone.now(),
        },
    )
