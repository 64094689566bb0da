"""The only door to what a feedback report says: its edition for one reader (docs/privacy.md).

What a reader must not learn is taken out of the record here, so that pages, downloads and archives have none of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from grading.audits.queries import document_of, grade_of, is_withheld, visible_report
from grading.core.enums import FeedbackKind, FeedbackSource
from grading.core.pairing_access import ReportSide, Side, hides_other_side
from grading.engine.report import (
    COMMIT_AUTHORS_LOOKUP,
    CommitAuthor,
    Report,
    parse_commit_authors,
    parse_report,
)
from grading.models import (
    Activity,
    Audit,
    Cohort,
    Enrollment,
    FeedbackReport,
    Pairing,
    RoundMember,
    Submission,
)
from grading.peer_review.feedback.import_mismatches import TELLING
from grading.peer_review.redaction import (
    Identity,
    Person,
    redacted,
    redacted_file,
    redacted_import,
    redacted_report,
    without_scores,
)

Json = dict[str, Any]
PEER = "A peer"
PEOPLE = "Names, e-mail addresses, accounts and numbers of everybody in the cohort"
PLACES = "The repository's address, its branch and commits, and the hour of each"
DOCUMENT = "The PDF's name, its digest and what stands on its first page"
LINKS = "Links that lead out"
WRITER = "Who wrote it, its title and its date"
HIDDEN = "All of it: it was reported as abusive, and your teachers hid it"
SCORES = "Scores, levels, points and the judges' opinions, until the grade is released"


@dataclass(frozen=True)  # without slots, so that the report is parsed at first use
class PeerEdition:
    """A feedback report as one reader may see it.

    `document` is the JSON of an `automaton-auditor/report@1`, redacted for this reader; null while
    there is none, and for an imported one, of which `reading` is what was understood (courtroom's
    ImportedReport) and `original` the file. `withheld` says in words what is missing. `day` is when
    it was made (UTC); `moment` is null where the hour could tell who was at work. `signed`: made by
    this site.
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

    @cached_property
    def report(self) -> Report | None:
        """The typed report. Raises ReportUnreadable."""
        return None if self.document is None else parse_report(self.document)


def edition_of(report: FeedbackReport, *, side: ReportSide) -> PeerEdition:
    """What the reader on this side (permissions.access_feedback) may see. At most six queries.

    One's own work and what one brought along oneself are whole: what a reader has anyway tells nothing, but a gap
    in it would. In whatever the other wrote, or is about, everybody of the cohort is withheld.
    """
    if report.hidden_at is not None and side == "subject":
        return replace(
            _bare(report, side, hidden=True), original_name="", misfits=(), withheld=(HIDDEN,)
        )
    hidden = report.pairing is not None and hides_other_side(report.pairing.round.anonymity, side)
    if report.source == FeedbackSource.IMPORTED:
        return _imported(report, side, hidden=hidden)
    return _of_the_platform(report, side, hidden=hidden)


def shown_text(text: str, pairing: Pairing, *, side: Side) -> str:
    """Words of the other, an answer or an entry of their log, for a reader on this side. Three queries under a blind."""
    return shown_texts([text], pairing, side=side)[0]


def shown_texts(texts: Iterable[str], pairing: Pairing, *, side: Side) -> list[str]:
    """The same of several, with as many queries as for one."""
    if not hides_other_side(pairing.round.anonymity, side):
        return list(texts)
    both = (pairing.auditor_id, pairing.auditee_id)
    identity = identity_of(pairing.round.assignment.cohort_id, signing=both)
    return [redacted(text, identity) for text in texts]


def shown_name(who: Pairing | RoundMember, *, side: Side) -> str:
    """The other's name, or alias where the reader on this side must not know them; of a pairing staff are told who audits.

    A member needs `round` and `student` loaded and costs no query; a pairing costs one (shown_names for several).
    """
    if isinstance(who, RoundMember):
        return who.alias if hides_other_side(who.round.anonymity, side) else str(who.student)
    return shown_names([who], side=side)[who.pk]


def shown_names(pairings: Iterable[Pairing], *, side: Side) -> dict[UUID, str]:
    """shown_name of several pairings by their keys, one query; `round`, `auditor` and `auditee` are loaded."""
    listed = list(pairings)
    others = {pairing.pk: _other(pairing, side) for pairing in listed}
    members = RoundMember.objects.filter(
        round__in={pairing.round_id for pairing in listed},
        student__in={other.pk for other in others.values()},
    )
    aliases = {(each.round_id, each.student_id): each.alias for each in members}
    return {
        pairing.pk: aliases.get((pairing.round_id, others[pairing.pk].pk), PEER)
        if hides_other_side(pairing.round.anonymity, side)
        else str(others[pairing.pk])
        for pairing in listed
    }


def _other(pairing: Pairing, side: Side) -> Enrollment:
    return pairing.auditee if side in ("auditor", "author") else pairing.auditor


def _of_the_platform(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> PeerEdition:
    document, bare = _document(report, side), _bare(report, side, hidden=hidden)
    if document is None:
        return bare
    scoreless = side != "staff" and _has_no_score_yet(report)
    withheld: tuple[str, ...] = (SCORES,) if scoreless else ()
    if scoreless:
        document = without_scores(document)
    if hidden and side == "author":
        everybody = identity_of(report.assignment.cohort_id).with_person(
            committer_of(parse_report(document))
        )
        document = redacted_report(document, everybody)
        withheld += (PEOPLE, PLACES, DOCUMENT, LINKS)
    return replace(bare, document=document, withheld=withheld, scores_withheld=scoreless)


def _document(report: FeedbackReport, side: ReportSide) -> Json | None:
    """A report on oneself is an audit like any: what its student may see of it, the assignment's policy says."""
    if report.audit is None:
        return None
    if report.kind == FeedbackKind.SELF and side != "staff":
        edition = visible_report(report.audit, is_staff=False)
        return edition.document if edition else None
    return document_of(report.audit)


def _has_no_score_yet(report: FeedbackReport) -> bool:
    """By the assignment's policy for the work it is about; what a student sees of their own audits is decided there."""
    if report.kind == FeedbackKind.SELF or report.submission is None:
        return False
    return is_withheld(report.submission, grade_of(report.submission))


def _imported(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> PeerEdition:
    bare = _bare(report, side, hidden=hidden)
    if not hidden or _is_makers(report, side):
        return replace(bare, reading=report.reading, original=report.original)
    signing = [each for each in (report.author_id, report.subject_id) if each is not None]
    identity = identity_of(report.assignment.cohort_id, signing=signing)
    original, suffix = redacted_file(report.original, identity)
    return replace(
        bare,
        reading=redacted_import(report.reading or {}, identity),
        original=original,
        original_name=f"report{suffix}",
        withheld=(PEOPLE, WRITER, LINKS),
    )


def _bare(report: FeedbackReport, side: ReportSide, *, hidden: bool) -> PeerEdition:
    """What every edition of it says."""
    made_at = (report.audit.finished_at if report.audit else None) or report.created_at
    return PeerEdition(
        document=None,
        reading=None,
        original=None,
        original_name=report.original_name,
        misfits=tuple(
            m for m in report.misfits if not (hidden and side == "author" and m["code"] in TELLING)
        ),
        withheld=(),
        signed=report.source == FeedbackSource.PLATFORM,
        scores_withheld=False,
        day=made_at.date().isoformat(),
        moment=None if hidden and not _is_makers(report, side) else made_at,
    )


def _is_makers(report: FeedbackReport, side: ReportSide) -> bool:
    """Whether the reader is who made it, or brought it along."""
    reader = {"author": report.author_id, "subject": report.subject_id, "staff": None}[side]
    return reader is not None and reader == (report.brought_by_id or report.author_id)


def identity_of(cohort: Cohort | int, *, signing: Collection[int] = ()) -> Identity:
    """Everybody on the roster, in two queries. Of each: what the roster and their account call them, and the owners and
    names of the repositories and the names of the reports that they ever handed in.

    Of the students `signing`, by key, also what they call themselves in git, in one query more.
    """
    key = cohort if isinstance(cohort, int) else cohort.pk
    works: dict[int, set[tuple[str, str]]] = {}
    handed_in = Submission.objects.filter(student__cohort=key).order_by()
    for student, *work in handed_in.values_list("student", "repo_url", "pdf_name").distinct():
        works.setdefault(student, set()).add((work[0], work[1]))
    roster = Enrollment.objects.filter(cohort=key).select_related("user").order_by("pk")
    people = (_person(each, sorted(works.get(each.pk, ()))) for each in roster)
    return Identity((*people, *_committers(signing)))


def committer_of(report: Report) -> Person:
    """Return everybody who signed a commit of the work that this report is about, as one."""
    return _committer(report.commit_authors)


def _committers(students: Collection[int]) -> list[Person]:
    """By the newest report on the work of each."""
    if not students:
        return []
    told = Audit.objects.filter(submission__student__in=students, report__isnull=False)
    newest = told.order_by("submission__student_id", "-finished_at").distinct(
        "submission__student_id"
    )
    signed = newest.values_list(COMMIT_AUTHORS_LOOKUP, flat=True)
    return [_committer(parse_commit_authors(rows)) for rows in signed if rows]


def _committer(authors: Iterable[CommitAuthor]) -> Person:
    listed = list(authors)
    return Person(
        names=_said(*(author.name for author in listed)),
        addresses=_said(*(author.email for author in listed)),
    )


def _person(student: Enrollment, works: list[tuple[str, str]]) -> Person:
    user = student.user
    owners, repositories = _repositories([address for address, _name in works])
    group = f"group {student.group}" if student.group else ""
    return Person(
        names=_said(student.name, user.get_full_name() if user else ""),
        addresses=_said(student.email, user.email if user else ""),
        handles=_said(student.student_number, user.username if user else "", *owners),
        things=_said(*repositories, *(name for _address, name in works), student.group),
        owner_group=group or (works[0][0].casefold() if works else ""),
    )


def _repositories(addresses: list[str]) -> tuple[list[str], list[str]]:
    """The accounts that own them, and their names: https://host/owner/name.git, also git@host:owner/name."""
    owners, names = [], []
    for address in addresses:
        path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
        steps = [unquote(step) for step in path.split("/") if step]
        if steps:
            owners += steps[:-1]
            names.append(steps[-1].removesuffix(".git"))
    return owners, names


def _said(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))


@dataclass(frozen=True, slots=True)
class Search:
    """`unread` are {path, why}; `taken` counts the reports that were brought along."""

    at: datetime
    attempt: int
    taken: int
    unread: tuple[Mapping[str, str], ...]


def latest_searches(handed_in: Iterable[Submission]) -> dict[int, Search]:
    """By assignment, the newest of those that followed one of these hand-ins."""
    theirs = {str(each.pk): each for each in handed_in}
    told = Activity.objects.filter(
        verb="feedback.searched", object_type="submission", object_id__in=list(theirs)
    )
    found: dict[int, Search] = {}
    for row in told.order_by("at"):
        submission = theirs[row.object_id]
        found[submission.assignment_id] = Search(
            row.at, submission.attempt, row.detail["taken"], tuple(row.detail["unread"])
        )
    return found
