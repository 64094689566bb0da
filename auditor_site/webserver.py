"""Settings of gunicorn, on one machine and in containers.

Use: `gunicorn -c python:auditor_site.webserver`. The sizes come from `make load`
(docs/operations.md). Options on the command line override them.
"""

import gc
from typing import Any

# One for each core: a Python process keeps at most one core busy.
workers = 2
# For each worker. A submission waits up to ten seconds for the repository's server, and other
# requests must go on meanwhile. Each thread keeps a connection to PostgreSQL.
threads = 16
# Seconds. Longer than proxies keep an idle connection (nginx: 60), so that the proxy closes it and
# gunicorn never does while the proxy sends.
keepalive = 75
control_socket_disable = True
# How many new objects bring about a garbage collection. At Python's own 700 each page has several,
# and they find nothing: a tenth of its processor time.
OBJECTS_PER_COLLECTION = 20_000


def post_worker_init(_worker: Any) -> None:
    """Leave out of garbage collections what a process has imported before its first request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
