"""Health check of a container: `python -m auditor_site.health web|worker`.

Exit 0: healthy; 1: not.
"""

import http.client
import socket
import sys

from redis import Redis
from rq import Worker

from auditor_site import env

# Less than the healthcheck's own timeout in docker-compose.yml.
SECONDS = 5


def web() -> bool:
    """Return whether /healthz answers 200 to a request for the first of the site's hosts."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", env.number("PORT", least=1, most=65535), timeout=SECONDS
    )
    connection.request(
        "GET", "/healthz", headers={"Host": env.words("ALLOWED_HOSTS")[0].lstrip(".")}
    )
    return connection.getresponse().status == http.HTTPStatus.OK


def worker() -> bool:
    """Return whether a worker of this machine is registered at the queue.

    A worker that stops sending heartbeats is removed from that list.
    """
    queue = Redis.from_url(env.required("REDIS_URL"), socket_timeout=SECONDS)
    return any(worker.hostname == socket.gethostname() for worker in Worker.all(connection=queue))


CHECKS = {"web": web, "worker": worker}

if __name__ == "__main__":
    sys.exit(not CHECKS[sys.argv[1]]())
