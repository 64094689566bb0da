"""Make repositories at GitHub, invite their students, and look who has accepted, in jobs.

A row is claimed (its try is counted, the next one scheduled) before GitHub is asked. A repository
carries the row's key in its description, so that one that was made by a worker that died is
recognised, and one of somebody else is not taken over.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from grading.core import github_repositories as github
from grading.core.activity_writer import record_activity
from grading.core.enums import CollaboratorState, RepositoryState
from grading.core.errors import AccessRefused, GithubFailed
from grading.core.github_app import Account, Repository
from grading.models import RepositoryMember, StudentRepository
from grading.notifications.outbox import Outbox
from grading.repositories.actions import link_github
from grading.repositories.generated.queries import present_members

# A turn begins no repository later than this: webhooks and grades wait in the same queue.
BEGIN_SECONDS = 5
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 30, 60))
PASSING = {"github_unavailable", "github_app_refused", "github_app_off"}
NAME_TAKEN = (
    "At GitHub, {} exists already, and this site did not make it. Rename or delete it there, then "
    "try again."
)
RENAMED = "At GitHub, {} was renamed or leads to another repository."
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    return Q(next_at__lte=now)


REPOSITORIES = Outbox(
    StudentRepository,
    job="grading.jobs.make_repositories",
    queue="webhooks",
    name="repositories",
    seconds=300,
    due=_due,
)


def make_due_repositories(*, organization_id: int) -> int:
    """Go on with due repositories for one turn, the longest waiting first; return how many."""
    results = REPOSITORIES.send_for_a_turn(
        organization_id, claim=_claim, send=_go_on, begin_seconds=BEGIN_SECONDS
    )
    return len(results)


def _claim() -> StudentRepository | None:
    now = timezone.now()
    with transaction.atomic():
        due = StudentRepository.objects.filter(_due(now))
        locked = due.select_for_update(skip_locked=True, of=("self",))
        row = locked.select_related("template__assignment", "student").order_by("next_at", "pk")
        first = row.first()
        if first is not None:
            pause = PAUSES[min(first.tries, len(PAUSES) - 1)]
            StudentRepository.objects.filter(pk=first.pk).update(
                tries=F("tries") + 1, next_at=now + pause
            )
            first.tries += 1
    return first


def _go_on(row: StudentRepository) -> None:
    """Take a repository as far as it goes now, and store where that is."""
    try:
        token = github.organization_token(row.template.installation_id)
        if row.repository_id is None:
            _make(row, token)
        _refuse_replaced(row, token)
        for member in present_members(row).select_related("student", "user"):
            _invite_or_look(row, member, token)
    except GithubFailed as failure:
        _store_failure(row, failure)
        return
    StudentRepository.objects.filter(pk=row.pk).update(next_at=None, tries=0, sentence="", words="")


def _make(row: StudentRepository, token: str) -> None:
    """Make the repository, or recognise the one that an interrupted try has made."""
    template = row.template
    try:
        made = github.generate(
            token,
            template=template.template,
            owner=template.login,
            name=row.name,
            description=f"{template.assignment.title[:120]} ({row.key})",
            is_private=template.is_private,
        )
    except GithubFailed as failure:
        if failure.code != "github_name_refused":
            raise
        made = _made_before(row, token, failure)
    row.repository_id, row.full_name, row.url = made.id, made.full_name, made.url
    with transaction.atomic():
        StudentRepository.objects.filter(pk=row.pk).update(
            state=RepositoryState.MADE,
            repository_id=made.id,
            full_name=made.full_name,
            url=made.url,
        )
        row.members.update(state=CollaboratorState.WAITING)
        _record(row, "template.repository_made", assignment=template.assignment.slug)


def _made_before(
    row: StudentRepository, token: str, refusal: GithubFailed
) -> github.FullRepository:
    full_name = f"{row.template.login}/{row.name}"
    try:
        present = github.repository_at(token, full_name)
    except GithubFailed as failure:
        if failure.code == "github_repository_gone":
            raise refusal from None
        raise
    if str(row.key) not in present.description:
        sentence = NAME_TAKEN.format(full_name)
        raise GithubFailed("github_name_taken", sentence, words=refusal.words)
    return present


def _refuse_replaced(row: StudentRepository, token: str) -> None:
    """Refuse another repository of the same name: nobody is invited to what we did not make."""
    if github.repository_at(token, row.full_name).id != row.repository_id:
        raise GithubFailed("github_repository_gone", RENAMED.format(row.full_name))


def _invite_or_look(row: StudentRepository, member: RepositoryMember, token: str) -> None:
    """Invite a member who is not invited yet, or ask whether they have accepted."""
    try:
        login = github.login_of(token, member.account_id)
        # Not asked first: members of the organization may be collaborators with a lesser right.
        if member.state in (CollaboratorState.WAITING, CollaboratorState.FAILED):
            url = github.invite(token, row.full_name, login, row.template.permission)
            is_in = not url
        else:
            url, is_in = member.url, github.is_collaborator(token, row.full_name, login)
    except GithubFailed as failure:
        if failure.code not in ("github_invitation_refused", "github_person_gone"):
            raise
        words = failure.words or failure.sentence
        RepositoryMember.objects.filter(pk=member.pk).update(
            state=CollaboratorState.FAILED, words=words
        )
        _record(row, "template.failed", reason=f"{failure.sentence} {failure.words}".strip())
        return
    state = CollaboratorState.ACCEPTED if is_in else CollaboratorState.INVITED
    _store_member(row, member, state=state, login=login, url=url)


def _store_member(
    row: StudentRepository,
    member: RepositoryMember,
    *,
    state: CollaboratorState,
    login: str,
    url: str,
) -> None:
    """Store how far a member is; once invited, let them submit the repository."""
    is_first = member.state == CollaboratorState.WAITING
    with transaction.atomic():
        RepositoryMember.objects.filter(pk=member.pk).update(
            state=state, login=login, url=url, words=""
        )
        if is_first:
            _record(row, "template.invited", login=login)
            _let_submit(row, member, login)


def _let_submit(row: StudentRepository, member: RepositoryMember, login: str) -> None:
    """Link the repository as one of the student's own; GitHub is asked again at each use of it."""
    try:
        link_github(
            student=member.student,
            by=member.user,
            account=Account(member.account_id, login),
            repositories=[
                Repository(row.repository_id or 0, row.full_name, row.template.installation_id)
            ],
            teams=row.team_id is not None,
        )
    except AccessRefused as refusal:
        # The student has reached the limit of accesses: the invitation is good all the same.
        log.info("repository_not_linked", repository=row.pk, reason=refusal.code)


def _store_failure(row: StudentRepository, failure: GithubFailed) -> None:
    """Store why it does not go on; what may pass is tried again."""
    values = {"sentence": failure.sentence, "words": failure.words}
    rows = StudentRepository.objects.filter(pk=row.pk)
    log.info("repository_waits", repository=row.pk, reason=failure.code, pause=failure.pause)
    if failure.code == "github_rate_limited":
        # The limit is the installation's: none of its repositories is asked about before.
        until = timezone.now() + timedelta(seconds=failure.pause)
        same = StudentRepository.objects.filter(
            template__installation_id=row.template.installation_id, next_at__lt=until
        )
        same.update(next_at=until)
        rows.update(**values, next_at=until, tries=row.tries - 1)
        return
    if failure.code in PASSING and row.tries <= len(PAUSES):
        rows.update(**values)
        return
    is_gone = failure.code == "github_repository_gone" and row.repository_id is not None
    state = RepositoryState.GONE if is_gone else RepositoryState.FAILED
    with transaction.atomic():
        rows.update(**values, state=state, next_at=None)
        _record(row, "template.failed", reason=f"{failure.sentence} {failure.words}".strip())


def _record(row: StudentRepository, verb: str, **detail: str) -> None:
    record_activity(
        organization=row.organization_id,
        actor=None,
        verb=verb,
        about=row.student,
        place=row.full_name or f"{row.template.login}/{row.name}",
        **detail,
    )
