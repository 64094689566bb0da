"""Places that prove a report on the verdict: where a run writes it and which function makes it."""

from __future__ import annotations

from pathlib import Path

from courtroom.checks.synthesis_rules import SynthesisRules
from tests.courtroom.analysis.test_shown_places import FILES, STATE, TWO_RULES, surveyed
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected

REPORTS = """
from src.justice import chief_justice


def old_markdown(report):
    return "# Report" + f"## Verdict: {report}"


def to_markdown(report):
    return "# Report" + f"## Verdict: {report}"


if __name__ == "__main__":
    print(to_markdown(chief_justice))
"""


def test_report_is_shown_where_a_run_writes_it(tmp_path: Path) -> None:
    work = surveyed({**FILES, "main.py": REPORTS}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    lines = REPORTS.split("\n")
    rows = ("    print(to_markdown(chief_justice))", "def to_markdown(report):")
    assert clue_lines(finding) == [("main.py", lines.index(row) + 1) for row in rows]
    assert finding.clues[1].rationale == (
        "The function that makes the text of the Markdown report begins here."
    )


def test_report_of_the_chief_justice_is_shown_and_none_that_waits_for_another_type(
    tmp_path: Path,
) -> None:
    justice = TWO_RULES.replace(
        "    return {", "    open('audit.md', 'w').write(to_markdown(final_score))\n    return {"
    )
    justice += REPORTS.partition("\n\n\n")[2].partition("\n\n\nif")[0] + "\n"
    main = (
        "from src.justice import chief_justice\n\n\n"
        "def save_markdown(report):\n    if not isinstance(report, dict):\n        return\n"
        "    text = '# Report' + f'## Verdict: {report}'\n    open('a.md', 'w').write(text)\n\n\n"
        "def run_graph():\n    save_markdown(chief_justice({}))\n\n\n"
        "if __name__ == '__main__':\n    run_graph()\n"
    )
    work = surveyed({**FILES, "src/justice.py": justice, "main.py": main}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    lines = justice.split("\n")
    rows = (
        "    open('audit.md', 'w').write(to_markdown(final_score))",
        "def to_markdown(report):",
    )
    assert clue_lines(finding) == [("src/justice.py", lines.index(row) + 1) for row in rows]


def test_part_of_a_report_that_the_chief_justice_makes_is_not_shown_for_the_whole(
    tmp_path: Path,
) -> None:
    justice = TWO_RULES.replace("    return {", "    plan = remediation(final_score)\n    return {")
    justice += (
        "\n\ndef remediation(report):\n"
        "    text = f'## Score: {report}' + f'### Criterion: {report}'\n"
        "    open('plan.md', 'w').write(text)\n"
    )
    main = REPORTS.replace("to_markdown", "render")
    work = surveyed({**FILES, "src/justice.py": justice, "main.py": main}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    lines = main.split("\n")
    rows = ("    print(render(chief_justice))", "def render(report):")
    assert clue_lines(finding) == [("main.py", lines.index(row) + 1) for row in rows]


def test_report_that_the_chief_justice_writes_is_shown_though_a_page_shows_it_again(
    tmp_path: Path,
) -> None:
    justice = TWO_RULES.replace(
        "    return {",
        "    text = to_markdown(final_score)\n    open('audit.md', 'w').write(text)\n    return {",
    ).replace('{"verdict": final_score}', '{"verdict": text}')
    justice += "\n\ndef to_markdown(report):\n    return '# Report' + f'## Verdict: {report}'\n"
    main = (
        "from src.justice import chief_justice\n\n\n"
        "def shown(report):\n    if isinstance(report, str):\n        return report\n"
        "    return '## Verdict' + f'### Score: {report}'\n\n\n"
        "if __name__ == '__main__':\n    text = shown(chief_justice({})['verdict'])\n"
        "    open('a.md', 'w').write(text)\n"
    )
    work = surveyed({**FILES, "src/justice.py": justice, "main.py": main}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    lines = justice.split("\n")
    rows = ("    open('audit.md', 'w').write(text)", "def to_markdown(report):")
    assert clue_lines(finding) == [("src/justice.py", lines.index(row) + 1) for row in rows]


OTHER_REPORTS = """
from src.justice import chief_justice


def to_markdown(report):
    return "# Report" + f"## Scores: {report.score}"


def snapshot_markdown(report):
    return "# Audit" + f"## Evidence: {report.evidences}"


def main():
    print(to_markdown(chief_justice), snapshot_markdown(chief_justice))


if __name__ == "__main__":
    main()
"""
BENCHMARK = """
def bench_markdown(report):
    return "# Benchmark report" + f"## Mean score: {report.score}"


if __name__ == "__main__":
    print(bench_markdown(None))
"""


def test_report_of_evidence_or_of_another_program_is_no_report_of_the_verdict(
    tmp_path: Path,
) -> None:
    files = {
        "main.py": OTHER_REPORTS,
        "bench.py": BENCHMARK,
        "README.md": "Run `python main.py`.\n",
    }
    finding = detected(
        SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"),
        surveyed({**FILES, **files}, tmp_path),
    )
    lines = OTHER_REPORTS.split("\n")
    write = "    print(to_markdown(chief_justice), snapshot_markdown(chief_justice))"
    rows = (write, "def to_markdown(report):")
    assert clue_lines(finding) == [("main.py", lines.index(row) + 1) for row in rows]


def test_summary_that_the_report_takes_in_is_no_report_of_its_own(tmp_path: Path) -> None:
    model = (
        "\n\nclass Report(BaseModel):\n    summary: str\n    verdict: float\n\n"
        "    def to_markdown(self):\n"
        "        lines = [self.summary, f'## Criterion: {self.verdict}', '### Dissent']\n"
        "        return '\\n'.join(lines)\n"
    )
    justice = TWO_RULES.replace(
        "    return {",
        "    report = Report(summary=summary(final_score), verdict=final_score)\n"
        "    open('audit.md', 'w').write(report.to_markdown())\n    return {",
    )
    justice = "from src.state import Report\n" + justice
    justice += "\n\ndef summary(score):\n    return f'# Audit report\\n## Score: {score}'\n"
    own = {"src/justice.py": justice, "src/state.py": f"{STATE}{model}"}
    work = surveyed({**FILES, **own}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    rows = (("src/justice.py", "    open("), ("src/state.py", "    def to_markdown(self):"))
    assert clue_lines(finding) == [
        (path, next(n for n, t in enumerate(own[path].split("\n"), start=1) if t.startswith(row)))
        for path, row in rows
    ]


def test_report_that_a_run_only_makes_is_told_with_the_function_that_makes_it(
    tmp_path: Path,
) -> None:
    justice = TWO_RULES.replace("    return {", "    text = to_markdown(final_score)\n    return {")
    justice += REPORTS.partition("\n\n\n")[2].partition("\n\n\nif")[0] + "\n"
    part = justice.replace("    return {", "    print(text[:600])\n    return {")
    for source, end in ((justice, ""), (part, ": at src/justice.py:{} only a part")):
        lines = source.split("\n")
        work = surveyed({**FILES, "src/justice.py": source}, tmp_path / str(len(lines)))
        maker = lines.index("def to_markdown(report):") + 1
        made = [{"path": "src/justice.py", "line": maker, "name": "to_markdown"}]
        assert work.facts["unwritten_reports"] == made
        finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
        shown = lines.index("    print(text[:600])") + 1 if end else 0
        assert finding.reason.startswith(
            "No code writes out the whole Markdown report that to_markdown() makes"
            f" (src/justice.py:{maker}){end.format(shown) or '.'}"
        )
