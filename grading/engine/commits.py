"""Lookup of a commit that an answer names. It clones the repository: for jobs only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from grading.engine.repository_access import opened_repository

if TYPE_CHECKING:
    from courtroom import CommitTouch
    from grading.models import Submission


def commit_touches(submission: Submission, commit: str, path: str | None) -> CommitTouch:
    """Return whether the commit is in the repository's current history and changes this path.

    `exists` and `touches` are None if the lookup failed; `reason` is a sentence for the owner.
    Raises nothing.
    """
    from courtroom import CommitTouch, CourtroomError, commit_touches

    try:
        with opened_repository(submission, f"the fix in {commit[:12]}") as access:
            return commit_touches(
                submission.repo_url,
                commit,
                path,
                allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
                access=access,
            )
    except CourtroomError as refusal:
        return CommitTouch(None, None, refusal.message)
