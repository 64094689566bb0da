"""The demo's desk: a join link, an extension, a bank of comments with one released and one draft,
a flagged work and a note among staff.

They are about the first week, whose work is judged. Each step makes only what is missing.
"""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from grading.comments.actions import write_comment
from grading.comments.bank.actions import save_entry
from grading.comments.places import WORK, on_criterion
from grading.comments.releases import release_comments
from grading.courses.extensions.actions import Relief, give_extension
from grading.courses.people.join_links import open_join_link
from grading.demo.people import STUDENTS
from grading.grading_queue.actions import flag_work
from grading.grading_queue.queries import flag_fingerprint
from grading.models import (
    Assignment,
    BankedComment,
    Comment,
    CriterionVerdict,
    Enrollment,
    Extension,
    JoinLink,
    ReviewMark,
    StaffNote,
    Submission,
)
from grading.staff_threads.actions import write_note

COMMENTED, _, FLAGGED = STUDENTS[:3]
EXTENDED = STUDENTS[3]
LINK_LASTS = timedelta(days=28)
LATER_BY = timedelta(days=7)
REASON = "Ill in the week before the due date."
FLAG = "Ask for the second half"
NOTE = "The second half may be in another branch. I asked in class and wait for an answer."
# Label, words, points.
BANK = (
    (
        "Commit in steps",
        "Commit in smaller steps: one purpose each, with a reason in the body.",
        -1,
    ),
    ("Easy to run", "A stranger can run this from the README alone. Keep it so.", None),
    ("Name the limits", "Say in the README what this does not do yet.", None),
)


def seed_desk(week_1: Assignment, week_2: Assignment, by: User) -> None:
    """Make the missing parts. Call it in the organization's scope, with week 1 judged."""
    cohort = week_2.cohort
    if not JoinLink.objects.filter(cohort=cohort).exists():
        open_join_link(cohort=cohort, ends_at=timezone.now() + LINK_LASTS, by=by)
    _extend(week_2, by)

    _write_comments(week_1, _submission(week_1, COMMENTED.email), by)
    flagged = _submission(week_1, FLAGGED.email)
    if not ReviewMark.objects.filter(submission=flagged).exists():
        flag_work(
            submission=flagged, criterion_id="", word=FLAG, shown=flag_fingerprint(None), by=by
        )
    if not StaffNote.objects.filter(submission=flagged).exists():
        write_note(submission=flagged, text=NOTE, by=by)


def _submission(assignment: Assignment, email: str) -> Submission:
    return Submission.objects.filter(assignment=assignment, student__email=email).latest("attempt")


def _extend(assignment: Assignment, by: User) -> None:
    if assignment.due_at is None or Extension.objects.filter(assignment=assignment).exists():
        return
    student = Enrollment.objects.get(cohort=assignment.cohort, email=EXTENDED.email)
    relief = Relief(due_at=assignment.due_at + LATER_BY)
    give_extension(assignment=assignment, students=[student], relief=relief, reason=REASON, by=by)


def _write_comments(assignment: Assignment, submission: Submission, by: User) -> None:
    """Fill the rubric's bank, and write a comment that is released and one that is a draft."""
    rubric = assignment.rubric_version.rubric
    if not BankedComment.objects.filter(rubric=rubric).exists():
        for label, text, points in BANK:
            save_entry(rubric=rubric, label=label, text=text, points=points, by=by)
    if Comment.objects.filter(submission=submission).exists():
        return

    criterion = CriterionVerdict.objects.filter(audit__submission=submission).earliest("position")
    easy, steps = (
        BankedComment.objects.get(rubric=rubric, label=label)
        for label in ("Easy to run", "Commit in steps")
    )
    write_comment(submission=submission, place=WORK, text=easy.text, banked=easy, by=by)
    release_comments(submission=submission, by=by)
    place = on_criterion(criterion.criterion_id)
    write_comment(submission=submission, place=place, text=steps.text, banked=steps, by=by)
