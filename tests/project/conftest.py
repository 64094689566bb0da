"""The wheel, and an installation of it."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Where the units and the nginx sample expect an installation.
EXPECTED = "/opt/automaton-auditor/current"


@dataclass(frozen=True)
class Installation:
    """A virtual environment with the wheel. The other packages are those of the tests."""

    home: Path

    @property
    def program(self) -> Path:
        return self.home / "bin" / "automaton-auditor"

    @property
    def files(self) -> Path:
        return self.home / "share" / "automaton-auditor"

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the command outside the checkout, with these variables alone."""
        return subprocess.run(
            [self.program, *words],
            cwd=self.home,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def command_of(self, unit: str) -> list[str]:
        """Return what a unit starts, in this installation."""
        text = (self.files / "systemd" / f"automaton-auditor-{unit}.service").read_text()
        line = text.replace("\\\n", "").partition("\nExecStart=")[2].partition("\n")[0]
        program, *words = shlex.split(line.replace(EXPECTED, str(self.home)))
        # Programs of other packages are not in this environment, only their modules.
        if Path(program).exists():
            return [program, *words]
        return [str(self.home / "bin" / "python"), "-m", Path(program).name, *words]

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def require(*programs: str) -> None:
    """Skip the test without these programs; with REQUIRE_PEERS=1 (CI) it fails."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        absent = (
            f"{' and '.join(missing)} must be installed: apt-get install nginx openssl systemd."
        )
        (pytest.fail if os.environ.get("REQUIRE_PEERS") == "1" else pytest.skip)(absent)


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), cwd=ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    home = tmp_path_factory.mktemp("installation") / "0.1.0"
    run("-m", "venv", "--without-pip", str(home))
    packages = home / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    (packages / "shared.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    run("-m", "uv", "pip", "install", "--offline", "--no-deps", "--python", str(home), str(wheel))
    return Installation(home)


def run(*words: str, cwd: Path | None = None) -> None:
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
