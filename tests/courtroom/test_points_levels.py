"""The points rubric on what was exchanged: the level of each criterion, by repository and site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.detectives.evidence_aggregator import aggregate
from courtroom.detectives.repo_investigator import investigate
from courtroom.inputs import RepositoryInputs, read_repository
from courtroom.judges.heuristic import MODEL, answer_now
from courtroom.judges.opinion import Question
from courtroom.models.audit_report import Points
from courtroom.models.case import Limits
from courtroom.models.evidence import Evidence
from courtroom.models.facts import establish
from courtroom.models.judge_answer import PERSONAS
from courtroom.models.project_facts import ExchangeFact, RelevanceFact
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.chief_justice import Verdict, synthesise
from courtroom.synthesis.constitutions import constitution_of
from tests.courtroom.synthesis.bench_records import bench, piece, verdict
from tests.factories.repositories import Commit, make_repository
from tests.factories.student_project import STATE

POINTS = shipped_rubric("points")
FEEDBACK, RELEVANCE = 1, 3
SCORED = "# Audit\n\n## Safe Tools\n\n**Score:** 2/5\n\n## State\n\n**Score:** 3/5\n"
OWED = f"{SCORED}\n## Remediation Plan\n\n- Add a timeout to the clone in src/tools.py\n- Add a reducer for the opinions in src/state.py\n"
FULL = f"{OWED}\n## Judges\n\n**Score:** 3/5\n\n- **Prosecutor** (Score: 2): They share a prompt.\n- **Defense** (Score: 4): They differ.\n"
RECEIVED, ON_PEER = "audit/report_bypeer_received/a.md", "audit/report_onpeer_generated/a.md"
ANSWERS = "docs/feedback.md"
TIMEOUT = "- Timeout of the clone in src/tools.py: fixed in 3f2a9c1\n"
REDUCER = "- Reducer for the opinions in src/state.py: deferred because the graph changes.\n"


# -- by scripted judges --------------------------------------------------------------------------


def test_the_described_self_audit_gives_72_of_100() -> None:
    """Its repository had received a report, so that feedback counts."""
    neutral = piece()
    scores = ((4, 4, 4), (2, 4, 3), (1, 1, 1), (3, 4, 4))
    opinions = [
        opinion
        for criterion, three in zip(POINTS.criteria, scores, strict=True)
        for opinion in bench(three, neutral, on=criterion.id)
    ]
    minmax = {"generated": [ON_PEER], "self": [], "received": [RECEIVED]}
    facts = establish({"minmax": minmax}, {})
    judged = verdict("points-based", opinions, evidence=(neutral,), rubric_=POINTS, facts=facts)
    assert [(row.level, row.points) for row in judged.criteria] == [
        ("Complete", 35),
        ("Selective", 12),
        ("Absent", 0),
        ("Forensic", 25),
    ]
    assert judged.points == Points(earned=72, possible=100)


# -- by the heuristic bench ----------------------------------------------------------------------


def judged_by_checks(inputs: RepositoryInputs, snapshot: Snapshot, exchange: Any = None) -> Verdict:
    result = investigate(inputs, snapshot, POINTS.checks, exchange)
    dossier = aggregate([result], snapshot, POINTS, None)
    opinions = []
    for criterion in POINTS.criteria:
        ids = {check.id for check in criterion.checks}
        outcomes = tuple(o for o in dossier.outcomes if o.check in ids)
        evidence: tuple[Evidence, ...] = tuple(e for e in dossier.evidence if e.check in ids)
        for persona in PERSONAS:
            question = Question(
                persona=persona, criterion=criterion, evidence=evidence, outcomes=outcomes
            )
            opinions.append(answer_now(question, f"{MODEL}-{persona}-{criterion.id}").opinion)
    return synthesise(
        rubric=POINTS,
        constitution=constitution_of(POINTS),
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        facts=dossier.facts,
        opinions=opinions,
    )


def repository(folder: Path, files: dict[str, str]) -> tuple[RepositoryInputs, Snapshot]:
    tree = {"src/state.py": STATE, "src/tools.py": "def clone() -> None: ...\n", **files}
    commit = make_repository(folder / "work.git", [Commit("Add the work", tree)])
    snapshot = Snapshot(folder / "work.git", commit, None, malformed_objects=False)
    return read_repository(snapshot, POINTS.checks, Limits()), snapshot


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[RepositoryInputs, Snapshot]:
    return repository(tmp_path_factory.mktemp("plain"), {})


def levels(judged: Verdict) -> list[str | None]:
    return [judged.criteria[place].level for place in (FEEDBACK, RELEVANCE)]


def site(generated: int, received: int, findings: int = 0, **counts: int) -> ExchangeFact:
    """Reports on peers have all of a report, or scores alone where nothing was stated."""
    holds = generated if findings else 0
    return ExchangeFact(
        generated=generated,
        received=received,
        scored=generated,
        placed=holds,
        argued=holds,
        planned=holds,
        findings_received=findings if received else 0,
        relevance=RelevanceFact(
            stated=findings, with_place=findings, confirmed=findings, duplicates=0
        )
        if generated and findings
        else None,
        **(counts if received else {}),
    )


NO_EXCHANGE, NO_OUTPUT = "No Exchange", "No output"


@pytest.mark.parametrize(
    ("exchange", "expected"),
    [
        # without findings
        (site(0, 0), [NO_EXCHANGE, NO_OUTPUT]),
        (site(2, 0), [NO_EXCHANGE, "Generic"]),
        (site(0, 2), ["Integrated", NO_OUTPUT]),
        (site(2, 2), ["Integrated", "Generic"]),
        # with findings, none answered
        (site(2, 0, 10), [NO_EXCHANGE, "Forensic"]),
        (site(0, 2, 10), ["Ignored", NO_OUTPUT]),
        (site(2, 2, 10), ["Ignored", "Forensic"]),
        # some answered
        (site(0, 2, 10, answered=1), ["Selective", NO_OUTPUT]),
        (site(2, 2, 10, answered=7, fixed=2), ["Selective", "Forensic"]),
        (site(2, 2, 10, answered=7, fixed=7, fixes_verified=7), ["Selective", "Forensic"]),
        # four fifths answered: by changes, or by reasons alone
        (site(0, 2, 10, answered=8, fixed=8, fixes_verified=8), ["Integrated", NO_OUTPUT]),
        (site(2, 2, 10, answered=8, deferred=8), ["Integrated", "Forensic"]),
        (site(2, 2, 10, answered=10, fixed=5), ["Integrated", "Forensic"]),
    ],
)
def test_levels_by_the_records_of_a_site(
    plain: tuple[RepositoryInputs, Snapshot], exchange: ExchangeFact, expected: list[str]
) -> None:
    assert levels(judged_by_checks(*plain, exchange)) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, [NO_EXCHANGE, NO_OUTPUT]),
        ({ON_PEER: FULL}, [NO_EXCHANGE, "Forensic"]),
        ({ON_PEER: SCORED}, [NO_EXCHANGE, "Generic"]),
        ({RECEIVED: SCORED}, ["Integrated", NO_OUTPUT]),
        ({RECEIVED: OWED}, ["Ignored", NO_OUTPUT]),
        ({RECEIVED: OWED, ON_PEER: FULL}, ["Ignored", "Forensic"]),
        ({RECEIVED: OWED, ANSWERS: TIMEOUT}, ["Selective", NO_OUTPUT]),
        (
            {RECEIVED: OWED, ANSWERS: "All feedback was addressed in full.\n"},
            ["Ignored", NO_OUTPUT],
        ),
        ({RECEIVED: OWED, ANSWERS: TIMEOUT + REDUCER}, ["Integrated", NO_OUTPUT]),
        ({"audit/peers/page.html": "<p>Peers and their reports</p>" * 9}, [NO_EXCHANGE, NO_OUTPUT]),
    ],
    ids=[
        "nothing",
        "a report on a peer",
        "a report on a peer with scores alone",
        "a report without findings",
        "findings without answers",
        "both, without answers",
        "one of two answered",
        "a word for all",
        "both answered",
        "a page about peers",
    ],
)
def test_levels_by_what_lies_in_the_repository(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert levels(judged_by_checks(*repository(tmp_path, files))) == expected


def test_no_exchange_leaves_both_sums(plain: tuple[RepositoryInputs, Snapshot]) -> None:
    judged = judged_by_checks(*plain, site(2, 0))
    feedback: Any = judged.criteria[FEEDBACK]
    assert (feedback.excluded, feedback.final_score, feedback.points) == (True, None, None)
    assert judged.points is not None
    assert judged.points.possible == 80


def test_a_report_without_findings_says_that_nothing_is_owed(
    plain: tuple[RepositoryInputs, Snapshot],
) -> None:
    feedback = judged_by_checks(*plain, site(0, 2)).criteria[FEEDBACK]
    reasons = {check.check: check.reason for check in feedback.checks if check.met}
    assert reasons["feedback.answered"] == (
        "No report that was received has a finding, so nothing is left to answer or to fix."
    )
    assert feedback.points == 20


def test_a_report_that_cannot_be_read_goes_to_a_person(tmp_path: Path) -> None:
    files = {"audit/report_bypeer_received/report.pdf": "%PDF-1.7 " + "0" * 100}
    feedback = judged_by_checks(*repository(tmp_path, files)).criteria[FEEDBACK]
    assert (feedback.excluded, feedback.needs_review, feedback.final_score) == (False, True, None)
