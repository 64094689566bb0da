"""Access by which the repository of a submission is opened: whose it is decides, not what it opens.

The site may hold a token that opens repositories of many people. So a submission gets an access
only if it is

- the student's own for this very repository (in a team: of who submits, or shared with the team);
- the organization's, and this very repository was granted to who submits (RepositoryGrant);
- by the GitHub App, and GitHub says today that the person who linked it may read it.

Nobody can therefore submit somebody else's private repository and read it in a report. The uses are
dated here, so that none is missing; it is the only write of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from grading.core import github_app
from grading.core.crypto import unseal
from grading.core.enums import AccessKind
from grading.core.errors import GithubFailed, SealBrokenError
from grading.models import RepositoryAccess, RepositoryGrant, Submission, TeamMember

if TYPE_CHECKING:
    from courtroom.models.repository_access import RepositoryAccess as Access

SEAL = "repository access"
GIVE_ACCESS = (
    "The repository requires a login: it is private or the address is misspelt. If it is private, "
    "give access to it on your course's page “Repositories”, or make it public."
)
KEY_NEEDED = (
    "An ssh address needs a deploy key: make one on your course's page “Repositories”. A public "
    "repository has an https address, too."
)
UNREADABLE = (
    "We cannot read what we stored of the access to this repository. Give access again on the page "
    "“Repositories”."
)
UNREACHABLE = "We couldn't ask GitHub for access to the repository. Try again later."
# What GitHub says when a right is gone; its other failures are of the site or of the moment.
_LOST = {"github_installation_gone", "github_repository_gone", "github_person_gone"}


@dataclass(frozen=True, slots=True)
class Location:
    """Repository at a host, the same for all spellings of its address. `host` may have a port."""

    protocol: Literal["https", "ssh"]
    host: str
    path: str


def location_of(address: str) -> Location | None:
    """Return where an address points, None for one that no access can open.

    A path with dots between slashes leads elsewhere than it says, so that it is no place.
    """
    from courtroom.analysis.git.repository_addresses import ssh_parts

    text = address.strip()
    try:
        parts = ssh_parts(text) or urlsplit(text)
        parts.port  # noqa: B018 -- reading it is what checks it
    except ValueError:
        return None
    is_local = settings.ALLOW_LOCAL_REPOSITORIES and parts.scheme == "http"
    path = parts.path.strip("/").removesuffix(".git")
    if not parts.hostname or not (parts.scheme in ("https", "ssh") or is_local):
        return None
    if {"", ".", ".."}.intersection(path.split("/")):
        return None
    usual = {"https": 443, "ssh": 22}.get(parts.scheme)
    port = f":{parts.port}" if parts.port and parts.port != usual else ""
    protocol: Literal["https", "ssh"] = "ssh" if parts.scheme == "ssh" else "https"
    return Location(protocol, f"{parts.hostname.lower()}{port}", path)


@contextmanager
def opened_repository(submission: Submission, purpose: str) -> Iterator[Access | None]:
    """Yield the access to the submission's repository, None without one, for a clone or a probe.

    `purpose` is said on the page of the access. What the courtroom refuses for want of a right is
    raised in words that say whose access it was, and what to do. Raises RepositoryRefused.
    """
    from courtroom.models.errors import RepositoryRefused, UrlRefused

    location = location_of(submission.repo_url)
    row = find_access(submission, location) if location else None
    try:
        if row is None:
            yield None
            return
        access = opened_access(row)
        RepositoryAccess.objects.filter(pk=row.pk).update(
            last_used_at=timezone.now(), last_used_for=purpose, refused_at=None
        )
        yield access
    except RepositoryRefused as refusal:
        if refusal.code == "repository_access_refused" and row is not None:
            RepositoryAccess.objects.filter(pk=row.pk).update(refused_at=timezone.now())
            raise RepositoryRefused(refusal.code, _lost(row)) from None
        if refusal.code == "repository_login_required":
            raise RepositoryRefused(refusal.code, GIVE_ACCESS) from None
        raise
    except UrlRefused as refusal:
        if refusal.code == "url_not_https" and location and location.protocol == "ssh":
            raise UrlRefused("url_ssh_without_key", KEY_NEEDED) from None
        raise


def find_access(submission: Submission, location: Location) -> RepositoryAccess | None:
    """Return the access that this submission may use: the newest own one, else a granted one."""
    kinds = [AccessKind.DEPLOY_KEY]
    if location.protocol == "https":
        kinds = [AccessKind.GITHUB_APP, AccessKind.TOKEN]
    rows = RepositoryAccess.objects.filter(kind__in=kinds, host=location.host).exclude(
        kind=AccessKind.DEPLOY_KEY, host_key_confirmed_at=None
    )
    own = rows.filter(_of_who_submits(submission), path__iexact=location.path)
    # An App's token ends within the hour: it goes before one that lasts.
    found_own = own.filter(student__user=F("owner"), owner__is_active=True)
    return found_own.order_by("kind", "-pk").first() or _granted(submission, location, rows)


def _of_who_submits(submission: Submission) -> Q:
    if submission.team_id is None:
        return Q(student=submission.student_id)
    mates = TeamMember.objects.filter(team=submission.team_id, left_at=None).values("student")
    return Q(student__in=mates) & (Q(owner=submission.handed_in_by_id) | Q(for_teams=True))


def _granted(
    submission: Submission, location: Location, rows: QuerySet[RepositoryAccess]
) -> RepositoryAccess | None:
    """Return the organization's access if this very path was granted to who submits."""
    whose = Q(student=submission.student_id)
    if submission.team_id is not None:
        whose = Q(
            student__cohort=submission.assignment.cohort_id,
            student__user=submission.handed_in_by_id,
            student__user__isnull=False,
        )
    granted = RepositoryGrant.objects.filter(whose, path=location.path).values("access")
    covering = rows.filter(student=None, pk__in=granted)
    return next((row for row in covering if covers(row, location.path)), None)


def covers(access: RepositoryAccess, path: str) -> bool:
    """Return whether a repository lies at or below the path of an access."""
    return not access.path or path == access.path or path.startswith(f"{access.path}/")


def unsealed(access: RepositoryAccess) -> Access:
    """Return a stored token or key for the courtroom."""
    from courtroom.models.repository_access import DeployKey, HttpsToken

    secret = unseal(access.sealed_secret, purpose=SEAL)
    if access.kind == AccessKind.DEPLOY_KEY:
        return DeployKey(host_key=access.host_key, private_key=secret)
    return HttpsToken(username=access.username, token=secret)


def opened_access(row: RepositoryAccess) -> Access:
    """Return what opens the repository now. Raises RepositoryRefused where the right is gone."""
    from courtroom.models.errors import RepositoryRefused

    try:
        return _token_of_app(row) if row.kind == AccessKind.GITHUB_APP else unsealed(row)
    except SealBrokenError:
        raise RepositoryRefused("repository_access_unreadable", UNREADABLE) from None
    except GithubFailed as failure:
        if failure.code in _LOST:
            raise RepositoryRefused("repository_access_refused", failure.sentence) from None
        raise RepositoryRefused("repository_unreachable", UNREACHABLE) from None


def _token_of_app(row: RepositoryAccess) -> Access:
    """Return a token for this repository alone, if the person may still read it.

    Raises GithubFailed.
    """
    from courtroom.models.repository_access import HttpsToken, username_at

    # Constraints of the table say that both are there.
    installation, repository = row.installation_id or 0, row.repository_id or 0
    token = github_app.installation_token(installation, repositories=[repository])
    name = token.repositories.get(repository, "")
    if name.lower() != row.path.lower():
        raise GithubFailed("github_repository_gone", f"The repository is now called {name}.")
    right, person = github_app.permission_of(token.token, name, row.account_login)
    if right == "none" or person != row.account_id:
        raise GithubFailed(
            "github_person_gone", f"{row.account_login} may no longer read this repository."
        )
    return HttpsToken(username=username_at("github.com"), token=token.token)


def _lost(row: RepositoryAccess) -> str:
    since = f"{row.created_at:%-d %B %Y}"
    reason = "it was revoked, has expired or no longer covers this repository"
    if row.kind == AccessKind.GITHUB_APP:
        reason = (
            "the App was removed or suspended, the repository is no longer among the chosen ones or "
            f"was renamed, or {row.account_login} may no longer read it"
        )
    whose = "your institution's" if row.student_id is None else "the one linked"
    return (
        f"We had access to {row.place} ({whose} on {since}, {row.get_kind_display()}), and "
        f"{row.host} now refuses it: {reason}. Give access again on the page “Repositories”."
    )
