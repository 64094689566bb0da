"""Facts of any software project, in any language: dangers, secrets, sizes, tooling, and how peers worked together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.blobs import BINARY_PROBE, text_of
from courtroom.analysis.project.audit_folders import audits_on_record, kind_of
from courtroom.analysis.project.communication_log import entries_of, is_communication_log
from courtroom.analysis.project.deferrals import deferrals_in, may_document
from courtroom.analysis.project.feedback_answers import answers_in, may_answer
from courtroom.analysis.project.inventory import take_inventory
from courtroom.analysis.project.project_files import configuration_paths, project_of
from courtroom.analysis.security.dangerous_calls import find_hazards

if TYPE_CHECKING:
    from courtroom.analysis.fact_writer import FactReading

MOST_ROWS = 200
UNSEARCHED_NAMED = 3


def read_hazards(reading: FactReading) -> None:
    found = find_hazards(reading.names)
    reading.facts["unsafe_calls"] = [hazard.as_fact for hazard in found[:MOST_ROWS]]
    for hazard in found:
        reading.show("unsafe_calls", hazard.source.path, hazard.line, note=hazard.kind)


def read_project(reading: FactReading) -> None:
    """Sizes, tooling and secrets: everything that needs each text file once."""
    inventory = take_inventory(reading.reader)
    paths = list(reading.reader.blobs)
    configuration = {
        path: text
        for path in configuration_paths(paths)
        if (text := _text(reading, path)) is not None
    }
    reading.facts["project"] = project_of(paths, configuration, inventory.languages)
    reading.facts["committed_secrets"] = [
        {"path": path, "line": line, "kind": kind}
        for path, line, kind in inventory.secrets[:MOST_ROWS]
    ]
    unread = [path for path in inventory.unread if path not in reading.facts["unreadable_files"]]
    if unread:
        named = ", ".join(unread[:UNSEARCHED_NAMED])
        message = (
            f"{len(unread)} files were too large to be searched for secrets and measured: {named}"
        )
        reading.errors.append(("files_not_searched", message))


def read_exchange(reading: FactReading) -> None:
    """Audits given and received, the log of working together, what was put off with a reason, and what was answered."""
    blobs = reading.reader.blobs
    sizes = {path: blob.size for path, blob in blobs.items() if blob.is_file}
    reading.facts["minmax"] = audits_on_record(sizes, lambda path: _text(reading, path))
    reading.facts["communication_entries"] = _rows(
        {"path": path, "line": entry.line, "date": entry.date, "kinds": list(entry.kinds)}
        for path in filter(is_communication_log, blobs)
        for entry in entries_of(_text(reading, path) or "")
    )
    documents = [path for path in blobs if may_document(path) and not _is_audit(path)]
    reading.facts["deferrals"] = _rows(
        {"path": path, "line": line, "text": text}
        for path in documents
        for line, text in deferrals_in(_text(reading, path) or "")
    )
    reading.facts["written_answers"] = _rows(
        {"path": path, "line": line}
        for path in filter(may_answer, documents)
        for line in answers_in(_text(reading, path) or "")
    )


def _is_audit(path: str) -> bool:
    """An audit quotes and advises; an answer to one that lies beside it is the student's own word."""
    is_answer = any(
        word in path.lower().rpartition("/")[2] for word in ("respon", "answer", "defer", "improve")
    )
    return kind_of(path) is not None and not is_answer


def _rows(found: Any) -> list[dict[str, Any]]:
    return [row for row, _ in zip(found, range(MOST_ROWS), strict=False)]


def _text(reading: FactReading, path: str) -> str | None:
    content = reading.reader.read(path)
    return None if content is None or b"\0" in content[:BINARY_PROBE] else text_of(content)
