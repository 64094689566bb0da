"""Rows of one student's findings at one assignment, locked until the transaction ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.utils import timezone

from grading.engine.findings import Draft
from grading.findings.finding_state import Observation, lifecycle_of
from grading.findings.identity import RecordedFinding, recognised
from grading.models import Audit, FeedbackReport, Finding, FindingSighting, Submission

Drafts = Mapping[str, Draft | None]
SIGHTING_FIELDS = ("finding_id", "present", "lines", "text", "action", "priority", "evidence")
STATE_FIELDS = (
    "state",
    "first_submission_id",
    "last_submission_id",
    "fixed_submission_id",
    "fixed_commit",
)
IDENTITY_FIELDS = ("key", "criterion_id", "check_id")
DISPLAY_FIELDS = ("criterion_name", "place", "title")


@dataclass(slots=True)
class Ledger:
    """Recorded findings by key. `moves` counts the states that findings changed to meanwhile."""

    submission: Submission
    findings: dict[str, Finding]
    moves: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, submission: Submission) -> Ledger:
        """Lock and load the student's findings; their audits that end together take turns."""
        _lock_findings(submission)
        findings = Finding.objects.filter(
            assignment=submission.assignment_id, student=submission.student_id
        )
        by_key = {finding.key: finding for finding in findings.order_by("created_at", "pk")}
        return cls(submission, by_key)

    def recorded(self) -> list[RecordedFinding]:
        rows = self.findings.values()
        return [
            RecordedFinding(row.key, row.criterion_id, row.check_id, row.place, row.title)
            for row in rows
        ]

    def identified(
        self, there: Sequence[Draft], before: Sequence[FindingSighting]
    ) -> dict[str, Draft]:
        """Return the drafts by the key of their finding.

        `before` are the same audit's earlier sightings: a draft with the same evidence is the same
        finding even if its check has a new id; the finding then takes the new id.
        """
        same = recognised(there, self.recorded())
        by_row = {finding.pk: finding for finding in self.findings.values()}
        by_evidence = {key: by_row[s.finding_id] for s in before if s.present for key in s.evidence}

        for draft in there:
            renamed = next((by_evidence[key] for key in draft.evidence if key in by_evidence), None)
            if draft.key not in same and renamed is not None and renamed.key not in same.values():
                self._rename(renamed, draft)
        return {same.get(draft.key, draft.key): draft for draft in there}

    def _rename(self, finding: Finding, draft: Draft) -> None:
        del self.findings[finding.key]
        for name in IDENTITY_FIELDS:
            setattr(finding, name, getattr(draft, name))
        self.findings[finding.key] = finding
        finding.save(update_fields=[*IDENTITY_FIELDS, "changed_at"])

    def add(self, there: Mapping[str, Draft]) -> dict[str, Finding]:
        """Create rows for the drafts without one; they are open until `update_states`."""
        new = {key: self._row(draft) for key, draft in there.items() if key not in self.findings}
        Finding.objects.bulk_create(new.values())
        self.findings |= new
        return new

    def _row(self, draft: Draft) -> Finding:
        return Finding(
            organization_id=self.submission.organization_id,
            assignment_id=self.submission.assignment_id,
            student_id=self.submission.student_id,
            key=draft.key,
            criterion_id=draft.criterion_id,
            criterion_name=draft.criterion_name,
            check_id=draft.check_id,
            place=draft.place,
            title=draft.title,
            first_submission=self.submission,
            last_submission=self.submission,
        )

    def replace_sightings(
        self,
        drafts: Drafts,
        before: Sequence[FindingSighting],
        *,
        submission: Submission,
        audit: Audit | None = None,
        report: FeedbackReport | None = None,
    ) -> bool:
        """Replace the sightings of one audit or report; return whether that changed anything."""
        rows = [
            FindingSighting(
                organization_id=submission.organization_id,
                finding=self.findings[key],
                submission=submission,
                audit=audit,
                report=report,
                present=draft is not None,
                **_sighting_fields(draft),
            )
            for key, draft in drafts.items()
        ]
        finding_ids = {row.finding_id for row in rows}
        earlier = [row for row in before if row.finding_id in finding_ids]
        # Rows are compared by content, so that a repeated job writes nothing.
        if sorted(map(_content, rows)) == sorted(map(_content, earlier)):
            return False
        FindingSighting.objects.filter(pk__in=[row.pk for row in earlier]).delete()
        FindingSighting.objects.bulk_create(rows)
        return True

    def update_states(self, drafts: Drafts) -> None:
        """Compute the columns that follow from the sightings; delete findings that nobody saw."""
        rows = {self.findings[key].pk: (self.findings[key], draft) for key, draft in drafts.items()}
        by_finding: defaultdict[Any, list[FindingSighting]] = defaultdict(list)
        sightings = FindingSighting.objects.filter(finding__in=rows).select_related("submission")
        # lifecycle_of needs them in the order in which the audits started.
        for sighting in sightings.order_by("audit__created_at", "audit_id", "pk"):
            by_finding[sighting.finding_id].append(sighting)

        changed, unseen = [], []
        for key, (finding, draft) in rows.items():
            if not any(sighting.present for sighting in by_finding[key]):
                unseen.append(key)
            elif self._has_changed(finding, draft, by_finding[key]):
                changed.append(finding)

        Finding.objects.filter(pk__in=unseen).delete()
        Finding.objects.bulk_update(changed, [*STATE_FIELDS, *DISPLAY_FIELDS, "changed_at"])

    def _has_changed(
        self, finding: Finding, draft: Draft | None, sightings: Iterable[FindingSighting]
    ) -> bool:
        state, before = (
            finding.state,
            [getattr(finding, name) for name in (*STATE_FIELDS, *DISPLAY_FIELDS)],
        )
        _update_state(finding, sightings)

        # An older attempt that is audited late must not bring back its words.
        if draft is not None and finding.last_submission_id == self.submission.pk:
            for name in DISPLAY_FIELDS:
                setattr(finding, name, getattr(draft, name))
        finding.changed_at = timezone.now()
        if finding.state != state:
            self.moves[finding.state] += 1
        return before != [getattr(finding, name) for name in (*STATE_FIELDS, *DISPLAY_FIELDS)]


def _lock_findings(submission: Submission) -> None:
    """Take an advisory lock until the transaction ends."""
    # Not a row lock on the enrollment: the uploader of a report already holds their own, and two
    # peers who upload a report about each other would deadlock. It is taken after all row locks.
    name = f"findings of {submission.student_id} at {submission.assignment_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def _sighting_fields(draft: Draft | None) -> dict[str, Any]:
    if draft is None:
        return {}
    return {
        "lines": list(draft.lines),
        "text": draft.text,
        "action": draft.action,
        "priority": draft.priority,
        "evidence": list(draft.evidence),
    }


def _content(sighting: FindingSighting) -> str:
    return repr([getattr(sighting, name) for name in SIGHTING_FIELDS])


def _update_state(finding: Finding, sightings: Iterable[FindingSighting]) -> None:
    rows = list(sightings)
    by_attempt = {row.submission.attempt: row.submission for row in rows}
    life = lifecycle_of(
        [Observation(s.submission.attempt, s.present, imported=s.audit_id is None) for s in rows]
    )

    fixed = by_attempt[life.fixed] if life.fixed is not None else None
    finding.state = life.state
    finding.first_submission = by_attempt[life.first]
    finding.last_submission = by_attempt[life.last]
    finding.fixed_submission = fixed
    finding.fixed_commit = fixed.resolved_commit if fixed else ""
