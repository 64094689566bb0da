"""A private PostgreSQL and Valkey for a machine that has none, on unix sockets only.

`python -m auditor_site.localservices exec -- CMD` starts what DATABASE_URL and REDIS_URL do not
name, runs CMD with both set, and stops what it started. Data stays in the checkout's `var/` and
survives a restart.

    places     where data, sockets and locks lie, and which user the servers run as
    binaries   where the servers' programs come from
    server     one locked server process: start, wait, stop, recover from a kill -9
    postgres, valkey   what is particular to each
    embedded   both of them, started and stopped together
    __main__   the command line
"""

from auditor_site.localservices.places import checkout_sockets
from auditor_site.localservices.postgres import address as _postgres_address
from auditor_site.localservices.valkey import address as _valkey_address

__all__ = ["database_url", "redis_url"]


def database_url() -> str:
    """Where this checkout's embedded PostgreSQL listens while it runs."""
    return _postgres_address(checkout_sockets())


def redis_url() -> str:
    """Where this checkout's embedded Valkey listens while it runs."""
    return _valkey_address(checkout_sockets())
