"""Reports from a repository's folders: texts or reasons, from the clone, without a checkout."""

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


def test_texts_have_their_lines_and_their_commit(repository) -> None:
    reports = read(repository, SELF, PEER, SELF)
    assert reports.commit == repository[1]
    assert dict(reports.texts) == {
        SELF: "# Audit\n\n### Git\nScore: 4/5\n",
        PEER: '{"criteria": {"git": 3}}',
    }
    assert dict(reports.unread) == {}


def test_unreadable_path_has_its_reason(repository) -> None:
    reports = read(
        repository, PDF, LINK, "audit/large.md", "audit/none.md", "../../etc/passwd", "-x"
    )

    assert dict(reports.texts) == {}
    assert dict(reports.unread) == {
        PDF: (
            "A PDF cannot be imported. "
            "Commit the Markdown or JSON that it was made from in the same folder."
        ),
        LINK: "This is a link or a submodule, not a file.",
        "audit/large.md": "The file is larger than 1 MB.",
        "audit/none.md": "There is no such file at this commit.",
        "../../etc/passwd": "There is no such file at this commit.",
        "-x": "There is no such file at this commit.",
    }


def test_reports_beyond_the_bounds_have_their_reason(repository, monkeypatch) -> None:
    monkeypatch.setattr(repository_reports, "MOST_REPORTS", 1)

    assert dict(read(repository, SELF, PEER).unread) == {
        PEER: "Only 40 reports per repository are read."
    }
    monkeypatch.setattr(repository_reports, "MOST_BYTES", 10)
    assert dict(read(repository, SELF).unread) == {
        SELF: "The reports before this one reach the limit of 16 MB per repository."
    }


def test_missing_repository_is_refused(tmp_path) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        read_repository_reports(str(tmp_path / "none"), ref=None, paths=[SELF], allow_local=True)
    assert refused.value.code == "repository_not_found"


def test_unknown_commit_is_refused(repository) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        read(repository, SELF, ref="0" * 40, limits=Limits())
    assert refused.value.code == "repository_ref_unknown"
