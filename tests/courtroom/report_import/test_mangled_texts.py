"""Reports whose lines, characters or markup were mangled: they are read as the original."""

import pytest

from courtroom import read_report
from courtroom.report_import.imported_report import ImportedReport
from tests.courtroom.report_import.report_values import (
    arguments,
    bench,
    notes,
    pair,
    places,
    scores,
)

PLAIN = """# Audit Report

**Repository:** https://example.org/team/court
**Overall Score:** 3.0/5

### Git Forensic Analysis
**Final Score:** 4/5

- **Prosecutor** (Score: 3): Late commits.
- **Defense** (Score: 5): Steady work.

### Tool Safety
**Final Score:** 2/5

- **Prosecutor** (Score: 1): A shell.

## Remediation Plan

- Replace `os.system` in `src/tools.py:14`
"""


def expect_the_plain_report(report: ImportedReport) -> None:
    assert report.repo_url == "https://example.org/team/court"
    assert pair(report.overall) == (3, 5)
    assert scores(report) == {"Git Forensic Analysis": (4, 5), "Tool Safety": (2, 5)}
    assert bench(report) == {
        "Git Forensic Analysis": [("Prosecutor", 3), ("Defense", 5)],
        "Tool Safety": [("Prosecutor", 1)],
    }
    assert places(report) == [(None, "src/tools.py", 14, None)]


@pytest.mark.parametrize(
    "mangle",
    [
        pytest.param(lambda text: text, id="as it is"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r"), id="CR"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(
            lambda text: text.replace("e", "e\u200b").replace("o", "\u202eo"),
            id="invisible characters",
        ),
        pytest.param(lambda text: f"```markdown\n{text}\n```\n", id="in a fence"),
        pytest.param(lambda text: f"```python\n{text}", id="under a fence that is never closed"),
        pytest.param(lambda text: "\n".join(f"> {line}" for line in text.split("\n")), id="quoted"),
        pytest.param(lambda text: text.replace("**", "__").replace("- ", "* "), id="other marks"),
        pytest.param(
            lambda text: text.replace("### ", "###").replace("## ", "##"),
            id="no blank after the hash",
        ),
        pytest.param(lambda text: text.replace(" ", "\u00a0"), id="no-break spaces"),
    ],
)
def test_mangled_report_is_read_as_the_original(mangle) -> None:
    report = read_report(mangle(PLAIN))
    expect_the_plain_report(report)
    assert notes(report) == []


def test_lines_are_those_of_the_original_text() -> None:
    report = read_report(PLAIN.replace("\n", "\r\n"))
    assert [criterion.line for criterion in report.criteria] == [6, 12]
    assert [opinion.line for opinion in report.criteria[0].opinions] == [9, 10]
    assert report.findings[0].source_line == 19


HTML = """<h1>Audit Report</h1>
<p><b>Repository:</b> https://example.org/team/court<br><b>Overall Score:</b> 3.0/5</p>
<h3>Git Forensic Analysis</h3>
<strong>Final Score:</strong> 4/5<br/>
<details><summary>⚖️ Judge opinions</summary>
<ul><li><b>Prosecutor</b> (Score: 3): Late &amp; hurried.</li>
<li><b>Defense</b> (Score: 5): Steady work.</li></ul>
</details>
<h3>Tool Safety</h3>
<table>
<tr><th>Judge</th><th>Score</th><th>Argument</th></tr>
<tr><td>Prosecutor</td><td>1</td><td>A shell.</td></tr>
</table>
<b>Final Score:</b> 2/5
<!-- Score: 5/5 -->
<h2>Remediation Plan</h2>
<ol><li>Replace <code>os.system</code> in <code>src/tools.py:14</code></li></ol>
"""


def test_html_is_read_as_markdown() -> None:
    report = read_report(HTML)
    expect_the_plain_report(report)
    assert report.title == "Audit Report"
    assert arguments(report) == {"Prosecutor": "Late & hurried.", "Defense": "Steady work."}
    assert notes(report) == []


def test_text_with_one_word_per_line_is_rebuilt_with_a_note() -> None:
    words = PLAIN.replace("**", "").replace("`", "").replace("\n", " \n").split(" ")
    report = read_report("\n".join(words))
    expect_the_plain_report(report)
    assert notes(report) == [
        (None, "The text has one word per line, so its lines were rebuilt by guessing.")
    ]


NO_MARKS = """Audit of https://example.org/team/court

Git Forensic Analysis
Score: 4/5
Prosecutor (Score: 3): Late commits.
Defense (Score: 5): Steady work.

Tool Safety
Score: 2/5
Prosecutor (Score: 1): A shell.

Overall Score: 3.0/5

Recommendations:
Replace os.system in src/tools.py:14
"""


def test_plain_text_without_markup_is_read() -> None:
    expect_the_plain_report(read_report(NO_MARKS))


PASTED_CODE = """### State Management Rigor
- **Verdict (score)**: 4/5

- **Prosecutor** (verdict 2/5): The state is untyped.
  content: snippet from src/state.py
# ---------------------------------------
# Evidence & judicial models
# ---------------------------------------
class Evidence(BaseModel):
    criterion: str
    score: int = Field(ge=1, le=5)
# --- Judge Output ---
- **Defense** (verdict 4/5): Every field has a type.

### Swarm Visual
- **Verdict (score)**: 1/5
"""


def test_code_without_a_fence_does_not_end_its_criterion() -> None:
    report = read_report(PASTED_CODE)
    assert scores(report) == {"State Management Rigor": (4, 5), "Swarm Visual": (1, 5)}
    assert bench(report)["State Management Rigor"] == [("Prosecutor", 2), ("Defense", 4)]
