"""A pytest plugin (`-p tests.services`): real PostgreSQL and Valkey for every run.

pytest-django reads the settings before any conftest.py, so the servers must be named earlier still.
Servers named by DATABASE_URL and REDIS_URL are used. Others are started once, by the process that
started the run, and end with it. Each xdist worker has a queue of its own: its number chooses the
Redis database.
"""

import gc
import os
from contextlib import ExitStack
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from auditor_site.localservices.embedded import embedded

# Sign-in through providers, so that its pages are tested as well.
SIGN_IN = {
    "GITHUB_CLIENT_ID": "github-client",
    "GITHUB_CLIENT_SECRET": "github-secret",
    "OIDC_SERVER_URL": "https://sso.example",
    "OIDC_CLIENT_ID": "oidc-client",
    "OIDC_CLIENT_SECRET": "oidc-secret",
}
# The default of Redis.
DATABASES = 16


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    # What is imported and collected lives until the end: tests/conftest.py enables collections then.
    gc.disable()
    os.environ.update(SIGN_IN)
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        os.environ["REDIS_URL"] = own_database(
            os.environ["REDIS_URL"], int(worker.removeprefix("gw"))
        )
        return

    stack = ExitStack()
    early_config.add_cleanup(stack.close)
    os.environ.update(stack.enter_context(embedded(ephemeral=True)))


def own_database(url: str, worker: int) -> str:
    """Return the URL with the worker's database number; numbers start at 1, because 0 is the
    default.
    """
    parts, number = urlsplit(url), 1 + worker % (DATABASES - 1)
    if parts.scheme != "unix":
        return parts._replace(path=f"/{number}").geturl()
    query = dict(parse_qsl(parts.query)) | {"db": str(number)}
    return f"unix://{parts.netloc}{parts.path}?{urlencode(query)}"
