"""Private PostgreSQL and Valkey for a machine that has none, on unix sockets only.

`python -m auditor_site.localservices exec -- CMD` starts the servers that DATABASE_URL and
REDIS_URL do not name, runs CMD with both set, and stops the servers. Data stays in the checkout's
`var/` and survives a restart. Only the user who starts the servers gets in: PostgreSQL asks the
kernel who its client is, Valkey wants a password.

    places     folders of data, sockets and locks, and the user the servers run as
    binaries   programs of the servers
    server     one locked server process: start, wait, stop, recover from a kill -9
    postgres   PostgreSQL's own part
    valkey     Valkey's own part
    embedded   both of them, started and stopped together
    __main__   the command line
"""

from auditor_site.localservices.places import checkout_password, checkout_sockets
from auditor_site.localservices.postgres import address as _postgres_address
from auditor_site.localservices.valkey import address as _valkey_address

__all__ = ["database_url", "redis_url"]


def database_url() -> str:
    """Return the address of this checkout's embedded PostgreSQL while it runs."""
    return _postgres_address(checkout_sockets())


def redis_url() -> str:
    """Return the address of this checkout's embedded Valkey while it runs."""
    return _valkey_address(checkout_sockets(), checkout_password())
