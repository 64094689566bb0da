"""Errors of the courtroom, as one tree.

CourtroomError              code, and a sentence that a student can act on
├── InputRefused            the submission cannot be audited as it is (exit code 2)
│   ├── UrlRefused          url_*: scheme, credentials, private address, unresolvable
│   ├── RepositoryRefused   repository_*: not found, needs a login, empty, unknown ref, over a limit
│   ├── PdfRefused          pdf_*: not a PDF, encrypted, too large
│   ├── RubricRefused       rubric_*: unreadable, nothing that can be judged
│   └── ReportRefused       report_*: an imported report that is too large, empty or not text
└── ExaminationFailed       a failure of ours: recorded as an error, never as a score
    ├── ChildFailed         child_*: a confined process died, ran out of time or memory
    └── RecordBroken        record_*: an earlier record does not fit this case
"""

from __future__ import annotations


class CourtroomError(Exception):
    """Base of all errors.

    `code` is stable and machine-readable; `message` is for the person who submitted.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class InputRefused(CourtroomError):
    """The submission itself is at fault; nothing was judged."""


class UrlRefused(InputRefused):
    """The courtroom does not connect to this address."""


class RepositoryRefused(InputRefused):
    """The repository cannot be fetched, or is larger than the limits."""


class PdfRefused(InputRefused):
    """The report is not a PDF that can be opened."""


class RubricRefused(InputRefused):
    """The rubric holds nothing that can be judged."""


class ReportRefused(InputRefused):
    """The report to import cannot be read as text."""


class ExaminationFailed(CourtroomError):
    """Our own examination failed: missing evidence, never a low score."""


class ChildFailed(ExaminationFailed):
    """A confined child process died or ran over a limit."""


class RecordBroken(ExaminationFailed):
    """An earlier record cannot be used."""
