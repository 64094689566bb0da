"""Git repositories of the demo students, made from plain files.

`repositories/NAME/tree` holds the final files, `story.json` the commits. For each file of a commit
it gives the text before which the file stops so far, or "" for all of it. The same story gives the
same commits.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

REPOSITORIES = Path(__file__).with_name("repositories")
# Git without the user's settings, which could change the commits.
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class StoryCommit:
    """One commit. `files` maps paths to their text so far; `tag` is a permanent name."""

    at: datetime
    author: str
    message: str
    files: dict[str, str]
    tag: str


def read_story(name: str) -> tuple[StoryCommit, ...]:
    """Return the commits of a demo repository, oldest first."""
    story = json.loads((REPOSITORIES / name / "story.json").read_text(encoding="utf-8"))
    return tuple(_commit(name, story["author"], entry) for entry in story["commits"])


def publish_repository(name: str, at: Path) -> str:
    """Make the bare repository `at`, or complete it; answer its newest commit. Nothing changes the
    second time.
    """
    at.mkdir(parents=True, exist_ok=True)
    # An empty template keeps this machine's hooks out of the repository.
    _git("init", "-q", "--bare", "--template=", "-b", "main", at=at)
    _git(
        "fast-import",
        "--quiet",
        "--force",
        "--done",
        at=at,
        stdin=b"".join(_stream(read_story(name))),
    )

    return _git("rev-parse", "HEAD", at=at)


def _commit(name: str, author: str, entry: dict[str, Any]) -> StoryCommit:
    return StoryCommit(
        at=datetime.fromisoformat(entry["at"]).replace(tzinfo=UTC),
        author=author,
        message=entry["message"],
        files={path: _text_so_far(name, path, end) for path, end in entry["files"].items()},
        tag=entry.get("tag", ""),
    )


def _text_so_far(name: str, path: str, end: str) -> str:
    text = (REPOSITORIES / name / "tree" / path).read_text(encoding="utf-8")
    return f"{text[: text.index(end)].rstrip()}\n" if end else text


def _stream(commits: tuple[StoryCommit, ...]) -> Iterator[bytes]:
    for commit in commits:
        person = f"{commit.author} {int(commit.at.timestamp())} +0000"
        yield f"commit refs/heads/main\nauthor {person}\ncommitter {person}\n".encode() + _data(
            commit.message
        )
        for path, text in commit.files.items():
            yield f"M 100644 inline {path}\n".encode() + _data(text)
        if commit.tag:
            yield f"reset refs/tags/{commit.tag}\nfrom refs/heads/main\n\n".encode()

    # With --done git refuses a stream that was cut before this line.
    yield b"done\n"


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n%s\n" % (len(content), content)


def _git(*words: str, at: Path, stdin: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-C", str(at), *words],
        input=stdin,
        env=ENVIRONMENT,
        check=True,
        capture_output=True,
    )

    return done.stdout.decode().strip()
