"""Names that a report places in a file, and another file defines."""

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claimed_names import CheckedNames, ClaimedName
from courtroom.analysis.pdf_claims.placed_names import PlacedName, misplaced_names
from courtroom.checks.pdf_paths import PdfPaths, names_exist

SOURCES = {
    "": "src/tools/git.py src/tools/safety.py",
    "src/tools/git.py": "from src.tools.safety import CloneBox\n\n\ndef use_it():\n    CloneBox()\n",
    "src/tools/safety.py": "import os\n\n\nclass CloneBox:\n    def clone(self): ...\n\n\ndef keep_out(): ...\n",
}
BOX = PlacedName("CloneBox", "src/tools/git.py", "src/tools/safety.py", 4, 1)


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Security: CloneBox.clone in src/tools/git.py guards it.", [BOX]),
        ("The keep_out() helper in git.py guards it.", ["keep_out"]),
        ("Each run makes a CloneBox in src/tools/git.py for it.", []),
        ("Security: CloneBox.clone in src/tools/safety.py guards it.", []),
        ("Security: CloneBox.clone in src/other.py guards it.", []),
        ("The open_box() helper in git.py guards it.", []),
    ],
)
def test_name_that_another_file_alone_defines_is_misplaced(sentence, names):
    placed = misplaced_names(PdfReading(pages=(sentence,)), SOURCES)
    assert [row if row == BOX else row.name for row in placed] == names


def test_misplaced_name_is_told_with_the_line_that_defines_it():
    check = PdfPaths(id="a.b", goal="They exist", aspect="names_exist")
    existing = tuple(ClaimedName(name, 1, "") for name in ("CloneBox", "use_it", "keep_out"))
    finding = names_exist(check, CheckedNames(existing, (), (BOX,)))
    assert finding.met is True
    assert finding.reason.endswith(
        "all of them (which class has each was not compared). The report places CloneBox in"
        " src/tools/git.py (page 1), and src/tools/safety.py:4 defines it."
    )
