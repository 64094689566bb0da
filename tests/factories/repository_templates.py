"""Templates of assignments and repositories that were made of them."""

from __future__ import annotations

from typing import Any

from grading.core.enums import RepositoryState
from grading.models import (
    Assignment,
    Enrollment,
    RepositoryMember,
    RepositoryTemplate,
    StudentRepository,
)
from tests.factories.people import TenantFactory


class RepositoryTemplateFactory(TenantFactory):
    class Meta:
        model = RepositoryTemplate

    template = "course/exercise"
    login = "course"
    installation_id = 7
    prefix = "exercise"


class StudentRepositoryFactory(TenantFactory):
    class Meta:
        model = StudentRepository

    state = RepositoryState.MADE
    repository_id = 1


class RepositoryMemberFactory(TenantFactory):
    class Meta:
        model = RepositoryMember

    account_id = 100
    login = "ada"


def template_for(assignment: Assignment, **fields: Any) -> RepositoryTemplate:
    made: RepositoryTemplate = RepositoryTemplateFactory.create(
        organization=assignment.organization, assignment=assignment, **fields
    )
    return made


def made_repository(
    template: RepositoryTemplate, student: Enrollment, **fields: Any
) -> StudentRepository:
    """A repository that was made for a student, who is a member of it."""
    name = f"{template.prefix}-{student.pk}"
    full_name = f"{template.login}/{name}"
    values = {"name": name, "full_name": full_name, "url": f"https://github.com/{full_name}"}
    made: StudentRepository = StudentRepositoryFactory.create(
        organization=template.organization, template=template, student=student, **values | fields
    )
    RepositoryMemberFactory.create(
        organization=template.organization, repository=made, student=student, user=student.user
    )
    return made
