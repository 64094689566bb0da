"""Everything in a repository that has words and could reach a judge, looked through for words to the graders.

Files, their paths, commit messages, authors, and the names of branches, tags and notes. A confined child of its
own reads them beside the survey, so that neither waits for the other and a failure costs only the warning.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.git_process import ENVIRONMENT, MEBIBYTE, SETTINGS
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, entry_of
from courtroom.analysis.prompt_injection.detection import PASSAGE_CHARACTERS, Passage, passages_in
from courtroom.analysis.prompt_injection.keyword_stuffing import stuffed
from courtroom.analysis.prompt_injection.patterns import Kind
from courtroom.analysis.sandbox.sandbox import examine, reading_limits
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from courtroom.models.case import Limits

# What is looked through of one repository, in bytes of text; hand-written text is a fraction of it.
TOTAL_BYTES = 6 * MEBIBYTE
OUTPUT_BYTES = 4 * MEBIBYTE
MOST_SUSPICIONS = 40
MOST_COMMITS = 2000
# An empty commit is a trigger now and then; this many, and most of all, are a history made up.
FEWEST_EMPTY = 10
ONE_SITTING_SECONDS = 3600
FEWEST_BACKDATED = 4

_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".tex", ""})
_CODE = frozenset(
    {
        ".py",
        ".pyi",
        ".js",
        ".ts",
        ".tsx",
        ".jsx",
        ".go",
        ".rs",
        ".java",
        ".rb",
        ".sh",
        ".sql",
        ".c",
        ".h",
        ".cpp",
        ".toml",
        ".cfg",
        ".ini",
        ".example",
        ".env",
        ".sample",
        ".template",
        ".gitignore",
        ".gitmodules",
        ".gitattributes",
    }
)
_DATA = frozenset({".json", ".jsonl", ".yaml", ".yml", ".ipynb", ".csv", ".xml", ".svg", ".mmd"})
_TEXTS = _PROSE | _CODE | _DATA
_REGULAR = frozenset({"100644", "100755", "120000"})


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A passage and its place: lines of a path, a commit, or (all null) the repository's names.

    `text` is what it says in truth, for a person; `why` finishes "this passage ...".
    """

    text: str
    why: str
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    commit: str | None = None


def look_for_suspicions(snapshot: Snapshot, limits: Limits) -> tuple[Suspicion, ...]:
    """At most MOST_SUSPICIONS. Raises ExaminationFailed when nobody could look."""
    request = {
        "git_dir": str(snapshot.git_dir),
        "commit": snapshot.commit,
        "ref": snapshot.ref,
        "file_bytes": limits.source_file_bytes,
    }
    child = reading_limits(limits, output_bytes=OUTPUT_BYTES)
    reply = examine(__name__, request, limits=child, reads=(snapshot.git_dir,))
    return tuple(Suspicion(**row) for row in reply["suspicions"])


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """The child's side: {git_dir, commit, ref, file_bytes} in, {suspicions} out."""
    entries = _tree(request)
    found = [
        *_in_names(request),
        *_in_history(request),
        *_in_paths(entries),
        *_in_files(request, entries),
    ]
    return {"suspicions": [asdict(one) for one in found[:MOST_SUSPICIONS]]}


def _git(request: Mapping[str, Any], *words: str, stdin: bytes = b"") -> bytes:
    """git within this confined process, which bounds it too. Raises ChildFailed."""
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    command = ["git", *options, f"--git-dir={request['git_dir']}", *words]
    env = {"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT}
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=env, check=False)
    if done.returncode != 0:
        raise ChildFailed("child_died", f"git {words[0]} could not read the repository.")
    return done.stdout


def _in_names(request: Mapping[str, Any]) -> Iterator[Suspicion]:
    """Branches, tags, and what is written in notes, as far as the clone holds them."""
    names = (
        _git(request, "for-each-ref", "--format=%(refname)").decode("utf-8", "replace").split("\n")
    )
    for name in filter(None, dict.fromkeys([*names, request["ref"] or ""])):
        for passage in passages_of_name(name.removeprefix("refs/")):
            yield Suspicion(f"{name}: {passage.text}", passage.why)


def _in_history(request: Mapping[str, Any]) -> Iterator[Suspicion]:
    form = "--format=%x00%H%x1f%an <%ae>%x1f%at%x1f%ct%x1f%B%x1f%N%x1f"
    words = (
        "log",
        f"--max-count={MOST_COMMITS}",
        "--notes=*",
        "--encoding=UTF-8",
        "--no-merges",
        "--raw",
        "--no-renames",
    )
    log = _git(request, *words, form, request["commit"]).decode("utf-8", "replace")
    rows = [row.split("\x1f") for row in log.split("\0")[1:]]
    commits = [row for row in rows if len(row) == 7]
    for sha, author, _, _, message, note, _ in commits:
        for said in (author, message, note):
            for passage in passages_in(said, "prose"):
                yield Suspicion(passage.text, passage.why, commit=sha)
    yield from _of_the_whole(commits)


def _of_the_whole(commits: Sequence[Sequence[str]]) -> Iterator[Suspicion]:
    """A history made to look like more work, or more days of it, than there was."""
    if not commits:
        return
    newest = commits[0][0]
    empty = sum(1 for commit in commits if not commit[6].strip())
    if empty >= FEWEST_EMPTY and 2 * empty > len(commits):
        yield Suspicion(
            f"{empty} of {len(commits)} commits change no file.", "pads the history", commit=newest
        )
    authored, committed = ([int(commit[place] or 0) for commit in commits] for place in (2, 3))
    at_once = max(committed) - min(committed) <= ONE_SITTING_SECONDS
    if (
        at_once
        and len(commits) >= FEWEST_BACKDATED
        and max(authored) - min(authored) > 24 * ONE_SITTING_SECONDS
    ):
        days = (max(authored) - min(authored)) // 86400
        yield Suspicion(
            f"{len(commits)} commits dated over {days} days were all made within one hour.",
            "dates the history back (or it was rewritten)",
            commit=newest,
        )


def _tree(request: Mapping[str, Any]) -> list[TreeEntry]:
    """The survey has refused what is larger than the limits allow, or is about to."""
    listing = _git(request, "ls-tree", "-r", "-z", "-l", "--full-tree", request["commit"])
    return [entry_of(line) for line in listing.split(b"\0")[:-1]]


def _in_paths(entries: Sequence[TreeEntry]) -> Iterator[Suspicion]:
    for entry in entries:
        for passage in passages_of_name(entry.path):
            yield Suspicion(entry.path[:PASSAGE_CHARACTERS], passage.why, path=entry.path)


def passages_of_name(name: str) -> Iterator[Passage]:
    """What the name of a file, folder, branch or tag says. In a name, words are joined by dashes, dots and slashes, and 5/5 is written 5-5 or five."""
    words = re.sub(r"[-./_+]+", " ", name)
    spelled = re.sub(r"\b(?:5 (?:of |out of )?5|five)\b", "5/5", words)
    yield from passages_in(spelled, "prose")


def _in_files(request: Mapping[str, Any], entries: Sequence[TreeEntry]) -> Iterator[Suspicion]:
    for path, content in _contents(request, entries):
        text = content.decode("utf-8-sig", "replace")
        kind = kind_of(path)
        for passage in (*passages_in(text, kind), *stuffed(text, kind)):
            yield Suspicion(passage.text, passage.why, path, passage.line_start, passage.line_end)


def kind_of(path: str) -> Kind:
    name = PurePosixPath(path)
    if name.name.lower().startswith("readme") or name.suffix.lower() in _PROSE:
        return "prose"
    return "data" if name.suffix.lower() in _DATA else "code"


def _contents(
    request: Mapping[str, Any], entries: Sequence[TreeEntry]
) -> Iterator[tuple[str, bytes]]:
    """Text files up to the limits, the small ones first: what a person wrote by hand is small."""
    room, chosen = TOTAL_BYTES, []
    for entry in sorted(entries, key=lambda one: one.size):
        has_words = entry.mode in _REGULAR and PurePosixPath(entry.path).suffix.lower() in _TEXTS
        if has_words and 0 < entry.size <= min(room, request["file_bytes"]):
            room -= entry.size
            chosen.append(entry)
    if not chosen:
        return
    asked = "".join(f"{entry.oid}\n" for entry in chosen).encode()
    listing, position = _git(request, "cat-file", "--batch", stdin=asked), 0
    for entry in chosen:  # a header line, as many bytes as the tree says, a line end
        body = listing.index(b"\n", position) + 1
        position = body + entry.size + 1
        yield entry.path, listing[body : body + entry.size]
