"""Files that a README names and that the repository lacks."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.readme_files import absent_files

TREE = ("README.md", "src/graph.py", "src/nodes/judges.py")


def sentences(readme: str, named_in: str = "") -> list[str]:
    faults = list(absent_files("README.md", readme, TREE, named_in))
    assert {fault.kind for fault in faults} <= {"absent_file"}
    return [fault.sentence for fault in faults]


def test_other_report_than_the_drawn_one_may_be_the_works():
    drawn = "```\ncourt/\n└── reports/\n    └── final_report.pdf\n```"
    assert list(absent_files("README.md", drawn, (*TREE, "week2_report.pdf"))) == []


DRAWN = """
```
court/
├── src/
│   ├── graph.py
│   ├── engine.py      # runs it
│   └── nodes/
│       ├── judges.py
│       └── justice.py
├── reports/
│   └── final.md
└── uv.lock
```
"""


def test_drawn_files_that_are_not_there_are_one_fault():
    (fault,) = absent_files("README.md", DRAWN, TREE)
    assert fault.sentence == (
        "the README names src/engine.py, src/nodes/justice.py and uv.lock as files of the work,"
        " which the repository does not have"
    )
    assert (fault.path, fault.line) == ("README.md", 6)
    assert fault.places == (("README.md", 9), ("README.md", 12))


@pytest.mark.parametrize(
    ("readme", "name"),
    [
        ("The entry is `src/run.py`.", "src/run.py"),
        ("The entry is `./src/run.py`, see also `src/run.py`.", "src/run.py"),
        ("The entry is `src/graph.py`, moved from `lib/graph.py`.", ""),
        ("The entry is src/run.py.", ""),
        ("The entry will be `src/run.py`.", ""),
        ("Look at `src/run.py` of the target.", ""),
        ("## Roadmap\n\n`src/run.py` runs it.\n", ""),
        ("## Roadmap\n\n## Use\n\n`src/run.py` runs it.\n", "src/run.py"),
        ("It writes `reports/last.md`.", ""),
        ("- src/run.py -- starts it", "src/run.py"),
        ("Start it:\n\n   python3 src/run.py https://host/work.git", "src/run.py"),
        ("```\ncourt/\n└── reports/\n    └── final_report.pdf\n```", "reports/final_report.pdf"),
    ],
)
def test_named_file_of_code_is_looked_for(readme: str, name: str):
    sentence = f"the README names {name} as a file of the work, which the repository does not have"
    assert sentences(readme) == ([sentence] if name else [])
    assert sentences(readme, f"python {name} needs {name}") == []
