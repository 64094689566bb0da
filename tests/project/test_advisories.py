"""The check of locked packages: it names a known-bad version, and a silent service is no clean answer."""

from __future__ import annotations

import json

import pytest
from packaging.version import Version

from requirements.check_advisories import (
    FOLDER,
    LOCKS,
    ServiceAnswer,
    ask_service,
    pins_in,
    read_advisories,
    read_service_answer,
    weaknesses,
)

ADVISORIES = read_advisories((FOLDER / "advisories.json").read_text(encoding="utf-8"))


def locked() -> set[str]:
    return {pin.package for name in LOCKS for pin in pins_in((FOLDER / name).read_text("utf-8"))}


def ids_of(lock: str) -> list[str]:
    return [sentence.split(": ")[1] for sentence in weaknesses(pins_in(lock), ADVISORIES)]


@pytest.mark.parametrize(
    ("lock", "ids"),
    [
        ("django==5.2.14 \\\n    --hash=sha256:0\n", ["GHSA-8cjm-8mp7-r2xf"]),
        ("Django==5.2.15\n", []),
        ("pypdf==6.21.2 ; sys_platform == 'win32' \\\n", ["CVE-2026-119206"]),
        ("pypdf==6.21.3\n    # via django==5.2.1\n", []),
        ("urllib3==1.23\n", ["CVE-2026-21441"]),
        ("h11==0.14.0\nrequests==2.32.5\n", ["GHSA-vqfr-h8mv-ghfj", "GHSA-gc5v-m9x4-r6x2"]),
    ],
)
def test_known_bad_version_is_named_and_its_fix_is_not(lock, ids):
    assert ids_of(lock) == ids


@pytest.mark.parametrize("advisory", ADVISORIES, ids=lambda advisory: advisory.id)
def test_advisory_is_about_a_locked_package_and_alive(advisory):
    introduced, fixed = advisory.ranges[-1]
    affected = f"{fixed.release[0]}.{'.'.join(map(str, fixed.release[1:]))}.dev0"

    assert advisory.package in locked()
    assert advisory.link.startswith("https://")
    assert introduced < Version(affected) < fixed
    assert advisory.id in ids_of(f"{advisory.package}=={affected}\n")


def test_locked_versions_have_no_known_weakness():
    pins = {pin for name in LOCKS for pin in pins_in((FOLDER / name).read_text("utf-8"))}
    assert len(pins) > 100
    assert weaknesses(pins, ADVISORIES) == []


@pytest.mark.parametrize(
    "answer",
    ["", "No route", json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found"}]})],
)
def test_service_that_knows_no_package_has_not_answered(answer):
    assert read_service_answer(answer) is None


def test_answer_of_the_service_counts_what_it_knows():
    weak = {"id": "GHSA-1", "fix_versions": ["2.1"]}
    dependencies = [
        {"name": "a", "version": "2.0", "vulns": [weak]},
        {"name": "b", "skip_reason": "not found"},
    ]
    assert read_service_answer(json.dumps({"dependencies": dependencies})) == ServiceAnswer(
        2, 1, ("a 2.0: GHSA-1, fixed in 2.1",)
    )


def test_missing_pip_audit_is_no_answer(tmp_path):
    assert ask_service(str(tmp_path / "none")) is None
