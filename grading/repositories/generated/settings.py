"""Set the template of an assignment, after GitHub has confirmed what it needs."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.db import transaction

from grading.core import github_repositories as github
from grading.core.activity_writer import record_activity
from grading.core.enums import RepositoryPermission
from grading.core.errors import GithubFailed, TemplateRefused
from grading.core.github_app import Account
from grading.models import Assignment, RepositoryTemplate
from grading.repositories.generated.queries import template_of

FULL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")
PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
NO_FULL_NAME = "Give owner and name, such as your-course/exercise-1."
NO_LOGIN = "Give the name of an organization at GitHub, such as your-course."
NO_PREFIX = "Use letters, digits, hyphens, dots and underscores; begin with a letter or digit."
NOT_INSTALLED = "Our GitHub App is not installed in {}. An owner there can install it."
SUSPENDED = "Our GitHub App is suspended in {}. An owner there can let it work again."
LACKS = "In {}, our GitHub App has not been given: {}. An owner there can accept it."
NO_OWNER = "At GitHub, {} is no owner of {}. Only an owner can let us make repositories there."
NO_REPOSITORY = "We do not find {} with our GitHub App: it must be public, or in {}."
NO_TEMPLATE = "{} is no template. Mark it at GitHub: Settings, General, Template repository."
HAS_REPOSITORIES = "Repositories were made in {} already: the organization stays."


def set_template(
    *,
    assignment: Assignment,
    by: User,
    account: Account,
    template: str,
    login: str,
    prefix: str,
    is_private: bool = True,
    permission: RepositoryPermission = RepositoryPermission.PUSH,
) -> RepositoryTemplate:
    """Store the template of an assignment. `account` is the one at GitHub that `by` showed to have.

    They must own the organization there: the site's App may be installed in organizations of others
    who use this site. Raises TemplateRefused for template, login or name_prefix.
    """
    _refuse_unfit(template, login, prefix)
    earlier = template_of(assignment)
    is_moved = earlier is not None and earlier.login.lower() != login.lower()
    if earlier is not None and is_moved and earlier.repositories.exists():
        raise TemplateRefused("login", "login_fixed", HAS_REPOSITORIES.format(earlier.login))
    installation = _installation(login, account)
    full_name = _template(installation, template)
    with transaction.atomic():
        row, _is_new = RepositoryTemplate.objects.update_or_create(
            organization_id=assignment.organization_id,
            assignment=assignment,
            defaults={
                "template": full_name,
                "login": installation.login,
                "installation_id": installation.id,
                "is_private": is_private,
                "permission": permission,
                "prefix": prefix,
                "made_by": by,
            },
        )
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="template.set",
            about=assignment,
            template=full_name,
            place=installation.login,
            assignment=assignment.slug,
        )
    return row


def _refuse_unfit(template: str, login: str, prefix: str) -> None:
    name = template.partition("/")[2]
    if not FULL_NAME.fullmatch(template) or name in (".", ".."):
        raise TemplateRefused("template", "template_unfit", NO_FULL_NAME)
    if not LOGIN.fullmatch(login):
        raise TemplateRefused("login", "login_unfit", NO_LOGIN)
    if not PREFIX.fullmatch(prefix):
        raise TemplateRefused("name_prefix", "prefix_unfit", NO_PREFIX)


def _installation(login: str, account: Account) -> github.Installation:
    """Return the App's installation, if it has what it needs there and the person owns the place."""
    try:
        installation = github.installation_in(login)
        if installation.is_suspended:
            raise TemplateRefused("login", "app_suspended", SUSPENDED.format(login))
        if installation.lacks:
            lacks = ", ".join(installation.lacks)
            raise TemplateRefused("login", "app_lacks_permission", LACKS.format(login, lacks))
        token = github.organization_token(installation.id)
        today = github.login_of(token, account.id)
        if not github.is_owner(token, installation.login, today):
            raise TemplateRefused("login", "not_owner", NO_OWNER.format(today, login))
    except GithubFailed as failure:
        if failure.code == "github_not_installed":
            sentence = NOT_INSTALLED.format(login)
            raise TemplateRefused("login", "app_not_installed", sentence) from None
        raise TemplateRefused("login", failure.code, failure.sentence) from None
    return installation


def _template(installation: github.Installation, template: str) -> str:
    """Return the template's name as GitHub spells it."""
    try:
        token = github.organization_token(installation.id)
        repository = github.repository_at(token, template)
    except GithubFailed as failure:
        if failure.code == "github_repository_gone":
            sentence = NO_REPOSITORY.format(template, installation.login)
            raise TemplateRefused("template", "template_missing", sentence) from None
        raise TemplateRefused("template", failure.code, failure.sentence) from None
    if not repository.is_template:
        raise TemplateRefused("template", "no_template", NO_TEMPLATE.format(template))
    return repository.full_name
