"""Who somebody is, taken out of what others may read (docs/privacy.md). Pure: values in, values out."""

from grading.redaction.documents import file_edition, reading_edition, report_edition, without_scores
from grading.redaction.identity import Identity, Person
from grading.redaction.withholding import WITHHELD, redacted

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
