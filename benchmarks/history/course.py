"""One course, made by the site's own actions: the rows that every other course is copied from.

The audits of the first student of each assignment are held by the heuristic bench; its events are
stored again for the others, as a worker stores them.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.core.files import File
from django.utils import timezone
from django_scopes import scope

from benchmarks.load.course import enrol
from benchmarks.material import report, repository
from grading import workflow
from grading.appeals.actions import file_appeal
from grading.appeals.decisions import keep_verdict
from grading.audits import actions as audit_actions
from grading.comments.actions import write_comment
from grading.comments.bank.actions import save_entry
from grading.comments.places import WORK
from grading.comments.releases import release_comments
from grading.core.activity_writer import record_activity
from grading.core.enums import (
    Anonymity,
    AuditState,
    BulkVerb,
    DeliveryState,
    Opened,
    ResponseKind,
    Role,
    WebhookEvent,
)
from grading.core.read_receipts import mark_opened
from grading.courses.actions import create_assignment, create_cohort
from grading.courses.extensions.actions import Relief, give_extension
from grading.courses.organizations.actions import add_member
from grading.courses.organizations.approval import create_organization
from grading.courses.people.join_links import open_join_link
from grading.engine import audits as engine_audits
from grading.engine.events import Contents, OpinionRow, RunEvent, UsageRow, Verdict
from grading.findings.answers import answer_finding
from grading.grades.agreement.actions import draw_sample
from grading.grades.releases import release_grades
from grading.models import (
    Assignment,
    Audit,
    BulkItem,
    BulkRun,
    Cohort,
    Enrollment,
    FeedbackReport,
    Finding,
    Grade,
    Notice,
    Organization,
    PairingRound,
    Submission,
    WebhookDelivery,
)
from grading.notifications.emails import email_receipt
from grading.notifications.webhooks import add_webhook
from grading.peer_review.actions import run_peer_audit
from grading.peer_review.feedback.edition_jobs import make_edition
from grading.peer_review.rounds.actions import start_round
from grading.rubrics.actions import adopt_shipped_rubric
from grading.staff_threads.actions import write_note

STUDENTS = 100
PEERS = 1
FILES, PAGES = 20, 10
# Title, slug and rubric of each assignment. The last one is judged by a model, as to its costs.
ASSIGNMENTS = (
    ("An auditor", "auditor", "self_audit"),
    ("The essentials", "essentials", "points"),
    ("More of them", "more", "points"),
    ("A project", "project", "general"),
)
ANSWER = UsageRow(
    "a-model", 1, prompt_tokens=9000, cached_tokens=6000, completion_tokens=600, cost_usd=0.002
)
# Every so many students: a second attempt, an appeal, a comment of staff, a note among staff. Every
# so many second attempts fail.
SECOND, APPEALED, COMMENTED, NOTED, FAILED = 2, 20, 3, 20, 25
# Grades of an assignment that wait for their release, and findings of each student with an answer.
UNRELEASED, ANSWERED = 4, 3


@dataclass(frozen=True, slots=True)
class Course:
    """A course with what its pages need to be asked for."""

    teacher: User
    cohort: Cohort
    students: Sequence[Enrollment]
    assignments: Sequence[Assignment]


def make_course(folder: Path) -> Course:
    """Make the course with 700 audits. Its repositories and uploads lie in `folder`."""
    course = _empty_course()
    with scope(organization=course.cohort.organization):
        for assignment in course.assignments:
            _hand_in(course, assignment, folder)
            _grade(course, assignment)
        _review_peers(course)
        _add_desk(course)
        _send_all()
    return course


def _empty_course() -> Course:
    teacher, assistant = (
        User.objects.create(username=name, email=f"{name}@example.org", is_staff=True)
        for name in ("teacher", "assistant")
    )
    organization = create_organization(
        name="Institute", slug="institute", founder=teacher, is_approved=True
    )
    add_member(organization=organization, user=assistant, role=Role.ASSISTANT, by=None)
    with scope(organization=organization):
        add_webhook(
            organization=organization,
            url="https://192.0.32.8/hook",
            events=[WebhookEvent.AUDIT_FINISHED],
            by=teacher,
        )
        now = timezone.now()
        cohort = create_cohort(
            organization=organization,
            name="Course",
            slug="course",
            by=teacher,
            starts_on=now.date() - timedelta(days=90),
            ends_on=now.date() + timedelta(days=30),
        )
        students = enrol(cohort, [f"student-{n}" for n in range(STUDENTS)])
        return Course(
            teacher, cohort, students, [_assignment(cohort, teacher, *row) for row in ASSIGNMENTS]
        )


def _assignment(cohort: Cohort, teacher: User, title: str, slug: str, rubric: str) -> Assignment:
    version = adopt_shipped_rubric(organization=cohort.organization, name=rubric, by=teacher)
    return create_assignment(
        cohort=cohort,
        title=title,
        slug=slug,
        rubric_version=version,
        by=teacher,
        due_at=timezone.now() + timedelta(days=7),
        max_appeals=9,
    )


def _hand_in(course: Course, assignment: Assignment, folder: Path) -> None:
    """Let every student hand in, and every second one a second time."""
    pdf = report(folder, pages=PAGES)
    for attempt in (1, 2):
        address = str(repository(folder, files=FILES + attempt))
        commit = _head(address)
        submitting = course.students if attempt == 1 else course.students[::SECOND]
        events: list[RunEvent] = []
        for number, student in enumerate(submitting):
            submission, audit = _submitted(assignment, student, attempt, address, commit, pdf)
            lease = _claimed(audit)
            if attempt > 1 and number % FAILED == 0:
                workflow.fail_audit(lease=lease, code="repository_empty", message="No commits.")
                continue
            events = events or list(engine_audits.hold_audit(_loaded(audit), beat_seconds=60))
            store(lease, events, paid=assignment.slug == ASSIGNMENTS[-1][1])
            mark_opened(student=student, kind=Opened.REPORT, about=submission.pk)


def _user(student: Enrollment) -> User:
    assert student.user is not None
    return student.user


def _head(repository: str) -> str:
    command = ["git", "-C", repository, "rev-parse", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _submitted(
    assignment: Assignment,
    student: Enrollment,
    attempt: int,
    address: str,
    commit: str,
    pdf: Path,
) -> tuple[Submission, Audit]:
    """Make what `create_submission` makes, without reading the repository once more."""
    submission = Submission(
        organization=assignment.organization,
        assignment=assignment,
        student=student,
        attempt=attempt,
        repo_url=address,
        resolved_commit=commit,
        pdf_name=pdf.name,
        pdf_sha256=hashlib.sha256(pdf.read_bytes()).hexdigest(),
        pdf_bytes=pdf.stat().st_size,
        handed_in_by=student.user,
        handed_in_at=timezone.now(),
    )
    with pdf.open("rb") as file:
        submission.pdf.save("report.pdf", File(file), save=False)
    submission.save(force_insert=True)
    audit = Audit.objects.create(
        organization=assignment.organization,
        submission=submission,
        account=student.user,
        rubric_version=assignment.rubric_version,
        state=AuditState.QUEUED,
        queued_at=submission.handed_in_at,
    )
    detail = {"attempt": attempt, "commit": submission.resolved_commit, "audit": str(audit.pk)}
    record_activity(
        organization=assignment.organization_id,
        actor=student.user,
        verb="submission.handed_in",
        about=submission,
        **detail,
    )
    email_receipt(submission=submission, student=student, audit=audit)
    return submission, audit


def _claimed(audit: Audit) -> audit_actions.Lease:
    lease = audit_actions.claim_audit(audit_id=audit.pk, run_attempt=1)
    assert lease is not None
    return lease


def _loaded(audit: Audit) -> Audit:
    related = ("organization", "rubric_version", "submission__assignment")
    return Audit.objects.select_related(*related).get(pk=audit.pk)


def store(lease: audit_actions.Lease, events: Iterable[RunEvent], *, paid: bool = False) -> None:
    """Store the events of an audit as the job does; `paid` opinions cost as a model's."""
    for event in events:
        match event:
            case Contents():
                audit_actions.record_contents(lease=lease, contents=event)
            case OpinionRow():
                opinion = replace(event, usage=ANSWER) if paid else event
                audit_actions.record_opinion(lease=lease, opinion=opinion)
            case Verdict():
                workflow.finish_audit(lease=lease, verdict=event)


def _grade(course: Course, assignment: Assignment) -> None:
    """Release most grades, let some students appeal, and answer half of the appeals."""
    grades = Grade.objects.filter(assignment=assignment).order_by("student")[UNRELEASED:]
    release_grades(assignment=assignment, grades=list(grades), by=course.teacher)
    released = Grade.objects.filter(assignment=assignment, released__isnull=False).select_related(
        "student__user", "audit__submission", "assignment"
    )
    for number, grade in enumerate(released.order_by("student")[::APPEALED]):
        criterion = (grade.released or {})["criteria"][0]["id"]
        appeal = file_appeal(
            grade=grade,
            criterion_id=criterion,
            text="The README says why.",
            by=_user(grade.student),
        )
        if number % 2:
            keep_verdict(appeal=appeal, answer="It does not say so.", by=course.teacher)


def _review_peers(course: Course) -> None:
    """Hold a round on the first assignment: every student audits another, who answers."""
    assignment = course.assignments[0]
    now = timezone.now()
    round_ = start_round(
        assignment=assignment,
        peers=PEERS,
        anonymity=Anonymity.DOUBLE_BLIND,
        starts_at=now,
        ends_at=now + timedelta(days=14),
        students=course.students,
        by=course.teacher,
        seed="history",
    )
    events: list[RunEvent] = []
    for pairing in round_.pairings.select_related("auditor__user").order_by("auditor", "auditee"):
        peer_report = run_peer_audit(pairing=pairing, by=pairing.auditor.user)
        assert peer_report.audit is not None
        audit = _loaded(peer_report.audit)
        lease = _claimed(audit)
        events = events or list(engine_audits.hold_audit(_loaded(audit), beat_seconds=60))
        store(lease, events)
        make_edition(report_id=peer_report.pk)
    _answer_findings(round_)


def make_editions() -> None:
    """Make the editions of the reports in the first course anew: keys in their names changed."""
    organization = Organization.objects.get(slug="institute-0")
    with scope(organization=organization):
        first = FeedbackReport.objects.filter(assignment__cohort__slug="course-0")
        for key in first.values_list("pk", flat=True):
            make_edition(report_id=key)


def _answer_findings(round_: PairingRound) -> None:
    for member in round_.members.select_related("student__user"):
        findings = Finding.objects.filter(
            student=member.student, sightings__report=None, sightings__audit__kind="peer"
        )
        for finding in findings.distinct().order_by("key")[:ANSWERED]:
            answer_finding(finding=finding, kind=ResponseKind.WILL_FIX, by=_user(member.student))


def _add_desk(course: Course) -> None:
    """Make what staff leave: comments, notes, an extension, a sample, a run, a join link."""
    teacher, assignment = course.teacher, course.assignments[0]
    works = list(Submission.objects.filter(assignment=assignment).order_by("student", "attempt"))
    entry = save_entry(
        rubric=assignment.rubric_version.rubric,
        label="Steps",
        text="Commit in smaller steps.",
        points=None,
        by=teacher,
    )
    for submission in works[::COMMENTED]:
        write_comment(submission=submission, place=WORK, text=entry.text, by=teacher, banked=entry)
        release_comments(submission=submission, by=teacher)
    for submission in works[::NOTED]:
        write_note(submission=submission, text="Compare with the other section.", by=teacher)

    later = Relief(due_at=assignment.due_at + timedelta(days=7) if assignment.due_at else None)
    give_extension(
        assignment=assignment, students=course.students[:2], relief=later, reason="Ill.", by=teacher
    )
    draw_sample(assignment=assignment, size=10, seed=1, with_flagged=False, by=teacher)
    open_join_link(cohort=course.cohort, ends_at=timezone.now() + timedelta(days=20), by=teacher)
    _add_run(assignment, works, teacher)


def _add_run(assignment: Assignment, works: Sequence[Submission], by: User) -> None:
    """Make a finished bulk run over all attempts."""
    run = BulkRun.objects.create(
        organization=assignment.organization,
        assignment=assignment,
        verb=BulkVerb.RESYNTHESISE,
        rubric_version=assignment.rubric_version,
        total=len(works),
        done=len(works),
        state="done",
        started_by=by,
        finished_at=timezone.now(),
    )
    BulkItem.objects.bulk_create(
        BulkItem(
            organization=assignment.organization,
            run=run,
            position=position,
            submission=submission,
            audit=submission.audits.exclude(kind="peer").get(),
            state="done",
        )
        for position, submission in enumerate(works)
    )


def _send_all() -> None:
    """Mark emails and webhook deliveries as sent: there is no worker here."""
    now = timezone.now()
    Notice.objects.filter(digest_after=None).update(sent_at=now, tried_at=now, tries=1)
    WebhookDelivery.objects.update(
        state=DeliveryState.DELIVERED, tries=1, status=200, answer="ok", ended_at=now
    )
