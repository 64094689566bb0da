"""Services of the composition, run from the image: confined, at work, and stopped in the middle."""

from __future__ import annotations

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from redis import Redis
from rq import Worker

from tests.faults.site import descendants_of
from tests.image.composition import LASTING, Composition
from tests.image.conftest import Course, HeldRepositories
from tests.image.student import Student
from tests.waiting import eventually

Services = dict[str, dict[str, Any]]
USER = "10001"
NO_CAPABILITIES = "0" * 16
WRITABLE = {"/tmp", "/data/media"}
# What every container has from the kernel, and devices.
KERNEL = ("/proc", "/dev", "/sys")
UNITS = {"m": 1024**2, "g": 1024**3}
TROUBLE = re.compile(r'"level": "(?:error|critical)"|Traceback|Read-only file system|denied')


@pytest.mark.parametrize("service", LASTING)
def test_service_is_confined_as_the_composition_says(
    site: Composition, services: Services, service: str
) -> None:
    wanted, container = services[service], site.inspect(service)
    host, root = container["HostConfig"], site.pid(service)
    processes = [root, *descendants_of(root)]

    assert {confinement_of(process) for process in processes} == {(USER, NO_CAPABILITIES, "1")}
    assert host["ReadonlyRootfs"] is wanted["read_only"] is True
    assert host["Memory"] == bytes_of(wanted["mem_limit"])
    assert host["PidsLimit"] == wanted["pids_limit"]
    assert host["NanoCpus"] == float(wanted["cpus"]) * 1e9
    for folder, size in (mount.split(",")[0].split(":size=") for mount in wanted["tmpfs"]):
        assert size_of(root, folder) == bytes_of(size)


@pytest.mark.parametrize("service", LASTING)
def test_service_writes_to_its_temporary_folder_and_the_uploads_alone(
    site: Composition, service: str
) -> None:
    lines = Path(f"/proc/{site.pid(service)}/mounts").read_text().splitlines()
    options = {line.split()[1]: line.split()[3].split(",") for line in lines}
    writable = {folder for folder, words in options.items() if "rw" in words}

    assert "ro" in options["/"]
    assert {folder for folder in writable if not folder.startswith(KERNEL)} == WRITABLE


@pytest.mark.parametrize("service", LASTING)
def test_service_has_its_secrets_and_not_those_of_the_owner(
    site: Composition, services: Services, service: str
) -> None:
    given = {path.name for path in Path(f"/proc/{site.pid(service)}/root/run/secrets").iterdir()}
    assert given == set(services[service]["secrets"])
    assert "database_owner_url" not in given


@pytest.mark.parametrize("service", LASTING)
def test_health_check_holds(site: Composition, service: str) -> None:
    eventually(lambda: site.is_healthy(service), describe=lambda: site.log(service))


def test_production_settings_pass_djangos_checks(site: Composition) -> None:
    command = ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    assert "no issues" in site.execute("web", *command)


def test_work_is_handed_in_and_its_report_is_read(
    site: Composition, course: Course, student: Student, repositories: HeldRepositories, pdf: bytes
) -> None:
    audit = student.submit(course.assignment, f"{repositories.url}/work.git", pdf)
    eventually(lambda: student.sees_the_report(audit), describe=lambda: site.log("worker"))

    report = student.get(f"{audit}report.json").json()
    assert (report["status"], report["errors"]) == ("verdict", [])
    assert report["pdf_sha256"]
    assert student.get(f"{audit}report.md").text.startswith("# ")
    eventually(lambda: "attempt 1 received" in site.log("letter_worker"))


def test_uploads_are_private_and_static_files_are_not(
    site: Composition, course: Course, student: Student
) -> None:
    """The uploads are those of the tests before this one."""
    (style, *_) = re.findall(r'href="(/static/[^"]+\.css)"', student.get(course.assignment).text)
    assert student.get(style).headers["Content-Type"].startswith("text/css")
    uploads = Path(f"/proc/{site.pid('web')}/root/data/media").rglob("*")
    assert {stat.S_IMODE(path.stat().st_mode) for path in uploads if path.is_file()} == {0o600}


def test_audit_of_a_killed_worker_ends_once(
    site: Composition,
    course: Course,
    student: Student,
    repositories: HeldRepositories,
    pdf: bytes,
    database: psycopg.Connection[Any],
) -> None:
    """The worker gets less time than its audit takes; the next one has the audit once its lease is
    over.
    """
    # However long podman takes to stop the worker, nobody takes the audit back before it is looked at.
    site.compose("stop", "reconciler")
    repositories.close()
    audit = student.submit(course.assignment, f"{repositories.url}/held/work.git", pdf)
    eventually(repositories.reached.is_set, describe=lambda: site.log("worker"))

    site.podman("stop", "--time", "1", site.container("worker"))
    assert result_of(database, audit) == ("running", 1, 0)
    repositories.opened.set()
    site.compose("start", "reconciler", "worker")
    eventually(lambda: student.sees_the_report(audit), describe=lambda: site.log("worker"))

    assert result_of(database, audit) == ("done", 2, 1)


def test_services_stop_by_themselves_and_the_worker_after_its_audit(
    site: Composition,
    course: Course,
    student: Student,
    repositories: HeldRepositories,
    pdf: bytes,
    queue: Redis,
    database: psycopg.Connection[Any],
) -> None:
    """Comes last: the services stay stopped."""
    repositories.close()
    audit = student.submit(course.assignment, f"{repositories.url}/held/work.git", pdf)
    eventually(repositories.reached.is_set, describe=lambda: site.log("worker"))

    with ThreadPoolExecutor() as pool:
        stop = pool.submit(site.compose, "stop", *LASTING)
        eventually(lambda: is_stopping(queue), describe=lambda: site.log("worker"))
        repositories.opened.set()
        stop.result()

    assert result_of(database, audit) == ("done", 1, 1)
    codes = {service: site.inspect(service)["State"]["ExitCode"] for service in LASTING}
    assert codes == dict.fromkeys(LASTING, 0)
    assert {service for service in LASTING if TROUBLE.search(site.log(service))} == set()


def confinement_of(process: int) -> tuple[str, str, str]:
    """Return a process's user, its largest set of capabilities, and if it can gain no others."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":\t", 1) for line in lines)
    (user,) = set(fields["Uid"].split())
    return user, max(fields["CapEff"], fields["CapBnd"]), fields["NoNewPrivs"]


def size_of(process: int, folder: str) -> int:
    """Return the bytes that a folder in the root of this process has."""
    volume = os.statvfs(f"/proc/{process}/root{folder}")
    return volume.f_blocks * volume.f_frsize


def bytes_of(size: str) -> int:
    return int(size[:-1]) * UNITS[size[-1]]


def is_stopping(queue: Redis) -> bool:
    return any(worker.shutdown_requested_date for worker in Worker.all(connection=queue))


def result_of(database: psycopg.Connection[Any], audit: str) -> tuple[Any, ...] | None:
    """Return an audit's state, its attempts, and how often it was finished."""
    key = audit.rstrip("/").rpartition("/")[2]
    return database.execute(
        "SELECT state, run_attempt, (SELECT count(*) FROM grading_activity"
        " WHERE verb = 'audit.finished' AND object_id = audit.id::text)"
        " FROM grading_audit AS audit WHERE id = %s",
        [key],
    ).fetchone()
