"""Counts of a student's exchange with peers, for an audit and for staff; without names.

A report counts if a pairing is behind it, even if it is flagged: a missing count would tell its
author whose work they audit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db.models import (
    BooleanField,
    Count,
    F,
    FilteredRelation,
    IntegerField,
    Max,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.expressions import Func
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from grading.core.enums import (
    REPORTED_STATES,
    FeedbackKind,
    FeedbackSource,
    FindingState,
    ResponseKind,
)
from grading.models import (
    Assignment,
    CommunicationEntry,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingSighting,
)

# What a report on a peer holds, and where its reading shows it.
CONTENTS = {
    "scored": "$.criteria[*].score ? (@ != null)",
    "placed": "$.findings[*].path ? (@ != null)",
    "argued": "$.criteria[*].opinions[1]",
    "planned": "$.findings[*].action ? (@ != null)",
}


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """Numbers of entries posted in the communication log."""

    progress: int = 0
    blocker: int = 0
    design: int = 0

    @property
    def anything(self) -> int:
        return self.progress + self.blocker + self.design


@dataclass(frozen=True, slots=True)
class Relevance:
    """Numbers of findings that a student's own auditor stated about peers (project_facts.py)."""

    stated: int
    with_place: int
    confirmed: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class ExchangeCounts:
    """Fields of the courtroom's fact `exchange`, which defines them; `own` is its `self`."""

    generated: int = 0
    own: int = 0
    received: int = 0
    scored: int = 0
    placed: int = 0
    argued: int = 0
    planned: int = 0
    findings_received: int = 0
    answered: int = 0
    fixed: int = 0
    fixes_verified: int = 0
    deferred: int = 0
    contested: int = 0
    entries: EntryCounts = EntryCounts()
    relevance: Relevance | None = None

    @property
    def document(self) -> dict[str, Any]:
        """Return the counts as the courtroom reads them."""
        result = asdict(self)
        return {"self": result.pop("own"), **result}


def exchange_of(*, assignment: Assignment | int, student: Enrollment | int) -> ExchangeCounts:
    """Return one student's part in the exchange at an assignment. At most seven queries."""
    counts = _gathered(assignment, Q(pk=_key(student)))
    return counts.get(_key(student), ExchangeCounts())


def exchanges_in(assignment: Assignment) -> Mapping[int, ExchangeCounts]:
    """Return all students' parts by enrollment key, without empty ones. Queries as for one."""
    return _gathered(assignment, Q(cohort=assignment.cohort_id))


def _key(row: Assignment | Enrollment | int) -> int:
    return row if isinstance(row, int) else row.pk


@dataclass(frozen=True, slots=True)
class _Report:
    """Report with its pairing. `stated` is the number of findings of an imported one.

    `scored`, `placed`, `argued` and `planned` say what it holds, as the fact `exchange` has it.

    A report of the site has an `audit`. Without a pairing (on own work) `pairing` is None,
    `auditor` and `auditee` are 0. A report that is `hidden` from its subject asks for no answers.
    """

    pk: UUID
    pairing: UUID | None
    auditor: int
    auditee: int
    subject: int
    audit: UUID | None
    stated: int
    hidden: bool
    contents: frozenset[str]


def _gathered(assignment: Assignment | int, whose: Q) -> Mapping[int, ExchangeCounts]:
    students = Enrollment.objects.filter(whose).order_by().values("pk")
    reports = _reports(_key(assignment), students)
    answers = _answers(_key(assignment), students, reports)
    entries = _entries(_key(assignment), students)
    relevance = _relevance(reports)

    # Sets: a pairing counts once, however many reports it has.
    generated = Counter(
        auditor for auditor, _ in {(r.auditor, r.pairing) for r in reports if r.pairing}
    )
    received = Counter(
        auditee for auditee, _ in {(r.auditee, r.pairing) for r in reports if r.pairing}
    )
    # A pairing's newest report is the one that counts, so it says what the exchange holds.
    newest = {report.pairing: report for report in reversed(reports) if report.pairing}
    contents = Counter(
        (report.auditor, name) for report in newest.values() for name in report.contents
    )
    own = Counter(report.subject for report in reports if report.pairing is None)
    return {
        student: ExchangeCounts(
            generated=generated[student],
            own=own[student],
            received=received[student],
            **{name: contents[student, name] for name in CONTENTS},
            entries=entries.get(student, EntryCounts()),
            relevance=relevance.get(student),
            **answers.get(student, {}),
        )
        for student in {*generated, *received, *own, *answers, *entries}
    }


def _reports(assignment: int, students: QuerySet[Enrollment, Any]) -> list[_Report]:
    """Return the reports, newest first: under a pairing, or of a student's own auditor."""
    # The row of an audit on this site exists before its report does.
    is_there = Q(source=FeedbackSource.IMPORTED) | Q(audit__state__in=REPORTED_STATES)
    theirs = Q(pairing__auditor__in=students) | Q(pairing__auditee__in=students)
    own = Q(kind=FeedbackKind.SELF, source=FeedbackSource.IMPORTED, subject__in=students)
    rows = FeedbackReport.objects.filter(is_there & (theirs | own), assignment=assignment)

    # Counted in the database: whole readings need not be loaded.
    listed = Func(
        KeyTransform("findings", "reading"),
        function="jsonb_array_length",
        output_field=IntegerField(),
    )

    # _gathered and _relevance rely on this order.
    values = rows.order_by("-created_at", "pk").values_list(
        "pk",
        "pairing",
        "pairing__auditor",
        "pairing__auditee",
        "subject",
        "audit",
        listed,
        "hidden_at",
        *(_has(path) for path in CONTENTS.values()),
    )
    return [
        _Report(
            pk,
            pairing,
            auditor or 0,
            auditee or 0,
            subject,
            audit,
            stated or 0,
            hidden_at is not None,
            # A report of this site has all of it.
            frozenset(
                name for name, is_there in zip(CONTENTS, contents, strict=True) if audit or is_there
            ),
        )
        for pk, pairing, auditor, auditee, subject, audit, stated, hidden_at, *contents in values
    ]


def _has(path: str) -> Func:
    """Return whether a reading has something at this SQL/JSON path."""
    return Func(
        F("reading"),
        Cast(Value(path), TextField()),
        function="jsonb_path_exists",
        template="%(function)s(%(expressions)s::jsonpath)",
        output_field=BooleanField(),
    )


def _answers(
    assignment: int, students: QuerySet[Enrollment, Any], reports: Sequence[_Report]
) -> dict[int, dict[str, int]]:
    """Return what became of the findings of peers in these students' work.

    It queries by lists of keys: joins took seconds where the database had no statistics yet.
    """
    by_peers = [report for report in reports if report.pairing and not report.hidden]
    result = Q(audit__in=[report.audit for report in by_peers]) | Q(
        report__in=[report.pk for report in by_peers]
    )
    sightings = FindingSighting.objects.filter(present=True).order_by()
    received = set(sightings.filter(result).values_list("finding", flat=True))
    standing = [row for row in _standing(assignment, students) if row[0] in received]

    # A claimed fix stops counting when an audit of this site sees the finding again in work
    # that was handed in after the answer.
    verified = [finding for finding, _, _, _, is_verified, _ in standing if is_verified]
    site_sightings = sightings.filter(audit__isnull=False, finding__in=verified)
    last_seen = dict(
        site_sightings.values_list("finding").annotate(last=Max("submission__handed_in_at"))
    )
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for finding, student, state, kind, is_verified, at in standing:
        mended = bool(is_verified) and not (finding in last_seen and last_seen[finding] > at)
        counted[student].update(_became(state, kind, mended))
    return {student: dict(counts) for student, counts in counted.items()}


def _standing(assignment: int, students: QuerySet[Enrollment, Any]) -> QuerySet[Finding, Any]:
    """Return every finding in this work with its current answer."""
    answer = FilteredRelation("responses", condition=Q(responses__replaced_at=None))
    rows = Finding.objects.filter(assignment=assignment, student__in=students).annotate(
        standing=answer
    )
    return rows.order_by().values_list(
        "pk", "student", "state", "standing__kind", "standing__verified", "standing__created_at"
    )


def _became(state: str, kind: str | None, mended: bool) -> Iterable[str]:
    """Return the counts of one finding. `mended`: by a commit looked up, and not seen since.

    The answer may be older than the attempt that has the fix: that attempt's audit gets it, too.
    """
    yield "findings_received"
    gone = state == FindingState.FIXED
    # A promise to fix says nothing of what was done.
    if gone or kind not in (None, ResponseKind.WILL_FIX):
        yield "answered"
    if gone or mended:
        yield "fixed"
    # A claim alone verifies nothing: an audit has to see that the finding is gone.
    if gone and mended:
        yield "fixes_verified"
    # What is gone is no longer deferred or contested. The values of both kinds are the names of
    # fields of ExchangeCounts.
    if kind in (ResponseKind.DEFERRED, ResponseKind.CONTESTED) and not gone:
        yield str(kind)


def _entries(assignment: int, students: QuerySet[Enrollment, Any]) -> dict[int, EntryCounts]:
    rows = CommunicationEntry.objects.filter(assignment=assignment, student__in=students)
    counted: dict[int, dict[str, int]] = defaultdict(dict)
    for student, kind, number in (
        rows.order_by().values_list("student", "kind").annotate(n=Count("pk"))
    ):
        counted[student][kind] = number

    # The values of EntryKind are the names of the fields.
    return {student: EntryCounts(**kinds) for student, kinds in counted.items()}


def _relevance(reports: Sequence[_Report]) -> dict[int, Relevance]:
    """Return by auditor the findings of their own auditors; the newest report of a pairing counts.

    The site's own courtroom states nothing that it would not confirm: its audits are left out.
    """
    # Read from old to new, so that the newest report of a pairing replaces the others.
    newest = {
        report.pairing: report
        for report in reversed(reports)
        if report.pairing and not report.audit
    }
    by_key = {report.pk: report for report in newest.values()}
    sightings = FindingSighting.objects.filter(present=True).order_by()
    stated = list(
        sightings.filter(report__in=by_key).values_list(
            "report", "finding", "submission", "finding__place", "lines"
        )
    )

    # Confirmed is what an audit of this site saw in the same submission.
    looked = sightings.filter(audit__isnull=False, finding__in={row[1] for row in stated})
    confirmed = set(looked.values_list("finding", "submission"))
    result: dict[int, dict[UUID, tuple[bool, bool]]] = defaultdict(dict)
    listed: dict[int, dict[UUID, int]] = defaultdict(dict)
    for key, finding, submission, place, lines in stated:
        auditor = by_key[key].auditor
        is_placed, is_confirmed = result[auditor].get(finding, (False, False))
        result[auditor][finding] = (
            is_placed or bool(place and lines),
            is_confirmed or (finding, submission) in confirmed,
        )
        listed[auditor][key] = by_key[key].stated
    return {
        auditor: Relevance(
            stated=len(findings),
            with_place=sum(is_placed for is_placed, _ in findings.values()),
            confirmed=sum(is_confirmed for _, is_confirmed in findings.values()),
            duplicates=max(0, sum(listed[auditor].values()) - len(findings)),
        )
        for auditor, findings in result.items()
    }
