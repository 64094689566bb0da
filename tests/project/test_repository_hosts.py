"""Hosts that cannot be read stop the site at its start, with a sentence."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from auditor_site.settings.repository_hosts import _hosts

TEMPLATES = {
    "commit": "/c/{commit}",
    "file": "/f/{commit}/{path}",
    "line": "#{first}",
    "lines": "#{first}-{last}",
}


@pytest.mark.parametrize(
    "text",
    [
        "gitlab",
        "[]",
        '{"a.example": "subversion"}',
        '{"a.example": 3}',
        '{"a.example": {"file": "/f"}}',
        json.dumps({"a.example": TEMPLATES | {"extra": "x"}}),
        json.dumps({"a.example": TEMPLATES | {"line": 3}}),
        json.dumps({"a.example": TEMPLATES | {"line": "#{number}"}}),
        json.dumps({"a.example": TEMPLATES | {"line": "#{}"}}),
        json.dumps({"a.example": TEMPLATES | {"file": "https://elsewhere.example/{path}"}}),
    ],
)
def test_hosts_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="REPOSITORY_HOSTS must be JSON"):
        _hosts(text)


def test_own_hosts_stand_beside_the_public_ones() -> None:
    hosts = _hosts(json.dumps({"Git.Example.edu": "gitlab", "a.example": TEMPLATES}))
    assert hosts["git.example.edu"] == hosts["gitlab.com"]
    assert hosts["a.example"] == TEMPLATES | {"plain": ""}
    assert _hosts("").keys() == {
        "bitbucket.org",
        "codeberg.org",
        "gitea.com",
        "github.com",
        "gitlab.com",
    }
