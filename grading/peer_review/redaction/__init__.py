"""Redaction of identities in what other students may read (docs/privacy.md).

Pure functions: values in, values out.
"""

from grading.peer_review.redaction.identity_marks import Identity, Person
from grading.peer_review.redaction.redact_values import WITHHELD, redacted
from grading.peer_review.redaction.redacted_documents import (
    redacted_file,
    redacted_import,
    redacted_report,
    without_scores,
)

__all__ = [
    "WITHHELD",
    "Identity",
    "Person",
    "redacted",
    "redacted_file",
    "redacted_import",
    "redacted_report",
    "without_scores",
]
