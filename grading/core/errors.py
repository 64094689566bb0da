"""Errors of the site, as one tree.

GradingError               code, a sentence the person can act on
├── ActionRefused          the action cannot be done; nothing was changed
│   ├── FieldRefused       field: the form field at fault, or "" for the whole
│   │   ├── SubmissionRefused  repo_url, ref, pdf
│   │   │   ├── AlreadyRunning already_running: audit_id is the running audit of the same work
│   │   │   ├── SameWork   same_work: commit and report of the last attempt, to be confirmed
│   │   │   └── UploadNotStored storage_unavailable: the store of uploads does not take the PDF
│   │   ├── GradeRefused   score, reason, ... of an override
│   │   ├── ReviewRefused  score, word, readers, ...: of the grading queue
│   │   ├── AppealRefused  text, cited, places, decision, answer
│   │   ├── CommentRefused text, place, label, points: of a comment, its answers or the bank
│   │   ├── FeedbackRefused file, text, answer: of a peer's audit, a report or a complaint
│   │   ├── FindingRefused kind, commit, reason: of an answer to a finding
│   │   ├── EntryRefused   kind, text, pairing: of an entry of the communication log
│   │   ├── BulkRefused    scope, confirmed
│   │   ├── ExtensionRefused due_at, max_attempts, no_late_mark, reason, students, group
│   │   ├── RoundRefused   peers, students, ends_at, ...
│   │   ├── PeopleRefused  email, name, ends_at, typed, ...: of a cohort's people and join link
│   │   ├── PlatformRefused issuer, login_url, deployment, ...: of a learning platform (LTI)
│   │   ├── StaffNoteRefused text: of a note among staff
│   │   ├── TeamRefused    name, code, students, team, reason, keeps_grade: of a team
│   │   ├── AccessRefused  address, token, do, students: of an access to private repositories
│   │   ├── TemplateRefused template, login, name_prefix: of the template of students' repositories
│   │   ├── PushLinkRefused address, branch, pdf_path: of a branch whose pushes are submissions
│   │   └── WebhookRefused url, events
│   ├── EditionNotReady    edition_preparing, edition_failed: a peer's report cannot be shown yet
│   ├── RubricRefused      rubric_*: unreadable, or its version is already published
│   │   └── RubricKnown    rubric_known: version_id already has the same document
│   ├── RenewalRefused     verdict_missing, criterion_unknown, rubric_draft, already_running
│   ├── SettingsRefused    settings_fixed: `faults` by field
│   ├── BenchRefused       bench_unfit: `faults` by field; bench_*: a trial that cannot be made
│   ├── RosterRefused      roster_*: the file as a whole cannot be read
│   ├── KeyRefused         key_in_use, key_reused: the Idempotency-Key of another request
│   ├── RoleRefused        role_*: not theirs to give, their own, or the last owner's
│   ├── OrganizationRefused organization_*: one request waits, too many, or its name is fixed
│   ├── InvitationRefused  invitation_*: not for this address, or withdrawn
│   └── SlugTaken          slug_taken: the name is in use
├── OrganizationClosed     organization_not_approved: its founder has to wait for the operator
├── LaunchRefused          launch_*: a learning platform's message that opens nothing; `detail`
├── PlatformFailed         platform_*: a learning platform does not answer as it should
├── InputRefused           the courtroom's own codes: an accepted submission cannot be audited
├── UploadUnreadable       upload_missing, upload_differs: a stored PDF is not what was submitted
│   └── StorageUnavailable storage_unavailable: the store of uploads does not answer
├── ReportUnreadable       report_unreadable: a stored report has another form
├── PushIgnored            push_*: a webhook of a code host that submits nothing
├── AnswerRefused          answer_*: a code host does not take the answer on a commit; `is_final`
├── GithubFailed           github_*: GitHub refuses the site's App, an installation or a person
├── IllegalMoveError       illegal_move: an audit cannot go from this state to that one
├── LeaseLostError         lease_lost: another worker holds the audit now; stop writing
└── SealBrokenError        seal_broken: a stored secret cannot be read with today's SECRET_KEY
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from grading.models import Organization


class GradingError(Exception):
    """Error with a stable, machine-readable `code` and a `sentence` for the person."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class ActionRefused(GradingError):
    """Action that was refused; nothing was changed."""


class FieldRefused(ActionRefused):
    """Refusal for one form field; `field` is "" for the whole form."""

    def __init__(self, field: str, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.field = field


class SubmissionRefused(FieldRefused):
    """A submission that was not accepted."""


class AlreadyRunning(SubmissionRefused):
    """Same commit and report as in a running audit, as after a double click."""

    def __init__(self, audit_id: UUID) -> None:
        super().__init__("", "already_running", "This commit and report are already being audited.")
        self.audit_id = audit_id


class SameWork(SubmissionRefused):
    """Same commit and report as in the last attempt; `again` confirms that they are meant."""

    def __init__(self, attempt: int, *, has_report: bool) -> None:
        report = "the same report" if has_report else "no report either"
        super().__init__(
            "again",
            "same_work",
            f"Attempt {attempt} has the same commit and {report}. Submitting that again uses another "
            "attempt: confirm that you mean it.",
        )


class UploadNotStored(SubmissionRefused):
    """PDF that the store of uploads does not take now; nothing was submitted."""

    def __init__(self) -> None:
        super().__init__(
            "pdf",
            "storage_unavailable",
            "We can't store your PDF at the moment, so nothing was submitted and no attempt was used. "
            "Submit again in a few minutes.",
        )


class RubricRefused(ActionRefused):
    """Rubric that cannot be published or adopted."""


class RubricKnown(RubricRefused):
    """Imported rubric that equals a version: a double click, or a text without new content.

    `notes` list the parts of the text that were not used.
    """

    def __init__(self, version_id: int, sentence: str, notes: list[dict[str, Any]]) -> None:
        super().__init__("rubric_known", sentence)
        self.version_id = version_id
        self.notes = notes


class GradeRefused(FieldRefused):
    """Grade that cannot be changed in this way."""


class ReviewRefused(FieldRefused):
    """Score, review, flag or plan of the grading queue that was not saved."""


class AppealRefused(FieldRefused):
    """Appeal that cannot be filed or answered in this way."""


class CommentRefused(FieldRefused):
    """Comment, answer or entry of the bank that was not accepted."""


class FeedbackRefused(FieldRefused):
    """Peer audit that was not started, or a report that was not accepted."""


class EditionNotReady(ActionRefused):
    """Report whose redacted copy is being prepared, or could not be made."""


class FindingRefused(FieldRefused):
    """Answer to a finding that was not accepted."""


class EntryRefused(FieldRefused):
    """Entry of a communication log that was not accepted."""


class RenewalRefused(ActionRefused):
    """Work that cannot be judged or audited again in this way."""


class BulkRefused(FieldRefused):
    """A bulk run that was not started."""


class ExtensionRefused(FieldRefused):
    """Extension that cannot be given or withdrawn in this way."""


class RoundRefused(FieldRefused):
    """Round of peer reviews that cannot be started or changed in this way."""


class PeopleRefused(FieldRefused):
    """Student who cannot join, be added, changed or removed, or a join link that cannot be made."""


class TeamRefused(FieldRefused):
    """Team that cannot be formed or changed in this way."""


class SettingsRefused(ActionRefused):
    """Settings that would break what students rely on; `faults` are sentences by field."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("settings_fixed", " ".join(faults.values()))
        self.faults = faults


class BenchRefused(ActionRefused):
    """Models or budgets that cannot be used so; `faults` are sentences by field, if any."""

    def __init__(self, code: str, sentence: str, faults: dict[str, str] | None = None) -> None:
        super().__init__(code, sentence)
        self.faults = faults or {}


class RosterRefused(ActionRefused):
    """Roster file that cannot be read at all; single bad lines are reported one by one instead."""


class KeyRefused(ActionRefused):
    """Idempotency key that another request uses or used."""


class AccessRefused(FieldRefused):
    """Access to a private repository that was not given, confirmed or shown to work."""


class TemplateRefused(FieldRefused):
    """Template of repositories that cannot be used, or a repository that cannot be made of it."""


class PushLinkRefused(FieldRefused):
    """Branch whose pushes cannot be submitted."""


class WebhookRefused(FieldRefused):
    """Webhook that was not created, or a URL that is not allowed."""


class PlatformRefused(FieldRefused):
    """Learning platform that cannot be registered, changed or used in this way."""


class StaffNoteRefused(FieldRefused):
    """Note among staff that was not written, changed or withdrawn."""


class RoleRefused(ActionRefused):
    """Role that the user may not give or take."""


class InvitationRefused(ActionRefused):
    """Invitation that this account cannot answer."""


class SlugTaken(ActionRefused):
    """Another object of the same place has this name in URLs."""


class OrganizationRefused(ActionRefused):
    """Organization that this account may not create now, or not rename."""


class OrganizationClosed(GradingError):
    """Organization that cannot be used, opened by its founder; for others it is missing."""

    def __init__(self, organization: Organization) -> None:
        sentence = (
            f"The operator of this site has not approved {organization.name}."
            if organization.refused_at
            else f"{organization.name} waits for the approval of this site's operator."
        )
        super().__init__("organization_not_approved", sentence)
        self.organization = organization


class LaunchRefused(GradingError):
    """Message of a learning platform that opens nothing here; `detail` is for its administrator."""

    def __init__(self, code: str, sentence: str, detail: str = "") -> None:
        super().__init__(code, sentence)
        self.detail = detail


class PlatformFailed(GradingError):
    """Learning platform that does not answer, or not as the standard says.

    `status` is that of its answer, None without one; `answer` the start of its words.
    """

    def __init__(
        self, code: str, sentence: str, *, status: int | None = None, answer: str = ""
    ) -> None:
        super().__init__(code, sentence)
        self.status = status
        self.answer = answer


class InputRefused(GradingError):
    """Submission that cannot be audited; the attempt does not count."""


class UploadUnreadable(GradingError):
    """Stored PDF that is gone, or has other bytes than were submitted: a failure of the site."""


class StorageUnavailable(UploadUnreadable):
    """The store of uploads does not answer, or refuses; what it holds is not lost."""

    def __init__(self) -> None:
        super().__init__(
            "storage_unavailable",
            "The store of uploaded reports does not answer at the moment. Try again in a few minutes.",
        )


class ReportUnreadable(GradingError):
    """The stored report cannot be shown; `place` is the dotted path of the part with another form."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            "report_unreadable", f"The stored report cannot be read at “{place}”: {reason}."
        )
        self.place = place


class PushIgnored(GradingError):
    """Webhook of a code host that submits nothing: unsigned, repeated, or about something else."""


class AnswerRefused(GradingError):
    """Answer on a commit that its host does not take; one that `is_final` is not sent again."""

    def __init__(self, code: str, sentence: str, *, is_final: bool) -> None:
        super().__init__(code, sentence)
        self.is_final = is_final


class GithubFailed(GradingError):
    """Request that GitHub refused or did not answer; `status` is its answer's, if there is one.

    `words` are GitHub's own, `pause` the seconds for which it wants no further request.
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        status: int | None = None,
        words: str = "",
        pause: int = 0,
    ) -> None:
        super().__init__(code, sentence)
        self.status = status
        self.words = words
        self.pause = pause


class IllegalMoveError(GradingError):
    """A programming error: the table of moves in enums.py does not allow it."""


class LeaseLostError(GradingError):
    """Outdated fencing token: this worker was given up and must write nothing more."""


class SealBrokenError(GradingError):
    """SECRET_KEY was changed without adding the old one to SECRET_KEY_FALLBACKS."""
