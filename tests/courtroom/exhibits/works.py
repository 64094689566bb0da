"""Repositories, dossiers and exhibits for the tests of exhibits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.detectives.detective_result import Dossier
from courtroom.detectives.evidence_aggregator import aggregate
from courtroom.detectives.repo_investigator import investigate
from courtroom.detectives.targeting import owed
from courtroom.exhibits.selection import lay_out
from courtroom.inputs import read_repository
from courtroom.models.case import Limits
from courtroom.models.exhibit import CriterionExhibits, Exhibit
from courtroom.models.rubric import Criterion, Rubric
from tests.factories.repositories import Commit, make_repository

Files = Mapping[str, str | bytes | None]


def snapshot_of(files: Files, folder: Path, modes: Mapping[str, str] | None = None) -> Snapshot:
    return snapshot_of_commits([Commit(files=files, modes=modes or {})], folder)


def snapshot_of_commits(commits: Sequence[Commit], folder: Path) -> Snapshot:
    commit = make_repository(folder / "repo.git", commits)
    return Snapshot(git_dir=folder / "repo.git", commit=commit, ref=None, malformed_objects=False)


def dossier_of(snapshot: Snapshot, rubric: Rubric, pdf: PdfReading | None = None) -> Dossier:
    checks = owed(rubric)["RepoInvestigator"]
    result = investigate(read_repository(snapshot, checks, Limits()), snapshot, checks)
    return aggregate([result], snapshot, rubric, pdf)


def rubric_of(*checks: object, name: str = "work") -> Rubric:
    criterion = Criterion.model_validate({"id": name, "name": name, "checks": list(checks)})
    return Rubric(id="r", name="R", version="1", criteria=(criterion,))


def laid_out(
    snapshot: Snapshot, rubric: Rubric, pdf: PdfReading | None = None, room: int = 24_000
) -> CriterionExhibits:
    """Return the exhibits of the rubric's first criterion."""
    dossier = dossier_of(snapshot, rubric, pdf)
    return lay_out(snapshot, dossier, rubric, pdf, limits=Limits(), room=room)[0]


def shown_lines(exhibits: Iterable[Exhibit], path: str) -> list[int]:
    """Return the numbers of a file's lines that are shown, in the order shown."""
    return [
        number
        for exhibit in exhibits
        if exhibit.location.path == path
        for number in range(exhibit.location.line_start or 0, (exhibit.location.line_end or 0) + 1)
    ]
