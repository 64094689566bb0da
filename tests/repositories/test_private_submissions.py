"""Whose access opens a submission: each person's own and granted ones, and never those of somebody else."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import AuditState
from grading.core.errors import SubmissionRefused
from grading.courses.archive.actions import archive_cohort
from grading.courses.organizations.invitations import leave_organization
from grading.courses.people.removal import holdings_of, remove_student
from grading.jobs import run_audit
from grading.models import Audit, RepositoryAccess, RepositoryGrant, Submission, TeamMember
from grading.submissions.actions import create_submission
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.repository_accesses import (
    TOKEN,
    RepositoryAccessFactory,
    RepositoryGrantFactory,
    access_of,
    app_access_of,
)
from tests.factories.teams import team_with
from tests.factories.work import AssignmentFactory

pytestmark = pytest.mark.django_db
ADAS, BENS = "private/course/ada", "private/course/ben"


def submit(private: Any, assignment: Any, holder: Any, path: str = "course/ada.git") -> Submission:
    return create_submission(
        assignment=assignment, student=holder, repo_url=f"{private.url}/{path}", by=holder.user
    )


def refusal(*args: Any) -> tuple[str, str]:
    with pytest.raises(SubmissionRefused) as refused:
        submit(*args)
    return refused.value.code, refused.value.sentence


def row(access: RepositoryAccess) -> RepositoryAccess:
    with everywhere():
        return RepositoryAccess.objects.get(pk=access.pk)


def audited(submission: Submission) -> Audit:
    with everywhere():
        key = submission.audits.get().pk
    run_audit(str(key), 1)
    with everywhere():
        return Audit.objects.select_related("submission").get(pk=key)


# -- one's own -------------------------------------------------------------------------------------


def test_private_repository_goes_from_linking_to_a_verdict(private, host, assignment, ada):
    access = access_of(ada, host=host, path=ADAS)
    audit = audited(submit(private, assignment, ada))
    assert (audit.state, audit.submission.counts) == (AuditState.DONE, True)
    used = row(access)
    assert (used.last_used_for, used.last_used_at is not None, used.refused_at) == (
        "the audit of attempt 1",
        True,
        None,
    )
    assert TOKEN not in str(audit.report)


def test_repository_without_an_access_says_where_to_give_one(private, assignment, ada):
    code, sentence = refusal(private, assignment, ada)
    assert (code, "“Repositories”" in sentence, private.seen) == (
        "repository_login_required",
        True,
        [],
    )


def test_access_of_a_classmate_opens_nothing_for_others(private, host, assignment, ada, ben):
    access = access_of(ada, host=host, path=ADAS)
    assert refusal(private, assignment, ben)[0] == "repository_login_required"
    assert (private.seen, row(access).last_used_at) == ([], None)


def test_access_opens_no_other_repository_that_its_token_could_open(
    private, host, assignment, ada, ben
):
    access_of(ada, host=host, path=ADAS)
    for path in ("course/ben.git", "course/ada/../ben.git", "course/ada.git/../ben.git"):
        assert refusal(private, assignment, ada, path)[0] != "repository_access_refused"
    assert private.seen == []


def test_access_in_one_course_opens_nothing_in_another(private, host, assignment, ada):

    other = AssignmentFactory.create(cohort__organization=assignment.organization)

    place = EnrollmentFactory.create(cohort=other.cohort, user=ada.user, email=ada.email)
    access_of(ada, host=host, path=ADAS)
    assert refusal(private, other, place)[0] == "repository_login_required"


def test_revoked_token_is_told_as_a_lost_right(private, host, assignment, ada):
    access = access_of(ada, host=host, path=ADAS)
    private.is_allowed = lambda *_: False
    code, sentence = refusal(private, assignment, ada)
    assert (code, sentence.startswith(f"We had access to {host}/{ADAS}")) == (
        "repository_access_refused",
        True,
    )
    assert (f"{host} now refuses it" in sentence, row(access).refused_at is not None) == (
        True,
        True,
    )


def test_right_lost_before_the_audit_fails_it_without_a_score_or_an_attempt(
    private, host, assignment, ada
):
    access_of(ada, host=host, path=ADAS)
    submission = submit(private, assignment, ada)
    private.is_allowed = lambda *_: False
    audit = audited(submission)
    assert (audit.state, audit.failure_code, audit.overall_score, audit.submission.counts) == (
        AuditState.FAILED,
        "repository_access_refused",
        None,
        False,
    )
    assert audit.failure_message.startswith("We had access to")


def test_public_repository_uses_no_access(private, served, assignment, ada):
    public = private.url.removesuffix("/private")
    submission = create_submission(
        assignment=assignment, student=ada, repo_url=f"{public}/course/ada.git", by=ada.user
    )
    assert (len(submission.resolved_commit), private.seen) == (40, [])


def test_access_sealed_with_a_lost_key_is_to_be_given_again(
    private, host, assignment, ada, settings
):
    access_of(ada, host=host, path=ADAS)
    settings.SECRET_KEY = "another-" * 8
    assert refusal(private, assignment, ada)[0] == "repository_access_unreadable"


# -- teams -----------------------------------------------------------------------------------------


def form_teams(assignment: Any) -> None:
    with scope(organization=assignment.organization):
        assignment.team_formation = "students"
        assignment.save()


@pytest.mark.parametrize("shared", [True, False])
def test_mate_submits_only_what_was_shared_with_the_team(
    private, host, assignment, ada, ben, shared
):
    form_teams(assignment)
    team_with(assignment, ada, ben)
    access_of(ada, host=host, path=ADAS, for_teams=shared)
    if shared:
        assert submit(private, assignment, ben).student_id == ada.pk
    else:
        assert refusal(private, assignment, ben)[0] == "repository_login_required"
        # Ada herself submits it for her team.
        assert submit(private, assignment, ada).resolved_commit


def test_who_has_left_the_team_opens_nothing_for_it(private, host, assignment, ada, ben):
    form_teams(assignment)
    team_with(assignment, ada, ben)
    access_of(ben, host=host, path=ADAS, for_teams=True)
    with scope(organization=assignment.organization):
        TeamMember.objects.filter(student=ben).update(left_at=timezone.now())
    assert refusal(private, assignment, ada)[0] == "repository_login_required"


# -- the organization's ----------------------------------------------------------------------------


@pytest.fixture
def shared(assignment, host) -> RepositoryAccess:
    made: RepositoryAccess = RepositoryAccessFactory.create(
        organization=assignment.organization, host=host, path="private/course"
    )
    return made


def test_organizations_token_opens_only_what_was_granted_to_this_student(
    private, assignment, ada, ben, shared
):
    RepositoryGrantFactory.create(access=shared, student=ada, path=ADAS)
    assert submit(private, assignment, ada).resolved_commit
    private.seen.clear()
    assert refusal(private, assignment, ben)[0] == "repository_login_required"
    assert refusal(private, assignment, ada, "course/ben.git")[0] == "repository_login_required"
    assert private.seen == []


def test_grant_reaches_no_further_than_its_access(private, host, assignment, ada, shared):
    """A grant that is older than a narrower path of its access."""
    RepositoryGrantFactory.create(access=shared, student=ada, path=ADAS)
    with scope(organization=assignment.organization):
        RepositoryAccess.objects.filter(pk=shared.pk).update(path="private/other")
    assert refusal(private, assignment, ada)[0] == "repository_login_required"


def test_grant_of_one_student_opens_nothing_for_their_team(private, assignment, ada, ben, shared):
    form_teams(assignment)
    team_with(assignment, ada, ben)
    RepositoryGrantFactory.create(access=shared, student=ada, path=ADAS)
    assert refusal(private, assignment, ben)[0] == "repository_login_required"
    assert submit(private, assignment, ada).resolved_commit


def test_access_of_another_organization_opens_nothing(private, host, assignment, ada):
    RepositoryAccessFactory.create(host=host, path="private/course")
    assert refusal(private, assignment, ada)[0] == "repository_login_required"


# -- the GitHub App --------------------------------------------------------------------------------


def test_app_reads_with_a_token_for_this_repository_alone(private, host, assignment, ada, github):
    app_access_of(ada, host=host, path=ADAS)
    assert submit(private, assignment, ada).resolved_commit
    assert list(github.tokens.values()) == [frozenset({1})]


def test_app_opens_nothing_for_a_classmate_through_the_same_installation(
    private, host, assignment, ada, ben, github
):
    app_access_of(ada, host=host, path=ADAS)
    assert refusal(private, assignment, ben)[0] == "repository_login_required"
    assert github.requests == []


def _lost_right(github: Any) -> None:
    github.rights[(ADAS, "ada")] = "none"


def _removed_app(github: Any) -> None:
    github.installations = {}


def _suspended_app(github: Any) -> None:
    github.suspended = {7}


def _repository_taken_out(github: Any) -> None:
    github.installations = {7: {2}}


def _renamed(github: Any) -> None:
    github.repositories[1] = "private/course/ada-2"


def _login_taken_over(github: Any) -> None:
    github.people = {"mallory-token": (300, "ada")}


@pytest.mark.parametrize(
    "change",
    [_lost_right, _removed_app, _suspended_app, _repository_taken_out, _renamed, _login_taken_over],
)
def test_app_that_may_no_longer_read_is_told_as_a_lost_right(
    private, host, assignment, ada, github, change
):
    access = app_access_of(ada, host=host, path=ADAS)
    change(github)
    code, sentence = refusal(private, assignment, ada)
    assert (code, "We had access to" in sentence, row(access).refused_at is not None) == (
        "repository_access_refused",
        True,
        True,
    )
    assert private.seen == []


def test_github_that_does_not_answer_is_no_lost_right(
    private, host, assignment, ada, github, settings
):
    access = app_access_of(ada, host=host, path=ADAS)
    settings.GITHUB_APP_API = "http://127.0.0.1:1"
    assert refusal(private, assignment, ada)[0] == "repository_unreachable"
    assert row(access).refused_at is None


# -- what ends an access ---------------------------------------------------------------------------


def test_leaving_the_organization_deletes_ones_accesses(host, assignment, ada, ben):
    access_of(ada, host=host, path=ADAS)
    kept = access_of(ben, host=host, path=BENS)
    leave_organization(organization=assignment.organization, user=ada.user)
    with everywhere():
        assert list(RepositoryAccess.objects.all()) == [kept]


def test_deleted_account_and_removed_place_leave_no_access(host, assignment, ada, ben):
    access_of(ada, host=host, path=ADAS)
    access_of(ben, host=host, path=BENS)
    with scope(organization=assignment.organization):
        ada.user.delete()
        ben.delete()
    with everywhere():
        assert RepositoryAccess.objects.count() == 0


def test_removed_student_leaves_no_access_and_no_grant(assignment, ada, ben):
    access_of(ada, host="gitlab.example.edu", path="ada/work")
    RepositoryGrantFactory.create(
        access__organization=assignment.organization, student=ada, path="course/ada"
    )
    kept = access_of(ben, host="gitlab.example.edu", path="ben/work")
    with scope(organization=assignment.organization):
        holdings = holdings_of(ada)
        # An access is no work: nobody has to type an address for it.
        assert holdings.has_work is False
        teacher = staff_user(assignment.organization)
        remove_student(student=ada, typed="", fingerprint=holdings.fingerprint, by=teacher)
        assert list(RepositoryAccess.objects.exclude(student=None)) == [kept]
        assert not RepositoryGrant.objects.exists()


def test_archive_of_a_cohort_holds_no_access(assignment, ada):
    access = access_of(ada, host="gitlab.example.edu", path="ada/secret-work")
    with scope(organization=assignment.organization):
        teacher = staff_user(assignment.organization)
        content = b"".join(archive_cohort(cohort=assignment.cohort, by=teacher))
    names = zipfile.ZipFile(io.BytesIO(content))
    texts = b"".join(names.read(name) for name in names.namelist())
    hidden = [TOKEN.encode(), access.sealed_secret.encode(), b"secret-work"]
    assert [text for text in hidden if text in texts] == []


def test_deactivated_account_opens_nothing(private, host, assignment, ada):
    access_of(ada, host=host, path=ADAS)
    ada.user.is_active = False
    ada.user.save()
    assert refusal(private, assignment, ada)[0] == "repository_login_required"


def test_ssh_address_without_a_key_says_where_to_make_one(private, assignment):
    holder = student(assignment.cohort)
    for address in ("git@git.example.org:ada/work.git", "ssh://git@git.example.org/ada/work.git"):
        with pytest.raises(SubmissionRefused) as refused:
            create_submission(
                assignment=assignment, student=holder, repo_url=address, by=holder.user
            )
        assert refused.value.code == "url_ssh_without_key"
