"""Rights to read a private repository, as the courtroom is given them for one clone.

Imports no pydantic, because confined child processes import the clone's module too. A secret is
in no `repr`, so no log and no traceback that shows an access shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# git reads what it is handed line by line: a line end would begin another line.
_ONE_LINE = re.compile(r"[^\x00-\x1f\x7f]+")
_HOST_KEY = re.compile(r"(ssh|ecdsa)-[a-z0-9-]+ [A-Za-z0-9+/]+={0,3}")
# What hosts want beside a token; most take any name.
_USERNAMES = {
    "github.com": "x-access-token",
    "bitbucket.org": "x-token-auth",
}
ANY_USERNAME = "oauth2"


@dataclass(frozen=True, slots=True)
class HttpsToken:
    """Token for one https address; `username` is what its host wants beside it.

    Raises ValueError for anything but one line.
    """

    username: str
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        if not (_ONE_LINE.fullmatch(self.username) and _ONE_LINE.fullmatch(self.token)):
            raise ValueError("a name and a token are one line each")


@dataclass(frozen=True, slots=True)
class DeployKey:
    """Private key in OpenSSH's format, and the only host key that is trusted, as `type base64`.

    Raises ValueError for a host key of another form.
    """

    host_key: str
    private_key: str = field(repr=False)

    def __post_init__(self) -> None:
        if not _HOST_KEY.fullmatch(self.host_key):
            raise ValueError("this is no public host key")


RepositoryAccess = HttpsToken | DeployKey


def username_at(host: str) -> str:
    """Return the name that goes with a token at this host."""
    return _USERNAMES.get(host, ANY_USERNAME)
