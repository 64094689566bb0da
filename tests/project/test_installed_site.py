"""The installed site behind the nginx of deploy/, over TLS."""

import os
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.urls import reverse

from grading.models import Assignment, Enrollment
from tests.factories.pdfs import make_pdf, parallel_graph_page
from tests.factories.people import PASSWORD, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, rubric_document
from tests.faults.site import surroundings
from tests.project.conftest import EXPECTED, ROOT, Installation, require
from tests.waiting import AUDIT_PATIENCE_SECONDS, PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.processes

SAMPLE = ROOT / "deploy" / "nginx" / "automaton-auditor.conf"
HOST = "127.0.0.1"
THREADS = 4
# What a second proxy would see: the headers that the site trusts.
SEEN = "%({x-forwarded-proto}i)s %({x-forwarded-for}i)s %(U)s"
MOST_BYTES = 26 * 2**20
SECRETS = (
    "/calendar/a-secret.ics",
    "/join/a-secret/",
    "/invitations/a-secret/",
    "/accounts/confirm-email/a-secret/",
    "/accounts/password/reset/key/1-a-secret/",
)
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Front:
    """A running nginx: its two ports, the folder of its logs, and what trusts its certificate."""

    folder: Path
    tls: int
    plain: int
    trust: ssl.SSLContext

    @property
    def address(self) -> str:
        return f"https://{HOST}:{self.tls}"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, verify=self.trust, timeout=PATIENCE_SECONDS)

    def log(self, kind: str) -> str:
        return (self.folder / f"automaton-auditor.{kind}.log").read_text()


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [server.getsockname()[1] for server in servers]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def process(
    command: list[str],
    environment: dict[str, str] | None = None,
    cwd: Path | None = None,
    output: IO[bytes] | None = None,
) -> Iterator[None]:
    """Run a program, which ends by itself when it is asked to."""
    running = subprocess.Popen(command, env=environment, cwd=cwd, stdout=output)
    try:
        yield
    finally:
        running.terminate()
        assert running.wait(PATIENCE_SECONDS) == 0


@contextmanager
def nginx(folder: Path, installation: Path, upstream: int) -> Iterator[Front]:
    """Run the sample before the site of this port."""
    require("nginx", "openssl")
    tls, plain = free_ports(2)
    certificate = make_certificate(folder)
    changes = {
        "/etc/ssl/certs/audits.example.pem": str(certificate),
        "/etc/ssl/private/audits.example.key": str(certificate),
        "audits.example": HOST,
        "listen 443": f"listen {HOST}:{tls}",
        "listen 80": f"listen {HOST}:{plain}",
        "listen [::]": "# listen [::]",
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "/var/log/nginx": str(folder),
        EXPECTED: str(installation),
    }
    sample = SAMPLE.read_text()
    for words, replacement in changes.items():
        assert words in sample
        sample = sample.replace(words, replacement)

    main = folder / "nginx.conf"
    main.write_text(main_configuration(folder, sample))
    with process(["nginx", "-p", str(folder), "-e", f"{folder}/main.log", "-c", str(main)]):
        eventually(lambda: answers(tls))
        yield Front(folder, tls, plain, ssl.create_default_context(cafile=str(certificate)))


def make_certificate(folder: Path) -> Path:
    """Make a certificate of this machine; return the file with it and its key."""
    file = folder / "site.pem"
    made = subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "1", "-subj", "/CN=site", "-addext", f"subjectAltName=IP:{HOST}"),
            *("-keyout", "-", "-out", "-"),
        ],
        check=True,
        capture_output=True,
    )
    file.write_bytes(made.stdout)
    return file


def main_configuration(folder: Path, sample: str) -> str:
    """Return what a system's nginx.conf says, with all that nginx writes in this folder."""
    kept = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Its workers, which root would run as another user, read the folders of the test.
    user = "user root;" if os.geteuid() == 0 else ""
    return (
        f"{user} pid {folder}/pid; daemon off; worker_processes 1; error_log {folder}/main.log;"
        f"events {{}} http {{ include /etc/nginx/mime.types; access_log off; {kept} {sample} }}"
    )


@dataclass(frozen=True)
class Site:
    """The site as its units start it: `front` before it, `environment` for its other programs."""

    front: Front
    installation: Installation
    environment: dict[str, str]
    seen: Path

    @contextmanager
    def worker(self) -> Iterator[None]:
        command = self.installation.command_of("worker@")
        with process(command, self.environment, self.installation.home):
            yield


@pytest.fixture(scope="module")
def site(
    installation: Installation, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    collected = installation.run("collect-static")
    assert collected.returncode == 0, collected.stderr
    folder, (port,) = tmp_path_factory.mktemp("site"), free_ports(1)

    with nginx(folder, installation.home, port) as front, (folder / "seen").open("wb") as seen:
        environment = (
            installation.environment
            | surroundings()
            | {
                "DJANGO_SETTINGS_MODULE": "auditor_site.settings.production",
                "SECRET_KEY": "only for this test: 0123456789 abcdefghijklmnopqrstuvwxyz",
                "ALLOWED_HOSTS": HOST,
                "SITE_URL": front.address,
                "MEDIA_ROOT": str(folder / "media"),
                "ALLOW_LOCAL_REPOSITORIES": "true",
                "SUBMISSION_GRACE_SECONDS": "0",
            }
        )
        web = [
            *(
                word.replace("127.0.0.1:8000", f"{HOST}:{port}")
                for word in installation.command_of("web")
            ),
            *("--workers", "1", "--threads", str(THREADS)),
            *("--access-logfile", "-", "--access-logformat", SEEN),
        ]
        with process(web, environment, folder, seen):
            eventually(lambda: answers(port))
            yield Site(front, installation, environment, folder / "seen")


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(rubric_version__document=rubric_document())
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    enrollment = student(assignment.cohort, name="Ada")
    assert enrollment.user
    # The quick hasher of the tests is none of production's.
    enrollment.user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1)
    enrollment.user.save()
    return enrollment


@pytest.fixture
def ada_client(site: Site, ada: Enrollment) -> Iterator[httpx.Client]:
    assert ada.user
    with site.front.client() as client:
        signed_in = post(client, "/accounts/login/", login=ada.user.email, password=PASSWORD)
        assert signed_in.status_code == httpx.codes.FOUND
        yield client


def post(
    client: httpx.Client, path: str, file: bytes | None = None, **fields: str
) -> httpx.Response:
    """Post a form as the browser does that was shown it."""
    client.get(path).raise_for_status()
    return client.post(
        path,
        data=fields | {"csrfmiddlewaretoken": client.cookies["csrftoken"]},
        files=None if file is None else {"pdf": ("report.pdf", file, "application/pdf")},
        headers={"Referer": f"{client.base_url}{path}"},
    )


def submit_path(assignment: Assignment) -> str:
    cohort = assignment.cohort
    return reverse("submit", args=[cohort.organization.slug, cohort.slug, assignment.slug])


def test_pages_come_over_tls_alone(site: Site) -> None:
    with site.front.client() as client:
        page = client.get("/accounts/login/")
        plain = httpx.get(f"http://{HOST}:{site.front.plain}/accounts/login/?next=/")

    assert (page.status_code, "Sign in" in page.text) == (httpx.codes.OK, True)
    assert "max-age=" in page.headers["Strict-Transport-Security"]
    assert page.headers["Content-Encoding"] == "gzip"
    assert plain.status_code == httpx.codes.MOVED_PERMANENTLY
    assert plain.headers["Location"] == f"https://{HOST}/accounts/login/?next=/"


def test_visitor_cannot_choose_scheme_or_address(site: Site) -> None:
    forged = {"X-Forwarded-Proto": "http", "X-Forwarded-For": "203.0.113.9", "Forwarded": "for=x"}
    with site.front.client() as client:
        assert client.get("/accounts/signup/", headers=forged).status_code == httpx.codes.OK

    # gunicorn writes the line after the answer.
    line = f"https {HOST} /accounts/signup/"
    eventually(lambda: line in site.seen.read_text().splitlines())


def test_static_files_are_kept_by_browsers(site: Site) -> None:
    with site.front.client() as client:
        page = client.get("/accounts/login/").text
        path = page.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        style = client.get(path)

    assert (style.status_code, style.headers["Content-Encoding"]) == (httpx.codes.OK, "gzip")
    assert style.headers["Cache-Control"] == "max-age=315360000"
    assert style.headers["Content-Type"] == "text/css"
    assert path not in site.seen.read_text()


@pytest.mark.django_db(transaction=True)
def test_work_becomes_a_report(
    site: Site, assignment: Assignment, ada_client: httpx.Client, tmp_path: Path
) -> None:
    make_repository(tmp_path / "work.git", [Commit(files={"README.md": "# Work", "main.py": "1"})])
    report = make_pdf(tmp_path / "report.pdf", [parallel_graph_page()]).read_bytes()

    with site.worker():
        sent = post(
            ada_client, submit_path(assignment), file=report, repo_url=f"file://{tmp_path}/work.git"
        )
        assert sent.status_code == httpx.codes.FOUND, sent.text
        audit = sent.headers["Location"]
        eventually(
            lambda: ada_client.get(f"{audit}report.json").status_code == httpx.codes.OK,
            AUDIT_PATIENCE_SECONDS,
        )

    assert ada_client.get(f"{audit}report.json").json()["rubric"]["id"] == "small"
    assert ada_client.get(audit).status_code == httpx.codes.OK
    assert ada_client.get(f"{audit}report.pdf").content == report


@pytest.mark.django_db(transaction=True)
def test_large_report_is_refused_in_words(assignment: Assignment, ada_client: httpx.Client) -> None:
    """By the site up to nginx's limit, which its form fits in too; beyond that by nginx."""
    at_site, at_nginx = (
        post(
            ada_client,
            submit_path(assignment),
            file=b"%PDF-1.7\n" + bytes(size),
            repo_url="https://example.org/work",
        )
        for size in (MOST_BYTES - 4096, MOST_BYTES)
    )

    assert at_site.status_code == httpx.codes.OK
    assert "The limit is 25 MB." in at_site.text
    assert at_nginx.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE
    assert "A report has 25 MB at most." in at_nginx.text


def test_slow_senders_hold_no_thread_of_the_site(site: Site) -> None:
    with ExitStack() as stack, site.front.client() as client:
        for _ in range(3 * THREADS):
            raw = stack.enter_context(socket.create_connection((HOST, site.front.tls)))
            slow = stack.enter_context(site.front.trust.wrap_socket(raw, server_hostname=HOST))
            head = f"POST /accounts/login/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: {FORM}\r\n"
            slow.sendall(f"{head}Content-Length: 1000\r\n\r\nlogin=".encode())

        assert client.get("/accounts/login/").status_code == httpx.codes.OK


def test_addresses_that_let_in_are_in_no_log(tmp_path: Path, installation: Installation) -> None:
    (port,) = free_ports(1)
    with nginx(tmp_path, installation.home, port) as front, front.client() as client:
        referrer = {"Referer": f"{front.address}{SECRETS[0]}"}
        statuses = {client.get(secret).status_code for secret in SECRETS}
        code = client.get("/notices/?code=a-secret", headers=referrer)

    # Nobody answers behind nginx: a log of errors would hold each request.
    assert statuses == {code.status_code} == {httpx.codes.BAD_GATEWAY}
    assert '"GET /notices/ HTTP/1.1" 502' in front.log("access")
    assert "a-secret" not in front.log("access") + front.log("error")
