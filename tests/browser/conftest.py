"""What tests in a browser share: a real worker behind the live server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection


@pytest.fixture
def worker() -> Iterator[None]:
    """A worker process on this test's database, queue and uploads."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    environment = os.environ | {
        "DATABASE_URL": url, "REDIS_URL": settings.REDIS_URL, "MEDIA_ROOT": str(settings.MEDIA_ROOT),
        "SECRET_KEY": settings.SECRET_KEY, "DJANGO_SETTINGS_MODULE": "auditor_site.settings.local",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "manage.py", "audit_worker"], cwd=settings.BASE_DIR, env=environment
    )
    yield
    process.terminate()
    process.wait(timeout=20)
