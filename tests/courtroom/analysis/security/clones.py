"""Two functions that clone, and the reading of a work's clone."""

from __future__ import annotations

from courtroom.analysis.security.clone_function import CloneReading, read_clone
from tests.courtroom.sources import layers_of, symbols_of

CAREFUL = """
import subprocess, tempfile

def validate_repo_url(url):
    if not url.startswith("https://"):
        raise ValueError(url)

def clone(url):
    validate_repo_url(url)
    target = tempfile.mkdtemp()
    try:
        subprocess.run(["git", "clone", url, target], check=True, timeout=60)
    except subprocess.CalledProcessError as error:
        raise RuntimeError("could not clone") from error
    return target
"""
CARELESS = """
import os
from git import Repo

def fetch(url):
    Repo.clone_from(url, "./repo")
"""


def clone_of(files: dict[str, str] | str) -> CloneReading:
    symbols = symbols_of(files)
    call_graph, layers = layers_of(symbols)
    return read_clone(symbols, call_graph, layers.in_use)


def precautions(files: dict[str, str] | str) -> set[str]:
    return {fact for fact, lines in clone_of(files).lines.items() if lines}
