"""Large and broken submissions: partial facts and a recorded error, within seconds."""

from __future__ import annotations

import os

import pytest

from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.models.case import Limits
from courtroom.models.errors import RepositoryRefused
from courtroom.models.facts import establish
from courtroom.rubric_import.read_rubric import shipped_rubric
from grading.demo.pdf_writer import Page, make_pdf
from tests.courtroom.analysis.project.test_general_facts import snapshot_of
from tests.factories.student_project import GRAPH, STATE

FILES: dict[str, str | bytes | None] = {"src/state.py": STATE, "src/graph.py": GRAPH}
SECONDS = 30


def survey(files: dict[str, str | bytes | None], folder) -> Survey:
    """Run all source checks of the shipped rubrics within `SECONDS` of processor time."""
    begin = _processor_time()
    rubrics = [shipped_rubric(name) for name in ("self_audit", "points", "general")]
    checks = [check for rubric in rubrics for check in rubric.checks]
    result = survey_repository(snapshot_of(files, folder), checks, Limits())
    assert _processor_time() - begin < SECONDS
    establish(dict(result.facts), dict(result.reasons))
    return result


def _processor_time() -> float:
    """Return the seconds of this process and of the children that have ended."""
    return sum(os.times()[:4])


def test_broken_and_large_files_cost_only_themselves(tmp_path):
    large = "VALUES = [\n" + "    'a line of a generated table',\n" * 30_000 + "]\n"
    result = survey({**FILES, "src/table.py": large, "src/broken.py": "def f(:\n"}, tmp_path)

    assert result.errors == (
        ("source_unreadable", "src/broken.py: it does not parse: invalid syntax (line 1)"),
        ("source_unreadable", "src/table.py: it is larger than 512 KB"),
    )
    assert result.facts["unreadable_files"] == ["src/broken.py", "src/table.py"]
    assert result.facts["graph"] is not None
    assert result.facts["reducers"] != []


def test_large_text_file_is_recorded_as_not_searched(tmp_path):
    result = survey({**FILES, "data/corpus.txt": "word " * 200_000}, tmp_path)
    message = "1 file was too large to be measured and searched for secrets: data/corpus.txt"
    assert result.errors == (("files_not_searched", message),)
    assert result.facts["committed_secrets"] == []


@pytest.mark.processes
def test_twenty_thousand_files_are_read_and_one_more_is_refused(tmp_path):
    files: dict[str, str | bytes | None] = {
        f"data/{n % 100}/item_{n}.json": "{}\n" for n in range(19_998)
    }
    result = survey({**FILES, **files}, tmp_path / "enough")

    assert (result.facts["file_count"], result.facts["python_file_count"]) == (20_000, 2)
    assert result.facts["project"]["languages"][0] == {
        "language": "JSON",
        "files": 19_998,
        "lines": 19_998,
    }

    with pytest.raises(RepositoryRefused) as refusal:
        survey({**FILES, **files, "one.txt": "more"}, tmp_path / "more")

    assert refusal.value.code == "repository_too_many_files"


@pytest.mark.processes
def test_first_pages_of_a_long_report_are_read_and_the_cut_is_recorded(tmp_path):
    pdf = make_pdf(
        tmp_path / "long.pdf", [Page(lines=[f"# Section {n}", "Some words."]) for n in range(300)]
    )
    reading = read_pdf(pdf, Limits())
    assert len(reading.pages) == 200
    assert reading.errors == (("pdf_too_many_pages", "Only the first 200 of 300 pages were read."),)
