"""Settings of gunicorn, on one machine and in containers.

Use: `gunicorn -c python:auditor_site.webserver`. The sizes come from `make load`
(docs/operations.md). Options on the command line override them.
"""

# One for each core: a Python process keeps at most one core busy.
workers = 2
# For each worker. A submission waits up to ten seconds for the repository's server, and other
# requests must go on meanwhile. Each thread keeps a connection to PostgreSQL.
threads = 16
# Seconds. Longer than proxies keep an idle connection (nginx: 60), so that the proxy closes it and
# gunicorn never does while the proxy sends.
keepalive = 75
control_socket_disable = True
