"""Readers that fail, one by one and all: the route, and what is still scored, by constitution."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from courtroom.graph.nodes import AuditNodes
from courtroom.graph.wiring import build_graph
from courtroom.inputs import AuditInputs, InputReader, RepositoryInputs
from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import Case
from courtroom.models.errors import ChildFailed
from courtroom.synthesis.constitutions import PRESETS, preset
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


def audit(case: Case, inputs: AuditInputs, constitution: str) -> Audit:
    nodes = AuditNodes(
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
@pytest.mark.parametrize("constitution", ["default", "opinions-only", "governance"])
def test_reader_that_dies_goes_through_the_error_collector(
    case_and_inputs: tuple[Case, AuditInputs], whole: Audit, constitution: str, reader: str
) -> None:
    case, inputs = case_and_inputs
    hurt = audit(case, without(inputs, reader), constitution)
    assert ("error_collector" in hurt.stages, "error_collector" in whole.stages) == (True, False)
    assert "child_died" in {error.code for error in hurt.report.errors}
    assert (bool(hurt.failed), hurt.report.status) == (True, "needs_review")
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
    assert "The reader was killed." in hurt.report.criteria[0].rationale


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
        assert "no line of code" in result.report.criteria[0].rationale
