"""Configuration: settings, environment, URLs, WSGI, and servers for machines that have none."""
