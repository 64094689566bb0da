"""Hostile Python files, as the survey of a repository meets them: a hundred at once, and the worst
one by one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.models.case import Limits
from tests.factories.repositories import Commit, make_repository
from tests.hostile.python_alone import ALONE, LonePython
from tests.hostile.python_files import TOGETHER, HostilePython
from tests.hostile.traps import Toll

LIMITS = Limits()
DEADLINE_SECONDS = (
    2 * LIMITS.child_seconds
)  # a second reading, without the large files, follows one that died
CONTROL = {"control.py": "import os\n\nos.system('ls')\n"}


@dataclass(frozen=True)
class Reading:
    survey: Survey
    seconds: float


def survey_of(files: Mapping[str, str | bytes], folder: Path, limits: Limits = LIMITS) -> Reading:
    commit = make_repository(folder / "x.git", [Commit(files={**CONTROL, **files})])
    started = time.monotonic()
    survey = survey_repository(Snapshot(folder / "x.git", commit, None, False), (), limits)
    return Reading(survey, time.monotonic() - started)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    files = {f"c/{case.name}.py": case.source for case in TOGETHER}
    return survey_of(files, tmp_path_factory.mktemp("together"))


@pytest.fixture(scope="module")
def reasons(together: Reading) -> Mapping[str, str]:
    """Why files were not read, by their name without folder and ending."""
    messages = (
        message.partition(": ")
        for code, message in together.survey.errors
        if code == "source_unreadable"
    )
    return {Path(path).stem: reason for path, _, reason in messages}


def test_there_are_as_many_as_promised() -> None:
    names = [*(case.name for case in TOGETHER), *(case.name for case in ALONE)]
    assert (len(names) >= 120, len(names)) == (True, len(set(names)))


def test_a_repository_of_hostile_files_is_read_in_one_go(together: Reading) -> None:
    assert {code for code, _ in together.survey.errors} == {"source_unreadable"}
    assert [call["path"] for call in together.survey.facts["os_system_calls"]] == ["control.py"]
    assert together.survey.facts["python_file_count"] == len(TOGETHER) + 1
    assert together.seconds < LIMITS.child_seconds
    assert not Path("/pwned-by-import").exists()


@pytest.mark.parametrize("case", TOGETHER, ids=[case.name for case in TOGETHER])
def test_each_is_read_or_named_with_the_reason(
    case: HostilePython, together: Reading, reasons: Mapping[str, str], record_property
) -> None:
    record_property("hostile", asdict(Toll("python", together.seconds, 0)))
    reason = reasons.get(case.name)
    assert reason is None if case.reason is None else (reason or "").startswith(case.reason), reason


@pytest.mark.parametrize("case", ALONE, ids=lambda case: case.name)
def test_what_spends_time_and_memory_costs_only_itself(
    case: LonePython, tmp_path: Path, on_trial
) -> None:
    with on_trial("python", deadline=DEADLINE_SECONDS) as folder:
        limits = Limits(child_cpu_seconds=case.cpu_seconds)
        survey = survey_of({"c/hostile.py": case.source}, folder, limits).survey
    messages = [message for code, message in survey.errors if code == "source_unreadable"]
    assert messages == ([] if case.reason is None else [f"c/hostile.py: {case.reason}"])
    assert {name: _lines(survey.facts[name], "c/hostile.py") for name in case.facts} == case.facts
    assert _lines(survey.facts["os_system_calls"], "control.py") == [3]


def _lines(calls: list[dict[str, object]], path: str) -> list[object]:
    return [call["line"] for call in calls if call["path"] == path]
