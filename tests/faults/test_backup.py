"""The drill: everything is backed up, lost and restored, and is what it was."""

import hashlib
import stat
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql

from courtroom import AuditReport
from grading.core.rls.base import as_owner
from grading.jobs import run_audit
from grading.management.archive import write_archive
from grading.models import Audit, Submission
from tests.factories.people import everywhere, student
from tests.faults.site import accepted, now_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
UPLOAD = b"%PDF-1.4 a report" * 1000


@pytest.fixture
def lived_in(repository: Path) -> Audit:
    """Two organizations; one has an audit with its report, its PDF and a student with an account."""
    accepted(repository)
    audit = accepted(repository)
    run_audit(str(audit.pk), 1)
    student(audit.submission.assignment.cohort)

    with everywhere():
        submission = Submission.objects.get(pk=audit.submission_id)
        submission.pdf_sha256 = hashlib.sha256(UPLOAD).hexdigest()
        submission.pdf.save("report.pdf", ContentFile(UPLOAD))

    return audit


@pytest.fixture
def archive(lived_in: Audit, tmp_path: Path) -> Path:
    path = tmp_path / "backup.tar.gz"
    call_command("backup", str(path))
    return path


def lose_everything() -> None:
    connection.close()
    with as_owner():
        call_command("flush", interactive=False, verbosity=0)
        connection.close()
    for path in Path(settings.MEDIA_ROOT).rglob("*.pdf"):
        path.unlink()


def all_there_is() -> dict[str, Any]:
    with everywhere(), connection.cursor() as cursor:
        counts = {}
        for table in connection.introspection.django_table_names(
            only_existing=True, include_views=False
        ):
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
            counts[table] = cursor.fetchone()[0]
        reports = [
            AuditReport.model_validate(audit.report) for audit in Audit.objects.exclude(report=None)
        ]
        uploads = [submission.pdf.read() for submission in Submission.objects.exclude(pdf="")]
        return {
            "rows": counts,
            "digests": [report.sealed().digest for report in reports],
            "uploads": uploads,
        }


def test_a_database_that_is_not_empty_is_refused(archive):
    before = all_there_is()
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", str(archive))
    assert all_there_is() == before


def test_an_archive_that_was_cut_changes_nothing(archive):
    lose_everything()
    nothing = all_there_is()
    archive.write_bytes(archive.read_bytes()[:-400])
    with pytest.raises(CommandError, match=r"cannot be read completely|not whole"):
        call_command("restore", str(archive))
    assert all_there_is() == nothing


def test_an_archive_of_another_version_is_refused(archive, tmp_path):
    connection.close()
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('grading', '9999_later', now())"
        )
        later = tmp_path / "later.tar.gz"
        write_archive(later)

    connection.close()
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")

    lose_everything()
    with pytest.raises(CommandError, match="The backup is of another version"):
        call_command("restore", str(later))


def test_a_backup_is_its_owners_alone_and_never_overwritten(archive):
    with pytest.raises(CommandError, match="it already exists"):
        call_command("backup", str(archive))
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600


def test_what_was_lost_is_restored_and_the_site_goes_on_from_there(lived_in, archive, repository):
    before = all_there_is()
    lose_everything()
    call_command("restore", str(archive))

    assert all_there_is() == before
    assert before["digests"] == [now_of(lived_in).report_digest]

    audit = accepted(repository)
    run_audit(str(audit.pk), 1)

    assert now_of(audit).state == now_of(lived_in).state
