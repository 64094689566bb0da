"""Start of Django in a process of the site."""

import subprocess
import sys

import pytest

# Prints the garbage collections of the start, whether later ones happen, and what they skip.
START = """
import gc
from auditor_site.start import set_up
collections = []
gc.callbacks.append(lambda *_: collections.append(1))
set_up()
print(len(collections), gc.isenabled(), gc.get_freeze_count() > 100_000)
"""


@pytest.mark.processes
def test_start_collects_no_garbage_and_later_collections_skip_its_objects() -> None:
    started = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, check=True
    )
    assert started.stdout.split() == ["0", "True", "True"]
