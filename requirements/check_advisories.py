"""Compare the locked versions with known weaknesses: `make audit-dependencies`.

advisories.json needs no network. pip-audit asks its service about the same versions; where that
gives no answer, the check says so and rests on the list alone. The exit code is 1 for a weakness.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

FOLDER = Path(__file__).parent
# dev.txt holds runtime.txt, guards.txt, sentences.txt, storage.txt and telemetry.txt, too.
LOCKS = (
    *("runtime.txt", "guards.txt", "sentences.txt", "storage.txt", "telemetry.txt"),
    *("providers.txt", "dev.txt", "lint.txt"),
)
SERVICE_SECONDS = 300
SKIPPED = "SKIPPED: pip-audit gave no answer; only the list was compared."
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True, order=True, slots=True)
class Pin:
    """Exact version of a package in a lock file."""

    package: str
    version: str


@dataclass(frozen=True, slots=True)
class Advisory:
    """Published weakness; each range goes from its first version to the one that is fixed."""

    id: str
    package: str
    summary: str
    link: str
    ranges: tuple[tuple[Version, Version], ...]

    def affects(self, pin: Pin) -> bool:
        version = Version(pin.version)
        return self.package == pin.package and any(
            introduced <= version < fixed for introduced, fixed in self.ranges
        )


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """Numbers of packages that were asked about and that the service knows, and its weaknesses."""

    package_count: int
    answered_count: int
    weaknesses: tuple[str, ...]


def read_advisories(text: str) -> tuple[Advisory, ...]:
    """Return the advisories of a text in the form of advisories.json."""
    return tuple(
        Advisory(
            id=row["id"],
            package=canonicalize_name(row["package"]),
            summary=row["summary"],
            link=row["link"],
            ranges=tuple(
                (Version(bounds["introduced"]), Version(bounds["fixed"]))
                for bounds in row["ranges"]
            ),
        )
        for row in json.loads(text)["advisories"]
    )


def pins_in(lock: str) -> Iterator[Pin]:
    """Yield the versions of a lock file's text, those for other platforms too."""
    for name, version in _PIN.findall(lock):
        yield Pin(canonicalize_name(name), version)


def weaknesses(pins: Iterable[Pin], advisories: Sequence[Advisory]) -> list[str]:
    """Return a sentence for each locked version that an advisory affects."""
    return [
        f"{pin.package} {pin.version}: {advisory.id}: {advisory.summary} {advisory.link}"
        for pin in sorted(set(pins))
        for advisory in advisories
        if advisory.affects(pin)
    ]


def read_service_answer(text: str) -> ServiceAnswer | None:
    """Return what pip-audit printed as JSON; None where its service knew no package at all.

    Behind a package mirror every package can be unknown to the service, and pip-audit then reports
    no weakness.
    """
    try:
        dependencies: list[dict[str, Any]] = json.loads(text)["dependencies"]
    except ValueError:
        return None

    answered = [dependency for dependency in dependencies if "skip_reason" not in dependency]
    sentences = [
        f"{dependency['name']} {dependency['version']}: {weakness['id']}, fixed in "
        f"{', '.join(weakness['fix_versions']) or 'no version'}"
        for dependency in answered
        for weakness in dependency["vulns"]
    ]
    return ServiceAnswer(len(dependencies), len(answered), tuple(sentences)) if answered else None


def ask_service(pip_audit: str) -> ServiceAnswer | None:
    """Return the answer of pip-audit's service; None where it gives none."""
    locks = [word for name in LOCKS[2:] for word in ("--requirement", str(FOLDER / name))]
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    try:
        completed = subprocess.run(
            [pip_audit, *options, *locks],
            capture_output=True,
            text=True,
            timeout=SERVICE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read_service_answer(completed.stdout)


def main(pip_audit: str) -> int:
    text = (FOLDER / "advisories.json").read_text(encoding="utf-8")
    advisories = read_advisories(text)
    pins = {pin for name in LOCKS for pin in pins_in((FOLDER / name).read_text(encoding="utf-8"))}
    sentences = weaknesses(pins, advisories)
    date = json.loads(text)["checked_on"]
    counts = f"{len(pins)} locked versions, {len(advisories)} advisories of {date}"
    lines = [f"{counts}: {len(sentences)} weaknesses."]

    answer = ask_service(pip_audit)
    if answer is None:
        lines.append(SKIPPED)
    else:
        lines.append(
            f"The service of pip-audit knows {answer.answered_count} of {answer.package_count} packages: "
            f"{len(answer.weaknesses)} weaknesses."
        )
        sentences += answer.weaknesses

    sys.stdout.write("\n".join([*lines, *sentences]) + "\n")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
