"""The composition under podman: its services as containers of the image that `make image` built."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "localhost/automaton-auditor"
HOST = "audits.example"
LASTING = ("web", "worker", "letter_worker", "reconciler")
# The operator's `.env`.
SETTINGS = {
    "ALLOWED_HOSTS": HOST,
    "SITE_URL": f"https://{HOST}",
    "EMAIL_URL": "console:",
    "SUBMISSION_GRACE_SECONDS": "0",
    "AUDIT_LEASE_SECONDS": "8",
}
PROGRAM = ROOT / ".venv" / "lint" / "bin" / "podman-compose"
# Docker's containers have nothing writable in /run and /var/tmp, and so shall podman's.
OPTIONS = ["--in-pod=false", "--podman-run-args=--read-only-tmpfs=false"]
FILE, OVERRIDE = "--file=docker-compose.yml", "--file=compose.override.yaml"
# runc also runs where both versions of cgroups are mounted. Podman's own limits of files and
# processes may be higher than this machine lets anybody have.
CONFIGURATION = """
[containers]
default_ulimits = ["nofile={files}:{files}", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


@dataclass(frozen=True, slots=True)
class Composition:
    """A project of podman-compose in the folder of its operator."""

    folder: Path
    project: str

    def compose(self, *words: str) -> str:
        options = [f"--project-name={self.project}", *OPTIONS, FILE, OVERRIDE]
        return self._run(str(PROGRAM), *options, *words).stdout

    def podman(self, *words: str) -> str:
        return self._run("podman", *words).stdout

    def execute(self, service: str, *command: str, given: str = "") -> str:
        words = ["exec", "-i", self.container(service), *command]
        return self._run("podman", *words, given=given).stdout

    def container(self, service: str) -> str:
        return f"{self.project}_{service}_1"

    def inspect(self, service: str) -> dict[str, Any]:
        described: dict[str, Any] = json.loads(self.podman("inspect", self.container(service)))[0]
        return described

    def pid(self, service: str) -> int:
        """Return the first process of the service's container."""
        number: int = self.inspect(service)["State"]["Pid"]
        return number

    def services(self) -> dict[str, dict[str, Any]]:
        """Return the services of docker-compose.yml as podman-compose understands them."""
        merged = yaml.safe_load(self._run(str(PROGRAM), FILE, "config").stdout)
        services: dict[str, dict[str, Any]] = merged["services"]
        return services

    def is_healthy(self, service: str) -> bool:
        """Return whether the service's own health check holds."""
        words = ["podman", "healthcheck", "run", self.container(service)]
        return subprocess.run(words, env=self.environment, check=False).returncode == 0

    def log(self, service: str) -> str:
        done = self._run("podman", "logs", self.container(service))
        return done.stdout + done.stderr

    @property
    def environment(self) -> dict[str, str]:
        configuration = self.folder / "containers.conf"
        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        configuration.write_text(CONFIGURATION.format(files=files))
        return os.environ | {"CONTAINERS_CONF": str(configuration)}

    def _run(self, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            input=given,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done
