"""Exhibits of every criterion, from snapshot, dossier and report: the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, list_tree
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.python.source_files import is_vendored
from courtroom.detectives.detective_result import Dossier
from courtroom.exhibits.material import Material
from courtroom.exhibits.outline import read_outline
from courtroom.exhibits.readable import lines_by_path, readable_paths
from courtroom.exhibits.requests import requests_for
from courtroom.exhibits.room import Room
from courtroom.exhibits.sheets import COMMITS, DIAGRAMS, TREE, Sheet, file_sheet, page_sheets
from courtroom.exhibits.tables import commit_table, diagram_table, tree_table
from courtroom.exhibits.units import Outline
from courtroom.models.case import Limits
from courtroom.models.errors import CourtroomError, ExaminationFailed
from courtroom.models.evidence import Evidence
from courtroom.models.exhibit import CriterionExhibits
from courtroom.models.rubric import Rubric

DEFAULT_ROOM = 24_000
# Requests of one criterion: those of a written repository fill its room with fewer.
MOST_REQUESTS = 400


def lay_out(
    snapshot: Snapshot,
    dossier: Dossier,
    rubric: Rubric,
    pdf: PdfReading | ExaminationFailed | None,
    *,
    limits: Limits,
    room: int = DEFAULT_ROOM,
) -> tuple[CriterionExhibits, ...]:
    """Return the exhibits of each criterion, in the rubric's order, of at most `room` characters.

    Never raises for what a submission holds: what cannot be read is not shown.
    """
    material = _material(snapshot, dossier, rubric, pdf, limits, room)
    bundles = []
    for criterion in rubric.criteria:
        own = Room(material.sheets, room)
        own.fill(islice(requests_for(criterion, material), MOST_REQUESTS))
        own.complete()
        bundles.append(
            CriterionExhibits(
                criterion_id=criterion.id, exhibits=own.exhibits(), omitted=own.omitted()
            )
        )
    return tuple(bundles)


def _material(
    snapshot: Snapshot,
    dossier: Dossier,
    rubric: Rubric,
    pdf: PdfReading | ExaminationFailed | None,
    limits: Limits,
    room: int,
) -> Material:
    entries, files = _files(snapshot, dossier, limits)
    outline = _outline(files, limits)
    sheets: dict[str, Sheet] = {
        path: file_sheet(path, lines, snapshot.commit) for path, lines in files.items()
    }
    sheets |= page_sheets(pdf.pages) if isinstance(pdf, PdfReading) else {}
    sheets[TREE] = tree_table(entries, files, outline)
    diagrams = diagram_table(dossier.facts)
    sheets |= {DIAGRAMS: diagrams} if diagrams else {}
    if any(check.kind == "commit_history" for check in rubric.checks):
        table = commit_table(snapshot)
        sheets |= {COMMITS: table} if table else {}
    return Material(
        outline=outline,
        sheets=sheets,
        facts=dossier.facts,
        evidence=_by_check(dossier.evidence),
        paths=[entry.path for entry in entries if not is_vendored(entry.path)],
        room=room,
    )


def _by_check(evidence: Sequence[Evidence]) -> dict[str, list[Evidence]]:
    table: dict[str, list[Evidence]] = {}
    for item in evidence:
        table.setdefault(item.check, []).append(item)
    return table


def _files(
    snapshot: Snapshot, dossier: Dossier, limits: Limits
) -> tuple[Sequence[TreeEntry], Mapping[str, Sequence[str]]]:
    """Return the tree, and the lines of its text files up to a limit, without secrets."""
    try:
        entries = list_tree(snapshot, limits)
        cited = {item.location.path for item in dossier.evidence if item.location.path}
        return entries, lines_by_path(snapshot, readable_paths(entries, cited, limits))
    except CourtroomError:
        return (), {}


def _outline(files: Mapping[str, Sequence[str]], limits: Limits) -> Outline:
    sources = {path: lines for path, lines in files.items() if path.endswith(".py")}
    try:
        return read_outline(sources, limits)
    except ExaminationFailed:
        return Outline()
