"""Readers that fail, one by one and all: the route, and what is still scored, by constitution."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from courtroom.cli import exit_code_for
from courtroom.graph.nodes import AuditNodes
from courtroom.graph.wiring import build_graph
from courtroom.inputs import AuditInputs, InputReader, RepositoryInputs
from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import Case
from courtroom.models.errors import ChildFailed
from courtroom.rendering.markdown_report import render_markdown
from courtroom.synthesis.constitutions import PRESETS, preset
from courtroom.synthesis.sufficient_evidence import NO_CODE
from tests.factories.repositories import Commit, make_repository
from tests.factories.student_project import case_of, student_repository

DEAD = ChildFailed("child_died", "The reader was killed.")
READERS = ("history", "survey", "pdf")


class Audit(NamedTuple):
    report: AuditReport
    stages: list[str]

    @property
    def scored(self) -> set[str]:
        return {c.id for c in self.report.criteria if c.final_score is not None}

    @property
    def failed(self) -> set[str]:
        """Criteria with a check on which a detective failed."""
        return {c.id for c in self.report.criteria if any(check.has_failed for check in c.checks)}


@pytest.fixture(scope="module")
def case_and_inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, AuditInputs]:
    folder = tmp_path_factory.mktemp("routes")
    case = case_of(student_repository(folder))
    return case, InputReader(case, folder / "work").wait()


def audit(case: Case, inputs: AuditInputs, constitution: str, raising: str = "") -> Audit:
    """Run an audit under this constitution; the node of this method raises."""
    kind = type("Nodes", (AuditNodes,), {raising: _raise} if raising else {})
    nodes = kind(
        case=case.model_copy(update={"constitution": preset(constitution)}),
        inputs=inputs,
        bench=HeuristicBench(),
        slots=asyncio.Semaphore(30),
    )

    async def run() -> Audit:
        stages: list[str] = []
        state: dict[str, Any] = {}
        async for update in build_graph(nodes).astream({}, {"recursion_limit": 25}):
            stages += update
            state |= {key: value for part in update.values() for key, value in part.items()}
        return Audit(AuditReport.model_validate(state["report"]), stages)

    return asyncio.run(run())


def _raise(self: AuditNodes, state: object) -> None:
    raise OSError("cannot read /home/somebody/a-path")


def without(inputs: AuditInputs, *readers: str) -> AuditInputs:
    """Return the inputs as they are when these readers were killed."""
    repository = inputs.repository
    assert isinstance(repository, RepositoryInputs)
    history = DEAD if "history" in readers else repository.history
    survey = DEAD if "survey" in readers else repository.survey
    return replace(
        inputs,
        repository=replace(repository, history=history, survey=survey),
        pdf=DEAD if "pdf" in readers else inputs.pdf,
    )


@pytest.fixture(scope="module")
def whole(case_and_inputs: tuple[Case, AuditInputs]) -> Audit:
    return audit(*case_and_inputs, "default")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("constitution", PRESETS)
def test_reader_that_dies_goes_through_the_error_collector(
    case_and_inputs: tuple[Case, AuditInputs], whole: Audit, constitution: str, reader: str
) -> None:
    case, inputs = case_and_inputs
    hurt = audit(case, without(inputs, reader), constitution)
    assert ("error_collector" in hurt.stages, "error_collector" in whole.stages) == (True, False)
    assert "child_died" in {error.code for error in hurt.report.errors}
    assert (bool(hurt.failed), hurt.report.status) == (True, "needs_review")
    assert exit_code_for(hurt.report) == 3
    # A criterion that is scored has another established check; one without a score says why.
    assert hurt.scored < whole.scored
    left_out = [c for c in hurt.report.criteria if c.final_score is None]
    assert all("reader was killed" in c.rationale for c in left_out)
    if constitution == "governance":
        assert not hurt.scored & hurt.failed
        unjudged = [c for c in hurt.report.criteria if c.id in hurt.failed]
        assert {(c.opinions, c.resolution) for c in unjudged} == {((), ("error_collector",))}


@pytest.mark.parametrize("constitution", PRESETS)
def test_work_whose_every_reader_dies_is_not_judged(
    case_and_inputs: tuple[Case, AuditInputs], constitution: str
) -> None:
    case, inputs = case_and_inputs
    hurt = audit(case, without(inputs, *READERS), constitution)
    assert hurt.stages[-1] == "insufficient_evidence"
    assert (hurt.report.status, hurt.scored) == ("degraded", set())
    (rationale,) = {c.rationale for c in hurt.report.criteria}
    assert rationale == (
        "No part of the submission could be read. The reader was killed. Start the audit again;"
        " the errors of this one say what failed."
    )
    assert {(e.stage, e.code) for e in hurt.report.errors} == {
        (detective, "child_died")
        for detective in ("RepoInvestigator", "DocAnalyst", "VisionInspector")
    }
    assert exit_code_for(hurt.report) == 3


@pytest.mark.parametrize(
    "files", [{}, {"a.png": b"\x89PNG\0"}, {"report.pdf": b"%PDF-1.4\0"}, {"README.md": "# Work\n"}]
)
def test_work_without_code_is_not_judged(files: dict[str, str | bytes], tmp_path: Path) -> None:
    make_repository(tmp_path / "work.git", [Commit("Begin", files)])
    case = case_of(tmp_path / "work.git")
    inputs = InputReader(case, tmp_path / "read").wait()
    for constitution in PRESETS:
        result = audit(case, inputs, constitution)
        assert result.stages[-1] == "insufficient_evidence", constitution
        assert (result.report.status, result.scored) == ("degraded", set())
        assert {c.rationale for c in result.report.criteria} == {NO_CODE}
        assert (result.report.errors, exit_code_for(result.report)) == ((), 3)
        assert f"{NO_CODE}\n\n## Criterion Breakdown" in render_markdown(result.report)


# By the node's method: status, recorded stage, and whether any criterion has a score.
RAISING = {
    "build_context": ("degraded", "context_builder", False),
    "investigate_repository": ("degraded", "RepoInvestigator", False),
    "analyse_document": ("needs_review", "DocAnalyst", True),
    "inspect_diagrams": ("needs_review", "VisionInspector", True),
    "aggregate_evidence": ("degraded", "evidence_aggregator", False),
    "has_enough_evidence": ("degraded", "evidence_aggregator", False),
    "first_round": ("degraded", "evidence_aggregator", False),
    "answer": ("degraded", "defense", False),
    "collect_opinions": ("verdict", "judge_collector", True),
}


@pytest.mark.parametrize("constitution", PRESETS)
@pytest.mark.parametrize("node", RAISING)
def test_node_that_raises_leaves_a_report_with_its_status_and_error(
    case_and_inputs: tuple[Case, AuditInputs], node: str, constitution: str
) -> None:
    report, _ = hurt = audit(*case_and_inputs, constitution, raising=node)
    status, stage, has_scores = RAISING[node]
    assert (report.status, bool(hurt.scored)) == (status, has_scores)
    assert stage in {error.stage for error in report.errors}
    assert "somebody" not in report.model_dump_json()
    assert exit_code_for(report) == (0 if status == "verdict" else 3)
    unscored = [c for c in report.criteria if c.final_score is None]
    assert all(c.needs_review and c.resolution and c.steps for c in unscored)
    advice = "submit again"
    assert not [c.rationale for c in unscored if advice in c.rationale], "our failure, not theirs"


def test_judges_who_were_not_asked_are_no_judges_who_failed(
    case_and_inputs: tuple[Case, AuditInputs],
) -> None:
    hurt = audit(*case_and_inputs, "default", raising="first_round")
    (rationale,) = {c.rationale for c in hurt.report.criteria}
    assert rationale == (
        "0 of 3 judges gave an opinion and 2 are needed."
        " No judge was asked: a step of the audit before them failed."
    )


def test_failure_of_all_judges_is_told_once(case_and_inputs: tuple[Case, AuditInputs]) -> None:
    hurt = audit(*case_and_inputs, "default", raising="answer")
    (rationale,) = {c.rationale for c in hurt.report.criteria}
    assert rationale == (
        "0 of 3 judges gave an opinion and 2 are needed. Prosecutor, Defense, Tech Lead: internal"
        " (A step of the audit failed unexpectedly (OSError))"
    )
