"""Give, confirm, try and revoke accesses to private repositories.

Each is about a student's own repository, or about everything below a path for the organization;
then a student can use it only for repositories that were granted to them. What may be done with an
access is decided where it is used (grading/engine/repository_access.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.crypto import seal
from grading.core.enums import AccessKind
from grading.core.errors import AccessRefused, SealBrokenError
from grading.core.github_app import Account, Repository, github_app
from grading.core.probe_limit import limited_probe
from grading.engine import access_trials
from grading.engine.repository_access import SEAL, Location, location_of, unsealed
from grading.models import Enrollment, Organization, RepositoryAccess, RepositoryGrant
from grading.repositories.deploy_keys import new_pair
from grading.repositories.queries import covering_access, proof_branch

# Of one student in a course, and of one organization.
MOST_OF_STUDENT, MOST_OF_ORGANIZATION = 20, 50
MOST_ASSIGNED = 1000
NO_REPOSITORY = "Give the whole address of one repository, such as https://gitlab.com/you/project."
FINGERPRINT_CHANGED = "The server now shows another key than on your page. Compare it again."
UNREADABLE = (
    "We cannot read the access that your institution stored. Ask your teacher to store it again."
)
NOT_SHOWN = (
    "We did not find this branch. Either it was not pushed yet, or your institution's access does "
    "not reach a repository at this address."
)


@dataclass(frozen=True, slots=True)
class Holder:
    """Holder of an access: a student, or without one the organization."""

    organization: Organization
    student: Enrollment | None = None

    @property
    def limit(self) -> int:
        return MOST_OF_STUDENT if self.student else MOST_OF_ORGANIZATION


def link_token(
    *, holder: Holder, by: User, address: str, token: str, username: str = "", teams: bool = False
) -> RepositoryAccess:
    """Store a token for an https address; the same address again replaces it.

    A student's token must open the repository now. The organization's address may be a group, or
    only a host. Raises AccessRefused for address or token.
    """
    location = _location(address, protocol="https", needs_path=holder.student is not None)
    name = username or access_trials.username_at(location.host)
    access = access_trials.https_token(name, token)
    if holder.student is not None:
        with limited_probe(holder.student, by=by):
            access_trials.try_access(access, address)
    return _store(
        holder,
        by,
        kind=AccessKind.TOKEN,
        location=location,
        username=name,
        sealed_secret=seal(token, purpose=SEAL),
        for_teams=teams,
    )


def make_deploy_key(
    *, holder: Holder, by: User, address: str, teams: bool = False
) -> RepositoryAccess:
    """Make a pair of keys for an ssh address; the same address again makes another pair.

    The host's key is known, or shown by the server: then a person has to confirm it. Raises
    AccessRefused for address.
    """
    location = _location(address, protocol="ssh", needs_path=True)
    with limited_probe(holder.student, by=by) if holder.student else nullcontext():
        host_key, is_published = access_trials.host_key_of(address)
    private, public = new_pair()
    return _store(
        holder,
        by,
        kind=AccessKind.DEPLOY_KEY,
        location=location,
        username=_user_of(address),
        sealed_secret=seal(private, purpose=SEAL),
        public_key=public,
        host_key=host_key,
        host_key_confirmed_at=timezone.now() if is_published else None,
        for_teams=teams,
    )


def link_github(
    *,
    student: Enrollment,
    by: User,
    account: Account,
    repositories: Sequence[Repository],
    teams: bool = False,
) -> None:
    """Link repositories that GitHub says this person and the App may read."""
    holder = Holder(student.organization, student)
    for repository in repositories:
        _store(
            holder,
            by,
            kind=AccessKind.GITHUB_APP,
            location=Location("https", github_app().host, repository.full_name),
            installation_id=repository.installation_id,
            repository_id=repository.id,
            account_id=account.id,
            account_login=account.login,
            for_teams=teams,
        )


def _location(address: str, *, protocol: str, needs_path: bool) -> Location:
    location = location_of(address)
    if location is None and not needs_path:
        # A host alone is everything on it.
        location = location_of(f"{address.strip().rstrip('/')}/x")
        location = location and Location(location.protocol, location.host, "")
    if location is None or location.protocol != protocol:
        sentence = access_trials.NOT_SSH if protocol == "ssh" else NO_REPOSITORY
        raise AccessRefused("address", "address_unfit", sentence)
    return location


def _user_of(address: str) -> str:
    """Return the account of an ssh address, which is git at nearly every host."""
    before, at, _ = address.removeprefix("ssh://").partition("@")
    return before if at and "/" not in before else "git"


def _store(
    holder: Holder, by: User, *, kind: AccessKind, location: Location, **values: object
) -> RepositoryAccess:
    """Store an access in place of one for the same address. Raises AccessRefused too_many."""
    organization, student = holder.organization, holder.student
    with transaction.atomic():
        # Two requests must not both give the last one.
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        theirs = RepositoryAccess.objects.filter(organization=organization, student=student)
        earlier = theirs.filter(kind=kind, host=location.host, path=location.path)
        if not earlier.exists() and theirs.count() >= holder.limit:
            raise AccessRefused(
                "", "too_many_accesses", f"There are {holder.limit} accesses. Revoke one first."
            )
        earlier.delete()
        access = RepositoryAccess.objects.create(
            organization=organization,
            student=student,
            owner=student.user if student else None,
            made_by=by,
            kind=kind,
            host=location.host,
            path=location.path,
            **values,
        )
        _record(access, by, "repository.linked")
    return access


def confirm_host_key(*, access: RepositoryAccess, fingerprint: str, by: User) -> None:
    """Trust the host key that a person compared. Raises AccessRefused if another was shown."""
    if access_trials.fingerprint_of(access.host_key) != fingerprint:
        raise AccessRefused("do", "fingerprint_changed", FINGERPRINT_CHANGED)
    with transaction.atomic():
        waiting = RepositoryAccess.objects.filter(pk=access.pk, host_key=access.host_key)
        if waiting.filter(host_key_confirmed_at=None).update(host_key_confirmed_at=timezone.now()):
            _record(access, by, "repository.host_key_confirmed", fingerprint=fingerprint)


def read_host_key(*, access: RepositoryAccess, by: User) -> None:
    """Read the host's key again, after its owners changed it; a person has to confirm a new one.

    Raises AccessRefused for address.
    """
    with limited_probe(access.student, by=by) if access.student else nullcontext():
        host_key, is_published = access_trials.host_key_of(address_of(access))
    with transaction.atomic():
        same = RepositoryAccess.objects.filter(pk=access.pk, kind=AccessKind.DEPLOY_KEY)
        confirmed_at = timezone.now() if is_published else None
        if same.exclude(host_key=host_key).update(
            host_key=host_key, host_key_confirmed_at=confirmed_at
        ):
            fingerprint = access_trials.fingerprint_of(host_key)
            _record(access, by, "repository.host_key_read", fingerprint=fingerprint)


def try_again(*, access: RepositoryAccess, by: User) -> None:
    """Ask the host for the repository with a stored token or key. Raises AccessRefused."""
    if access.student is None:
        raise AccessRefused("do", "access_without_repository", NO_REPOSITORY)
    try:
        with limited_probe(access.student, by=by):
            access_trials.try_stored(access, address_of(access))
    except AccessRefused:
        RepositoryAccess.objects.filter(pk=access.pk).update(refused_at=timezone.now())
        raise
    RepositoryAccess.objects.filter(pk=access.pk).update(
        refused_at=None, last_used_at=timezone.now(), last_used_for="a trial by its owner"
    )


def address_of(access: RepositoryAccess) -> str:
    """Return the address that an access opens, as git takes it."""
    if access.kind == AccessKind.DEPLOY_KEY:
        return f"ssh://{access.username}@{access.host}/{access.path}"
    is_local = access.host.startswith(("127.0.0.1:", "localhost:"))
    return f"{'http' if is_local else 'https'}://{access.host}/{access.path}"


def revoke_access(*, access: RepositoryAccess, by: User) -> None:
    """Delete an access with its secret, and what it was granted for."""
    with transaction.atomic():
        # Before the deletion: the log needs the row's key.
        _record(access, by, "repository.revoked")
        RepositoryAccess.objects.filter(pk=access.pk).delete()


def grant_by_branch(*, student: Enrollment, address: str, by: User) -> RepositoryGrant:
    """Grant a repository to the student who could push the branch that only they were told.

    Raises AccessRefused for address, in the same words whether the repository exists or not.
    """
    location = location_of(address)
    access = covering_access(student.organization, location) if location else None
    if location is None or access is None:
        raise AccessRefused(
            "address",
            "not_covered",
            "Your institution has no access for this address. Use a token or a deploy key instead.",
        )
    try:
        opened = unsealed(access)
    except SealBrokenError:
        raise AccessRefused("address", "access_unreadable", UNREADABLE) from None
    branch = proof_branch(student, location)
    with limited_probe(student, by=by):
        if not access_trials.has_branch(opened, address, branch):
            raise AccessRefused("address", "branch_missing", f"{NOT_SHOWN} Branch: {branch}")
    return _grant(access, student, location.path, by=by, made_by=None)


def assign_repositories(
    *, access: RepositoryAccess, lines: Sequence[tuple[Enrollment, str]], by: User
) -> int:
    """Grant each student a repository below the organization's access; return how many are new."""
    if len(lines) > MOST_ASSIGNED:
        raise AccessRefused("students", "too_many", f"At most {MOST_ASSIGNED} lines at once.")
    before = RepositoryGrant.objects.filter(access=access).count()
    with transaction.atomic():
        for student, path in lines:
            _grant(access, student, path, by=by, made_by=by)
    return RepositoryGrant.objects.filter(access=access).count() - before


def _grant(
    access: RepositoryAccess, student: Enrollment, path: str, *, by: User, made_by: User | None
) -> RepositoryGrant:
    with transaction.atomic():
        grant, is_new = RepositoryGrant.objects.get_or_create(
            organization_id=access.organization_id,
            access=access,
            student=student,
            path=path,
            defaults={"made_by": made_by},
        )
        if is_new:
            record_activity(
                organization=access.organization_id,
                actor=by,
                verb="repository.granted",
                about=student,
                place=f"{access.host}/{path}",
                student=str(student),
            )
    return grant


def withdraw_grant(*, grant: RepositoryGrant, by: User) -> None:
    with transaction.atomic():
        record_activity(
            organization=grant.organization_id,
            actor=by,
            verb="repository.grant_withdrawn",
            about=grant.student,
            place=f"{grant.access.host}/{grant.path}",
            student=str(grant.student),
        )
        RepositoryGrant.objects.filter(pk=grant.pk).delete()


def _record(access: RepositoryAccess, by: User, verb: str, **detail: str) -> None:
    """Write the log of the student's cohort, or of the organization. The secret is no part of it."""
    record_activity(
        organization=access.organization_id,
        actor=by,
        verb=verb,
        about=access.student or access,
        place=access.place,
        kind=access.get_kind_display(),
        **detail,
    )
