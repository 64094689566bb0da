"""The reading of a repository's sources: every file opened once, in a confined child.

`survey_repository` is the parent's side; `answer` is what the child runs.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.blobs import REGULAR_FILES, Blob, BlobReader
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, list_tree
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.sandbox.sandbox import ChildLimits, examine, reading_limits
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.given_files import GivenFiles
    from courtroom.checks.registry import Check
    from courtroom.models.case import Limits

OUTPUT_BYTES = 32 * 1024 * 1024
# After a child died, files larger than this are left out of the second reading: nearly all that can
# kill a parser needs more room than a hand-written module does.
CAUTIOUS_FILE_BYTES = 48 * 1024
# It starts processes of its own, so that a pattern that crashes its library costs one answer.
FORKING_SEARCH = "courtroom.analysis.code_search:find_pattern"


@dataclass(frozen=True, slots=True)
class Survey:
    """Facts and places of the sources.

    `facts` holds JSON values by the names of courtroom.models.facts; null ones have a reason.
    `aside` maps each path that is not the product to its kind, such as test or example.
    `locations[check id]` is empty when it was looked for and not found; `unanswered[check id]` says
    why nobody could look. `fact_locations[fact name]` are the lines a fact stands on. `errors` are
    (code, message).
    """

    facts: Mapping[str, Any]
    reasons: Mapping[str, str]
    locations: Mapping[str, tuple[SourceLocation, ...]]
    unanswered: Mapping[str, str]
    fact_locations: Mapping[str, tuple[SourceLocation, ...]]
    paths: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]
    empty_paths: tuple[str, ...] = ()
    aside: Mapping[str, str] = field(default_factory=dict)


def survey_repository(
    snapshot: Snapshot,
    checks: Sequence[Check],
    limits: Limits,
    entries: Sequence[TreeEntry] | None = None,
    given: GivenFiles | None = None,
) -> Survey:
    """Read the sources in a confined child; `entries` is the tree, where it is listed already.

    `given` are the files for a reader that stays (warm_readers.py).
    If the first reading dies, a second one leaves the large files out and says so. Raises
    RepositoryRefused over a limit, ChildFailed when nothing could be read.
    """
    if entries is None:
        entries = list_tree(snapshot, limits)
    request: dict[str, Any] = {
        "git_dir": str(snapshot.git_dir),
        "entries": [
            [_printable(entry.path), entry.oid, entry.size, entry.mode] for entry in entries
        ],
        "checks": _searches(checks),
        "file_bytes": limits.source_file_bytes,
        "total_bytes": limits.source_bytes,
    }
    child_limits = reading_limits(limits, output_bytes=OUTPUT_BYTES)
    errors: list[tuple[str, str]] = []
    try:
        reply = _answer_given(request, given, child_limits) or examine(
            __name__, request, limits=child_limits, reads=(snapshot.git_dir,)
        )
    except ChildFailed as failed:
        errors.append(
            (
                failed.code,
                (
                    "The first reading of the sources failed, large files are left out."
                    f" {failed.message}"
                ),
            )
        )
        request["file_bytes"] = min(CAUTIOUS_FILE_BYTES, limits.source_file_bytes)
        reply = examine(__name__, request, limits=child_limits, reads=(snapshot.git_dir,))
    if reply["graphs"]:
        _run_graphs(reply, limits)
    return _survey_of(reply, request["entries"], errors)


def _answer_given(
    request: Mapping[str, Any], given: GivenFiles | None, limits: ChildLimits
) -> dict[str, Any] | None:
    """Return the answer of a reader that stays; None where an ordinary child must be asked."""
    if given is None or any(row["search"] == FORKING_SEARCH for row in request["checks"]):
        return None
    # Imported late: the child needs none of it.
    from courtroom.analysis.warm_readers import SURVEY, answer_warm

    return answer_warm(SURVEY, {**request, "sizes": given.sizes}, given.content, limits=limits)


def _run_graphs(reply: dict[str, Any], limits: Limits) -> None:
    """Add the facts of the stub run, which needs LangGraph, to a reply that has graphs to run."""
    from courtroom.analysis.graph_run import run_facts

    facts, reasons = reply["facts"], reply["reasons"]
    request = {"graphs": reply["graphs"]}
    try:
        facts["graph_run"] = examine(
            run_facts.__name__,
            request,
            limits=reading_limits(limits, output_bytes=run_facts.OUTPUT_BYTES),
        )
    except ChildFailed as failed:
        facts["graph_run"] = None
        reasons["graph_run"] = f"the graph could not be run with empty nodes: {failed.message}"
        reply["errors"].append((failed.code, reasons["graph_run"]))


def _searches(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The checks that are answered by a search of the sources, each with its search function."""
    from courtroom.checks.registry import kind_of

    kinds = [(check, kind_of(check)) for check in checks]
    return [
        {"search": kind.search, "check": check.model_dump(mode="json")}
        for check, kind in kinds
        if kind and kind.search
    ]


def _survey_of(
    reply: Mapping[str, Any], entries: Sequence[Sequence[Any]], errors: list[tuple[str, str]]
) -> Survey:
    paths = tuple(entry[0] for entry in entries)
    return Survey(
        facts={**reply["facts"], "file_count": len(paths)},
        reasons=reply["reasons"],
        locations={name: _locations(rows) for name, rows in reply["locations"].items()},
        unanswered=reply["unanswered"],
        fact_locations={name: _locations(rows) for name, rows in reply["places"].items()},
        paths=paths,
        empty_paths=tuple(
            path for path, _oid, size, mode in entries if not size and mode in REGULAR_FILES
        ),
        errors=(*errors, *((code, message) for code, message in reply["errors"])),
        aside=reply["aside"],
    )


def _locations(rows: Sequence[Sequence[Any]]) -> tuple[SourceLocation, ...]:
    return tuple(
        SourceLocation(path, start, end, note, tuple(lacks))
        for path, start, end, note, lacks in rows
    )


# JSON between parent and child takes no lone surrogates.
def _printable(path: str) -> str:
    """The path with replacement marks for bytes that are not UTF-8: a name that opens no file."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """The child's side.

    Takes {git_dir, entries, checks, file_bytes, total_bytes}; returns the parts of a Survey.
    """
    reader = BlobReader(
        Path(request["git_dir"]), _blobs(request), request["file_bytes"], request["total_bytes"]
    )
    return _read(reader, request["checks"])


def answer_content(request: Mapping[str, Any], content: bytes) -> dict[str, Any]:
    """Return what `answer` does, of the files in `content`; `sizes` are those of GivenFiles."""
    from courtroom.analysis.git.given_files import GivenBlobReader, contents_of

    reader = GivenBlobReader(Path(), _blobs(request), request["file_bytes"], request["total_bytes"])
    reader.given = contents_of(request["sizes"], content)
    return _read(reader, request["checks"])


def preload() -> None:
    """Import what `answer_content` needs, in a reader that stays."""
    import courtroom.analysis.code_facts
    import courtroom.analysis.code_search
    import courtroom.analysis.git.given_files  # noqa: F401 -- imported for the forks


def _blobs(request: Mapping[str, Any]) -> dict[str, Blob]:
    return {path: Blob(path, oid, size, mode) for path, oid, size, mode in request["entries"]}


def _read(unopened: BlobReader, checks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # What is imported and all trees live until the end: the collector would only walk them again.
    gc.disable()
    from courtroom.analysis.code_facts import read_facts
    from courtroom.analysis.code_search import Searches

    warnings.simplefilter("ignore")  # hostile sources warn by the thousand
    with unopened as reader:
        reading = read_facts(reader)
        searches = Searches(
            reading.symbols, reader, reading.facts, reading.reasons, reading.prompt_texts
        )
        locations, unanswered = searches.answer_all(checks)
        return {
            "facts": reading.facts,
            "reasons": reading.reasons,
            "places": _rows(reading.locations),
            "locations": _rows(locations),
            "unanswered": unanswered,
            "errors": reading.errors,
            "graphs": [asdict(graph) for graph in reading.stub_graphs],
            "aside": dict(reading.symbols.codebase.aside or {}),
        }


def _rows(table: Mapping[str, Sequence[SourceLocation]]) -> dict[str, list[list[Any]]]:
    return {
        name: [[s.path, s.line_start, s.line_end, s.note, s.lacks] for s in locations]
        for name, locations in table.items()
    }
