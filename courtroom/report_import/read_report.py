"""Reader of reports that students' own auditors wrote: Markdown or JSON, in any layout."""

from __future__ import annotations

from dataclasses import replace

from courtroom.models.errors import ReportRefused
from courtroom.report_import import header_facts
from courtroom.report_import.draft_report import DraftReport
from courtroom.report_import.imported_report import ImportedReport
from courtroom.report_import.json_report import parse_json_report
from courtroom.report_import.json_text import looks_like_json, parse_json
from courtroom.report_import.markdown_lines import Line, parse_lines
from courtroom.report_import.markdown_parser import MarkdownParser
from courtroom.report_import.reflow import mark_bare_headings, reflow_words
from courtroom.report_import.text_cleaning import clean_text
from courtroom.rubric_import.json_lines import JsonPath, lines_of

# The longest report known from practice has 1,900 lines.
MOST_LINES = 20_000
NO_CRITERION = "No criterion with a score was found."
OWN_SCALE = 5.0
OWN_SCHEMA = "automaton-auditor/report@1"
# Our own Markdown names its schema in the metadata at its end.
METADATA_LINES = 40


def read_report(text: str, *, name: str = "") -> ImportedReport:
    """Read an audit report as far as possible. `name` is the name or path of its file.

    Raises ReportRefused for a text that is too large, empty, binary or broken JSON; anything else
    that is not understood becomes a note. The result is never a verdict of ours.
    """
    cleaned = clean_text(text)
    if looks_like_json(cleaned, name):
        return _read_json(cleaned, name)
    return _read_prose(cleaned, name)


def _read_json(text: str, name: str) -> ImportedReport:
    draft, data = DraftReport(), parse_json(text)
    lines = lines_of(text)

    def line_of(place: JsonPath) -> int | None:
        # A place without a line of its own has that of its nearest parent.
        parents = (place[:length] for length in range(len(place), -1, -1))
        return next((lines[parent] for parent in parents if parent in lines), None)

    # Only our own schema promises a scale; elsewhere a bare 4 may be out of anything.
    is_own = isinstance(data, dict) and data.get("schema") == OWN_SCHEMA
    parse_json_report(data, draft, line_of, scale=OWN_SCALE if is_own else None)
    if is_own:
        draft.repo_url = str(data.get("repo_url") or "")

    draft.about = header_facts.parse_about(draft.title, name)
    if not draft.criteria:
        draft.add_note(None, NO_CRITERION)
    return draft.build("report@1 JSON" if is_own else "JSON")


def _read_prose(text: str, name: str) -> ImportedReport:
    draft = DraftReport()
    raw = text.split("\n", MOST_LINES)[:MOST_LINES]
    if text.count("\n") > MOST_LINES:
        draft.add_note(MOST_LINES, f"Only the first {MOST_LINES} lines were read.")

    lines = _parse_raw_lines(raw, draft)
    draft.title = next((line.text for line in lines if line.kind == "heading"), None)
    MarkdownParser(lines, draft).parse()
    json_layout = _read_fenced_json(lines, draft)
    _find_header_facts(lines, draft)

    draft.about = header_facts.parse_about(draft.title, name)
    if not draft.criteria:
        draft.add_note(None, NO_CRITERION)
    return draft.build(json_layout or _layout(draft, lines))


def _parse_raw_lines(raw: list[str], draft: DraftReport) -> list[Line]:
    rebuilt = reflow_words(raw)
    if rebuilt is None:
        return mark_bare_headings(list(parse_lines(raw)))

    draft.add_note(None, "The text has one word per line, so its lines were rebuilt by guessing.")
    lines = parse_lines([words for _, words in rebuilt])
    # Notes must name the lines of the text as it came, not of the rebuilt one.
    return mark_bare_headings([replace(line, number=rebuilt[line.number - 1][0]) for line in lines])


def _read_fenced_json(lines: list[Line], draft: DraftReport) -> str | None:
    """Read a JSON report in a fence within the text, and return the layout's name.

    Null where there is none, or the text itself has criteria.
    """
    code = [line for line in lines if line.kind == "code"]
    text = "\n".join(line.text for line in code)
    if draft.criteria or not looks_like_json(text, ".json"):
        return None

    first_line = code[0].number
    try:
        data = parse_json(text)
    except ReportRefused as refused:
        draft.add_note(first_line, f"The JSON inside the text was not read. {refused.message}")
        return None
    parse_json_report(data, draft, lambda _: first_line)
    return "JSON within text"


def _find_header_facts(lines: list[Line], draft: DraftReport) -> None:
    """Search sentences for facts that no label gave."""
    texts = [line.text for line in lines if line.text and line.kind != "code"]
    header_facts.find_url(draft, texts[: header_facts.SEARCHED_LINES])

    # Below the first criterion, a score in a sentence is hardly the report's overall score.
    first_line = min((criterion.line or 0 for criterion in draft.criteria), default=MOST_LINES)
    before = [line.text for line in lines if line.number < first_line]
    header_facts.find_overall(draft, before)


def _layout(draft: DraftReport, lines: list[Line]) -> str:
    if any(OWN_SCHEMA in line.text for line in lines[-METADATA_LINES:]):
        return "report@1 Markdown"
    if draft.sources:
        return draft.sources.most_common(1)[0][0]
    if draft.criteria:
        return "opinions"
    return "summary" if draft.overall or draft.findings else "unrecognised"
