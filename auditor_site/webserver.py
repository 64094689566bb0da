"""How gunicorn serves the site, on one machine and in containers: `gunicorn -c
python:auditor_site.webserver`.

Sized by `make load` (docs/operations.md). Options on the command line override them.
"""

# As many as cores, of which a Python process keeps one busy at most.
workers = 2
# For each of them. A hand-in waits for the repository's own server, ten seconds at worst: pages go
# on meanwhile. Each thread keeps a connection to PostgreSQL.
threads = 16
# Seconds. Longer than proxies keep a connection that rests (nginx: 60): the proxy closes it, never
# we while it sends.
keepalive = 75
control_socket_disable = True
