"""Demo cohort: complete after one run, unchanged by the next, completed after an interruption."""

import subprocess
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django_rq import get_queue

from grading.core.enums import AuditKind, AuditState
from grading.core.fair_turns import AHEAD
from grading.demo.demo_round import seed_peers
from grading.demo.people import INSTRUCTOR, PASSWORD, STUDENTS
from grading.demo.stories import REPOSITORIES, publish_repository, read_story
from grading.models import (
    Activity,
    Assignment,
    Audit,
    BankedComment,
    Cohort,
    Comment,
    Enrollment,
    Extension,
    FeedbackReport,
    FindingResponse,
    Grade,
    JoinLink,
    Membership,
    Organization,
    Pairing,
    PairingRound,
    ReviewMark,
    StaffNote,
    Submission,
)
from tests.factories.people import everywhere, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory

MODELS = (
    User,
    EmailAddress,
    Organization,
    Membership,
    Cohort,
    Enrollment,
    Assignment,
    Submission,
    Audit,
    Grade,
    Activity,
    PairingRound,
    Pairing,
    FeedbackReport,
    FindingResponse,
    JoinLink,
    Extension,
    BankedComment,
    Comment,
    ReviewMark,
    StaffNote,
)
SUBMISSIONS = sum(len(student.refs) for student in STUDENTS)
INTERRUPTED_AT = 3
SUBMITTED_BEFORE = sum(len(student.refs) for student in STUDENTS[:INTERRUPTED_AT])


def seed() -> str:
    out = StringIO()
    call_command("seed_demo", stdout=out)
    return out.getvalue()


def seed_after_an_interruption() -> str:
    """Return the output of the second run; the first broke off at a student's repository.

    Seeding takes seconds, so one test asks what an interruption and a repetition do.
    """
    repository = f"{STUDENTS[INTERRUPTED_AT].repository}.git"
    in_the_way = Path(settings.MEDIA_ROOT) / "demo" / "repositories" / repository
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("not a folder")
    with pytest.raises(FileExistsError):
        seed()

    in_the_way.unlink()
    return seed()


def rows() -> dict[str, list[Any]]:
    with everywhere():
        return {model.__name__: [*model.objects.order_by("pk").values()] for model in MODELS}


def test_demo_is_refused_without_local_repositories(settings):
    settings.ALLOW_LOCAL_REPOSITORIES = False
    with pytest.raises(CommandError, match="ALLOW_LOCAL_REPOSITORIES"):
        call_command("seed_demo")


@pytest.mark.django_db(transaction=True)
def test_interrupted_run_is_completed_by_the_next_and_a_third_changes_nothing(redis, client):
    output = seed_after_an_interruption()
    with everywhere():
        AuditFactory.create(
            kind=AuditKind.PEER,
            submission=Submission.objects.filter(assignment__slug="repository")[0],
        )

    first = rows()

    with everywhere():
        second = Submission.objects.filter(assignment__slug="auditor").order_by("handed_in_at")
        handed_in = list(second.values_list("student__email", "ref"))
        own = Audit.objects.filter(submission__in=second).exclude(kind=AuditKind.PEER)
        states = set(own.values_list("state", flat=True))
        grades = Grade.objects.order_by("student__email").values_list(
            "released_at", "changed", "overall_score"
        )
        released = [(at is not None, changed, score is not None) for at, changed, score in grades]

    with everywhere():
        reports = FeedbackReport.objects.filter(
            subject__email=STUDENTS[1].email, audit__state=AuditState.DONE
        )
        opened = sorted(at is not None for at in reports.values_list("read_at", flat=True))
        answers = set(FindingResponse.objects.values_list("kind", flat=True))

    desk = (JoinLink, Extension, BankedComment, Comment, ReviewMark, StaffNote)
    assert [len(first[model.__name__]) for model in desk] == [1, 1, 3, 2, 1, 1]
    assert [row["released_at"] is not None for row in first["Comment"]] == [True, False]
    assert (opened, answers) == ([False, True], {"will_fix", "deferred", "contested"})
    assert handed_in == [(student.email, ref) for student in STUDENTS for ref in student.refs]
    assert states == {AuditState.QUEUED}
    assert released == [(True, False, True), (True, True, True), (False, False, True)]
    # The jobs of the judged submissions find nothing to do.
    assert get_queue("submissions").count == min(SUBMISSIONS, AHEAD) + len(released)
    assert f"{SUBMISSIONS - SUBMITTED_BEFORE} new submissions" in output
    assert all(f"{person.email} " in output for person in (INSTRUCTOR, *STUDENTS))
    assert "0 new submissions" in seed()
    assert rows() == first
    assert client.login(email=STUDENTS[0].email, password=PASSWORD)


def test_ended_cohort_gets_no_peer_review_and_no_error(db):
    assignment = AssignmentFactory.create(cohort__ends_on=date(2026, 1, 31))
    seed_peers(assignment, staff_user(assignment.organization))
    with everywhere():
        assert not PairingRound.objects.exists()


@pytest.mark.parametrize("name", [student.repository for student in STUDENTS])
def test_story_ends_with_its_files_and_publishes_the_same_twice(name, tmp_path):
    ended: dict[str, str] = {}
    for commit in read_story(name):
        ended |= commit.files

    tree = REPOSITORIES / name / "tree"
    on_disk = {
        p.relative_to(tree).as_posix(): p
        for p in tree.rglob("*")
        if p.is_file() and p.suffix != ".pyc"
    }

    assert ended == {path: file.read_text() for path, file in on_disk.items()}

    first = publish_repository(name, tmp_path / "a.git")
    objects = _objects(tmp_path / "a.git")

    assert publish_repository(name, tmp_path / "a.git") == first
    assert publish_repository(name, tmp_path / "b.git") == first
    assert _objects(tmp_path / "a.git") == objects


def _objects(repository: Path) -> str:
    return subprocess.check_output(["git", "-C", str(repository), "count-objects", "-v"], text=True)
