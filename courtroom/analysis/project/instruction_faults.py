"""Faults of what README and .env.example tell a person who wants to run the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.project.api_keys import DOCUMENTS, key_faults
from courtroom.analysis.project.command_faults import (
    broken_starts,
    command_faults,
    missing_scripts,
    readme_among,
)
from courtroom.analysis.project.entry_points import declarations_in
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.readme_files import absent_files
from courtroom.analysis.project.stale_readme import stale_lines

if TYPE_CHECKING:
    from courtroom.analysis.fact_writer import FactWriter

MOST_DOCUMENTS = 60
MOST_BYTES = 256 * 1024


def command_texts(writer: FactWriter) -> dict[str, str]:
    """Return the texts that say how the program is run, by path."""
    paths = [path for path, blob in writer.reader.blobs.items() if blob.is_file]
    return _texts(writer, list(declarations_in(paths)))


def instruction_faults(writer: FactWriter, earlier: Sequence[FlowFault]) -> Iterator[FlowFault]:
    """Yield the commands of the README that fail, the files that it names and the repository lacks,
    what it calls still to come that is there, and the API keys that one side alone names.

    What the `earlier` faults say is left out.
    """
    texts = command_texts(writer)
    commands = command_faults(writer.symbols, texts)
    yield from commands
    yield from broken_starts(writer.symbols, texts, earlier)
    yield from missing_scripts(writer.symbols, texts)
    if readme := readme_among(texts):
        sentences = "\n".join(fault.sentence for fault in commands)
        paths = writer.reader.blobs
        yield from absent_files(readme, texts[readme], paths, sentences)
        yield from stale_lines(readme, texts[readme], writer.facts, paths)
    blobs = writer.reader.blobs.items()
    documents = [
        path
        for path, blob in blobs
        if blob.is_file and blob.size <= MOST_BYTES and matches(path, DOCUMENTS)
    ]
    unreached = frozenset((writer.facts.get("scope") or {}).get("unreached", ()))
    in_use = {function.key for function in writer.layers.in_use}
    texts = _texts(writer, documents[:MOST_DOCUMENTS])
    yield from key_faults(writer.symbols, texts, unreached, in_use)


def _texts(writer: FactWriter, paths: list[str]) -> dict[str, str]:
    contents = writer.reader.read_all(paths).items()
    return {path: content.decode("utf-8", "replace") for path, content in contents}
