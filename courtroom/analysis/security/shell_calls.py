"""Calls that hand text to a shell or to the interpreter, outside tests, resolved through imports and aliases."""

from __future__ import annotations

import ast
import unicodedata

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.tree_walk import keyword_of

OS_SHELL = frozenset({"os.system", "os.popen", "posix.system"})
ALWAYS_SHELL = frozenset(
    {"subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell"}
)
EVALUATORS = frozenset({"eval", "exec", "builtins.eval", "builtins.exec"})
# A file that holds none of these words makes no such call; NFKC lets an identifier be spelt in other letters.
TELLING = ("system", "popen", "shell", "eval", "exec", "getoutput", "getstatus")

Call = tuple[SourceFile, int]


def unsafe_calls(names: Names) -> dict[str, list[Call]]:
    """Every call by fact name; a method or an own function of the same name is not the builtin."""
    found: dict[str, list[Call]] = {
        "os_system_calls": [],
        "shell_true_calls": [],
        "eval_exec_calls": [],
    }
    for source in names.codebase.production:
        text = source.text if source.text.isascii() else unicodedata.normalize("NFKC", source.text)
        if not any(word in text for word in TELLING):
            continue
        for site, dotted in names.calls(source):
            kind = kind_of(names, source, site, dotted)
            if kind:
                found[kind].append((source, site.node.lineno))
    return found


def kind_of(names: Names, source: SourceFile, site: CallSite, dotted: str) -> str | None:
    """The fact such a call belongs to, if it is one."""
    if dotted in OS_SHELL:
        return "os_system_calls"
    if dotted in EVALUATORS and dotted not in names.bound_in(source):
        return "eval_exec_calls"
    if dotted in ALWAYS_SHELL or _is_true(keyword_of(site.node, "shell")):
        return "shell_true_calls"
    return None


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
