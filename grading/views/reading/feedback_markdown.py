"""A peer's report as Markdown, from what its reader may see: the platform's as the courtroom writes it, an imported one
from what was understood of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grading.queries.peers.editions import PeerEdition
from grading.views.reading.feedback import ImportedRow, imported_page

Json = Mapping[str, Any]
IMPORTED = "Imported: another program wrote it, and nobody here has signed it."


def markdown_of(edition: PeerEdition) -> str:
    """The text, with what was withheld said at its end."""
    from grading import engine

    if edition.report is not None:
        body = engine.render_markdown(edition.report, date=edition.day)
    else:
        body = "\n".join(_reading(edition.reading or {})) + "\n"
    return body + "".join(f"\n{line}" for line in _withheld(edition.withheld))


def _withheld(words: tuple[str, ...]) -> Iterator[str]:
    if words:
        yield "## Withheld\n"
        yield from (f"- {plain(each)}" for each in words)
        yield ""


def _reading(reading: Json) -> Iterator[str]:
    page = imported_page(reading)
    yield f"# {plain(reading['title'] or 'Report of an audit')}"
    yield f"\n> {IMPORTED}\n"
    for label, key in (("Repository", "repo_url"), ("Commit", "commit"), ("Date", "date")):
        if reading[key]:
            yield f"- **{label}**: {plain(reading[key])}"
    if page.overall:
        yield f"- **Overall**: {plain(page.overall)}"
    yield "\n## Criterion Breakdown"
    for row in page.criteria:
        yield from _criterion(row)
    yield from _findings("\n## Further findings", page.others)
    if reading["notes"]:
        yield "\n## What could not be read"
        yield from (f"- {_line(note['line'])}{plain(note['message'])}" for note in reading["notes"])


def _criterion(row: ImportedRow) -> Iterator[str]:
    yield f"\n### {plain(row.name)}{': ' if row.score else ''}{plain(row.score)}\n"
    for opinion in row.document["opinions"]:
        score = f" ({plain(opinion['score']['written'])})" if opinion["score"] else ""
        yield f"- **{plain(opinion['judge'])}**{score}: {plain(opinion['argument'])}"
    if row.document["dissent"]:
        yield f"- **Dissent**: {plain(row.document['dissent'])}"
    if row.document["remediation"] and not row.findings:
        yield f"- **Remediation**: {plain(row.document['remediation'])}"
    yield from _findings("\nFindings:\n", row.findings)


def _findings(heading: str, findings: tuple[Json, ...]) -> Iterator[str]:
    if not findings:
        return
    yield heading
    for finding in findings:
        action = finding["action"] if finding["action"] != finding["text"] else ""
        yield f"- {_place(finding)}{plain(finding['text'])}{f' {plain(action)}' if action else ''}"


def _place(finding: Json) -> str:
    """Where the words do not tell it themselves."""
    if not finding["path"] or finding["path"] in finding["text"]:
        return ""
    line = f":{finding['line']}" if finding["line"] else ""
    return f"{plain(finding['path'])}{line}: "


def _line(number: int | None) -> str:
    return f"line {number}: " if number else ""


def plain(text: str) -> str:
    """On one line and without markup of its own: neither HTML nor a link nor a heading comes of it."""
    line = " ".join(str(text).split()).replace("\\", "\\\\")
    for mark in "`*_[]<>#|":
        line = line.replace(mark, f"\\{mark}")
    return line
