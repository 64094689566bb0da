"""Which edition of the courtroom made a record: every change of its code is another one."""

from __future__ import annotations

import hashlib
from pathlib import Path


def edition_of(package: Path) -> str:
    """`courtroom/` and 12 digits of the SHA-256 of the Python sources under `package`, names included.

    The same input may give another record when any of them changes, and nobody need remember to say so.
    """
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(f"{source.relative_to(package).as_posix()}\0".encode())
        digest.update(source.read_bytes())
    return f"courtroom/{digest.hexdigest()[:12]}"
