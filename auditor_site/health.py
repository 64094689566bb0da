"""`python -m auditor_site.health web|worker`: what a container's healthcheck asks. Exit 0 is well,
1 is not.
"""

import http.client
import socket
import sys

from redis import Redis
from rq import Worker

from auditor_site import env

SECONDS = 5


def web() -> bool:
    """The site's own /healthz answers 200 to a request for the first of its hosts."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", env.number("PORT", least=1, most=65535), timeout=SECONDS
    )
    connection.request(
        "GET", "/healthz", headers={"Host": env.words("ALLOWED_HOSTS")[0].lstrip(".")}
    )
    return connection.getresponse().status == http.HTTPStatus.OK


def worker() -> bool:
    """A worker of this machine is on the queue's list, from which one that stops beating
    disappears.
    """
    queue = Redis.from_url(env.required("REDIS_URL"), socket_timeout=SECONDS)
    return any(each.hostname == socket.gethostname() for each in Worker.all(connection=queue))


CHECKS = {"web": web, "worker": worker}

if __name__ == "__main__":
    sys.exit(not CHECKS[sys.argv[1]]())
