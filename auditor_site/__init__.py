"""Configuration only: settings, environment, URLs, WSGI and the servers of a machine that has none."""
