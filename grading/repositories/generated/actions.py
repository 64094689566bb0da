"""Ask for repositories of a template, for one student or team or for all; jobs make them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from grading.core.activity_writer import record_activity
from grading.core.enums import CollaboratorState, RepositoryState
from grading.core.errors import TemplateRefused
from grading.core.github_app import Account
from grading.models import (
    Assignment,
    Enrollment,
    RepositoryMember,
    RepositoryTemplate,
    StudentRepository,
)
from grading.repositories.generated.making import REPOSITORIES
from grading.repositories.generated.queries import (
    Owner,
    key_of,
    owner_of,
    owners_in,
    present_members,
    repositories_of,
    template_of,
)

# GitHub asks for a second between requests that make something; a repository takes two.
APART = timedelta(seconds=3)
# GitHub's limit for the name of a repository.
LONGEST_NAME = 100
NO_TEMPLATE = "This assignment has no template. Your teachers can set one."
OTHER_ACCOUNT = (
    "{} is linked for this repository already. Ask your teachers to remove that account here."
)


def create_repository(
    *, assignment: Assignment, student: Enrollment, by: User, account: Account
) -> StudentRepository:
    """Ask for the repository of a student or their team, and for an invitation of this account.

    `account` is the one at GitHub that the student showed to be theirs. Raises TemplateRefused.
    """
    template = _template(assignment)
    owner = owner_of(assignment, student)
    with transaction.atomic():
        # Of two members of a team, the second waits and then finds the first one's repository.
        RepositoryTemplate.objects.select_for_update(no_key=True).get(pk=template.pk)
        repository = _asked(template, owner, by=by, at=timezone.now())
        _add_member(repository, student, by, account)
        _schedule(repository)
        REPOSITORIES.enqueue_on_commit(repository.organization_id)
    return repository


def create_all(*, assignment: Assignment, by: User) -> int:
    """Ask for a repository for each student and team without one; return how many.

    Nobody is invited by that: each student shows their account first.
    """
    template = _template(assignment)
    with transaction.atomic():
        RepositoryTemplate.objects.select_for_update(no_key=True).get(pk=template.pk)
        known = {key_of(row) for row in repositories_of(assignment)}
        missing = [row for row in owners_in(assignment) if row.key not in known]
        now = timezone.now()
        for number, owner in enumerate(missing):
            _asked(template, owner, by=by, at=now + number * APART)
        REPOSITORIES.enqueue_on_commit(template.organization_id)
    return len(missing)


def try_again(*, repository: StudentRepository, by: User) -> None:
    """Look at GitHub again: make what failed or was deleted there, invite who is not in."""
    with transaction.atomic():
        rows = StudentRepository.objects.filter(pk=repository.pk)
        rows.filter(state__in=[RepositoryState.FAILED, RepositoryState.GONE]).update(
            state=RepositoryState.WAITING, repository_id=None, sentence="", words=""
        )
        # An invitation ends after a week: it is sent again.
        present_members(repository).exclude(state=CollaboratorState.ACCEPTED).update(
            state=CollaboratorState.WAITING, words=""
        )
        _schedule(repository)
        record_activity(
            organization=repository.organization_id,
            actor=by,
            verb="template.tried_again",
            about=repository.student,
            place=str(repository),
        )
        REPOSITORIES.enqueue_on_commit(repository.organization_id)


def remove_account(*, member: RepositoryMember, by: User) -> None:
    """Forget a student's account at GitHub, so that they can show another one.

    What GitHub lets that account do there stays, until somebody ends it there.
    """
    with transaction.atomic():
        record_activity(
            organization=member.organization_id,
            actor=by,
            verb="template.account_removed",
            about=member.student,
            login=member.login,
            place=str(member.repository),
        )
        member.delete()


def look_again(*, assignment: Assignment) -> int:
    """Ask GitHub who has accepted, for every repository that was made; return how many."""
    rows = repositories_of(assignment).filter(state=RepositoryState.MADE, next_at=None)
    now = timezone.now()
    with transaction.atomic():
        keys = list(rows.values_list("pk", flat=True))
        StudentRepository.objects.filter(pk__in=keys).update(next_at=now, tries=0)
        REPOSITORIES.enqueue_on_commit(assignment.organization_id)
    return len(keys)


def _template(assignment: Assignment) -> RepositoryTemplate:
    template = template_of(assignment)
    if template is None:
        raise TemplateRefused("", "no_template", NO_TEMPLATE)
    return template


def _asked(
    template: RepositoryTemplate, owner: Owner, *, by: User, at: datetime
) -> StudentRepository:
    repository, is_new = StudentRepository.objects.get_or_create(
        organization_id=template.organization_id,
        template=template,
        **owner.where,
        defaults={
            "student": owner.student,
            "name": _free_name(template, owner),
            "next_at": at,
        },
    )
    if is_new:
        record_activity(
            organization=template.organization_id,
            actor=by,
            verb="template.repository_asked",
            about=owner.student,
            place=f"{template.login}/{repository.name}",
            assignment=template.assignment.slug,
        )
    return repository


def _free_name(template: RepositoryTemplate, owner: Owner) -> str:
    """Return a name of safe characters that no other student of the assignment has."""
    # Without a name: an address would tell more than GitHub has to know.
    last = slugify(owner.name) or f"student-{owner.student.pk}"
    taken = {name.lower() for name in template.repositories.values_list("name", flat=True)}
    whole = f"{template.prefix}-{last}"[:LONGEST_NAME].rstrip("-")
    number = 2
    name = whole
    while name.lower() in taken:
        name = f"{whole[: LONGEST_NAME - 6]}-{number}"
        number += 1
    return name


def _add_member(
    repository: StudentRepository, student: Enrollment, by: User, account: Account
) -> None:
    member, is_new = RepositoryMember.objects.get_or_create(
        organization_id=repository.organization_id,
        repository=repository,
        student=student,
        defaults={"user": by, "account_id": account.id, "login": account.login},
    )
    if not is_new and member.account_id != account.id:
        raise TemplateRefused("", "other_account", OTHER_ACCOUNT.format(member.login))


def _schedule(repository: StudentRepository) -> None:
    now = timezone.now()
    StudentRepository.objects.filter(pk=repository.pk).update(next_at=now, tries=0)
