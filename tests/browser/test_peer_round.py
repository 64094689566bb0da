"""A whole round of peers in a real browser, with a real worker: four students over two attempts.

Whoever teaches starts a round; each student hands in, audits a peer (two by this site's courtroom, two with a report of
their own auditor), reads what came in, answers it, mends it in the repository, hands in again and sees what that changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Locator, Page, expect

from grading.engine import audits as engine_audits
from tests.browser.tabs import AUDIT_PATIENCE_MS, PATIENCE_MS, Chromium, session_of, tab
from tests.factories.people import staff_user, student
from tests.factories.repositories import Commit, git, make_repository
from tests.factories.work import AssignmentFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
NAMES = (
    "Adalind Alpha",
    "Bohumil Bravo",
    "Cyprian Charlie",
    "Dorothea Delta",
)  # nothing a token may hold by chance
UNSAFE = 'import os\n\n\ndef clone(url):\n    os.system(f"git clone {url}")\n'
SAFE = 'import subprocess\n\n\ndef clone(url):\n    subprocess.run(["git", "clone", "--", url], check=True)\n'
BEGUN = [
    Commit(message="Begin", files={"README.md": "# Work\n"}),
    Commit(message="Clone", files={"src/clone.py": UNSAFE}),
]
MENDED = Commit(
    message="Clone without a shell",
    files={"src/clone.py": SAFE, "src/rules.py": "def run(text):\n    return eval(text)\n"},
)
REPORT = """# Audit of a peer

## Safe
Score: 2/5

### Remediation

- `src/clone.py:5`: Call git with a list of arguments, {name} says.
"""
CHECKS: list[dict[str, Any]] = [
    {
        "id": "safe.shell",
        "kind": "unsafe_call",
        "goal": "Nothing runs through a shell",
        "polarity": "negative",
        "any_of": ["os_system"],
    },
    {
        "id": "safe.eval",
        "kind": "unsafe_call",
        "goal": "Nothing is evaluated",
        "polarity": "negative",
        "any_of": ["eval_exec"],
    },
    {
        "id": "safe.tests",
        "kind": "file_exists",
        "goal": "There are tests",
        "fault": "There are no tests",
        "any_of": ["tests/*"],
    },
]
RUBRIC = {
    "id": "small",
    "name": "Small",
    "version": "1",
    "criteria": [{"id": "safe", "name": "Safe", "checks": CHECKS}],
}


class Class:
    """The assignment with its four students, and what they have in their repositories."""

    def __init__(self, folder: Path, address: str) -> None:
        document = engine_audits.read_rubric(json.dumps(RUBRIC))
        self.assignment = AssignmentFactory.create(
            rubric_version__document=document.document,
            rubric_version__digest=document.digest,
            title="Week 2",
        )
        self.folder, self.address = folder, address
        self.sessions = {
            name: self.session(student(self.assignment.cohort, name=name).user) for name in NAMES
        }
        self.teacher = self.session(staff_user(self.assignment.organization))
        for name in NAMES:
            make_repository(self.repository(name), BEGUN)

    def session(self, user: Any) -> Any:
        return session_of(user, self.address)

    def repository(self, name: str) -> Path:
        return self.folder / f"{name.partition(' ')[0].lower()}.git"

    def mend(self, name: str) -> str:
        """Push a commit that mends what was found, and brings something new; its hash."""
        elsewhere = self.folder / "mended" / self.repository(name).name
        elsewhere.parent.mkdir(exist_ok=True)
        commit = make_repository(elsewhere, [*BEGUN, MENDED])
        git("fetch", "-q", str(elsewhere), "main:main", at=self.repository(name))
        return commit

    def page(self, name: str) -> str:
        slugs = [
            self.assignment.organization.slug,
            self.assignment.cohort.slug,
            self.assignment.slug,
        ]
        return reverse(name, args=slugs[: 2 if name == "peers" else 3])


def start_round(page: Page, room: Class) -> None:
    page.goto(room.page("round-new"))
    page.get_by_label("Peers", exact=True).fill("1")
    page.get_by_label("Double-blind").check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Start the round").click()
    expect(page.get_by_role("heading", name="Round 1", level=1)).to_be_visible()


def hand_in(page: Page, room: Class, name: str) -> None:
    """Submit, and wait until the page of the running audit has turned into its report by itself.

    While it runs the page may reload itself at any moment, also when a test leaves it.
    """
    page.goto(room.page("submit"))
    page.get_by_label("Repository").fill(str(room.repository(name)))
    page.get_by_role("button", name="Submit for audit").click()
    expect(page.get_by_role("heading", name="Verdicts at a glance")).to_be_visible(
        timeout=AUDIT_PATIENCE_MS
    )


def open_pairing(page: Page, room: Class) -> None:
    page.goto(room.page("peers"))
    page.get_by_role("link", name=re.compile(r"^Peer \d+$")).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^I audit Peer \d+$"))


def audit_by_the_courtroom(page: Page, room: Class, name: str) -> None:
    """The report appears on the page by itself."""
    open_pairing(page, room)
    page.get_by_role("button", name="Audit their work").click()
    page.get_by_role("link", name="On attempt 1").click()
    expect(page.get_by_text("signed by this site")).to_be_visible()


def audit_with_an_own_auditor(page: Page, room: Class, name: str) -> None:
    file = room.folder / f"{name}.md"
    file.write_text(REPORT.format(name=name))
    open_pairing(page, room)
    page.get_by_label("Report", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("imported, unsigned")).to_be_visible()


def read_and_answer(page: Page, room: Class, name: str) -> None:
    """Read what was received, mend it and say so; what can wait is deferred."""
    page.goto(room.page("peers"))
    page.get_by_role("link", name=re.compile(r"^Peer \d+$")).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Peer \d+ on my work$"))
    nobody_is_named(page, name)
    page.get_by_role("link", name="Answer the findings").click()
    answer(page, "src/clone.py", "Fixed in a commit", commit=room.mend(name))
    answer(page, "There are no tests", "Deferred, because …", reason="The parser comes first.")


def answer(page: Page, finding: str, kind: str, *, commit: str = "", reason: str = "") -> None:
    """On the page of findings, and back to it."""
    page.get_by_role("row", name=finding).get_by_role("link").first.click()
    page.get_by_label(kind).check()
    page.get_by_role("textbox", name="Commit").fill(commit)
    page.get_by_role("textbox", name="Reason or plan").fill(reason)
    page.get_by_role("button", name="Save answer").click()
    expect(page.get_by_text("Answer saved.")).to_be_visible()
    page.get_by_role("link", name="Findings", exact=True).click()


def nobody_is_named(page: Page, me: str) -> None:
    content = page.content()
    assert [word for name in NAMES if name != me for word in name.split() if word in content] == []


def look_at_what_changed(page: Page, room: Class, name: str) -> None:
    page.goto(room.page("findings"))
    load_until(page, page.get_by_text("confirmed"))  # an audit no longer sees it
    for state, finding in (
        ("Fixed", "src/clone.py"),
        ("New", "src/rules.py"),
        ("Still open", "tests"),
    ):
        expect(
            page.get_by_role("region", name=state).get_by_role("row", name=finding)
        ).to_be_visible()
    page.goto(room.page("loop"))
    led_by_a_peer = page.get_by_role("row").filter(has_text="src/clone.py").filter(has_text="Peer")
    expect(led_by_a_peer).to_be_visible()
    page.goto(room.page("peers"))
    expect(page.get_by_role("definition").nth(3)).to_contain_text("1 of")
    nobody_is_named(page, name)


def load_until(page: Page, awaited: Locator) -> None:
    deadline = monotonic() + PATIENCE_MS / 1000
    while not awaited.is_visible():
        assert monotonic() < deadline
        page.reload()


@contextmanager
def signed_in(browser: Browser, room: Class) -> Iterator[dict[str, Page]]:
    """A tab of each student in a profile of their own, open for the whole round."""
    with ExitStack() as stack:
        pages = {name: stack.enter_context(tab(browser, room.address)) for name in NAMES}
        for name, page in pages.items():
            page.context.add_cookies([room.sessions[name]])
        yield pages


def as_students(
    pages: dict[str, Page], room: Class, do: Callable[[Page, Class, str], None], *names: str
) -> None:
    for name in names or NAMES:
        do(pages[name], room, name)


def test_a_whole_round_of_four_students_over_two_attempts(
    live_server: Any, worker: None, chromium: Chromium, tmp_path: Path
) -> None:
    room = Class(tmp_path, live_server.url)
    with (
        chromium.open() as browser,
        tab(browser, room.address) as teacher,
        signed_in(browser, room) as pages,
    ):
        teacher.context.add_cookies([room.teacher])
        start_round(teacher, room)
        as_students(pages, room, hand_in)
        as_students(pages, room, audit_by_the_courtroom, *NAMES[::2])
        as_students(pages, room, audit_with_an_own_auditor, *NAMES[1::2])
        as_students(pages, room, read_and_answer)
        as_students(pages, room, hand_in)
        as_students(pages, room, look_at_what_changed)
        teacher.reload()
        expect(teacher.get_by_role("definition").first).to_have_text("4")
