"""Addresses of commits, files and lines at the hosts of repositories, for links on pages.

A template is relative to the repository's own address. `plain` is added before the lines of a file
that the host shows rendered, and without which it shows no lines.
"""

import json

from django.core.exceptions import ImproperlyConfigured

from auditor_site import env

Templates = dict[str, str]

_KINDS: dict[str, Templates] = {
    "bitbucket": {
        "commit": "/commits/{commit}",
        "file": "/src/{commit}/{path}",
        "line": "#lines-{first}",
        "lines": "#lines-{first}:{last}",
        "plain": "",
    },
    "gitea": {
        "commit": "/commit/{commit}",
        "file": "/src/commit/{commit}/{path}",
        "line": "#L{first}",
        "lines": "#L{first}-L{last}",
        "plain": "?display=source",
    },
    "github": {
        "commit": "/commit/{commit}",
        "file": "/blob/{commit}/{path}",
        "line": "#L{first}",
        "lines": "#L{first}-L{last}",
        "plain": "?plain=1",
    },
    "gitlab": {
        "commit": "/-/commit/{commit}",
        "file": "/-/blob/{commit}/{path}",
        "line": "#L{first}",
        "lines": "#L{first}-{last}",
        "plain": "?plain=1",
    },
}
_PUBLIC_HOSTS = {
    "bitbucket.org": "bitbucket",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
    "github.com": "github",
    "gitlab.com": "gitlab",
}
_REQUIRED = {"commit", "file", "line", "lines"}
_SAMPLE = {"commit": "c0ffee", "path": "src/graph.py", "first": 3, "last": 5}


def _hosts(text: str) -> dict[str, Templates]:
    """Return the templates by host: those of public hosts, and the operator's."""
    try:
        own = {host.lower(): _templates(kind) for host, kind in json.loads(text or "{}").items()}
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise ImproperlyConfigured(
            'REPOSITORY_HOSTS must be JSON such as {"git.example.edu": "gitlab"}, with one of '
            f"{', '.join(_KINDS)} or an object of templates, as docs/operations.md says."
        ) from error
    return {host: _KINDS[kind] for host, kind in _PUBLIC_HOSTS.items()} | own


def _templates(kind: str | Templates) -> Templates:
    if isinstance(kind, str):
        return _KINDS[kind]
    templates = {"plain": ""} | kind
    if templates.keys() != _REQUIRED | {"plain"}:
        raise KeyError(*(templates.keys() ^ (_REQUIRED | {"plain"})))

    # A template that cannot be filled in stops the site here, not a page later.
    filled = {name: template.format_map(_SAMPLE) for name, template in templates.items()}
    if not (filled["commit"].startswith("/") and filled["file"].startswith("/")):
        raise ValueError("commit and file begin with /: they go on from the repository's address")
    return templates


REPOSITORY_HOSTS = _hosts(env.text("REPOSITORY_HOSTS"))
