"""Evidence that suffices for a verdict: found, certain enough, of a work with code."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.models.evidence import CITED_TAG, INTEGRITY_TAG
from courtroom.models.facts import Facts, establish
from courtroom.synthesis.constitutions import PRESETS, preset
from courtroom.synthesis.sufficient_evidence import NO_CODE, why_insufficient
from tests.courtroom.synthesis.bench_records import (
    NOTHING_KNOWN,
    bench,
    check,
    criterion,
    outcome,
    piece,
    rubric,
    verdict,
)

LISTS = (
    "languages",
    "test_folders",
    "test_frameworks",
    "manifests",
    "locks",
    "ci",
    "quality_tools",
)
ENOUGH = [piece(line=line) for line in range(1, 6)]


def _facts(code_files: int) -> Facts:
    project: dict[str, Any] = dict.fromkeys(LISTS, ())
    project |= {"tests": 0, "readme": None, "licence": None, "code_files": code_files}
    return establish({"project": project}, {})


@pytest.mark.parametrize("name", PRESETS)
def test_work_without_a_line_of_code_is_judged_by_no_constitution(name: str) -> None:
    judged = verdict(name, bench((4, 4, 4), ENOUGH[0]), evidence=ENOUGH, facts=_facts(0))
    only = judged.criteria[0]
    assert (judged.status, judged.overall_score, only.final_score) == ("degraded", None, None)
    assert (only.resolution, only.rationale) == (("insufficient_evidence",), NO_CODE)


@pytest.mark.parametrize("name", PRESETS)
def test_work_that_nobody_could_read_is_judged_by_no_constitution(name: str) -> None:
    facts = establish({}, {"project": "the reader ran out of memory"})
    assert why_insufficient(preset(name), (), facts) == (
        "No part of the submission could be read. Not established: the reader ran out of memory."
        " Start the audit again; the errors of this one say what failed."
    )


@pytest.mark.parametrize(
    "missing",
    [
        {"found": False},
        {"confidence": 0.4},
        {"tags": (INTEGRITY_TAG,)},
        {"tags": (CITED_TAG,)},
    ],
    ids=["not found", "only words", "words to graders", "cited by a judge"],
)
def test_only_certain_evidence_that_was_found_counts(missing: dict[str, Any]) -> None:
    enough = why_insufficient(preset("governance"), ENOUGH, _facts(3))
    short = why_insufficient(preset("governance"), [*ENOUGH[:4], piece(**missing)], _facts(3))
    assert (enough, short.partition(",")[0]) == ("", "The detectives found 4 pieces of evidence")


def test_own_minimum_of_confidence_decides_which_evidence_counts() -> None:
    weak = [piece(line=line, confidence=0.4) for line in range(1, 6)]
    lenient = preset("governance").model_copy(update={"min_evidence_confidence": 0.3})
    assert why_insufficient(lenient, weak, NOTHING_KNOWN) == ""
    assert why_insufficient(preset("governance"), weak, NOTHING_KNOWN) != ""


@pytest.mark.parametrize(
    ("name", "also", "score"),
    [("governance", ("readme",), None), ("default", ("readme",), 4), ("default", (), None)],
)
def test_criterion_is_not_scored_where_a_detective_failed_on_most_of_it_or_all_are_needed(
    name: str, also: tuple[str, ...], score: int | None
) -> None:
    failed = outcome("docs", None).model_copy(
        update={"reason": "The PDF's reader died.", "has_failed": True}
    )
    judged = verdict(
        name,
        [*bench((4, 4, 4), ENOUGH[0], on="report"), *bench((4, 4, 4), ENOUGH[0], on="code")],
        evidence=ENOUGH,
        outcomes=(*(outcome(name, True, *ENOUGH) for name in ("tests", *also)), failed),
        rubric_=rubric(
            criterion("report", check("docs"), *map(check, also)), criterion("code", check("tests"))
        ),
    )
    report, code = judged.criteria
    assert (report.final_score, code.final_score) == (score, 4)
    if score is None:
        assert (report.needs_review, report.resolution) == (True, ("error_collector",))
        assert report.rationale == (
            "A person decides, because not all could be examined. The PDF's reader died."
        )
        assert judged.status == "needs_review"
