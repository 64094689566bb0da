"""Feedback reports as one reader may see them (docs/privacy.md).

Only this module gives out what a report says. What a reader must not learn is removed here, so that
pages, downloads and archives have none of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.db.models import OuterRef

from grading.audits.queries import document_of, grade_of, is_withheld, visible_report
from grading.core.enums import FeedbackKind, FeedbackSource
from grading.core.errors import EditionNotReady
from grading.core.pairing_access import ReportSide, Side, hides_other_side
from grading.core.team_access import name_in_round, with_team_name
from grading.engine.report import (
    COMMIT_AUTHORS_LOOKUP,
    Report,
    parse_commit_authors,
    parse_report,
)
from grading.engine.report_facts import CommitAuthor
from grading.models import (
    Activity,
    Audit,
    Enrollment,
    FeedbackReport,
    Pairing,
    PairingRound,
    RoundIdentities,
    RoundMember,
    Submission,
)
from grading.peer_review.feedback.edition_keys import hidden_ids, resolved_ids
from grading.peer_review.feedback.editions import Redaction, Status, edition_of
from grading.peer_review.feedback.import_mismatches import REVEALING
from grading.peer_review.redaction import Identity, Person, redacted, without_scores

Json = dict[str, Any]
PEER = "A peer"
WITHHELD_PEOPLE = "Names, email addresses, accounts and student numbers of everyone in the cohort"
WITHHELD_PLACES = "The repository's address, branch and commits, and the time of each"
WITHHELD_DOCUMENT = "The PDF's name, checksum and first page"
WITHHELD_LINKS = "Links to other sites"
WITHHELD_WRITER = "Its author, title and date"
WITHHELD_ALL = "The whole report: it was reported as abusive, and your teachers hid it"
NOT_READY = {
    "preparing": "Your copy of this report is being prepared. Try again in a minute.",
    "failed": "Your copy of this report could not be prepared. A person looks at it.",
}
WITHHELD_SCORES = "Scores, levels, points and the judges' opinions, until the grade is released"


@dataclass(frozen=True)  # without slots, so that the report is parsed at first use
class RedactedCopy:
    """Feedback report as one reader may see it.

    `document` is the JSON of an `automaton-auditor/report@1`, redacted for this reader. It is None
    while there is none, and for an imported report: there `reading` is the parsed report
    (courtroom's ImportedReport) and `original` the file. `withheld` lists in words what is
    missing. `day` is the day it was made (UTC); `moment` is None where the hour could reveal who
    was at work. `signed`: made by this site. Without an edition that is ready (`status`) there are
    no contents.
    """

    document: Json | None
    reading: Json | None
    original: str | None
    original_name: str
    misfits: tuple[Json, ...]
    withheld: tuple[str, ...]
    signed: bool
    scores_withheld: bool
    day: str
    moment: datetime | None
    status: Status = "ready"

    @cached_property
    def report(self) -> Report | None:
        """The typed report. Raises ReportUnreadable."""
        return None if self.document is None else parse_report(self.document)


def redacted_copy_of(report: FeedbackReport, *, side: ReportSide) -> RedactedCopy:
    """Return what a reader on this side (core.peer_permissions.access_feedback) may see. At most 8 queries.

    A report on one's own work and a file that one imported are never redacted: the reader has the
    content anyway, and a gap in it would reveal the name. In all other reports everyone of the
    cohort is withheld.
    """
    # First of all: a hidden report gives its subject nothing, redacted or not.
    if report.hidden_at is not None and side == "subject":
        return replace(
            _base_copy(report, side, hidden=True),
            original_name="",
            misfits=(),
            withheld=(WITHHELD_ALL,),
        )
    hidden = report.pairing is not None and hides_other_side(report.pairing.round.anonymity, side)
    if report.source == FeedbackSource.IMPORTED:
        return _imported_copy(report, side, hidden=hidden)
    return _platform_copy(report, side, hidden=hidden)


def refuse_unless_ready(copy: RedactedCopy) -> None:
    """Raise EditionNotReady (edition_preparing, edition_failed) for a copy without an edition."""
    if copy.status != "ready":
        raise EditionNotReady(f"edition_{copy.status}", NOT_READY[copy.status])


def shown_text(text: str, pairing: Pairing, *, side: Side) -> str:
    """Return a text by the other student for a reader on this side. Four queries if redacted."""
    return shown_texts([text], pairing, side=side)[0]


def shown_texts(texts: Iterable[str], pairing: Pairing, *, side: Side) -> list[str]:
    """Return several texts by the other student, with as many queries as for one."""
    if not hides_other_side(pairing.round.anonymity, side):
        return list(texts)
    both = (pairing.auditor_id, pairing.auditee_id)
    reader = pairing.auditor_id if side in ("auditor", "author") else pairing.auditee_id
    identity = identity_of(pairing.round, reader=reader, committers=both)
    change = hidden_ids if reader == pairing.auditor_id else resolved_ids
    return [change(redacted(text, identity), pairing) for text in texts]


def shown_name(other: Pairing | RoundMember, *, side: Side) -> str:
    """Return the other student's name, or the alias if the reader must not know them.

    Of a pairing, staff get the name of the auditor. A member needs `round`, `student` and `team_name`
    loaded and costs no query; a pairing costs one (shown_names for several).
    """
    if isinstance(other, RoundMember):
        hidden = hides_other_side(other.round.anonymity, side)
        return other.alias if hidden else name_in_round(other)
    return shown_names([other], side=side)[other.pk]


def shown_names(
    pairings: Iterable[Pairing], *, side: Side, is_staff: bool = False
) -> dict[UUID, str]:
    """Return shown_name of several pairings, by key; for staff nobody is hidden. One query.

    `round`, `auditor` and `auditee` must be loaded.
    """
    loaded = list(pairings)
    other_students = {pairing.pk: _other_student(pairing, side) for pairing in loaded}
    members = RoundMember.objects.filter(
        round__in={pairing.round_id for pairing in loaded},
        student__in={student.pk for student in other_students.values()},
    )
    named = with_team_name(
        members.select_related("student"), OuterRef("round__assignment"), "student"
    )
    places = {(member.round_id, member.student_id): member for member in named}
    names: dict[UUID, str] = {}
    for pairing in loaded:
        student = other_students[pairing.pk]
        place = places.get((pairing.round_id, student.pk))
        if not is_staff and hides_other_side(pairing.round.anonymity, side):
            names[pairing.pk] = place.alias if place else PEER
        else:
            names[pairing.pk] = name_in_round(place) if place else str(student)
    return names


def _other_student(pairing: Pairing, side: Side) -> Enrollment:
    return pairing.auditee if side in ("auditor", "author") else pairing.auditor


def _platform_copy(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> RedactedCopy:
    base = _base_copy(report, side, hidden=hidden)
    withheld: tuple[str, ...] = ()
    redaction = redaction_of(report) if side == "author" else None
    if redaction is None:
        document = _document(report, side)
    else:
        edition = edition_of(report, redaction)
        if edition.content is None:
            return replace(base, status=edition.status)
        document = edition.content.document
        withheld = (WITHHELD_PEOPLE, WITHHELD_PLACES, WITHHELD_DOCUMENT, WITHHELD_LINKS)
    if document is None:
        return base

    lacks_score = side != "staff" and _lacks_released_score(report)
    if lacks_score:
        document, withheld = without_scores(document), (WITHHELD_SCORES, *withheld)
    return replace(base, document=document, withheld=withheld, scores_withheld=lacks_score)


def _document(report: FeedbackReport, side: ReportSide) -> Json | None:
    """Return the stored report. On their own audits students see what the assignment releases."""
    if report.audit is None:
        return None
    if report.kind == FeedbackKind.SELF and side != "staff":
        audit_report = visible_report(report.audit, is_staff=False)
        return audit_report.document if audit_report else None
    return document_of(report.audit)


def _lacks_released_score(report: FeedbackReport) -> bool:
    """Return True while the grade of the audited work is withheld by the assignment's policy.

    False for reports on one's own work: _document() decides about those.
    """
    if report.kind == FeedbackKind.SELF or report.submission is None:
        return False
    return is_withheld(report.submission, grade_of(report.submission))


def _imported_copy(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> RedactedCopy:
    base = _base_copy(report, side, hidden=hidden)
    redaction = None if _is_maker(report, side) or not hidden else redaction_of(report)
    if redaction is None:
        reading = report.reading
        # Its author named evidence as their own edition of the site's report does.
        if report.pairing is not None and side != "author":
            reading = resolved_ids(reading, report.pairing)
        return replace(base, reading=reading, original=report.original)

    edition = edition_of(report, redaction)
    if edition.content is None:
        return replace(base, original_name="", status=edition.status)
    return replace(
        base,
        reading=edition.content.reading,
        original=edition.content.original,
        # The file's own name may name its author.
        original_name=f"report{edition.content.suffix}",
        withheld=(WITHHELD_PEOPLE, WITHHELD_WRITER, WITHHELD_LINKS),
    )


def redaction_of(report: FeedbackReport) -> Redaction | None:
    """Return what is redacted in a report, None if both students may read all of it.

    Redacted are reports of this site for their author alone: they say nothing about the auditor,
    and the subject knows their own work. Imported ones are redacted for their subject alone.
    """
    pairing, is_imported = report.pairing, report.source == FeedbackSource.IMPORTED
    side: Side = "subject" if is_imported else "author"
    if pairing is None or not hides_other_side(pairing.round.anonymity, side):
        return None

    both = (pairing.auditor_id, pairing.auditee_id)
    if is_imported:
        identity, partners = _identities(
            pairing.round, reader=pairing.auditee_id, committers=both, partners=both
        )
        return Redaction(
            pairing=pairing,
            document=None,
            reading=report.reading or {},
            original=report.original,
            identity=identity,
            partners=partners,
        )

    document = document_of(report.audit) if report.audit is not None else None
    if document is None:
        return None
    identity, partners = _identities(pairing.round, reader=pairing.auditor_id, partners=both)
    # Authors of commits may have names that the roster does not have.
    authors = commit_authors_of(parse_report(document))
    return Redaction(
        pairing=pairing,
        document=document,
        reading={},
        original="",
        identity=identity.with_person(authors),
        partners=partners.with_person(authors),
    )


def _base_copy(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> RedactedCopy:
    """Return a copy with what every reader sees, without the contents."""
    made_at = (report.audit.finished_at if report.audit else None) or report.created_at
    misfits = report.misfits
    if hidden and side == "author":
        # These would confirm to an auditor whose work they have guessed.
        misfits = [misfit for misfit in misfits if misfit["code"] not in REVEALING]

    return RedactedCopy(
        document=None,
        reading=None,
        original=None,
        original_name=report.original_name,
        misfits=tuple(misfits),
        withheld=(),
        signed=report.source == FeedbackSource.PLATFORM,
        scores_withheld=False,
        day=made_at.date().isoformat(),
        moment=None if hidden and not _is_maker(report, side) else made_at,
    )


def _is_maker(report: FeedbackReport, side: ReportSide) -> bool:
    """Return True if the reader made or imported the report."""
    reader = {"author": report.author_id, "subject": report.subject_id, "staff": None}[side]
    return reader is not None and reader == (report.brought_by_id or report.author_id)


def identity_of(
    round_: PairingRound, *, reader: int | None, committers: Collection[int] = ()
) -> Identity:
    """Return the identities of everyone on the roster, in three queries.

    These are all marks known when the round began and all that came since. What several have is
    decided by those of the beginning without the reader's own (the key of their enrollment): no
    submission makes a name readable. Of the students `committers` (keys) the names they use in git
    are added, in one query more. `round_` needs its assignment loaded.
    """
    return _identities(round_, reader=reader, committers=committers)[0]


def _identities(
    round_: PairingRound,
    *,
    reader: int | None,
    committers: Collection[int] = (),
    partners: Collection[int] = (),
) -> tuple[Identity, Identity]:
    """Return the identities of everyone, and of the students `partners` (keys) alone."""
    frozen = RoundIdentities.objects.filter(round=round_).values_list("people", flat=True).first()
    began = [(row["student"], _person_of_json(row)) for row in frozen or ()]
    people = dict.fromkeys((*began, *_people_of(round_.assignment.cohort_id)))
    everyone = dict.fromkeys(person for _student, person in people)
    both = dict.fromkeys(person for student, person in people if student in partners)

    signed = _committers(committers)
    counted = tuple(person for student, person in began if student != reader)
    return Identity((*everyone, *signed), counted), Identity((*both, *signed), counted)


def identities_of(cohort: int) -> list[Json]:
    """Return everyone on the roster as a round keeps them (RoundIdentities.people)."""
    return [{"student": student, **asdict(person)} for student, person in _people_of(cohort)]


def _person_of_json(row: Json) -> Person:
    words = {key: tuple(row[key]) for key in ("names", "addresses", "handles", "things")}
    return Person(**words, owner_group=row["owner_group"])


def _people_of(cohort: int) -> list[tuple[int, Person]]:
    """Return the key of each enrollment with its person, in two queries.

    Each has the names in roster and account, and the owners and names of repositories and the
    names of reports that they ever submitted.
    """
    # Everything ever submitted: an old repository identifies its owner as well.
    works: dict[int, set[tuple[str, str]]] = {}
    submissions = Submission.objects.filter(student__cohort=cohort).order_by()
    for student_key, *work in submissions.values_list("student", "repo_url", "pdf_name").distinct():
        works.setdefault(student_key, set()).add((work[0], work[1]))

    roster = Enrollment.objects.filter(cohort=cohort).select_related("user").order_by("pk")
    return [(student.pk, _person(student, sorted(works.get(student.pk, ())))) for student in roster]


def commit_authors_of(report: Report) -> Person:
    """Return all commit authors of the audited work as one person."""
    return _committer(report.commit_authors)


def _committers(students: Collection[int]) -> list[Person]:
    """Return the commit authors in the newest report on the work of each student."""
    if not students:
        return []
    audits = Audit.objects.filter(submission__student__in=students, report__isnull=False)
    newest = audits.order_by("submission__student_id", "-finished_at").distinct(
        "submission__student_id"
    )
    signed = newest.values_list(COMMIT_AUTHORS_LOOKUP, flat=True)
    return [_committer(parse_commit_authors(rows)) for rows in signed if rows]


def _committer(authors: Iterable[CommitAuthor]) -> Person:
    loaded = list(authors)
    return Person(
        names=_non_empty(*(author.name for author in loaded)),
        addresses=_non_empty(*(author.email for author in loaded)),
    )


def _person(student: Enrollment, works: list[tuple[str, str]]) -> Person:
    user = student.user
    owners, repositories = _repositories([address for address, _name in works])
    group = f"group {student.group}" if student.group else ""
    return Person(
        names=_non_empty(student.name, user.get_full_name() if user else ""),
        addresses=_non_empty(student.email, user.email if user else ""),
        handles=_non_empty(student.student_number, user.username if user else "", *owners),
        things=_non_empty(*repositories, *(name for _address, name in works), student.group),
        owner_group=group or (works[0][0].casefold() if works else ""),
    )


def _repositories(addresses: list[str]) -> tuple[list[str], list[str]]:
    """Return owning accounts and names of repositories.

    Reads https://host/owner/name.git and git@host:owner/name.
    """
    owners, names = [], []
    for address in addresses:
        path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
        steps = [unquote(step) for step in path.split("/") if step]
        if steps:
            owners += steps[:-1]
            names.append(steps[-1].removesuffix(".git"))
    return owners, names


def _non_empty(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))


@dataclass(frozen=True, slots=True)
class Search:
    """Search of a repository. `taken` counts imported reports; `unread` are {path, why}."""

    at: datetime
    attempt: int
    taken: int
    unread: tuple[Mapping[str, str], ...]


def latest_repository_searches(submissions: Iterable[Submission]) -> dict[int, Search]:
    """Return, by assignment, the newest search that followed one of these submissions."""
    by_key = {str(submission.pk): submission for submission in submissions}
    activities = Activity.objects.filter(
        verb="feedback.searched", object_type="submission", object_id__in=list(by_key)
    )

    searches: dict[int, Search] = {}
    for row in activities.order_by("at"):
        submission = by_key[row.object_id]
        searches[submission.assignment_id] = Search(
            row.at, submission.attempt, row.detail["taken"], tuple(row.detail["unread"])
        )
    return searches
