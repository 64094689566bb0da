"""Tests of a clone's address before git sees it, and the addresses that a work documents."""

from __future__ import annotations

import pytest

from courtroom.analysis.security.address_checks import documented_addresses
from tests.courtroom.analysis.security.clones import CARELESS, clone_of, precautions


@pytest.mark.parametrize(
    ("test", "is_validated"),
    [
        ("if not repo.startswith('http'):\n        errors.append(repo)", True),
        ("if not repo.startswith('http'):\n        found.append(repo)", False),
        ("if not link.startswith('http'):\n        errors.append(link)", False),
    ],
)
def test_an_address_is_validated_when_a_used_function_records_an_error(test, is_validated):
    code = f"""
from git import Repo
def check(repo, link):
    errors = []
    {test}
    return {{"errors": errors}}
def fetch(url):
    Repo.clone_from(url, "x")
if __name__ == "__main__":
    check("x", "y"), fetch("x")
"""

    assert ("url_validated" in precautions(code)) is is_validated


@pytest.mark.parametrize(
    ("test", "is_validated"),
    [
        ("url.startswith(('https://', 'git@'))", True),
        ("self.repo_path.startswith('https://')", True),
        ("not url.startswith('/')", False),
        ("url", False),
    ],
)
def test_an_address_is_validated_by_the_branch_in_which_the_clone_stands(test, is_validated):
    code = f"""
from git import Repo
def fetch(self, url):
    if {test}:
        print(url)
        self.repo = Repo.clone_from(url, "x")
    else:
        self.repo = Repo(url)
"""

    assert ("url_validated" in precautions(code)) is is_validated


@pytest.mark.parametrize(
    ("test", "place", "asked", "is_validated"),
    [
        ("url.startswith('http') or exists(repo_url)", "orelse", "repo", True),
        ("repo_url.startswith('http')", "body", "repo", True),
        ("repo_url.startswith('http') or exists(repo_url)", "body", "repo", False),
        ("repo_url.startswith('http')", "body", "pdf", False),
        ("repo_url", "body", "repo", False),
    ],
)
def test_an_address_is_validated_by_an_earlier_node_whose_list_a_route_asks(
    test, place, asked, is_validated
):
    clone = (
        "clone_repo(repo_url)"
        if place == "body"
        else (
            "repo_url if os.path.exists(repo_url) else None\n"
            "    if os.path.exists(repo_url):\n        pass\n    else:\n        clone_repo(repo_url)"
        )
    )
    code = f"""
import os
from os.path import exists
from git import Repo
def clone_repo(url):
    Repo.clone_from(url, "x")
def build(repo_url):
    url, there = repo_url, []
    if {test}:
        there.append("repo")
    return {{"there": there}}
def investigate(repo_url):
    path = {clone}
def route(state):
    return "repo_node" if "{asked}" in state["there"] else "end"
if __name__ == "__main__":
    route(build("x")), investigate("x")
"""

    assert ("url_validated" in precautions(code)) is is_validated


def test_a_clone_in_the_other_branch_of_a_test_is_not_guarded_by_it():
    code = """
from git import Repo
def fetch(url):
    if url.startswith("/"):
        print(url)
    else:
        Repo.clone_from(url, "x")
"""

    assert "url_validated" not in precautions(code)


@pytest.mark.parametrize(
    ("test", "is_validated"),
    [
        ("if not url.startswith('https://'):\n        raise ValueError", True),
        ("if urlparse(url).scheme != 'https':\n        raise ValueError", True),
        ("if not re.match('https', repo_url):\n        return None", True),
        ("if 'github.com' not in url:\n        raise ValueError", True),
        ("if '://' not in url:\n        raise ValueError", True),
        ("if '..' in url or ';' in url:\n        return None", False),
        ("check_url(url)", True),
        ("if not is_valid_github_url(url):\n        raise ValueError", True),
        ("if not url:\n        raise ValueError", False),
        ("name = url.split('/')[-1]", False),
        ("parse_repo_url(url)", False),
        ("if url.startswith('https'):\n        print('remote')", False),
        ("path = url\n    if url.startswith('file://'):\n        return path, None", False),
        ("path = url\n    if url.startswith(('/', './')):\n        return path", False),
        ("if url.startswith('file://'):\n        return None, 'no file'", True),
        ("if url.startswith('file://'):\n        raise ValueError(url)", True),
    ],
)
def test_an_address_is_validated_when_its_form_can_be_refused(test, is_validated):
    code = (
        "from git import Repo\n"
        "from x import *\n"
        "def fetch(url, repo_url=None):\n"
        f"    {test}\n"
        "    Repo.clone_from(url, 'x')\n"
    )

    assert ("url_validated" in precautions(code)) is is_validated


@pytest.mark.parametrize(
    ("test", "lines"),
    [
        ("if not url:\n        raise ValueError", []),
        ("if any(sign in repo_url for sign in ';|&'):\n        raise ValueError", [3]),
        ("if '..' in url or ';' in url:\n        return None", [3]),
        ("if folder is None:\n        raise ValueError", []),
        ("if not url:\n        url = 'x'", []),
    ],
)
def test_an_address_that_is_refused_by_another_test_is_named(test, lines):
    code = (
        "from git import Repo\ndef fetch(url, repo_url, folder):\n"
        f"    {test}\n    Repo.clone_from(url, folder)\n"
    )

    assert [line for _, line in clone_of(code).refusals] == lines


@pytest.mark.parametrize(
    ("test", "count"),
    [
        ("not url or not isinstance(url, str)", 0),
        ("url is None", 0),
        ("not url.strip()", 0),
        ("len(url) == 0", 0),
        ("url == ''", 0),
        ("url in BLOCKED", 1),
        ("not url or is_odd(url)", 1),
    ],
)
def test_address_that_is_there_at_all_is_not_refused_by_some_test(test, count):
    refuse = f"    if {test}:\n        raise ValueError(url)\n"
    code = CARELESS.replace("def fetch(url):\n", f"def fetch(url):\n{refuse}")
    assert len(clone_of(code).refusals) == count


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Clone by HTTPS or SSH.", ["ssh"]),
        ("python main.py <path-or-url>", ["path"]),
        ("REPO ?= .\n\naudit:\n\tpython main.py --repo $(REPO)", ["path"]),
        ("python main.py --repo ./local_repo \\\n  --pdf a.pdf", ["path"]),
        ('python main.py --repo="../work"', ["path"]),
        ("### Audit a Local Repository with PDF", ["path"]),
        ("python main.py --repo https://github.com/a/b", []),
        ("python main.py --repo .git-hosted.example/a", []),
        ("Clone into a local directory and return its path.", []),
    ],
)
def test_addresses_that_a_work_documents_are_named(text, forms):
    assert documented_addresses([text]) == forms
