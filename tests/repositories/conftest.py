"""Fixtures: Ada and Ben of one course, and their private repositories behind a server that wants a login."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import override_settings

from grading.models import Assignment
from tests.courtroom.in_process import read_in_process
from tests.factories.github_server import GithubServer, app_settings
from tests.factories.people import CohortFactory, student
from tests.factories.private_git_server import PrivateServer, serve_private
from tests.factories.repositories import Commit, make_repository
from tests.factories.repository_accesses import TOKEN
from tests.factories.work import AssignmentFactory, rubric_document

OWNERS = ("ada", "ben", "cyd")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("private")
    for owner in OWNERS:
        files = {"README.md": f"# Work of {owner}\n", "main.py": "print()\n"}
        make_repository(root / "course" / f"{owner}.git", [Commit("First", files)])
    return root


@pytest.fixture
def private(served: Path) -> Iterator[PrivateServer]:
    """A host whose one token opens every repository, as that of a group does."""
    with serve_private(served) as server:
        server.is_allowed = lambda name, token, _path: (name, token) == ("oauth2", TOKEN)
        yield server


@pytest.fixture
def host(private: PrivateServer) -> str:
    return urlsplit(private.url).netloc


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(
        cohort=CohortFactory.create(), rubric_version__document=rubric_document()
    )
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Any:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def ben(assignment: Assignment) -> Any:
    return student(assignment.cohort, name="Ben")


@pytest.fixture
def github(private: PrivateServer) -> Iterator[GithubServer]:
    """GitHub's API at the host: the App's tokens open what they were limited to.

    Repositories 1, 2 and 3 of Ada, Ben and Cyd are chosen in the installation 7 of the course.
    """
    api = private.github
    api.installations = {7: {1, 2, 3}}
    names = {number: f"private/course/{owner}" for number, owner in enumerate(OWNERS, 1)}
    api.repositories = names
    api.people = {f"{owner}-token": (n * 100, owner) for n, owner in enumerate(OWNERS, 1)}
    api.rights = {(name, name.rpartition("/")[2]): "write" for name in names.values()}
    is_allowed = private.is_allowed
    private.is_allowed = lambda name, token, path: (
        is_allowed(name, token, path)
        or (name == "x-access-token" and api.may_read(token, _name_of(path)))
    )
    with override_settings(**app_settings(api.url)):
        yield api


def _name_of(path: str) -> str:
    return f"private{path.partition('.git')[0]}"


@pytest.fixture(autouse=True)
def _git_in_process() -> Iterator[None]:
    """These tests are about rights; tests/courtroom runs git confined."""
    with pytest.MonkeyPatch.context() as patch:
        read_in_process(patch)
        yield
