"""The report's best passages for judges by a model: which, when, and how a judge comes to see them."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.checks.file_exists import FileExists
from courtroom.checks.pdf_concept import PdfConcept
from courtroom.detectives.detective_result import Dossier
from courtroom.detectives.report_passages import with_passages
from courtroom.judges.judge_inputs import question_for
from courtroom.judges.material import Submission, files_of, material_of, short_id
from courtroom.models.audit_report import Integrity
from courtroom.models.facts import establish
from courtroom.models.rubric import Criterion, Rubric

FILLER = "Nothing of note happens in this sentence about weather and gardens. " * 8
PDF = PdfReading((FILLER, f"{FILLER}Reducers merge what parallel judges write. {FILLER}"))
TERM = PdfConcept(id="term", goal="Explains reducers", term="reducer")
FILE = FileExists(id="file", goal="Has a README", any_of=("README.md",))


def _rubric(*checks: PdfConcept | FileExists) -> Rubric:
    criterion = Criterion(
        id="c", name="Reducers", success_pattern="Parallel judges merge.", checks=checks
    )
    return Rubric(id="r", name="R", version="1", criteria=(criterion,))


def _dossier(*, suspected: bool = False) -> Dossier:
    return Dossier(
        evidence=(),
        outcomes=(),
        facts=establish({}, {}),
        errors=(),
        integrity=Integrity(suspected=suspected),
    )


@pytest.mark.parametrize("pdf", [None, PdfReading(("",)), PdfReading(("Of weather and gardens.",))])
def test_a_report_that_says_nothing_on_it_has_no_passages(pdf: PdfReading | None) -> None:
    assert with_passages(_dossier(), _rubric(), pdf).evidence == ()


def test_a_report_that_speaks_to_the_graders_is_left_out_whole() -> None:
    assert with_passages(_dossier(suspected=True), _rubric(), PDF).evidence == ()


def test_a_criterion_whose_checks_do_not_ask_the_report_gets_none() -> None:
    assert with_passages(_dossier(), _rubric(FILE), PDF).evidence == ()


def test_the_best_passage_is_evidence_on_its_page_and_found_once() -> None:
    dossier = with_passages(_dossier(), _rubric(TERM), PDF)
    (item,) = dossier.evidence
    assert (item.check, item.location.page, item.found) == ("passages:c", 2, True)
    assert "Reducers merge what parallel judges write." in (item.content or "")
    assert with_passages(dossier, _rubric(TERM), PDF) == dossier


@pytest.mark.parametrize("checks", [(), (TERM,)])
def test_a_judge_is_shown_it_and_may_cite_it(checks: tuple[PdfConcept, ...]) -> None:
    rubric = _rubric(*checks)
    evidence = with_passages(_dossier(), rubric, PDF).evidence
    brief = question_for("Defense", rubric.criteria[0], evidence, (), 1, ())
    submission = Submission(evidence, (), files_of(evidence), "s")
    material = material_of(rubric.criteria[0], brief.evidence, None, submission)
    quoted = next(line for line in material.text.split("\n") if short_id(evidence[0]) in line)
    assert brief.evidence == evidence
    assert " p2 “" in quoted
    assert "Reducers merge what parallel judges write." in quoted
