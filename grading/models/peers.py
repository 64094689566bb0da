"""Rounds of peer reviews (MinMax): members, pairings, reports and communication logs."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from grading.core.enums import Anonymity, EditionState, EntryKind, FeedbackKind, FeedbackSource
from grading.models.audit import Audit
from grading.models.cohort import Enrollment
from grading.models.rubric import RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel, TenantPart


class PairingRound(TenantModel):
    """Round in which each member audits `peers` others and is audited by as many.

    `rubric_version` is the rubric of the peer audits, null for the assignment's own. Pairings give
    access from `starts_at` to the end of the cohort; reports are due by `ends_at`. `seed`
    determines the circle (grading/peer_review/rounds/pairing.py). `reminders_checked_at` is the
    last time reminders were checked (peer_review/rounds/reminders.py).
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    peers = models.PositiveSmallIntegerField(default=2)
    anonymity = models.CharField(
        max_length=14, choices=Anonymity.choices, default=Anonymity.DOUBLE_BLIND
    )
    rubric_version = models.ForeignKey(
        RubricVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # Stored: late members are placed by it, and a second start with the same one is recognised.
    seed = models.CharField(max_length=64)
    reminders_checked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["assignment", "number"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="round_number_once"),
            models.CheckConstraint(
                condition=Q(peers__gte=1, peers__lte=5), name="round_of_1_to_5_peers"
            ),
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="round_ends_after_start"
            ),
            models.CheckConstraint(
                condition=Q(anonymity__in=Anonymity.values), name="round_anonymity_known"
            ),
        ]

    def __str__(self) -> str:
        return f"Round {self.number}"


class RoundIdentities(TenantModel):
    """Everyone of the cohort as known when the round began (redaction.Person as JSON).

    Each of `people` also has `student`, the key of their enrollment. They decide which names are
    common; so that no later submission makes another's name readable, the row never changes.
    """

    round = models.OneToOneField(PairingRound, on_delete=models.CASCADE, related_name="identities")
    people = models.JSONField()

    class Meta:
        verbose_name_plural = "round identities"

    def __str__(self) -> str:
        return f"Identities of {self.round_id}"


class RoundMember(TenantModel):
    """Student in a round. `alias` is their name where they are anonymous.

    It is random, and the same in every round of the assignment. `position` is the place in the
    circle; late members come last.
    """

    round = models.ForeignKey(PairingRound, on_delete=models.CASCADE, related_name="members")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="round_places")
    alias = models.CharField(max_length=40)
    position = models.PositiveIntegerField()
    joined_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)
    reminders = models.PositiveSmallIntegerField(default=0)
    reminded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["round", "position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "student"], name="once_in_a_round"),
            # Two peers with one alias could not be told apart.
            models.UniqueConstraint(fields=["round", "alias"], name="alias_once_in_a_round"),
            models.UniqueConstraint(fields=["round", "position"], name="place_once_in_a_round"),
        ]

    def __str__(self) -> str:
        return self.alias


class Pairing(TenantModel):
    """Permission of one student to audit another's work. `made_by` is null if the circle made it.

    An ended pairing gives no access; its row stays for the reports under it.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    round = models.ForeignKey(PairingRound, on_delete=models.CASCADE, related_name="pairings")
    auditor = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="audits_owed")
    auditee = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="audits_due")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "auditor", "auditee"],
                # An ended pairing may be made again.
                condition=Q(ended_at=None),
                name="paired_once",
            ),
            models.CheckConstraint(
                condition=~Q(auditor=F("auditee")), name="nobody_is_their_own_peer"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class FeedbackReport(TenantModel):
    """Report on a student's work besides the verdict: a peer's audit, or an uploaded report.

    `author` wrote it, `subject` is the student whose work it is about; for an imported one either
    is null if the file does not say so. On the platform: `audit` is its audit, which may still run;
    only these are signed. Imported: `original` is the file as uploaded by `brought_by`, `origin` is
    “upload” or its path in their `repository` (an address, empty for an upload), `reading` is the parsed content (the courtroom's
    ImportedReport as JSON), and `misfits` lists what does not match the pairing or the rubric, as
    {code, sentence}. `submission` is the attempt it is about, null if unknown.

    `read_at` is when its subject first opened it. The newest of an author, a subject and a pairing
    counts. `hidden_at` is when a teacher hid it from its subject (grading/models/complaint.py).
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="feedback_reports"
    )
    pairing = models.ForeignKey(
        Pairing, on_delete=models.PROTECT, null=True, blank=True, related_name="reports"
    )
    kind = models.CharField(max_length=8, choices=FeedbackKind.choices)
    source = models.CharField(max_length=8, choices=FeedbackSource.choices)
    author = models.ForeignKey(
        Enrollment, on_delete=models.PROTECT, null=True, blank=True, related_name="feedback_given"
    )
    subject = models.ForeignKey(
        Enrollment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="feedback_received",
    )
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="feedback_reports"
    )
    audit = models.OneToOneField(
        Audit, on_delete=models.PROTECT, null=True, blank=True, related_name="feedback_report"
    )
    brought_by = models.ForeignKey(
        Enrollment, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    origin = models.CharField(max_length=1024, blank=True)
    repository = models.CharField(max_length=2000, blank=True)
    original = models.TextField(blank=True)
    original_name = models.CharField(max_length=255, blank=True)
    original_sha256 = models.CharField(max_length=64, blank=True)
    reading = models.JSONField(null=True, blank=True)
    misfits = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    hidden_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=FeedbackKind.values), name="feedback_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    source=FeedbackSource.PLATFORM, audit__isnull=False, reading=None, original=""
                )
                | Q(
                    source=FeedbackSource.IMPORTED,
                    audit=None,
                    reading__isnull=False,
                    brought_by__isnull=False,
                )
                & ~Q(original=""),
                name="feedback_from_one_source",
            ),
            models.CheckConstraint(
                condition=Q(kind=FeedbackKind.SELF, pairing=None, author=F("subject"))
                | Q(kind=FeedbackKind.PEER) & (Q(author=None) | ~Q(author=F("subject"))),
                name="feedback_on_self_or_peer",
            ),
            models.CheckConstraint(
                condition=Q(author__isnull=False) | Q(subject__isnull=False),
                name="feedback_of_somebody",
            ),
            models.UniqueConstraint(
                fields=["assignment", "brought_by", "kind", "original_sha256", "pairing"],
                condition=Q(source=FeedbackSource.IMPORTED),
                # A self-audit has no pairing, and two nulls would count as different.
                nulls_distinct=False,
                name="feedback_imported_once",
            ),
        ]
        # The list of the administration, newest first.
        indexes = [models.Index(fields=["-created_at", "id"], name="feedback_newest")]

    def __str__(self) -> str:
        return str(self.pk)


class FeedbackEdition(TenantPart):
    """Redacted copy of a long report, made by a job for the reader who must not know the other.

    There is one such reader at most: the author of a report of this site, the subject of an
    imported one. `content` is the copy (feedback.editions.EditionContent as JSON), null unless the
    state is made. `marks` is the digest of the redaction's version, the report and the identities
    it was or will be made with; `partners` the same with the identities of the two students alone.
    `requested_at` is when the state became waiting, `made_at` when it was made last. `failure` is
    the code of a failure.
    """

    report = models.OneToOneField(FeedbackReport, on_delete=models.CASCADE, related_name="edition")
    state = models.CharField(
        max_length=7, choices=EditionState.choices, default=EditionState.WAITING
    )
    marks = models.CharField(max_length=64)
    partners = models.CharField(max_length=64)
    content = models.JSONField(null=True, blank=True)
    requested_at = models.DateTimeField()
    made_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state=EditionState.MADE, content__isnull=False, failure="")
                | Q(state=EditionState.WAITING, content__isnull=True, failure="")
                | Q(state=EditionState.FAILED, content__isnull=True) & ~Q(failure=""),
                name="edition_made_waiting_or_failed",
            ),
        ]

    def __str__(self) -> str:
        return f"Edition of {self.report_id}"


class CommunicationEntry(TenantModel):
    """Entry of a student's communication log: for them and staff, and the peer of a pairing."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="communication"
    )
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="communication")
    pairing = models.ForeignKey(
        Pairing, on_delete=models.PROTECT, null=True, blank=True, related_name="communication"
    )
    kind = models.CharField(max_length=8, choices=EntryKind.choices)
    text = models.TextField()
    posted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-posted_at", "-pk"]
        verbose_name_plural = "communication entries"
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=EntryKind.values), name="entry_kind_known"),
            models.CheckConstraint(condition=~Q(text=""), name="entry_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.posted_at:%Y-%m-%d}"
