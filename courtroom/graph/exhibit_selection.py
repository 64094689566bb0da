"""Choose and render the exhibits of every criterion, once for an audit."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from courtroom.detectives.detective_result import Dossier, Suspicion, recorded_error
from courtroom.exhibits.selection import lay_out
from courtroom.inputs import AuditInputs
from courtroom.judges.judge_inputs import evidence_on, outcomes_on
from courtroom.judges.material import Material, NamedLine, Submission, files_of, material_of
from courtroom.models.audit_report import RecordedError
from courtroom.models.case import BenchSettings, Case
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import INTEGRITY_TAG, Evidence
from courtroom.models.exhibit import CriterionExhibits
from courtroom.models.rubric import Criterion

STAGE = "exhibit_selection"
FAILED = "exhibits_failed"
FAILED_MESSAGE = (
    "The work could not be laid out for the judges: they read the outcomes of the checks."
)
log = logging.getLogger(__name__)


def select_materials(
    case: Case, inputs: AuditInputs, settings: BenchSettings, dossier: Dossier
) -> tuple[dict[str, Material], tuple[RecordedError, ...]]:
    """Return the material of each criterion by its id, and the error where exhibits are missing.

    Without exhibits the judges read the outcomes of the checks alone.
    """
    criteria = case.rubric.criteria
    try:
        rows = lay_out(
            inputs.snapshot,
            dossier,
            case.rubric,
            inputs.pdf,
            limits=case.limits,
            room=settings.exhibit_characters,
        )
    except ExaminationFailed as failed:
        return materials_on(criteria, dossier, settings), (recorded_error(STAGE, failed),)
    except Exception:
        # Whatever it is, the outcomes can be judged; the words are for the log.
        log.exception("the exhibits could not be laid out")
        error = RecordedError(stage=STAGE, code=FAILED, message=FAILED_MESSAGE)
        return materials_on(criteria, dossier, settings), (error,)
    return materials_on(criteria, dossier, settings, rows), ()


def materials_on(
    criteria: Sequence[Criterion],
    dossier: Dossier,
    settings: BenchSettings,
    rows: Sequence[CriterionExhibits] = (),
    named: Sequence[Suspicion] = (),
    named_lines: tuple[NamedLine, ...] = (),
) -> dict[str, Material]:
    """Return the material of these criteria by their ids; without `rows`, outcomes alone.

    Passages that a screening named are withheld, and the quotations of evidence that show them.
    """
    exhibits = {row.criterion_id: row for row in rows}
    submission = Submission(
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        files=files_of(dossier.evidence, rows),
        secret=settings.fence_secret.get_secret_value(),
        named=named_lines,
    )
    evidence = [_withheld(item, named, named_lines) for item in dossier.evidence]
    materials = {}
    for criterion in criteria:
        outcomes = outcomes_on(criterion, dossier.outcomes)
        items = evidence_on(criterion, evidence, outcomes)
        materials[criterion.id] = material_of(
            criterion, items, exhibits.get(criterion.id), submission
        )
    return materials


def without_passages(
    criteria: Sequence[Criterion],
    dossier: Dossier,
    settings: BenchSettings,
    materials: Mapping[str, Material],
    named: Sequence[Suspicion],
    named_lines: tuple[NamedLine, ...],
) -> Mapping[str, Material]:
    """Return the materials without these passages; the same where none was named."""
    if not named:
        return materials
    rows = [
        CriterionExhibits(
            criterion_id=id_,
            exhibits=tuple(sheet.exhibit for sheet in material.sheets),
            omitted=material.omitted,
        )
        for id_, material in materials.items()
    ]
    return materials_on(criteria, dossier, settings, rows, named, named_lines)


def _withheld(
    item: Evidence, named: Sequence[Suspicion], named_lines: Sequence[NamedLine]
) -> Evidence:
    """Return the item, tagged for the materials alone where it shows a passage that was named."""
    is_named = any(_shows(item, passage) for passage in named)
    if not is_named and not any(_quotes(item, line) for line in named_lines):
        return item
    return item.model_copy(update={"tags": (*item.tags, INTEGRITY_TAG)})


def _quotes(item: Evidence, line: NamedLine) -> bool:
    """Return whether the item quotes from this line of a page, or the whole line."""
    words, named = (" ".join(text.split()) for text in (item.content or "", line.text))
    is_on_page = item.location.page is not None and line.source == f"page {item.location.page}"
    return is_on_page and bool(words and named) and (words in named or named in words)


def _shows(item: Evidence, passage: Suspicion) -> bool:
    own, place = item.location, passage.location
    if own.path and own.line_start and place.line_start:
        last, place_last = own.line_end or own.line_start, place.line_end or place.line_start
        is_overlap = own.line_start <= place_last and place.line_start <= last
        return own.path == place.path and is_overlap
    if place.page:
        words, quoted = " ".join((item.content or "").split()), passage.text
        return own.page == place.page and bool(words) and (quoted in words or words in quoted)
    return bool(place.commit) and not place.path and (own.commit, own.path) == (place.commit, None)
