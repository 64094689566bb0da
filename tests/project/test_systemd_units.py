"""The systemd units: valid, confined, and in step with the containers."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor_site import env
from tests.project.conftest import EXPECTED, require

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "deploy" / "systemd"
COMMON = (UNITS / "automaton-auditor-.service.d" / "common.conf").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())[
    "services"
]
# By their service in docker-compose.yml.
SAME = {
    "web": "web",
    "worker": "worker@",
    "letter_worker": "letter-worker",
    "reconciler": "reconciler",
    "migrate": "migrate",
}
SECONDS = {"s": 1, "m": 60}
# By `systemd-analyze security`, in tenths: 0 (confined) to 100. What reads submissions needs namespaces for bubblewrap.
MOST_EXPOSED = {
    "web": 28,
    "worker@1": 28,
    "letter-worker": 14,
    "reconciler": 14,
    "migrate": 14,
    "backup": 14,
}


def text_of(unit: str) -> str:
    return (UNITS / f"automaton-auditor-{unit}.service").read_text()


@pytest.mark.parametrize("service", SAME)
def test_unit_runs_what_the_container_runs(service: str) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    default = re.findall(r'"([^"]+)"', dockerfile.partition("\nCMD ")[2])
    command = SERVICES[service].get("command", default)
    words = " ".join(command).replace("python manage.py", "automaton-auditor manage")

    run = " ".join(text_of(SAME[service]).replace("\\\n", "").split())

    assert f"{EXPECTED}/bin/{words}".replace("0.0.0.0", "127.0.0.1") in run


@pytest.mark.parametrize("service", SAME)
def test_unit_stops_as_patiently_as_the_container(service: str) -> None:
    grace = SERVICES[service].get("stop_grace_period", "0s")
    patience = re.search(r"^TimeoutStopSec=(\d+)$", text_of(SAME[service]), re.MULTILINE)
    assert (int(patience[1]) if patience else 90) >= int(grace[:-1]) * SECONDS[grace[-1]]


def test_worker_alone_is_asked_to_stop() -> None:
    """Its other processes are the audit that it finishes."""
    for unit in ("web", "worker@", "letter-worker"):
        assert "\nKillMode=mixed\n" in text_of(unit)


@pytest.mark.parametrize("unit", ["web", "worker@"])
def test_bubblewrap_may_work_in_what_reads_submissions(unit: str) -> None:
    """Tried under systemd 252 and 257: with any of these it is refused, by one of them at least."""
    harmful = (
        "ProcSubset",
        "ProtectHostname",
        "ProtectKernelLogs",
        "ProtectKernelTunables",
        "RestrictSUIDSGID",
    )
    text = COMMON + text_of(unit)
    assert [setting for setting in harmful if f"\n{setting}=" in text] == []
    assert "\nRestrictNamespaces=user mnt pid net ipc\n" in text


def test_limits_are_those_of_the_containers() -> None:
    for service in SAME:
        assert f"\nMemoryMax={SERVICES[service]['mem_limit'].upper()}\n" in COMMON
        assert f"\nTasksMax={SERVICES[service]['pids_limit']}\n" in COMMON


def test_secrets_are_credentials_that_the_site_reads() -> None:
    loaded = set(re.findall(r"^LoadCredential=(\w+):", COMMON, re.MULTILINE))
    read = dict(re.findall(r"(\w+)_FILE=%d/(\w+)", COMMON))
    secrets = {variable.name for variable in env.VARIABLES if variable.secret}

    assert set(read.values()) == loaded | {"database_url"}
    assert set(read) <= secrets
    assert {name: name.lower() for name in read} == read


@pytest.mark.parametrize("unit", ["web", "worker@", "letter-worker", "reconciler"])
def test_only_commands_that_change_tables_get_the_owners_login(unit: str) -> None:
    credential = "LoadCredential=database_url:/etc/automaton-auditor/secrets"
    assert f"\n{credential}/database_url\n" in text_of(unit)
    for other in ("migrate", "backup"):
        assert f"\n{credential}/database_owner_url\n" in text_of(other)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root folder with the units, systemd's own, and the programs that they name."""
    require("systemd-analyze")
    root = tmp_path_factory.mktemp("machine")
    shutil.copytree(UNITS, root / "etc" / "systemd" / "system")
    shutil.copytree("/usr/lib/systemd/system", root / "usr/lib/systemd/system", symlinks=True)
    for program in re.findall(r"Exec\w+=(/\S+)", "".join(map(text_of, ALL))):
        file = root / program.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o755)
    return root


ALL = [path.stem.removeprefix("automaton-auditor-") for path in UNITS.glob("*.service")]


def analyze(machine: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        ["systemd-analyze", f"--root={machine}", *words],
        env={"PATH": "/usr/bin:/bin", "SYSTEMD_LOG_LEVEL": "warning"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.processes
def test_units_are_valid(machine: Path) -> None:
    names = [path.name.replace("@.", "@1.") for path in sorted(UNITS.glob("*.*")) if path.is_file()]
    assert len(names) == len(ALL) + 2
    assert analyze(machine, "verify", "--man=no", *names) == (0, "")


@pytest.mark.processes
@pytest.mark.parametrize("unit", MOST_EXPOSED)
def test_unit_is_confined(machine: Path, unit: str) -> None:
    code, table = analyze(
        machine,
        "security",
        "--offline=true",
        "--no-pager",
        f"--threshold={MOST_EXPOSED[unit]}",
        f"automaton-auditor-{unit}.service",
    )
    assert code == 0, table


@pytest.mark.processes
def test_unknown_setting_of_a_unit_is_found(machine: Path) -> None:
    """A setting that systemd does not know would be ignored."""
    broken = machine / "etc" / "systemd" / "system" / "automaton-auditor-broken.service"
    broken.write_text("[Service]\nExecStart=/bin/sh\nProtectSytem=strict\n")
    try:
        assert "ProtectSytem" in analyze(machine, "verify", "--man=no", broken.name)[1]
    finally:
        broken.unlink()
