"""Calls that hand text to a shell or to the interpreter, outside tests, by their resolved names."""

from __future__ import annotations

import ast
import unicodedata

from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import keyword_of

OS_SHELL_CALLS = frozenset({"os.system", "os.popen", "posix.system"})
ALWAYS_SHELL_CALLS = frozenset(
    {"subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell"}
)
EVALUATORS = frozenset({"eval", "exec", "builtins.eval", "builtins.exec"})
# A file that holds none of these words makes no such call.
MARKERS = ("system", "popen", "shell", "eval", "exec", "getoutput", "getstatus")

Call = tuple[SourceFile, int]


def unsafe_calls(symbols: SymbolTable) -> dict[str, list[Call]]:
    """Return every unsafe call by fact name, as (file, line).

    A method or an own function of the same name is not the builtin.
    """
    calls: dict[str, list[Call]] = {
        "os_system_calls": [],
        "shell_true_calls": [],
        "eval_exec_calls": [],
    }
    for source in symbols.codebase.production:
        # Python normalizes identifiers: other letters may spell `eval` too.
        text = source.text if source.text.isascii() else unicodedata.normalize("NFKC", source.text)
        if not any(marker in text for marker in MARKERS):
            continue
        for site, dotted in symbols.calls(source):
            fact = shell_fact(symbols, source, site, dotted)
            if fact:
                calls[fact].append((source, site.node.lineno))
    return calls


def temporary_directories(symbols: SymbolTable) -> list[Call]:
    """Return where the product makes a TemporaryDirectory, as (file, line).

    What a test makes, or a text names, holds nothing of the product's.
    """
    return [
        (source, site.node.lineno)
        for source in symbols.codebase.production
        if "TemporaryDirectory" in source.text
        for site, dotted in symbols.calls(source)
        if dotted.rsplit(".", 1)[-1] == "TemporaryDirectory"
    ]


def shell_fact(symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str) -> str | None:
    """Return the name of the fact that an unsafe call belongs to; None for any other call."""
    if dotted in OS_SHELL_CALLS:
        return "os_system_calls"
    if dotted in EVALUATORS and dotted not in symbols.top_level_names(source):
        return "eval_exec_calls"
    if dotted in ALWAYS_SHELL_CALLS or _is_true(keyword_of(site.node, "shell")):
        return "shell_true_calls"
    return None


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
