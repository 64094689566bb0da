"""Count the records of a cohort by kind, for the previews of its archive and its deletion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum, Value

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import OPEN_STATES, BulkState
from grading.core.key_arrays import IsAmong
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    AuditContents,
    BlindGrade,
    BlindSample,
    BulkItem,
    BulkRun,
    Cohort,
    Comment,
    CommentReply,
    CommunicationEntry,
    Complaint,
    CriterionVerdict,
    DueReminder,
    Enrollment,
    EvidenceRecord,
    Extension,
    FeedbackEdition,
    FeedbackReport,
    Finding,
    FindingHelp,
    FindingResponse,
    FindingSighting,
    Grade,
    GradeAdjustment,
    IdempotencyKey,
    JoinLink,
    LtiCourseLink,
    LtiLineItem,
    LtiMember,
    LtiResourceLink,
    LtiScore,
    Opening,
    OpinionRecord,
    Override,
    Pairing,
    PairingRound,
    Push,
    PushLink,
    RepositoryAccess,
    RepositoryGrant,
    RepositoryMember,
    RepositoryTemplate,
    ReviewMark,
    ReviewPresence,
    ReviewShare,
    RoundIdentities,
    RoundMember,
    StaffNote,
    StudentRepository,
    Submission,
    SupersededReport,
    Team,
    TeamMember,
)

# (name, model, path from the model to the cohort's keys). A row that refers to another comes before
# it, so that all can be deleted in this order. The names are stored in archives and in the log:
# they stay. A tenant's table that is missing here fails tests/courses/test_cohort_deletion.py.
KINDS: tuple[tuple[str, Any, str], ...] = (
    ("appeals", Appeal, "submission"),
    ("staff notes", StaffNote, "submission"),
    ("answers to comments", CommentReply, "comment__submission"),
    ("comments of staff", Comment, "submission"),
    ("scores given by hand", Override, "submission"),
    ("marks of the grading queue", ReviewMark, "submission"),
    ("shares of readers", ReviewShare, "assignment"),
    ("open pages of the grading queue", ReviewPresence, "assignment"),
    ("blind scores", BlindGrade, "submission"),
    ("blind samples", BlindSample, "assignment"),
    ("attempts of bulk runs", BulkItem, "submission"),
    ("reminders of due dates", DueReminder, "assignment"),
    ("complaints about reports", Complaint, "report__assignment"),
    ("marks of what was opened", Opening, "student__cohort"),
    ("words on whether findings helped", FindingHelp, "finding__assignment"),
    ("answers to findings", FindingResponse, "finding__assignment"),
    ("sightings of findings", FindingSighting, "submission"),
    ("findings", Finding, "assignment"),
    ("entries of communication logs", CommunicationEntry, "assignment"),
    ("editions of reports", FeedbackEdition, "report__assignment"),
    ("reports of and on peers", FeedbackReport, "assignment"),
    ("pairings", Pairing, "round__assignment"),
    ("places in rounds", RoundMember, "round__assignment"),
    ("identities in rounds", RoundIdentities, "round__assignment"),
    ("rounds of peers", PairingRound, "assignment"),
    ("adjustments of grades", GradeAdjustment, "grade__assignment"),
    ("grades", Grade, "assignment"),
    ("superseded reports", SupersededReport, "audit"),
    ("lists of audited files", AuditContents, "audit"),
    ("pieces of evidence", EvidenceRecord, "audit"),
    ("opinions of judges", OpinionRecord, "audit"),
    ("verdicts on criteria", CriterionVerdict, "audit"),
    ("audits with their reports", Audit, "submission"),
    ("bulk runs", BulkRun, "assignment"),
    ("keys of programs that handed in", IdempotencyKey, "assignment"),
    ("attempts handed in", Submission, "assignment"),
    ("extensions", Extension, "assignment"),
    ("places in teams", TeamMember, "assignment"),
    ("teams", Team, "assignment"),
    ("grades for gradebooks of platforms", LtiScore, "line_item__assignment"),
    ("columns in gradebooks of platforms", LtiLineItem, "assignment"),
    ("links in courses of platforms", LtiResourceLink, "assignment"),
    ("assignments", Assignment, "cohort"),
    ("join links", JoinLink, "cohort"),
    ("people of platforms", LtiMember, "course_link__cohort"),
    ("courses of platforms", LtiCourseLink, "cohort"),
    ("pushes", Push, "link__assignment__cohort"),
    ("branches whose pushes are submissions", PushLink, "assignment__cohort"),
    ("people of made repositories", RepositoryMember, "repository__template__assignment__cohort"),
    ("made repositories", StudentRepository, "template__assignment__cohort"),
    ("templates of repositories", RepositoryTemplate, "assignment__cohort"),
    ("granted repositories", RepositoryGrant, "student__cohort"),
    ("accesses to repositories", RepositoryAccess, "student__cohort"),
    ("students on the roster", Enrollment, "cohort"),
)

# Whose keys select those rows.
PARENTS: tuple[tuple[str, Any, str], ...] = (
    ("assignment", Assignment, "cohort"),
    ("submission", Submission, "assignment"),
    ("audit", Audit, "submission"),
)

# Labels on pages that differ from the stored names.
LABELS = {
    "scores given by hand": "score overrides",
    "attempts of bulk runs": "items of bulk runs",
    "complaints about reports": "reports of abuse",
    "marks of what was opened": "read receipts",
    "words on whether findings helped": "ratings of findings",
    "sightings of findings": "occurrences of findings",
    "reports of and on peers": "peer reviews",
    "places in rounds": "participants of rounds",
    "rounds of peers": "peer review rounds",
    "opinions of judges": "judges' opinions",
    "audits with their reports": "audits",
    "keys of programs that handed in": "idempotency keys",
    "attempts handed in": "submissions",
}


@dataclass(frozen=True, slots=True)
class CohortInventory:
    """Number of records of each kind, the cohort's own first.

    `running` counts the audits and bulk runs.
    """

    kinds: tuple[tuple[str, int], ...]
    uploads: int
    upload_bytes: int
    running: int

    @property
    def present_kinds(self) -> list[tuple[str, int]]:
        """Labels and numbers of the kinds with records."""
        return [(LABELS.get(name, name), number) for name, number in self.kinds if number]

    @property
    def absent_kinds(self) -> list[str]:
        """Labels of the kinds without records."""
        return [LABELS.get(name, name) for name, number in self.kinds if not number]

    @property
    def fingerprint(self) -> str:
        """Text that changes with every new submission, verdict or appeal."""
        return "-".join(str(number) for _name, number in self.kinds) + f"-{self.uploads}"


def inventory_of(cohort: Cohort) -> CohortInventory:
    """Count the cohort's records in a fixed number of queries."""
    uploads = _uploads_of(cohort).aggregate(number=Count("pk"), size=Sum("pdf_bytes", default=0))
    # A kind without rows is missing in a grouped count.
    counts = dict.fromkeys((name for name, _model, _path in KINDS), 0)
    counts |= dict(COUNTS.rows(organization=cohort.organization_id, cohort=cohort.pk))

    return CohortInventory(
        # KINDS begins with what is deleted first; pages begin with the cohort's own rows.
        kinds=tuple(reversed(counts.items())),
        uploads=uploads["number"],
        upload_bytes=uploads["size"],
        running=count_running(cohort),
    )


def number_by_kind(kinds: Mapping[str, QuerySet[Any]]) -> QuerySet[Any, Any]:
    """Return the query of (kind, number of its rows), without the kinds that have none."""
    first, *rest = (
        rows.annotate(kind_name=Value(name))
        .values("kind_name")
        .annotate(number=Count("pk"))
        .values_list("kind_name", "number")
        for name, rows in kinds.items()
    )
    counted: QuerySet[Any, Any] = first.union(*rest, all=True)
    return counted


def _counts(cohort: int) -> QuerySet[Any, Any]:
    """Return the query of the names of kinds that have rows, with their numbers."""
    keys: dict[str, QuerySet[Any, Any]] = {}
    for name, model, parent in PARENTS:
        belongs = IsAmong(parent, keys[parent]) if parent in keys else Q(**{parent: cohort})
        keys[name] = model.objects.filter(belongs).values("pk")

    def belonging(path: str) -> Q | IsAmong:
        parent = path.rpartition("__")[2]
        return IsAmong(path, keys[parent]) if parent in keys else Q(**{path: cohort})

    return number_by_kind(
        {name: model.objects.filter(belonging(path)).order_by() for name, model, path in KINDS}
    )


# Django takes a tenth of a second to make it.
COUNTS = OrganizationQuery(_counts, cohort=int)


def kinds_of(cohort: Cohort) -> Iterator[tuple[str, QuerySet[Any]]]:
    """Yield (name, rows) of each kind, in the order in which they can be deleted.

    Rows are selected by keys and not by joins: PostgreSQL has no statistics of a new cohort, and
    needed three seconds to count nine thousand opinions through five joined tables.
    """
    keys: dict[str, list[Any]] = {"cohort": [cohort.pk]}
    for name, model, parent in PARENTS:
        keys[name] = list(
            model.objects.filter(**{f"{parent}__in": keys[parent]})
            .order_by()
            .values_list("pk", flat=True)
        )

    for name, model, path in KINDS:
        parent = path.rpartition("__")[2]
        yield name, model.objects.filter(**{f"{path}__in": keys[parent]}).order_by()


def count_running(cohort: Cohort) -> int:
    """Return the number of audits that wait or run and of bulk runs that have not finished."""
    audits = Audit.objects.filter(submission__assignment__cohort=cohort, state__in=OPEN_STATES)
    runs = BulkRun.objects.filter(assignment__cohort=cohort, state=BulkState.RUNNING)
    return audits.count() + runs.count()


def uploads_of(cohort: Cohort) -> Iterator[str]:
    """Yield the names of the cohort's PDFs in private storage."""
    return iter(_uploads_of(cohort).values_list("pdf", flat=True))


def _uploads_of(cohort: Cohort) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment__cohort=cohort).exclude(pdf="")
