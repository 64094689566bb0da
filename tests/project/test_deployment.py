"""What docker-compose.yml and the Dockerfile promise before anything runs.

tests/image starts the site's own services from the image, under these files.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor_site import env

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
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


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_lasting_service_has_a_healthcheck(name: str) -> None:
    assert ("healthcheck" in SERVICES[name]) != (name in ONE_SHOT)


def test_settings_of_the_containers_are_declared() -> None:
    declared = {variable.name for variable in env.VARIABLES}
    declared |= {f"{variable.name}_FILE" for variable in env.VARIABLES if variable.secret}
    named = {setting for name in OURS for setting in SERVICES[name]["environment"]}
    built = set(re.findall(r"\b([A-Z_]+)=\S", DOCKERFILE))
    python = {"DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    building = {"BASE", "PATH", "PIP_CERT", "SSL_CERT_FILE", "UV"}
    assert {name for name in named | built if not name.startswith("LANGSMITH_")} - declared == (
        python | building
    )


def test_containers_get_every_setting_but_those_of_one_machine() -> None:
    declared = {variable.name for variable in env.VARIABLES}
    given = {name.removesuffix("_FILE") for name in SERVICES["web"]["environment"]}
    # The image names its own folder and port, and compose says how many workers there are.
    assert declared - given == {"MEDIA_ROOT", "PORT", "AUDIT_WORKERS", "ALLOW_LOCAL_REPOSITORIES"}


@pytest.mark.parametrize("kind", ["configs", "secrets"])
@pytest.mark.parametrize("name", sorted(SERVICES))
def test_service_with_a_read_only_root_takes_files_alone(name: str, kind: str) -> None:
    """Compose refuses to write text of its own file, or of its environment, into such a root."""
    for given in SERVICES[name].get(kind, []):
        source = COMPOSE[kind][given["source"] if isinstance(given, dict) else given]
        assert source.keys() == {"file"}


def test_configuration_is_a_file_of_the_project() -> None:
    for config in COMPOSE["configs"].values():
        assert (ROOT / config["file"]).is_file()


def test_image_is_installed_by_the_version_of_uv_that_makes_the_locks() -> None:
    (version,) = re.findall(r"^ARG UV=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert f"UV_VERSION := {version}\n" in (ROOT / "Makefile").read_text()


def test_secret_is_a_declared_and_mounted_file() -> None:
    assert {
        secret for service in SERVICES.values() for secret in service.get("secrets", [])
    } == set(COMPOSE["secrets"])
    for service in SERVICES.values():
        values = service.get("environment", {}).values()
        files = {Path(value).name for value in values if value.startswith("/run/secrets/")}
        assert files - set(service.get("secrets", [])) == set()


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
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${BASE}"]
    assert len(images) + len(bases) == 3
    for image in [*images, *bases]:
        assert re.search(r":\d[\w.-]+@sha256:[0-9a-f]{64}\}?$", image), image
