"""Students with a verdict that counts, and readers of the grading queue."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django_scopes import scope

from grading.core.enums import Role
from grading.grading_queue.queries import Work, overrides_of, queue_of, review_fingerprint
from grading.models import Assignment, Audit, Override, ReviewMark
from tests.factories.people import staff_user, student
from tests.factories.released import FIRST, assignment_of, judged


class Course:
    """An assignment with so many judged students, and two assistants beside a teacher."""

    def __init__(self, *, students: int = 3, criteria: int = 2, **fields: Any) -> None:
        self.assignment: Assignment = assignment_of(criteria, **fields)
        self.organization = self.assignment.organization
        self.teacher: User = staff_user(self.organization)
        self.anna: User = staff_user(self.organization, Role.ASSISTANT)
        self.ben: User = staff_user(self.organization, Role.ASSISTANT)
        cohort = self.assignment.cohort
        self.audits: list[Audit] = [
            judged(self.assignment, student=student(cohort, name=f"Student {number:02}"))
            for number in range(1, students + 1)
        ]

    def work(self, number: int = 0) -> Work:
        """Return the work of this number as the queue has it now."""
        with scope(organization=self.organization):
            works = queue_of(self.assignment).works
        return next(work for work in works if work.audit.pk == self.audits[number].pk)

    def works(self) -> tuple[Work, ...]:
        with scope(organization=self.organization):
            return queue_of(self.assignment).works

    def shown(self, number: int = 0, criterion_id: str = FIRST) -> str:
        """Return the fingerprint of a criterion's score and review now."""
        work = self.work(number)
        with scope(organization=self.organization):
            override = overrides_of(work.submission).get(criterion_id)
        mark = work.marks.get(criterion_id)
        return review_fingerprint(work.audit.report_digest, criterion_id, override, mark)

    def overrides(self) -> list[tuple[int, str]]:
        """Return score and reason of all overrides in force."""
        with scope(organization=self.organization):
            rows = Override.objects.filter(withdrawn_at=None).order_by("pk")
            return list(rows.values_list("score", "reason"))

    def reviewers(self) -> list[int | None]:
        with scope(organization=self.organization):
            marks = ReviewMark.objects.filter(reviewed_at__isnull=False).order_by("pk")
            return list(marks.values_list("reviewed_by", flat=True))
