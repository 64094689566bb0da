"""Facts of any software project: hazards, secrets, sizes, tools, and peer exchange."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.blobs import BINARY_PROBE, text_of
from courtroom.analysis.project.audit_folders import (
    KINDS,
    candidates_among,
    contents_of,
    kind_of,
    reports_on_record,
)
from courtroom.analysis.project.deferrals import deferrals_in, may_document
from courtroom.analysis.project.feedback_answers import answers_in, findings_owed, may_answer
from courtroom.analysis.project.inventory import take_inventory
from courtroom.analysis.project.log_entries import entries_of, is_communication_log
from courtroom.analysis.project.own_audits import MISPLACED, is_of_another, own_repository
from courtroom.analysis.project.project_files import configuration_paths, project_of
from courtroom.analysis.security.dangerous_calls import find_hazards

if TYPE_CHECKING:
    from courtroom.analysis.fact_writer import FactWriter

MOST_ROWS = 200
# Kinds of files that are no product but the author's work, so that they are measured.
SUPPORTING = ("test", "benchmark")
# Files named in the error about unsearched ones.
UNSEARCHED_NAMED = 3


def read_hazards(writer: FactWriter) -> None:
    hazards = find_hazards(writer.symbols)
    certain = [hazard for hazard in hazards if hazard.is_certain]
    writer.facts["unsafe_calls"] = _rows(hazard.as_fact for hazard in certain)
    writer.facts["possible_unsafe_calls"] = _rows(
        hazard.as_fact for hazard in hazards if not hazard.is_certain
    )
    for hazard in certain:
        writer.add_location("unsafe_calls", hazard.source.path, hazard.line, note=hazard.kind)


def read_project(writer: FactWriter) -> None:
    """Establish sizes, tools and secrets: the facts that need one pass over all text files."""
    aside = writer.symbols.codebase.aside or {}
    aside_paths = {path for path, kind in aside.items() if kind not in SUPPORTING}
    inventory = take_inventory(writer.reader, aside_paths)
    paths = [path for path in writer.reader.blobs if path not in aside_paths]
    configuration = {
        path: text
        for path in configuration_paths(paths)
        if (text := text_of_path(writer, path)) is not None
    }
    writer.facts["project"] = project_of(
        paths, configuration, inventory.languages, inventory.code_files
    )
    for fact, is_certain in (("committed_secrets", True), ("possible_secrets", False)):
        writer.facts[fact] = _rows(
            {"path": path, "line": secret.line, "kind": secret.kind}
            for path, secret in inventory.secrets
            if secret.is_certain == is_certain
        )
    unread = [path for path in inventory.unread if path not in writer.facts["unreadable_files"]]
    if unread:
        named = ", ".join(unread[:UNSEARCHED_NAMED])
        files = "1 file was" if len(unread) == 1 else f"{len(unread)} files were"
        message = f"{files} too large to be measured and searched for secrets: {named}"
        writer.errors.append(("files_not_searched", message))


EXCHANGE_FACTS = (
    "minmax",
    "received_findings",
    "communication_entries",
    "deferrals",
    "written_answers",
)


def read_exchange(writer: FactWriter) -> None:
    """Establish reports given and received, communication log, deferrals and written answers."""
    _read_reports(writer)
    own = [path for path in writer.reader.blobs if writer.symbols.codebase.is_product(path)]
    writer.facts["communication_entries"] = _rows(
        {"path": path, "line": entry.line, "date": entry.date, "kinds": list(entry.kinds)}
        for path in filter(is_communication_log, own)
        for entry in entries_of(text_of_path(writer, path) or "")
    )
    documents = [path for path in own if may_document(path) and not _is_audit(path)]
    writer.facts["deferrals"] = _rows(
        {"path": path, "line": line, "text": text}
        for path in documents
        for line, text in deferrals_in(text_of_path(writer, path) or "")
    )
    texts = ((path, text_of_path(writer, path) or "") for path in filter(may_answer, documents))
    writer.facts["written_answers"] = _rows(answers_in(texts, writer.facts["received_findings"]))


def _read_reports(writer: FactWriter) -> None:
    """Read what lies where reports are exchanged; only what can be read as one counts."""
    aside = writer.symbols.codebase.aside or {}
    sizes = {
        path: blob.size
        for path, blob in writer.reader.blobs.items()
        # The archive of an audit is an audit on record too.
        if blob.is_file and aside.get(path, "archive") == "archive" and _is_audit(path)
    }
    kinds, unread = candidates_among(sizes)
    texts = {path: text_of_path(writer, path) for path in kinds}
    unread += [path for path, text in texts.items() if text is None]

    own = own_repository(writer.facts.get("own_audits") or ())
    reports: dict[str, list[str]] = {kind: [] for kind in KINDS}
    findings: list[dict[str, Any]] = []
    of_self = {writer.reader.blobs[path].oid for path, kind in kinds.items() if kind == "self"}
    for path, kind, report in reports_on_record(texts, kinds):
        # A copy of an audit of oneself is none of a peer.
        if kind == "received" and writer.reader.blobs[path].oid in of_self:
            continue
        # By its path it may be of oneself or by a peer, but it names another work.
        is_misplaced = kind in MISPLACED and is_of_another(report, own)
        reports["generated" if is_misplaced else kind].append(path)
        if kind == "received" and not is_misplaced:
            findings += findings_owed(path, report)
    shown = contents_of(reports["generated"], texts)
    writer.facts["minmax"] = reports | shown | {"unread": unread[:MOST_ROWS]}
    writer.facts["received_findings"] = _rows(findings)


def _is_audit(path: str) -> bool:
    # An audit quotes and advises. An answer in the same folder is the student's own text.
    is_answer = any(
        word in path.lower().rpartition("/")[2] for word in ("respon", "answer", "defer", "improve")
    )
    return kind_of(path) is not None and not is_answer


def _rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(islice(rows, MOST_ROWS))


def text_of_path(writer: FactWriter, path: str) -> str | None:
    """Return the text of a file, None where it is binary or too large."""
    content = writer.reader.read(path)
    return None if content is None or b"\0" in content[:BINARY_PROBE] else text_of(content)
