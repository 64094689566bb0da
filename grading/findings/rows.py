"""The rows of one student's findings at one assignment, held alone until the transaction ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.utils import timezone

from grading.findings.finding_state import Word, life_of
from grading.findings.identity import Draft, Known, recognised
from grading.models import Audit, FeedbackReport, Finding, FindingSighting, Submission

Words = Mapping[str, Draft | None]
SAID = ("finding_id", "present", "lines", "text", "action", "priority", "evidence")
LIFE = ("state", "first_submission_id", "last_submission_id", "fixed_submission_id", "fixed_commit")
IDENTITY = ("key", "criterion_id", "check_id")
SHOWN = ("criterion_name", "place", "title")


@dataclass(slots=True)
class Ledger:
    """What is known, by key. `moves` counts the states that findings came into while it was open."""

    submission: Submission
    findings: dict[str, Finding]
    moves: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, submission: Submission) -> Ledger:
        """The student's findings, alone with them: audits of theirs that end at once take turns."""
        _take_turn(submission)
        theirs = Finding.objects.filter(
            assignment=submission.assignment_id, student=submission.student_id
        )
        return cls(
            submission, {finding.key: finding for finding in theirs.order_by("created_at", "pk")}
        )

    def known(self) -> list[Known]:
        rows = self.findings.values()
        return [
            Known(row.key, row.criterion_id, row.check_id, row.place, row.title) for row in rows
        ]

    def identified(
        self, there: Sequence[Draft], before: Sequence[FindingSighting]
    ) -> dict[str, Draft]:
        """Each draft under the key of the finding that it is.

        `before` are the same audit's earlier words: what rests on the same evidence is the same finding, whatever its
        check is called now, and it is called so from now on.
        """
        same = recognised(there, self.known())
        by_row = {finding.pk: finding for finding in self.findings.values()}
        by_evidence = {key: by_row[s.finding_id] for s in before if s.present for key in s.evidence}
        for draft in there:
            renamed = next((by_evidence[key] for key in draft.evidence if key in by_evidence), None)
            if draft.key not in same and renamed is not None and renamed.key not in same.values():
                self._rename(renamed, draft)
        return {same.get(draft.key, draft.key): draft for draft in there}

    def _rename(self, finding: Finding, draft: Draft) -> None:
        del self.findings[finding.key]
        for name in IDENTITY:
            setattr(finding, name, getattr(draft, name))
        self.findings[finding.key] = finding
        finding.save(update_fields=[*IDENTITY, "changed_at"])

    def add(self, there: Mapping[str, Draft]) -> dict[str, Finding]:
        """Rows for what was not known; they are open until their life is told."""
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

    def sight(
        self,
        words: Words,
        before: Sequence[FindingSighting],
        *,
        submission: Submission,
        audit: Audit | None = None,
        report: FeedbackReport | None = None,
    ) -> bool:
        """One audit's or report's words, in the place of what it said `before`; whether that was anything else."""
        rows = [
            FindingSighting(
                organization_id=submission.organization_id,
                finding=self.findings[key],
                submission=submission,
                audit=audit,
                report=report,
                present=draft is not None,
                **_said(draft),
            )
            for key, draft in words.items()
        ]
        spoken_of = {row.finding_id for row in rows}
        earlier = [row for row in before if row.finding_id in spoken_of]
        if sorted(map(_content, rows)) == sorted(map(_content, earlier)):
            return False
        FindingSighting.objects.filter(pk__in=[row.pk for row in earlier]).delete()
        FindingSighting.objects.bulk_create(rows)
        return True

    def tell_lives(self, words: Words) -> None:
        """The columns that follow from the sightings, anew. What nobody ever saw any more is no finding."""
        rows = {self.findings[key].pk: (self.findings[key], draft) for key, draft in words.items()}
        told: defaultdict[Any, list[FindingSighting]] = defaultdict(list)
        sightings = FindingSighting.objects.filter(finding__in=rows).select_related("submission")
        for sighting in sightings.order_by("audit__created_at", "audit_id", "pk"):
            told[sighting.finding_id].append(sighting)
        changed, unseen = [], []
        for key, (finding, draft) in rows.items():
            if not any(sighting.present for sighting in told[key]):
                unseen.append(key)
            elif self._has_changed(finding, draft, told[key]):
                changed.append(finding)
        Finding.objects.filter(pk__in=unseen).delete()
        Finding.objects.bulk_update(changed, [*LIFE, *SHOWN, "changed_at"])

    def _has_changed(
        self, finding: Finding, draft: Draft | None, sightings: Iterable[FindingSighting]
    ) -> bool:
        state, before = finding.state, [getattr(finding, name) for name in (*LIFE, *SHOWN)]
        _tell_life(finding, sightings)
        if draft is not None and finding.last_submission_id == self.submission.pk:
            for name in SHOWN:
                setattr(finding, name, getattr(draft, name))
        finding.changed_at = timezone.now()
        if finding.state != state:
            self.moves[finding.state] += 1
        return before != [getattr(finding, name) for name in (*LIFE, *SHOWN)]


def _take_turn(submission: Submission) -> None:
    """Until the transaction ends. A lock of its own, taken behind all rows: whoever brings a report about somebody holds
    their own place on the roster, and two who bring one about each other would wait for one another's."""
    whose = f"findings of {submission.student_id} at {submission.assignment_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [whose])


def _said(draft: Draft | None) -> dict[str, Any]:
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
    return repr([getattr(sighting, name) for name in SAID])


def _tell_life(finding: Finding, sightings: Iterable[FindingSighting]) -> None:
    told = list(sightings)
    by_attempt = {sighting.submission.attempt: sighting.submission for sighting in told}
    life = life_of(
        [Word(s.submission.attempt, s.present, imported=s.audit_id is None) for s in told]
    )
    fixed = by_attempt[life.fixed] if life.fixed is not None else None
    finding.state = life.state
    finding.first_submission = by_attempt[life.first]
    finding.last_submission = by_attempt[life.last]
    finding.fixed_submission = fixed
    finding.fixed_commit = fixed.resolved_commit if fixed else ""
