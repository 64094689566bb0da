"""Health check of a container: `python -m auditor_site.health web|worker`.

Exit 0: healthy; 1: not, with the reason in one line where a server cannot be reached.
"""

import http.client
import socket
import sys

from redis import Redis
from redis.exceptions import RedisError
from rq import Worker

from auditor_site import addresses, env
from auditor_site.command_line import reason_of

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
    queue = Redis.from_url(addresses.redis(env.required("REDIS_URL")), socket_timeout=SECONDS)
    return any(worker.hostname == socket.gethostname() for worker in Worker.all(connection=queue))


CHECKS = {"web": web, "worker": worker}


def main(name: str) -> int:
    try:
        return int(not CHECKS[name]())
    except (OSError, RedisError, http.client.HTTPException) as error:
        sys.stderr.write(f"{name}: {reason_of(error)}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
