"""Work of one student, judged, changed by hand and released, inside the scope of its organization."""

from grading import workflow
from grading.audits import actions as audit_actions
from grading.core.enums import AuditKind, AuditState
from grading.grades import actions as grade_actions
from grading.grades import releases
from grading.models import Grade
from tests.factories.work import AuditFactory, SubmissionFactory, claimed, criterion_row, verdict


def judged(submission, tidy=4, tested=2, *, kind=AuditKind.SELF, opinions=(), **fields):
    """A further audit of the submission that ended with these two scores, None for one that waits
    for a person.
    """
    audit = AuditFactory(submission=submission, kind=kind)
    lease = claimed(audit)
    for opinion in opinions:
        audit_actions.record_opinion(lease=lease, opinion=opinion)

    rows = tuple(
        criterion_row(name, score=score, needs_review=score is None)
        for name, score in (("tidy", tidy), ("tested", tested))
    )
    state = AuditState.NEEDS_REVIEW if None in (tidy, tested) else AuditState.DONE
    workflow.finish_audit(
        lease=lease, verdict=verdict(**{"state": state, "criteria": rows} | fields)
    )
    audit.refresh_from_db()
    return audit


def attempt(assignment, ada, number=1, **fields):
    return SubmissionFactory(assignment=assignment, student=ada, attempt=number, **fields)


def the_grade():
    return Grade.objects.get()


def change(submission, teacher, score=5, criterion="tidy", reason="It is there."):
    return grade_actions.override_criterion(
        submission=submission, criterion_id=criterion, score=score, reason=reason, by=teacher
    )


def release(assignment, teacher, note=""):
    return releases.release_grades(
        assignment=assignment, grades=list(Grade.objects.all()), by=teacher, note=note
    )
