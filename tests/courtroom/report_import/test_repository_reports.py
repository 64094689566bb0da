"""Reports out of a repository's own folders: texts or reasons, from the clone, without a checkout."""

import pytest

from courtroom import Limits, RepositoryReports, read_repository_reports
from courtroom.models.errors import RepositoryRefused
from courtroom.report_import import repository_reports
from tests.factories.repositories import Commit, make_repository

SELF, PEER, PDF, LINK = (
    "audit/report_onself_generated/report.md",
    "audit/report_onpeer_generated/report.json",
    "audit/report_bypeer_received/report.pdf",
    "audit/report_bypeer_received/link.md",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    path = tmp_path_factory.mktemp("reports") / "student.git"
    first = make_repository(
        path,
        [
            Commit(
                files={
                    SELF: "# Audit\r\n\r\n### Git\r\nScore: 4/5\r\n",
                    PEER: '{"criteria": {"git": 3}}',
                    PDF: b"%PDF-1.7",
                    LINK: "../../../etc/passwd",
                    "audit/large.md": "x" * (1024 * 1024 + 1),
                    "audit/binary.md": b"\0\xff\xfe",
                },
                modes={LINK: "120000"},
            )
        ],
    )
    return path, first


def read(repository, *paths: str, **more) -> RepositoryReports:
    return read_repository_reports(
        str(repository[0]), ref=more.pop("ref", None), paths=paths, allow_local=True, **more
    )


def test_texts_come_with_their_lines_and_the_commit_they_are_of(repository) -> None:
    reports = read(repository, SELF, PEER, SELF)
    assert reports.commit == repository[1]
    assert dict(reports.texts) == {
        SELF: "# Audit\n\n### Git\nScore: 4/5\n",
        PEER: '{"criteria": {"git": 3}}',
    }
    assert dict(reports.unread) == {}


def test_what_cannot_be_read_has_its_reason(repository) -> None:
    reports = read(
        repository, PDF, LINK, "audit/large.md", "audit/none.md", "../../etc/passwd", "-x"
    )
    assert dict(reports.texts) == {}
    assert dict(reports.unread) == {
        PDF: "A PDF cannot be read as a report: commit the Markdown or JSON it was made from beside it.",
        LINK: "It is a link or a submodule, not a file.",
        "audit/large.md": "It is larger than 1 MB.",
        "audit/none.md": "There is no such file at this commit.",
        "../../etc/passwd": "There is no such file at this commit.",
        "-x": "There is no such file at this commit.",
    }


def test_no_more_than_the_bounds_are_brought(repository, monkeypatch) -> None:
    monkeypatch.setattr(repository_reports, "MOST_REPORTS", 1)
    assert dict(read(repository, SELF, PEER).unread) == {
        PEER: "Only 40 reports of one repository are read."
    }
    monkeypatch.setattr(repository_reports, "MOST_BYTES", 10)
    assert dict(read(repository, SELF).unread) == {
        SELF: "The reports before it already fill the 16 MB that are read of one repository."
    }


def test_a_repository_that_cannot_be_had_is_refused(tmp_path) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        read_repository_reports(str(tmp_path / "none"), ref=None, paths=[SELF], allow_local=True)
    assert refused.value.code == "repository_not_found"


def test_an_unknown_commit_is_refused(repository) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        read(repository, SELF, ref="0" * 40, limits=Limits())
    assert refused.value.code == "repository_ref_unknown"
