"""Pushes that become attempts: bursts, due dates, limits, reports, and workers that die."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import PushState
from grading.core.errors import PushLinkRefused, SubmissionRefused
from grading.courses.people.students import move_student
from grading.jobs import run_audit
from grading.models import Activity, Audit, Push, PushLink, RepositoryAccess, Submission
from grading.notifications.outbox import JUST_WRITTEN
from grading.submissions.actions import create_submission
from grading.submissions.pushes import hand_in
from grading.submissions.pushes.links import link_branch, unlink_branch
from grading.workflow import reconcile
from tests.factories.people import CohortFactory, everywhere, staff_user
from tests.factories.pushes import push_of
from tests.factories.repositories import git
from tests.factories.repository_accesses import access_of
from tests.waiting import just_past

pytestmark = pytest.mark.django_db
WAITING, SUBMITTED, SUPERSEDED, REFUSED, LATE = (
    PushState.WAITING,
    PushState.SUBMITTED,
    PushState.SUPERSEDED,
    PushState.REFUSED,
    PushState.LATE,
)


def became(pushes: list[Push]) -> list[tuple[str, int | None, str]]:
    return [(p.state, p.submission.attempt if p.submission else None, p.code) for p in pushes]


def change(assignment, **fields) -> None:
    with scope(organization=assignment.organization):
        type(assignment).objects.filter(pk=assignment.pk).update(**fields)
        assignment.refresh_from_db()


def submissions() -> list[Submission]:
    with everywhere():
        return list(Submission.objects.order_by("attempt"))


def end_audits() -> None:
    with everywhere():
        keys = list(Audit.objects.filter(state="queued").values_list("pk", flat=True))
    for key in keys:
        run_audit(str(key), 1)


def test_push_is_an_attempt_at_its_commit_with_a_report(push, submit, commits, link, ada):
    assert push(commits[1]) == 202
    assert became(submit()) == [(SUBMITTED, 1, "")]
    made = submissions()[0]
    assert (made.resolved_commit, made.ref, made.handed_in_by_id, made.student_id) == (
        commits[1],
        commits[1],
        ada.user_id,
        ada.pk,
    )
    end_audits()
    with everywhere():
        audit = made.audits.get()
    assert (audit.state, (audit.report or {})["commit"]) == ("done", commits[1])


def test_burst_is_one_attempt_of_its_last_commit(push, submit, commits):
    for commit in commits[:3]:
        push(commit)
    assert became(submit()) == [(SUPERSEDED, None, ""), (SUPERSEDED, None, ""), (SUBMITTED, 1, "")]
    assert [row.resolved_commit for row in submissions()] == [commits[2]]


def test_push_waits_for_the_quiet_period(push, commits, link):
    push(commits[0])
    assert hand_in.submit_due_pushes(organization_id=link.organization_id) == 0
    with everywhere():
        only = Push.objects.get()
    assert (only.state, only.next_at - only.created_at) == (WAITING, timedelta(seconds=60))


def test_branch_that_never_rests_is_submitted_after_ten_quiet_periods(push, commits, link):
    long_ago = timezone.now() - timedelta(seconds=595)
    push_of(link, first_at=long_ago, next_at=timezone.now())
    push(commits[0])
    with everywhere():
        last = Push.objects.get(state=WAITING)
    assert last.next_at == long_ago + timedelta(seconds=600)


def test_storm_of_pushes_becomes_at_most_the_allowed_attempts(
    push, submit, commits, assignment, link, settings
):
    settings.PUSH_QUIET_SECONDS = 0
    change(assignment, max_attempts=2)
    results = []
    for number in range(100):
        push(commits[number % 3] if number < 3 else f"{number:040x}")
        if number < 3:
            results = became(submit())
            end_audits()
    assert results == [
        (SUBMITTED, 1, ""),
        (SUBMITTED, 2, ""),
        (REFUSED, None, "attempts_used_up"),
    ]
    assert became(submit())[-1] == (REFUSED, None, "attempts_used_up")
    assert [row.resolved_commit for row in submissions()] == commits[:2]


def test_last_push_before_the_due_date_counts_and_later_ones_are_too_late(
    submit, commits, assignment, link
):
    due = timezone.now() - timedelta(minutes=1)
    change(assignment, due_at=due, late_policy="refuse")
    for seconds, commit in ((-20, 0), (-1, 1), (1, 2)):
        at = due + timedelta(seconds=seconds)
        state = SUPERSEDED if commit == 0 else WAITING
        push_of(link, commit=commits[commit], pushed_at=at, created_at=at, state=state)
    assert became(submit())[1:] == [(SUBMITTED, 1, ""), (LATE, None, "after_due_date")]
    made = submissions()[0]
    assert (made.resolved_commit, made.late, made.handed_in_at < due) == (commits[1], False, True)


def test_push_after_the_due_date_leaves_the_one_before_it(push, submit, commits, assignment, link):
    due = timezone.now() - timedelta(seconds=1)
    change(assignment, due_at=due)
    push_of(link, commit=commits[0], pushed_at=due - timedelta(seconds=1))
    push(commits[1])
    with everywhere():
        states = list(Push.objects.order_by("pk").values_list("state", flat=True))
    assert states == [WAITING, WAITING]


def test_same_work_is_not_a_second_attempt(push, submit, commits, link):
    push(commits[0])
    submit()
    end_audits()
    push(commits[0], before=commits[0])
    assert became(submit()) == [(SUBMITTED, 1, ""), (SUBMITTED, 1, "same_work")]
    assert len(submissions()) == 1


def test_open_audit_lets_the_push_wait(push, submit, commits, settings):
    settings.OPEN_AUDITS_PER_STUDENT = 1
    push(commits[0])
    submit()
    push(commits[1])
    assert became(submit())[-1] == (WAITING, None, "too_many_open_student")
    end_audits()
    assert became(submit())[-1] == (SUBMITTED, 2, "")


def test_worker_that_died_after_the_attempt_makes_no_second(push, submit, commits, link):
    push(commits[0])
    submit()
    with everywhere():
        Push.objects.update(state=WAITING, submission=None)
    assert became(submit()) == [(SUBMITTED, 1, "")]
    assert len(submissions()) == 1


def test_lost_job_is_enqueued_by_the_reconciler(push, commits, link):
    push(commits[0])
    with everywhere():
        Push.objects.update(next_at=just_past(), created_at=timezone.now() - 2 * JUST_WRITTEN)
    assert reconcile().with_pushes == 1


def test_commit_that_is_gone_is_refused_in_words(push, submit):
    push("d" * 40)
    # Only a clone can tell: the audit says so, and the attempt does not count.
    submit()
    end_audits()
    with everywhere():
        assert Audit.objects.get().failure_code == "repository_ref_unknown"
    assert submissions()[0].counts is False


# -- the report ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("report.pdf", ""),
        ("missing.pdf", "pdf_not_in_repository"),
        ("link.pdf", "pdf_is_link"),
        ("huge.pdf", "pdf_too_large"),
        ("README.md", "pdf_not_a_pdf"),
    ],
)
def test_report_is_read_at_the_commit(push, submit, commits, link, settings, path, code):
    settings.UPLOAD_MAX_BYTES = 3000
    with everywhere():
        PushLink.objects.update(pdf_path=path)
    push(commits[3])
    pushes = submit()
    assert pushes[0].code == code
    names = [row.pdf_name for row in submissions()]
    assert names == ([] if code else ["report.pdf"])


# -- linking ---------------------------------------------------------------------------------------


def test_unlinking_forgets_secret_and_pushes_and_keeps_the_attempt(
    push, submit, commits, link, ada
):
    push(commits[0])
    submit()
    with scope(organization=link.organization):
        unlink_branch(link=link, by=ada.user)
    with everywhere():
        verbs = list(
            Activity.objects.filter(verb__startswith="push.").values_list("verb", flat=True)
        )
        assert (PushLink.objects.count(), Push.objects.count(), verbs) == (0, 0, ["push.unlinked"])
    assert len(submissions()) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"address": "nowhere"}, "address"),
        ({"address": ""}, "address"),
        ({"address": "https://git.example.org/a/../b"}, "address"),
        ({"branch": ""}, "branch"),
        ({"branch": "-x"}, "branch"),
        ({"branch": "refs/heads/main"}, "branch"),
        ({"pdf_path": "/etc/passwd"}, "pdf_path"),
        ({"pdf_path": "../report.pdf"}, "pdf_path"),
        ({"pdf_path": "a//b.pdf"}, "pdf_path"),
    ],
)
def test_link_of_something_else_is_refused_at_its_field(assignment, ada, fields, field):
    given = {"address": "https://git.example.org/ada/project", "branch": "main"} | fields
    with scope(organization=assignment.organization), pytest.raises(PushLinkRefused) as refused:
        link_branch(assignment=assignment, student=ada, by=ada.user, **given)
    assert refused.value.field == field


def test_access_of_somebody_else_or_of_another_kind_links_nothing(assignment, ada, ben):
    with scope(organization=assignment.organization):
        for access in (access_of(ben, path="ben/x"), access_of(ada, path="ada/x")):
            with pytest.raises(PushLinkRefused) as refused:
                link_branch(
                    assignment=assignment, student=ada, by=ada.user, branch="main", access=access
                )
            assert refused.value.code == "access_unfit"


def test_second_link_is_refused(assignment, ada, link):
    with scope(organization=assignment.organization), pytest.raises(PushLinkRefused) as refused:
        link_branch(
            assignment=assignment,
            student=ada,
            by=ada.user,
            branch="main",
            address="https://git.example.org/ada/two",
        )
    assert refused.value.code == "link_exists"


def test_closed_account_submits_nothing(push, submit, commits, ada):
    push(commits[0])
    ada.user.is_active = False
    ada.user.save()
    assert became(submit()) == [(REFUSED, None, "account_closed")]


def test_links_go_with_their_person(link, assignment, ada):
    with scope(organization=assignment.organization):
        RepositoryAccess.objects.all().delete()
        ada.user.delete()
    with everywhere():
        assert PushLink.objects.count() == 0


def test_form_and_push_share_their_attempts(push, submit, commits, assignment, ada, address):
    change(assignment, max_attempts=1)
    push(commits[0])
    submit()
    end_audits()
    with pytest.raises(SubmissionRefused) as refused:
        create_submission(assignment=assignment, student=ada, repo_url=address, by=ada.user)
    assert refused.value.code == "attempts_used_up"


def test_student_who_moved_to_another_cohort_submits_nothing_in_the_former(
    push, submit, commits, link, ada, assignment
):
    with scope(organization=assignment.organization):
        other = CohortFactory.create(organization=assignment.organization)
        teacher = staff_user(assignment.organization)
        move_student(student=ada, to=other, by=teacher)
    assert (push(commits[0]), submit(), submissions()) == (401, [], [])


def test_branch_that_moves_before_the_audit_is_audited_at_the_submitted_commit(
    assignment, ada, address, served, commits
):
    repository = served / "course" / "ada.git"
    git("branch", "moving", commits[0], at=repository)
    made = create_submission(
        assignment=assignment, student=ada, repo_url=address, ref="moving", by=ada.user
    )
    git("branch", "-f", "moving", commits[2], at=repository)
    end_audits()
    git("branch", "-D", "moving", at=repository)
    with everywhere():
        report = made.audits.get().report or {}
    assert report["commit"] == made.resolved_commit == commits[0]
    assert report["ref"] == "moving"
