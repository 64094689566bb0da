"""Import of reports that students' own auditors wrote: Markdown, HTML, PDF text or JSON.

`read_report` returns an `ImportedReport` with scores as written, opinions, findings, and a note
with its line for everything that was guessed or not read. It looks for structure, never for a known
tool. A failure written as a verdict is a note, not a score. Text, lines, depth and counts are
bounded, and every pattern matches in linear time. Imports no langgraph and no model.
"""
