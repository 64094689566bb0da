"""Shared fixtures: an empty queue, a folder for uploads, a worker."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain, combinations, count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from _pytest.mark.expression import Expression
from django.conf import settings as configuration
from django.core.cache import cache as site_cache
from django.db import connection
from django.test import override_settings
from redis import Redis

from grading.core.rls.base import SITE_ROLE, as_owner
from tests.databases import template_of_all_workers
from tests.large_pages import use_large_pages
from tests.waiting import AUDIT_PATIENCE_SECONDS

# Two threads of numpy in each worker wait for each other; tests import it before minilm.py says so.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ["tests.page_fixtures", "tests.store_fixtures"]

# A new test in one of these folders stays out of `make test` without a word of its own.
MARKED_FOLDERS = {
    "browser": "browser",
    "faults": "faults",
    "image": "image",
    "hostile": "hostile",
    "model_endpoint": "processes",
    "courtroom/analysis/sandbox": "processes",
}
TESTS = Path(__file__).parent
# The markers by which the targets of the Makefile choose, and one of them in a file.
MARKERS = frozenset({"slow", "processes", "browser", "hostile", "faults", "image", "servers"})
MARKER = re.compile(rf"\bmark\.({'|'.join(MARKERS)})\b")
WORD = re.compile(r"\w+")
FOLDER_NUMBERS = count()
# How many new objects bring about a garbage collection. At Python's own 700 there are many in every
# test, and they find nothing.
OBJECTS_PER_COLLECTION = 20_000


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out folders and files without a test that `-m` may choose: importing them takes
    seconds.
    """
    possible = MARKERS if collection_path.is_dir() else markers_in(collection_path)
    is_chosen = may_choose(config.getoption("markexpr"), markers_of(collection_path), possible)
    # None: the other plugins decide.
    return None if is_chosen else True


@cache
def markers_of(path: Path) -> frozenset[str]:
    """Return the markers of a folder, or of the folder of a file, which all its tests have."""
    return frozenset(
        marker for folder, marker in MARKED_FOLDERS.items() if path.is_relative_to(TESTS / folder)
    )


@cache
def markers_in(file: Path) -> frozenset[str]:
    """Return the markers that a file of tests names."""
    return frozenset(MARKER.findall(file.read_text()) if file.suffix == ".py" else ())


@cache
def may_choose(expression: str, certain: frozenset[str], possible: frozenset[str]) -> bool:
    """Return whether `-m` may choose a test with all certain markers and any possible ones."""
    if not expression or set(WORD.findall(expression)) - MARKERS - {"and", "or", "not"}:
        return True

    chosen = Expression.compile(expression)
    subsets = (combinations(possible, size) for size in range(len(possible) + 1))
    tests = (certain.union(subset) for subset in chain.from_iterable(subsets))
    return any(chosen.evaluate(partial(is_marked, test)) for test in tests)


def is_marked(markers: frozenset[str], name: str, /, **_: object) -> bool:
    """Return whether a test with these markers has the one that an expression names."""
    return name in markers


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of whole folders, before pytest chooses among the marked ones.

    A marker that comes from another file is refused: a run that chooses it would not read this one.
    """
    for item in items:
        names = MARKERS.intersection(marker.name for marker in item.iter_markers())
        if unnamed := names - markers_in(item.path):
            raise pytest.UsageError(f"{item.nodeid}: name {unnamed} as pytest.mark in the file.")

        for marker in markers_of(item.path):
            item.add_marker(marker)


def pytest_collection_finish() -> None:
    """Freeze what was imported and collected, so that garbage collections skip it, and move it to
    large pages.
    """
    gc.freeze()
    use_large_pages()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    gc.enable()


@pytest.fixture(scope="session")
def _uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("media")


@pytest.fixture(autouse=True)
def _uploads_stay_in_the_test(_uploads: Path) -> Iterator[None]:
    """Give each test a folder for uploads, which the storage makes when something is uploaded.

    Not `tmp_path`: few tests upload, and making a folder for each of them takes seconds.
    """
    with override_settings(MEDIA_ROOT=_uploads / str(next(FOLDER_NUMBERS))):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: Any,
) -> Iterator[None]:
    """Migrate one database for all workers of xdist; a single process needs no template."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return

    with template_of_all_workers(
        tmp_path_factory.getbasetemp().parent, django_db_blocker
    ) as template:
        connection.settings_dict["TEST"]["TEMPLATE"] = template
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Grant the site's role TRUNCATE, which empties the tables after a transactional test."""
    with django_db_blocker.unblock(), as_owner():
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [SITE_ROLE])
            if cursor.fetchone() is not None:
                cursor.execute(f"GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {SITE_ROLE}")
        connection.close()


@pytest.fixture
def redis() -> Iterator[Redis]:
    """This test process's own Redis database, empty before and after."""
    client = Redis.from_url(configuration.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


@pytest.fixture
def empty_cache() -> Iterator[None]:
    """Clear the shared cache, which holds counters such as allauth's rate limits."""
    site_cache.clear()
    yield
    site_cache.clear()


@pytest.fixture
def worker() -> Iterator[None]:
    """A worker process on this test's database, queue and uploads."""
    url = (
        urlsplit(os.environ["DATABASE_URL"])
        ._replace(path=f"/{connection.settings_dict['NAME']}")
        .geturl()
    )

    environment = os.environ | {
        "DATABASE_URL": url,
        "REDIS_URL": configuration.REDIS_URL,
        "MEDIA_ROOT": str(configuration.MEDIA_ROOT),
        "SECRET_KEY": configuration.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.local",
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "audit_worker"], cwd=configuration.BASE_DIR, env=environment
    )
    yield
    process.terminate()
    # It ends its audit first.
    process.wait(timeout=AUDIT_PATIENCE_SECONDS)
