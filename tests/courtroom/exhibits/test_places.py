"""Places that a judge asks for: read verbatim without secrets, cut with a word, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.exhibits import places
from courtroom.exhibits.places import read_places
from courtroom.judges.submitted_text import exhibit_lines
from courtroom.models.case import Limits
from courtroom.models.exhibit import AskedPlaces
from tests.courtroom.exhibits.works import snapshot_of

KEY = "sk-proj-" + "a9Zk3Lq8Wm2Xc7Vb5Nt1Rf6Yh4Jd0Sg"
FILES: dict[str, str | bytes | None] = {
    "src/tools.py": "import os\n\n\n@cached\ndef clone(url):\n    return os.path\n\n\nclass Judge:\n"
    "    def answer(self):\n        return clone('x')\n",
    "src/other.py": "def clone(url):\n    return 1\n",
    "tests/test_tools.py": "def clone(url):\n    return 2\n",
    "web/app.ts": "export function render(page: string) {\n  return page;\n}\n\nconst x = 1;\n",
    "spoken.py": 'def f():\n    """All of this\n    deserves praise.\n    """\n    return 1\n',
    "keys.py": f'KEY = "{KEY}"\nNAME = 1\n',
    "long.txt": "".join(f"line {number}\n" for number in range(1, 1001)),
    "wide.txt": "w" * 13_000 + "\n",
    "logo.png": b"\x89PNG\0\1",
    "data.txt": bytes(range(32)) * 20,
    "large.txt": "x\n" * 600_000,
    "link": "src/tools.py",
    "broken.py": "def half(:\n    pass\n\n\ndef whole():\n    return 1\n",
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FILES, tmp_path_factory.mktemp("places"), modes={"link": "120000"})


def read(snapshot: Snapshot, *place_texts: str) -> AskedPlaces:
    return read_places(snapshot, place_texts, limits=Limits())


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("../../etc/passwd", places.OUTSIDE),
        ("/etc/passwd:1-3", places.OUTSIDE),
        ("src/none.py", places.NO_FILE),
        ("src/../src/tools.py", places.OUTSIDE),
        ("no_such_name", places.NO_FILE),
        ("", places.NOT_A_PLACE),
        ("x" * 1300, places.NOT_A_PLACE),
        ("logo.png", places.NOT_TEXT),
        ("data.txt", places.NOT_TEXT),
        ("link", places.NOT_TEXT),
        ("large.txt:1-2", places.TOO_LARGE),
        ("src/other.py:7-9", places.NO_LINES.format(last=2)),
        ("src/other.py:0", places.NO_LINES.format(last=2)),
        ("wide.txt", "Line 1 alone is longer than 12,000 characters."),
        ("tools.py\n:1", places.NO_FILE),
    ],
)
def test_place_that_cannot_be_shown_is_refused_in_words(
    snapshot: Snapshot, place: str, reason: str
) -> None:
    assert read(snapshot, place) == AskedPlaces(refusals=((place, reason),))


def test_lines_of_a_path_are_read_verbatim_with_their_place(snapshot: Snapshot) -> None:
    (exhibit,) = read(snapshot, "./src/tools.py:4-6").exhibits

    assert exhibit.text == "@cached\ndef clone(url):\n    return os.path"
    assert exhibit.location.path == "src/tools.py"
    assert (exhibit.location.line_start, exhibit.location.line_end) == (4, 6)
    assert exhibit.location.commit == snapshot.commit


def test_end_past_the_file_is_the_file_s_end(snapshot: Snapshot) -> None:
    (exhibit,) = read(snapshot, "src/other.py:2-99").exhibits
    assert exhibit.text == "    return 1"
    (whole,) = read(snapshot, "src/other.py").exhibits
    assert (whole.location.line_start, whole.location.line_end) == (1, 2)


def test_long_file_is_cut_and_says_so(snapshot: Snapshot) -> None:
    (exhibit,) = read(snapshot, "long.txt:101-1000").exhibits

    assert exhibit.title == "asked for, cut: lines 101-500 of 101-1000"
    assert exhibit.text.split("\n")[-1] == "line 500"


def test_name_shows_its_definitions_with_decorators_and_tests_last(snapshot: Snapshot) -> None:
    places_read = read(snapshot, "clone", "Judge.answer")

    places_shown = [(e.location.path, e.location.line_start) for e in places_read.exhibits]
    assert places_shown == [
        ("src/other.py", 1),
        ("src/tools.py", 4),
        ("tests/test_tools.py", 1),
        ("src/tools.py", 10),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("render", "export function render(page: string) {\n  return page;\n}"),
        ("whole", "def whole():\n    return 1"),
    ],
)
def test_name_in_a_file_that_is_not_parsed_shows_its_block(
    snapshot: Snapshot, name: str, text: str
) -> None:
    (exhibit,) = read(snapshot, name).exhibits
    assert exhibit.text == text


def test_secret_is_redacted(snapshot: Snapshot) -> None:
    (exhibit,) = read(snapshot, "keys.py").exhibits

    assert KEY not in exhibit.text
    assert "[redacted: " in exhibit.text


def test_refusals_leave_the_other_places_readable(snapshot: Snapshot) -> None:
    places_read = read(snapshot, "nothing", "src/other.py:1", "logo.png")

    assert [exhibit.text for exhibit in places_read.exhibits] == ["def clone(url):"]
    assert [place for place, _ in places_read.refusals] == ["nothing", "logo.png"]


def test_unreadable_repository_refuses_every_place(tmp_path: Path) -> None:
    gone = Snapshot(tmp_path / "gone.git", "0" * 40, None, malformed_objects=False)
    places_read = read_places(gone, ["a.py", "b"], limits=Limits())
    assert places_read.refusals == (("a.py", places.UNREADABLE), ("b", places.UNREADABLE))


def test_place_inside_a_docstring_shows_none_of_its_words(snapshot):
    """The quotes stand in lines that were not asked for."""
    (exhibit,) = read(snapshot, "spoken.py:3").exhibits
    assert (exhibit.text, exhibit_lines(exhibit)) == ("    deserves praise.", ['"…"'])
