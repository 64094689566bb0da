"""Functions that make a Markdown report of the verdict, by the headings or the template in them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.score_changes import words_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, walk, words_of

# A function with one heading may write any text.
MIN_HEADINGS = 2
MARKDOWN_TEMPLATES = (".md.j2", ".md.jinja", ".md.jinja2", ".md.tmpl", ".md.tpl", ".md.mako")
REPORT_WORDS = frozenset({"report", "audit", "summary", "criterion", "verdict"})
# Calls that look for their first argument in a text.
SEARCHES = frozenset(
    words_of("search match fullmatch findall finditer compile find rfind index rindex count")
) | {"startswith", "endswith", "split", "partition", "rpartition", "removeprefix", "sub"}
COMPARISONS = (ast.In, ast.NotIn, ast.Eq, ast.NotEq)


@dataclass(frozen=True, slots=True)
class MarkdownReport:
    """Function that makes a report, and the ids of its constants that are the report's text.

    `has_title`: a heading of the first level is among them; without it, the text may be a part.
    """

    function: FunctionRef
    texts: frozenset[int]
    has_title: bool = True


def markdown_reports(symbols: SymbolTable) -> Iterator[MarkdownReport]:
    """Yield the functions that make a report with Markdown headings, or fill a template of one.

    A function counts by its name, or when some code of the repository writes a .md file. Headings
    of several functions of a file count together where that file writes the report. A heading that
    is looked for in a text, or shown on a page, is written nowhere.
    """
    production = symbols.codebase.production
    is_written = any(_writes_markdown(source) for source in production)
    for source in production:
        texts = [
            entry for entry in source.strings if entry[1] is not None and _is_heading(entry[0])
        ]
        elsewhere = _sought_texts(source) | _shown_texts(symbols, source) if texts else frozenset()
        headings = Counter(
            id(site.node) for node, site in texts if site and id(node) not in elsewhere
        )
        in_file = sum(headings.values()) if _writes_markdown(source) else 0
        templates = [
            entry
            for entry in source.strings
            if entry[1] is not None and str(entry[0].value).endswith(MARKDOWN_TEMPLATES)
        ]
        for site in source.functions:
            name_words = words_of(site.node.name)
            count = headings[id(site.node)]
            has_headings = count and max(count, in_file) >= MIN_HEADINGS
            # A prompt may hold headings too.
            own = [node for node, home in (*texts, *templates) if home is site]
            is_template = any(home is site for _, home in templates)
            if "prompt" in name_words or not (has_headings or is_template):
                continue
            is_report = is_written or "markdown" in name_words
            if is_report and words_in(site.node) & REPORT_WORDS:
                made = frozenset(map(id, own)) - elsewhere
                has_title = is_template or any(_is_heading(node, "# ") for node in own)
                yield MarkdownReport(FunctionRef(source, site), made, has_title)


def _is_heading(node: ast.Constant, *marks: str) -> bool:
    lines = str(node.value).lstrip("\n").split("\n")
    return any(line.startswith(marks or ("# ", "## ", "### ")) for line in lines)


def _sought_texts(source: SourceFile) -> frozenset[int]:
    """Return the texts, by their ids, that code looks for or compares with."""
    wanted = [call.args[0] for call in _searches(source)]
    for function in source.functions:
        for node in walk(function.node):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], COMPARISONS):
                wanted += [node.left, *node.comparators]
    return frozenset(id(inner) for node in wanted for inner in walk(node))


def _shown_texts(symbols: SymbolTable, source: SourceFile) -> frozenset[int]:
    """Return the texts, by their ids, that code hands to Streamlit."""
    if "streamlit" not in source.text:
        return frozenset()
    shown = (
        inner
        for site, dotted in symbols.calls(source)
        if dotted.startswith("streamlit.")
        for argument in site.node.args
        for inner in walk(argument)
    )
    return frozenset(map(id, shown))


def _searches(source: SourceFile) -> Iterator[ast.Call]:
    calls = (site.node for site in source.calls)
    return (call for call in calls if call.args and called_name(call) in SEARCHES)


def _writes_markdown(source: SourceFile) -> bool:
    if ".md" not in source.text and "markdown" not in source.text.lower():
        return False
    return any(
        called_name(site.node) in {"write_text", "write", "writelines", "dump"}
        for site in source.calls
    )
