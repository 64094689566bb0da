"""Link a branch, so that its pushes are submissions, and unlink it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from grading.core.activity_writer import record_activity
from grading.core.crypto import seal
from grading.core.enums import AccessKind, PushAnswer
from grading.core.errors import PushLinkRefused
from grading.engine.repository_access import Location, location_of
from grading.engine.repository_addresses import completed
from grading.models import Assignment, Enrollment, PushLink, RepositoryAccess
from grading.notifications.webhook_signatures import new_secret
from grading.submissions.pushes.queries import links_of

SEAL = "push link"
ADDRESS = "Give the whole address of one repository, such as https://gitlab.com/you/project."
BRANCH = "Give the name of one branch, such as main."
PDF_PATH = "Give a path inside the repository, such as docs/report.pdf."
LINKED = "A repository is linked already: unlink it first."
NOT_YOURS = "Choose one of your repositories of the GitHub App."


@dataclass(frozen=True, slots=True)
class NewLink:
    """Link with its secret, which is shown once; "" where the GitHub App signs."""

    link: PushLink
    secret: str


def link_branch(
    *,
    assignment: Assignment,
    student: Enrollment,
    by: User,
    branch: str,
    address: str = "",
    access: RepositoryAccess | None = None,
    pdf_path: str = "",
    answer: PushAnswer = PushAnswer.FULL,
) -> NewLink:
    """Link a branch, of the repository of an `access` by the GitHub App, else of an address.

    Raises PushLinkRefused: address_unfit, branch_unfit, path_unfit, link_exists, access_unfit.
    """
    if access is not None:
        is_own = access.student_id == student.pk and access.owner_id == by.pk
        if not is_own or access.kind != AccessKind.GITHUB_APP:
            raise PushLinkRefused("access", "access_unfit", NOT_YOURS)
        address = f"https://{access.host}/{access.path}"
    else:
        address = completed(address.strip())
    location = _checked(address, branch, pdf_path)
    secret = "" if access else new_secret()
    try:
        with transaction.atomic():
            # Of two requests of a team, the second waits and then finds the first one's link.
            Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
            if links_of(assignment, student).exists():
                raise PushLinkRefused("", "link_exists", LINKED)
            link = PushLink.objects.create(
                organization=assignment.organization,
                assignment=assignment,
                student=student,
                owner=by,
                access=access,
                repository_id=access.repository_id if access else None,
                address=address,
                host=location.host,
                path=location.path,
                branch=branch,
                pdf_path=pdf_path,
                answer=answer,
                sealed_secret=seal(secret, purpose=SEAL) if secret else "",
            )
            _record(link, by, "push.linked", branch=branch)
    except IntegrityError:
        raise PushLinkRefused("", "link_exists", LINKED) from None
    return NewLink(link, secret)


def unlink_branch(*, link: PushLink, by: User) -> None:
    """Delete a link with its secret and pushes; the attempts stay."""
    with transaction.atomic():
        _record(link, by, "push.unlinked", branch=link.branch)
        PushLink.objects.filter(pk=link.pk).delete()


def _checked(address: str, branch: str, pdf_path: str) -> Location:
    location = location_of(address)
    parts = location.path.split("/") if location else [""]
    if location is None or "@" in location.host or {"", ".", ".."} & set(parts):
        raise PushLinkRefused("address", "address_unfit", ADDRESS)
    if not branch or branch.startswith(("-", "/", "refs/")) or any(c.isspace() for c in branch):
        raise PushLinkRefused("branch", "branch_unfit", BRANCH)
    path = PurePosixPath(pdf_path)
    is_inside = not path.is_absolute() and ".." not in path.parts and str(path) == pdf_path
    if pdf_path and not (is_inside and pdf_path.isprintable()):
        raise PushLinkRefused("pdf_path", "path_unfit", PDF_PATH)
    return location


def _record(link: PushLink, by: User, verb: str, **detail: str) -> None:
    record_activity(
        organization=link.organization_id,
        actor=by,
        verb=verb,
        about=link.student,
        place=str(link),
        assignment=link.assignment.slug,
        **detail,
    )
