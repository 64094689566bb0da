"""Everything the site refuses, as one tree.

GradingError               code, a sentence the person can act on
├── ActionRefused          what was asked for cannot be done as it stands
│   ├── FieldRefused       field: the form field at fault, or "" for the whole
│   │   ├── SubmissionRefused  repo_url, ref, pdf
│   │   │   └── AlreadyRunning already_running: audit_id is where the same hand-in is being audited
│   │   ├── GradeRefused   score, reason, ... of what a person wanted to change by hand
│   │   ├── AppealRefused  text, cited, places, decision, answer
│   │   ├── FeedbackRefused file, text, answer: a peer's audit not begun, a report or a complaint not taken
│   │   ├── FindingRefused kind, commit, reason: an answer that says too little
│   │   ├── EntryRefused   kind, text, pairing: an entry of the communication log that was not taken
│   │   ├── BulkRefused    scope, confirmed
│   │   ├── RoundRefused   peers, students, ends_at, ...
│   │   └── WebhookRefused url, events
│   ├── RubricRefused      rubric_*: unreadable, or its version is already published
│   │   └── RubricKnown    rubric_known: version_id is where the same document stands already
│   ├── RenewalRefused     verdict_missing, criterion_unknown, rubric_draft, already_running
│   ├── SettingsRefused    settings_fixed: `faults`, field by field, what can no longer be changed so
│   ├── RosterRefused      roster_*: the file as a whole cannot be read
│   ├── KeyRefused         key_in_use, key_reused: the Idempotency-Key of another request
│   ├── RoleRefused        role_*: not for them to give, their own, or the last owner's
│   └── SlugTaken          slug_taken: the name is in use
├── InputRefused           the courtroom's own codes: a hand-in that was accepted cannot be audited as it is
├── ReportUnreadable       report_unreadable: the stored report of an audit has another form
├── IllegalMoveError       illegal_move: an audit cannot go from this state to that one
├── LeaseLostError         lease_lost: another worker holds the audit now; stop writing
└── SealBrokenError        seal_broken: a stored secret cannot be read with today's SECRET_KEY
"""

from __future__ import annotations

from typing import Any
from uuid import UUID


class GradingError(Exception):
    """`code` is stable and machine-readable; `sentence` is for the person."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class ActionRefused(GradingError):
    """Nothing was changed."""


class FieldRefused(ActionRefused):
    """`field` is the form's field beside which the sentence belongs, "" for the whole form."""

    def __init__(self, field: str, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.field = field


class SubmissionRefused(FieldRefused):
    """A submission that was not accepted."""


class AlreadyRunning(SubmissionRefused):
    """The same commit and report were handed in a moment ago, as a second click on the button does."""

    def __init__(self, audit_id: UUID) -> None:
        super().__init__(
            "", "already_running", "This very commit and report are being audited right now."
        )
        self.audit_id = audit_id


class RubricRefused(ActionRefused):
    """A rubric that cannot be published or adopted."""


class RubricKnown(RubricRefused):
    """What was read is the same document as a version: a second click on the button, or a text that differs in nothing
    that is used. `notes` say what of it was not."""

    def __init__(self, version_id: int, sentence: str, notes: list[dict[str, Any]]) -> None:
        super().__init__("rubric_known", sentence)
        self.version_id = version_id
        self.notes = notes


class GradeRefused(FieldRefused):
    """A grade that cannot be changed as it was asked."""


class AppealRefused(FieldRefused):
    """An appeal that cannot be filed or answered as it was asked."""


class FeedbackRefused(FieldRefused):
    """A peer's audit that was not begun, or a report that was not taken."""


class FindingRefused(FieldRefused):
    """An answer to a finding that was not taken."""


class EntryRefused(FieldRefused):
    """An entry of a communication log that was not taken."""


class RenewalRefused(ActionRefused):
    """Work that cannot be judged or audited again as it was asked."""


class BulkRefused(FieldRefused):
    """A bulk run that was not started."""


class RoundRefused(FieldRefused):
    """A round of peers that cannot be started or changed as it was asked."""


class SettingsRefused(ActionRefused):
    """Settings that would break what students rely on; `faults` are sentences by field."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("settings_fixed", " ".join(faults.values()))
        self.faults = faults


class RosterRefused(ActionRefused):
    """A roster file that cannot be read at all; single lines are refused one by one instead."""


class KeyRefused(ActionRefused):
    """A key that another request has, or had."""


class WebhookRefused(FieldRefused):
    """A webhook that was not made, or an address that is not connected to."""


class RoleRefused(ActionRefused):
    """A role that whoever asks may not give or take."""


class SlugTaken(ActionRefused):
    """Another object of the same place has this name in URLs."""


class InputRefused(GradingError):
    """Nothing was judged; the attempt does not count."""


class ReportUnreadable(GradingError):
    """The stored report cannot be shown; `place` is the dotted path of the part with another form."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            "report_unreadable", f"The stored report cannot be read at “{place}”: {reason}."
        )
        self.place = place


class IllegalMoveError(GradingError):
    """A programming error: the table of moves in enums.py does not allow it."""


class LeaseLostError(GradingError):
    """The fencing token no longer fits: this worker was given up for dead and must write nothing more."""


class SealBrokenError(GradingError):
    """An operator has changed SECRET_KEY without naming the old one in SECRET_KEY_FALLBACKS."""
