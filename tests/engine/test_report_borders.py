"""The report's JSON is indexed by key in grading/engine/report.py alone; pages and others get the type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The reader itself, migrations (frozen history) and the redaction, a value walk over whole documents.
EXEMPT = ("engine/report.py", "migrations/", "peer_review/redaction/", "demo/repositories/")
# Keys that only a report has: rubrics, releases and imported reports share the others with it.
REPORT_KEYS = frozenset(
    {
        *("final_score", "rationale", "resolution", "cited_evidence", "snippet"),
        *("location", "line_start", "line_end", "confidence"),
        *("facts", "minmax", "communication_entries", "malformed_objects"),
        *("state_graph_line", "edge_lines", "edge_paths"),
        *("pdf_sha256", "timings", "usage", "integrity", "judges"),
    }
)
# Names under which the JSON of a report goes about: Audit.report, Edition.document, verdict.report.
RAW_NAMES = frozenset({"report", "superseded_report"})
RAW_ATTRIBUTES = frozenset({"report", "edition.document", "copy.document"})
LOOKUP = re.compile(r"report__(criteria|evidence|facts|integrity|errors|usage|judges|status)")
IN_TEMPLATES = re.compile(r"\b(?:audit|before)\.report\.\w|(?:edition|copy)\.document\b")


def keyed_reads(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the key of each read of a report's JSON in this Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from _read(node.value, node.slice, node.lineno)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in {"get", "pop", "setdefault"} and node.args:
                yield from _read(node.func.value, node.args[0], node.lineno)
        elif isinstance(node, ast.keyword) and LOOKUP.search(node.arg or ""):
            yield node.value.lineno, f"{node.arg}"
        elif isinstance(node, ast.Constant) and LOOKUP.search(str(node.value)):
            yield node.lineno, str(node.value)


def _read(receiver: ast.expr, key: ast.expr, line: int) -> Iterator[tuple[int, str]]:
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return
    if key.value in REPORT_KEYS or _is_raw_report(receiver):
        yield line, key.value


def _is_raw_report(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return any(map(_is_raw_report, node.values))
    if isinstance(node, ast.Name):
        return node.id in RAW_NAMES
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in RAW_ATTRIBUTES or ast.unparse(node) in RAW_ATTRIBUTES


def modules() -> list[Path]:
    grading = ROOT / "grading"
    return [
        path
        for path in sorted(grading.rglob("*.py"))
        if not path.relative_to(grading).as_posix().startswith(EXEMPT)
    ]


def test_no_other_module_reads_a_report_by_key() -> None:
    reads = [
        f"{path.relative_to(ROOT)}:{line} {key}"
        for path in modules()
        for line, key in keyed_reads(path.read_text(encoding="utf-8"))
    ]
    assert reads == []


def test_no_template_reaches_into_the_stored_json() -> None:
    reads = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for match in IN_TEMPLATES.finditer(path.read_text(encoding="utf-8"))
    ]
    assert reads == []


@pytest.mark.parametrize(
    "source",
    [
        "audit.report['criteria']",
        "(audit.report or {}).get('evidence', ())",
        "report.get('errors')",
        "edition.document['status']",
        "verdict.report['overall_score']",
        "[row['final_score'] for row in rows]",
        "facts.get('minmax')",
        "Q(report__integrity__suspected=True)",
        "audits.values_list('audit__report__facts__history__authors')",
    ],
)
def test_a_read_by_key_is_noticed(source: str) -> None:
    assert len(list(keyed_reads(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "report.criteria",
        "rubric['criteria']",
        "grade.released['overall_score']",
        "reading['findings']",
        "Audit.objects.filter(report__isnull=False)",
        "{'facts': 1, 'report': audit.report}",
        "reports[audit.pk]",
    ],
)
def test_other_reads_are_free(source: str) -> None:
    assert list(keyed_reads(source)) == []
