"""Who somebody is, taken out of what others may read (docs/privacy.md). Pure: values in, values out."""

from grading.peer_review.redaction.identity_marks import Identity, Person
from grading.peer_review.redaction.redact_values import WITHHELD, redacted
from grading.peer_review.redaction.redacted_documents import (
    file_edition,
    reading_edition,
    report_edition,
    without_scores,
)

__all__ = [
    "WITHHELD",
    "Identity",
    "Person",
    "file_edition",
    "reading_edition",
    "redacted",
    "report_edition",
    "without_scores",
]
