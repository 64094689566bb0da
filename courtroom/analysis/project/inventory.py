"""Measure all text files of a repository by language, and search them for secrets, in one pass.

Installed packages, lock files and binary files are skipped: nobody wrote them by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from courtroom.analysis.git.blobs import BINARY_PROBE, BlobReader, text_of
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.languages import is_binary, language_of, may_be_code
from courtroom.analysis.project.project_files import LOCKS
from courtroom.analysis.python.source_files import is_vendored
from courtroom.analysis.security.committed_secrets import Secret, secrets_in


@dataclass(slots=True)
class Inventory:
    """Files and lines by language, secrets with their paths, and files too large to read.

    `code_files` counts files with a line that may be code, also where they are not the product.
    """

    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    secrets: list[tuple[str, Secret]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    code_files: int = 0

    @property
    def languages(self) -> list[dict[str, str | int]]:
        """Return the sizes as facts, most lines first."""
        ranked = sorted(self.sizes.items(), key=lambda item: (-item[1][1], item[0]))
        return [
            {"language": name, "files": files, "lines": lines} for name, (files, lines) in ranked
        ]


def take_inventory(reader: BlobReader, aside: Collection[str] = ()) -> Inventory:
    """Measure and search the files; those in `aside` are searched only: they are not the product."""
    inventory = Inventory()
    for path, content in _texts(reader, inventory):
        inventory.code_files += bool(content.strip()) and may_be_code(path)
        language = None if path in aside else language_of(path)
        if language is not None:
            files, lines = inventory.sizes.get(language, (0, 0))
            inventory.sizes[language] = files + 1, lines + _line_count(content)
        inventory.secrets += ((path, secret) for secret in secrets_in(text_of(content), path))
    return inventory


def _texts(reader: BlobReader, inventory: Inventory) -> Iterator[tuple[str, bytes]]:
    for path, blob in reader.blobs.items():
        if not blob.is_file or is_binary(path) or is_vendored(path) or matches(path, LOCKS):
            continue
        content = reader.read(path)
        if content is None:
            inventory.unread.append(path)
            inventory.code_files += may_be_code(path)
        elif b"\0" not in content[:BINARY_PROBE]:
            yield path, content
        else:
            # In another encoding: it is not measured, but it may be code all the same.
            inventory.code_files += language_of(path) is not None and may_be_code(path)


def _line_count(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
