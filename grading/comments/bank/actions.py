"""Add, change, archive and restore entries of a bank."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.errors import CommentRefused
from grading.core.user_text import required_text
from grading.models import BankedComment, Rubric
from grading.models.comment import LONGEST

LONGEST_LABEL = 80
MAX_ENTRIES = 1000


def save_entry(
    *,
    rubric: Rubric,
    label: str,
    text: str,
    by: User,
    criterion_id: str = "",
    points: int | None = None,
    entry: BankedComment | None = None,
) -> BankedComment:
    """Add an entry to the bank of a rubric, or change `entry`; its uses stay.

    Comments that were made from it stay as they are. Raises CommentRefused: label_missing,
    label_too_long, text_missing, text_too_long, points_unknown, label_taken, entries_too_many.
    """
    label = _required(label, LONGEST_LABEL, "label", "Give it a short name to find it by.")
    text = _required(text, LONGEST, "text", "Write the comment.")
    if points is not None and not -4 <= points <= 4:
        raise CommentRefused("points", "points_unknown", "Points are from -4 to 4.")
    if entry is None and BankedComment.objects.filter(rubric=rubric).count() >= MAX_ENTRIES:
        sentence = f"A bank has at most {MAX_ENTRIES:,} entries."
        raise CommentRefused("", "entries_too_many", sentence)

    saved = entry or BankedComment(organization_id=rubric.organization_id, rubric=rubric, author=by)
    saved.label, saved.text, saved.criterion_id, saved.points = label, text, criterion_id, points
    _store(saved, by, "bank.changed" if entry else "bank.added")
    return saved


def archive_entry(*, entry: BankedComment, by: User) -> None:
    """Take an entry out of the searches; its label is free again."""
    entry.archived_at = timezone.now()
    _store(entry, by, "bank.archived")


def restore_entry(*, entry: BankedComment, by: User) -> None:
    """Undo an archiving. Raises CommentRefused label_taken."""
    entry.archived_at = None
    _store(entry, by, "bank.restored")


def _required(text: str, limit: int, field: str, missing: str) -> str:
    return required_text(text, limit, field=field, missing=missing, refused=CommentRefused)


def _store(entry: BankedComment, by: User, verb: str) -> None:
    columns = ["label", "text", "criterion_id", "points", "archived_at"]
    try:
        with transaction.atomic():
            # Not `uses`: a comment may count one more at this moment.
            entry.save(update_fields=columns if entry.pk else None)
            record_activity(
                organization=entry.organization_id,
                actor=by,
                verb=verb,
                about=entry,
                label=entry.label,
                rubric=str(entry.rubric),
            )
    except IntegrityError as error:
        sentence = "The bank has an entry with this name for the same criterion."
        raise CommentRefused("label", "label_taken", sentence) from error
