"""Establish the facts on the work's own outputs: its audits, and the scores that it claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph.score_ranges import highest_scores
from courtroom.analysis.project.audit_folders import affordable, kind_of
from courtroom.analysis.project.audit_rows import audit_rows, cloned_repository
from courtroom.analysis.project.failure_texts import failure_texts
from courtroom.analysis.project.general_facts import text_of_path
from courtroom.analysis.project.misplaced_audits import received_copies
from courtroom.analysis.project.own_audits import (
    LEAST_BYTES,
    MOST_ROWS,
    SUFFIXES,
    audit_paths,
    audits_without_judgement,
    disagreements,
    each_content_once,
    placed_by_repository,
    read_audits,
)
from courtroom.analysis.project.recorded_scores import FILLED, MARKED
from courtroom.analysis.project.score_claims import MOST_CLAIMS, claims_in_document, held_claims
from courtroom.analysis.project.undercut_verdicts import undercut_verdicts
from courtroom.analysis.project.unjudged_criteria import (
    absent_rubric,
    criteria_of,
    cut_audit,
    rubric_paths,
    rubrics_among,
    unjudged_criteria,
)
from courtroom.analysis.project.unwritable_audits import WritingCode, unwritable
from courtroom.analysis.python.source_files import is_vendored

if TYPE_CHECKING:
    from courtroom.analysis.fact_writer import FactWriter
    from courtroom.analysis.git.blobs import Blob
    from courtroom.analysis.project.own_audits import AuditReading
    from courtroom.analysis.python.source_files import SourceFile

MOST_DOCUMENTS = 20
_DOCUMENT = re.compile(
    r"^readme|(?:final|interim|submission|project|week[ _-]?\d*)[ _-]?report|final[ _-]?submission"
)
OUTPUT_FACTS = (
    "own_audits",
    "unread_outputs",
    "empty_outputs",
    "audits_without_judgement",
    "unjudged_criteria",
    "disagreeing_outputs",
    "undercut_verdicts",
    "claimed_scores",
)
# Kinds of files beside the product that may still be what the work wrote.
OUTPUTS = ("archive", "generated")
NAMED = 3
AUDITS = frozenset({"audit", "audits"})
# Files beside Python and JSON that may hold the headings of an audit.
TEMPLATES = frozenset({".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".html", ".txt"})
TEMPLATES |= {".yaml", ".yml", ".ipynb", ".js", ".ts", ".sh"}
TEMPLATE_FOLDERS = frozenset({"templates", "prompts", "personas", "skills", "agents"})
MOST_TEMPLATES, TEMPLATE_BYTES = 60, 100_000
MOST_RUBRICS = 10
NO_PAIR = "no committed audit was recognised that judges criteria of a committed rubric"
READMES = ("readme.md", "readme.rst", "readme.txt", "readme")


def read_own_outputs(writer: FactWriter) -> None:
    """Read the audits that the work committed, and hold its documents' scores against them.

    The fact `misplaced_audits` needs the history as well, and is made where both are known.
    """
    aside = writer.symbols.codebase.aside or {}
    own = [
        path
        for path, blob in writer.reader.blobs.items()
        if blob.is_file and (aside.get(path, OUTPUTS[0]) in OUTPUTS or _is_among_audits(path))
    ]
    named = audit_paths(p for p in own if writer.reader.blobs[p].size >= LEAST_BYTES)
    oids = {path: writer.reader.blobs[path].oid for path in named}
    candidates, copies = each_content_once(named, oids), received_copies(named, oids)
    sizes = {path: blob.size for path, blob in writer.reader.blobs.items()}
    chosen = affordable(list(candidates), sizes)
    texts = {path: text_of_path(writer, path) for path in chosen}
    readings, unread = read_audits(
        {path: text for path, text in texts.items() if text is not None},
        candidates,
        failure_texts(_code(writer)) if texts else (),
    )
    readings = placed_by_repository(readings)
    unread += [path for path, text in texts.items() if text is None]
    unread += [path for path in candidates if path not in texts]

    gap = ""
    if unread:
        gap = (
            f"outputs that could not be read: {len(unread)}, among them {', '.join(unread[:NAMED])}"
        )
    short = list(_broken_off(writer, own))
    writer.facts["unread_outputs"] = [*unread, *short][:MOST_ROWS]
    writer.facts["empty_outputs"] = list(_empty(writer, own))[:MOST_ROWS]
    readme = next((path for path in own if path.lower() in READMES), None)
    cloned = cloned_repository(text_of_path(writer, readme) or "") if readme else None
    audits = audit_rows(readings, cloned, copies)
    newest = {row["path"] for row in audits if not row["is_older"]}
    unlike = unwritable([r for r in readings if r.is_ours and r.path in newest], _writing(writer))
    audits = [row | {"unlike_code": unlike.get(row["path"], "")} for row in audits]
    writer.set_rows("own_audits", audits, gap)
    # What code did not write shows nothing of its judges, but placeholders are to be seen.
    unjudged = [
        row
        for row in audits_without_judgement(readings, _code(writer))
        if row["places"][0]["path"] not in unlike or FILLED in row["text"] or MARKED in row["text"]
    ]
    writer.set_rows("audits_without_judgement", unjudged, gap)
    _record_unjudged(writer, readings, gap)
    writer.set_rows("disagreeing_outputs", disagreements(readings), gap)
    writer.set_rows("undercut_verdicts", undercut_verdicts(readings), gap)

    claims = (
        claim
        for path in own_document_paths(path for path in own if path not in aside)
        for claim in claims_in_document(path, text_of_path(writer, path) or "")
    )
    first = list(islice(claims, MOST_CLAIMS))
    writer.facts["claimed_scores"] = held_claims(first, audits, is_all=not unread and not short)


def _code(writer: FactWriter) -> list[SourceFile]:
    """Return the product's code, then scripts and tests beside it, which may write an audit too."""
    codebase = writer.symbols.codebase
    product = {source.path: source for source in codebase.production}
    return [*(product | codebase.files).values()]


def _is_among_audits(path: str) -> bool:
    """Return whether a folder of tests, such as audits/smoke_test, lies within one of audits."""
    pure = PurePosixPath(path.lower())
    return pure.suffix in SUFFIXES and not AUDITS.isdisjoint(pure.parts[:1])


def _writing(writer: FactWriter) -> WritingCode:
    judges, production = writer.layers.judges, writer.symbols.codebase.production
    is_plain = writer.facts.get("justice_deterministic")
    return WritingCode(
        highest_scores(judges, production), partial(_texts, writer) if is_plain else None
    )


def _texts(writer: FactWriter) -> list[str]:
    """Return the texts that may stand in an output: those of code, data, templates and prompts."""
    codebase = writer.symbols.codebase
    code = [source.text for source in codebase]
    paths = [path for path, blob in writer.reader.blobs.items() if _may_be_template(path, blob)]
    others = (text_of_path(writer, path) or "" for path in paths[:MOST_TEMPLATES])
    return [*code, *codebase.data.values(), *codebase.rubrics.values(), *others]


def _may_be_template(path: str, blob: Blob) -> bool:
    pure = PurePosixPath(path.lower())
    is_template = pure.suffix in TEMPLATES or (
        pure.suffix == ".md" and not TEMPLATE_FOLDERS.isdisjoint(pure.parts[:-1])
    )
    return is_template and blob.is_file and blob.size <= TEMPLATE_BYTES and not is_vendored(path)


def _record_unjudged(writer: FactWriter, readings: Sequence[AuditReading], gap: str) -> None:
    """Hold the criteria of the audits against those of the committed rubrics."""
    aside = writer.symbols.codebase.aside or {}
    own = [path for path in writer.reader.blobs if path not in aside]
    paths = rubric_paths(own) or rubrics_among(writer.symbols.codebase.data)
    texts = {path: text_of_path(writer, path) or "" for path in paths[:MOST_RUBRICS]}
    rubrics = {path: rows for path, text in texts.items() if (rows := criteria_of(text))}
    missing = unjudged_criteria(readings, rubrics)
    if missing is None:
        production = writer.symbols.codebase.production
        gap = gap or (NO_PAIR if rubrics else absent_rubric(own, production))
    elif missing:
        gap = gap or cut_audit(readings)
    # An audit that could not be read may judge what is missing in the others.
    if missing is None or (missing and gap):
        writer.set_unknown(("unjudged_criteria",), gap)
    else:
        writer.facts["unjudged_criteria"] = missing


def _empty(writer: FactWriter, own: Iterable[str]) -> Iterator[str]:
    """Yield files of 0 bytes that are called an audit or a report and were not received."""
    empty = audit_paths(path for path in own if writer.reader.blobs[path].size == 0)
    for path, whom in empty.items():
        stem = PurePosixPath(path.lower()).stem
        if whom != "received" and ("audit" in stem or "report" in stem):
            yield path


def _broken_off(writer: FactWriter, own: Iterable[str]) -> Iterator[str]:
    """Yield outputs that are too short to be read as an audit, but give a score."""
    blobs = writer.reader.blobs
    for path in audit_paths(path for path in own if 0 < blobs[path].size < LEAST_BYTES):
        if "score" in (text_of_path(writer, path) or "").lower():
            yield path


def own_document_paths(paths: Iterable[str]) -> list[str]:
    """Return the documents in which people write about their work: README and reports."""
    pure = [(path, PurePosixPath(path.lower())) for path in paths if not is_vendored(path)]
    return [
        path
        for path, name in pure
        if name.suffix in {".md", ".rst", ".txt"}
        and _DOCUMENT.search(name.stem)
        and kind_of(path) is None
        and not name.name.startswith(".")
    ][:MOST_DOCUMENTS]
