"""The door to reports that students' own auditors wrote: Markdown or JSON, in whatever layout."""

from __future__ import annotations

from dataclasses import replace

from courtroom.models.errors import ReportRefused
from courtroom.report_import import header_facts
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.imported_report import ImportedReport
from courtroom.report_import.json_report import read_json
from courtroom.report_import.json_text import lines_by_path, looks_like_json, parsed
from courtroom.report_import.markdown_lines import Line, lines_in
from courtroom.report_import.markdown_parser import ProseReader
from courtroom.report_import.reflow import reflowed, with_bare_headings
from courtroom.report_import.text_cleaning import readable
from courtroom.rubric_import.json_lines import JsonPath

# The longest report known from practice has 1,900 lines.
MOST_LINES = 20_000
NOTHING = "No criterion with a score was recognised."
OWN_SCALE = 5.0
OWN_SCHEMA = "automaton-auditor/report@1"


def read_report(text: str, *, name: str = "") -> ImportedReport:
    """Read an audit report as far as it can be read. `name` is the name or path of its file.

    Raises ReportRefused for what is too large, empty, no text or broken JSON; whatever else is not understood becomes a
    note. Nothing in it is ever a verdict of ours.
    """
    shown = readable(text)
    return _read_json(shown, name) if looks_like_json(shown, name) else _read_prose(shown, name)


def _read_json(text: str, name: str) -> ImportedReport:
    draft, data = Draft(), parsed(text)
    lines = lines_by_path(text)

    def line_of(place: JsonPath) -> int | None:
        return next(
            (lines[place[:n]] for n in range(len(place), -1, -1) if place[:n] in lines), None
        )

    is_own = isinstance(data, dict) and data.get("schema") == OWN_SCHEMA
    read_json(data, draft, line_of, scale=OWN_SCALE if is_own else None)
    if is_own:
        draft.repo_url = str(data.get("repo_url") or "")
    draft.about = header_facts.about(draft.title, name)
    if not draft.criteria:
        draft.note(None, NOTHING)
    return draft.finished("report@1 JSON" if is_own else "JSON")


def _read_prose(text: str, name: str) -> ImportedReport:
    draft = Draft()
    raw = text.split("\n", MOST_LINES)[:MOST_LINES]
    if text.count("\n") > MOST_LINES:
        draft.note(MOST_LINES, f"Only the first {MOST_LINES} lines were read.")
    lines = _lines_of(raw, draft)
    draft.title = next((line.text for line in lines if line.kind == "heading"), None)
    ProseReader(lines, draft).read()
    within = _read_within(lines, draft)
    said = [line.text for line in lines if line.text and line.kind != "code"]
    header_facts.take_url(draft, said[: header_facts.SEARCHED_LINES])
    before = min((criterion.line or 0 for criterion in draft.criteria), default=MOST_LINES)
    header_facts.take_overall(draft, [line.text for line in lines if line.number < before])
    draft.about = header_facts.about(draft.title, name)
    if not draft.criteria:
        draft.note(None, NOTHING)
    return draft.finished(within or _layout(draft, lines))


def _lines_of(raw: list[str], draft: Draft) -> list[Line]:
    anew = reflowed(raw)
    if anew is None:
        return with_bare_headings(list(lines_in(raw)))
    draft.note(None, "The text has one word on each line: its lines were put together by guess.")
    lines = lines_in([words for _, words in anew])
    return with_bare_headings([replace(line, number=anew[line.number - 1][0]) for line in lines])


def _read_within(lines: list[Line], draft: Draft) -> str | None:
    """A report in JSON that stands in a fence within the text; null where the text itself tells of criteria."""
    code = [line for line in lines if line.kind == "code"]
    text = "\n".join(line.text for line in code)
    if draft.criteria or not looks_like_json(text, ".json"):
        return None
    try:
        data = parsed(text)
    except ReportRefused as refused:
        draft.note(code[0].number, f"The JSON within the text was not read. {refused.message}")
        return None
    read_json(data, draft, lambda _: code[0].number)
    return "JSON within text"


def _layout(draft: Draft, lines: list[Line]) -> str:
    if any(OWN_SCHEMA in line.text for line in lines[-40:]):
        return "report@1 Markdown"
    if draft.sources:
        return draft.sources.most_common(1)[0][0]
    if draft.criteria:
        return "opinions"
    return "summary" if draft.overall or draft.findings else "unrecognised"
