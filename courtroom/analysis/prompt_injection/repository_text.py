"""Search all text of a repository that could reach a judge for prompt injection.

Searched are files, their paths, commit messages, authors, notes, and the names of branches and
tags. A confined child of its own reads them in parallel with the survey, so that a failure costs
only the warning.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.git_process import ENVIRONMENT, MEBIBYTE, SETTINGS, read_git
from courtroom.analysis.git.given_files import contents_of
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, entry_of
from courtroom.analysis.project.aside_kinds import Aside, aside_paths
from courtroom.analysis.project.audit_folders import kind_of as audit_kind_of
from courtroom.analysis.prompt_injection import minilm, sentence_model
from courtroom.analysis.prompt_injection.detection import PASSAGE_CHARACTERS, Passage, passages_in
from courtroom.analysis.prompt_injection.keyword_stuffing import keyword_stuffing
from courtroom.analysis.prompt_injection.patterns import FORGED
from courtroom.analysis.prompt_injection.sentences import Kind
from courtroom.analysis.sandbox.sandbox import ChildLimits, examine, reading_limits
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.given_files import GivenFiles
    from courtroom.models.case import Limits

# Bytes of text searched in one repository; hand-written text is a fraction of that.
TOTAL_BYTES = 6 * MEBIBYTE
OUTPUT_BYTES = 4 * MEBIBYTE
MOST_SUSPICIONS = 40
MOST_COMMITS = 2000
# A few empty commits start a pipeline; this many, if they are the majority, pad the history.
FEWEST_EMPTY = 10
ONE_SITTING_SECONDS = 3600
FEWEST_BACKDATED = 4
LOG_FORMAT = "--format=%x00%H%x1f%an <%ae>%x1f%at%x1f%ct%x1f%B%x1f%N%x1f"
LOG_OPTIONS = (f"--max-count={MOST_COMMITS}", "--notes=*", "--encoding=UTF-8", "--no-merges")

_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".tex", ""})
_CODE = frozenset(
    [
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
    ]
)
_DATA = frozenset({".json", ".jsonl", ".yaml", ".yml", ".ipynb", ".csv", ".xml", ".svg", ".mmd"})
# Orders to coding assistants; those of a hidden folder (.cursor, .github) need no such name.
_TO_ASSISTANTS = frozenset({"agents.md", "claude.md", "gemini.md"})
# Kinds of audits that the work's own auditor wrote.
OWN_REPORTS = ("self", "generated")
_TEXTS = _PROSE | _CODE | _DATA
_REGULAR = frozenset({"100644", "100755", "120000"})


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Suspicious passage with its location: lines of a path, or a commit.

    Without path and commit, it is the name of a branch, tag or note. `text` is the decoded text for
    a person; `why` completes "this passage ...".
    """

    text: str
    why: str
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    commit: str | None = None


def look_for_suspicions(
    snapshot: Snapshot, limits: Limits, given: GivenFiles | None = None
) -> tuple[Suspicion, ...]:
    """Return at most MOST_SUSPICIONS. Raises ExaminationFailed when the search failed.

    `given` are the files for a reader that stays (warm_readers.py).
    """
    request = {
        "git_dir": str(snapshot.git_dir),
        "commit": snapshot.commit,
        "ref": snapshot.ref,
        "file_bytes": limits.source_file_bytes,
    }
    child = reading_limits(limits, output_bytes=OUTPUT_BYTES)
    reply = None if given is None else _answer_given(snapshot, request, given, child)
    if reply is None:
        reply = examine(__name__, request, limits=child, reads=(snapshot.git_dir,))
    return tuple(Suspicion(**row) for row in reply["suspicions"])


def _answer_given(
    snapshot: Snapshot, request: Mapping[str, Any], given: GivenFiles, limits: ChildLimits
) -> dict[str, Any] | None:
    """Return the answer of a reader that stays; None where an ordinary child must be asked."""
    # Imported late: the child needs none of it.
    from courtroom.analysis.warm_readers import TEXTS, answer_warm

    try:
        listings = [read_git(snapshot.git_dir, words) for words in _listings(snapshot.commit)]
    except ChildFailed:
        return None

    lengths = [len(listing) for listing in listings]
    more = {"sizes": given.sizes, "listings": lengths}
    content = b"".join((*listings, given.content))
    return answer_warm(TEXTS, {**request, **more}, content, limits=limits)


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Handle the request in the child: {git_dir, commit, ref, file_bytes} in, {suspicions} out."""
    listings = [_git(request, *words) for words in _listings(request["commit"])]

    def read(chosen: Sequence[TreeEntry]) -> Iterator[bytes]:
        stdin = "".join(f"{entry.oid}\n" for entry in chosen).encode()
        listing, position = _git(request, "cat-file", "--batch", stdin=stdin), 0
        for entry in chosen:
            # A header line, as many bytes as the tree says, and a line end.
            body = listing.index(b"\n", position) + 1
            position = body + entry.size + 1
            yield listing[body : body + entry.size]

    return _search(request, listings, read)


def answer_content(request: Mapping[str, Any], content: bytes) -> dict[str, Any]:
    """Return what `answer` does, of the listings and the files in `content`.

    `listings` are the lengths of the first, `sizes` those of GivenFiles.
    """
    listings, start = [], 0
    for length in request["listings"]:
        listings.append(content[start : start + length])
        start += length
    files = contents_of(request["sizes"], content[start:])

    def read(chosen: Sequence[TreeEntry]) -> Iterator[bytes]:
        if any(entry.oid not in files for entry in chosen):
            raise ChildFailed("child_died", "A file is to be read that was not given.")
        yield from (files[entry.oid] for entry in chosen)

    return _search(request, listings, read)


def preload() -> None:
    """Map the sentence model, in a reader that stays: its forks may open no file."""
    if sentence_model.is_installed():
        minilm.vocabulary()
        minilm.tensors()
        sentence_model.weights()


def _listings(commit: str) -> tuple[tuple[str, ...], ...]:
    """Return git's arguments that list the refs, the commits and the tree."""
    # No limit on the size of the tree here: trees over the limits are refused before.
    return (
        ("for-each-ref", "--format=%(refname)"),
        ("log", *LOG_OPTIONS, "--raw", "--no-renames", LOG_FORMAT, commit),
        ("ls-tree", "-r", "-z", "-l", "--full-tree", commit),
    )


def _search(
    request: Mapping[str, Any],
    listings: Sequence[bytes],
    read: Callable[[Sequence[TreeEntry]], Iterable[bytes]],
) -> dict[str, Any]:
    refs, log, tree = listings
    entries = [entry_of(line) for line in tree.split(b"\0")[:-1]]
    chosen = _chosen(entries, request["file_bytes"])
    with sentence_model.limited():
        suspicions = [
            *_in_names(refs.decode("utf-8", "replace"), request["ref"]),
            *_in_history(log.decode("utf-8", "replace")),
            *_in_paths(entries),
            *_own_first(_in_files(chosen, read(chosen) if chosen else ())),
        ]
    return {"suspicions": [asdict(suspicion) for suspicion in suspicions[:MOST_SUSPICIONS]]}


def _own_first(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Sort what lies in tests, examples and the like last, so that the limit cuts it first."""
    rows = list(suspicions)
    aside = aside_paths({row.path for row in rows if row.path})
    return sorted(rows, key=lambda row: _cut_rank(aside.get(row.path or "")))


def _cut_rank(entry: Aside | None) -> int:
    if entry is None:
        return 0
    return 2 if entry.kind == "test" else 1


def _git(request: Mapping[str, Any], *words: str, stdin: bytes = b"") -> bytes:
    """Run git in this confined process, under the same limits. Raises ChildFailed."""
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    command = ["git", *options, f"--git-dir={request['git_dir']}", *words]
    env = {"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT}
    completed = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=env, check=False)
    if completed.returncode != 0:
        raise ChildFailed("child_died", f"git {words[0]} could not read the repository.")
    return completed.stdout


def _in_names(refs: str, ref: str | None) -> Iterator[Suspicion]:
    """Search the names of branches and tags in the clone, and the ref of the audit."""
    for name in filter(None, dict.fromkeys([*refs.split("\n"), ref or ""])):
        for passage in passages_of_name(name.removeprefix("refs/")):
            yield Suspicion(f"{name}: {passage.text}", passage.why)


def _in_history(log: str) -> Iterator[Suspicion]:
    rows = [row.split("\x1f") for row in log.split("\0")[1:]]
    # A message may contain the separator: such a row cannot be split reliably.
    commits = [row for row in rows if len(row) == 7]

    for sha, author, _, _, message, note, _ in commits:
        for text in (author, message, note):
            for passage in passages_in(text, "message"):
                yield Suspicion(passage.text, passage.why, commit=sha)

    yield from _made_up_history(commits)


def _made_up_history(commits: Sequence[Sequence[str]]) -> Iterator[Suspicion]:
    """Yield signs of a history that shows more work, or more days of work, than there was."""
    if not commits:
        return

    newest = commits[0][0]
    empty = sum(1 for commit in commits if not commit[6].strip())
    if empty >= FEWEST_EMPTY and 2 * empty > len(commits):
        yield Suspicion(
            f"{empty} of {len(commits)} commits change no file.", "pads the history", commit=newest
        )

    authored, committed = ([int(commit[index] or 0) for commit in commits] for index in (2, 3))
    in_one_sitting = max(committed) - min(committed) <= ONE_SITTING_SECONDS
    seconds = max(authored) - min(authored)
    if in_one_sitting and len(commits) >= FEWEST_BACKDATED and seconds > 24 * ONE_SITTING_SECONDS:
        yield Suspicion(
            f"{len(commits)} commits dated over {seconds // 86400} days were all made within one "
            "hour.",
            "backdates the history (or it was rewritten)",
            commit=newest,
        )


def _in_paths(entries: Sequence[TreeEntry]) -> Iterator[Suspicion]:
    for entry in entries:
        for passage in passages_of_name(entry.path):
            yield Suspicion(entry.path[:PASSAGE_CHARACTERS], passage.why, path=entry.path)


def passages_of_name(name: str) -> Iterator[Passage]:
    """Yield the suspicious passages in the name of a file, folder, branch or tag."""
    # Names join words by dashes and dots, and spell 5/5 as 5-5 or five. A folder and the file in
    # it are no sentence.
    words = re.sub(r"[-._+]+", " ", name).replace("/", "\n")
    text = re.sub(r"\b(?:5 (?:of |out of )?5|five)\b", "5/5", words)
    yield from passages_in(text, "message")


def _in_files(chosen: Sequence[TreeEntry], contents: Iterable[bytes]) -> Iterator[Suspicion]:
    for path, content in zip((entry.path for entry in chosen), contents, strict=True):
        text = content.decode("utf-8-sig", "replace")
        for passage in (*passages_of_file(path, text), *keyword_stuffing(text, kind_of(path))):
            yield Suspicion(passage.text, passage.why, path, passage.line_start, passage.line_end)


def passages_of_file(path: str, text: str) -> tuple[Passage, ...]:
    """Return the suspicious passages in the text, or in a part of it, of the file at `path`."""
    passages = passages_in(text, kind_of(path))
    if audit_kind_of(path) not in OWN_REPORTS:
        return passages
    # The work's own auditor prints records of evidence and opinions as we do.
    return tuple(passage for passage in passages if passage.why != FORGED)


def kind_of(path: str) -> Kind:
    name = PurePosixPath(path)
    if name.name.lower().startswith("readme") or name.suffix.lower() in _PROSE:
        is_hidden = any(part.startswith(".") for part in name.parts[:-1])
        return "assistant" if is_hidden or name.name.lower() in _TO_ASSISTANTS else "prose"
    return "data" if name.suffix.lower() in _DATA else "code"


def _chosen(entries: Sequence[TreeEntry], file_bytes: int) -> list[TreeEntry]:
    """Return the text files up to the limits, small files first."""
    # Files written by hand are small, so the budget reaches them before generated ones.
    bytes_left, chosen = TOTAL_BYTES, []
    for entry in sorted(entries, key=lambda entry: entry.size):
        is_text = entry.mode in _REGULAR and PurePosixPath(entry.path).suffix.lower() in _TEXTS
        if is_text and 0 < entry.size <= min(bytes_left, file_bytes):
            bytes_left -= entry.size
            chosen.append(entry)
    return chosen
