"""Version of the courtroom's code, as a digest: every change of a source file makes another one."""

from __future__ import annotations

import hashlib
from pathlib import Path


def code_version_of(package: Path) -> str:
    """Return `courtroom/` and 12 digits of the SHA-256 of the Python sources under `package`.

    Other code may make another report of the same input; a digest needs nobody to raise a number.
    """
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        # The name belongs to it: a moved file is another version.
        digest.update(f"{source.relative_to(package).as_posix()}\0".encode())
        digest.update(source.read_bytes())
    return f"courtroom/{digest.hexdigest()[:12]}"
