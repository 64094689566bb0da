"""A wing of the only door to the courtroom (engine.py): whether a commit that an answer names did what it says.

It clones the repository: for jobs only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from courtroom import CommitTouch
    from grading.models import Submission


def commit_touches(submission: Submission, commit: str, path: str | None) -> CommitTouch:
    """Whether the commit is in the history of the submission's repository as it is now, and changes this path.

    `exists` and `touches` are null where nobody could look; `reason` is a sentence for the owner. Raises nothing.
    """
    from courtroom import commit_touches

    return commit_touches(
        submission.repo_url, commit, path, allow_local=settings.ALLOW_LOCAL_REPOSITORIES
    )
