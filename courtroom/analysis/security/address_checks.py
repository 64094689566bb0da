"""Tests of a repository's address before git sees it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# Beginnings of an address that is a path of this machine.
LOCAL_PREFIXES = ("file:", "/", ".", "~")
_FORM = re.compile(r"\w|://|@")
URL_WORDS = frozenset({"url", "repo", "repository", "uri", "remote", "link"})
# Words of a validating function, and words that need an address beside them: check_url.
SURE_VALIDATORS = frozenset(
    words_of("valid validate validated validates validation validator sanitize sanitise")
)
VALIDATORS = SURE_VALIDATORS | frozenset(words_of("check checked is ensure verify assert allowed"))
ADDRESS_WORDS = frozenset(words_of("url uri github address host scheme"))
PATTERN_CALLS = frozenset({"match", "fullmatch", "search", "urlparse", "urlsplit"})
REPOSITORY_WORDS = frozenset({"repo", "repository"})
PATH_TESTS = frozenset({"exists", "isdir", "is_dir", "isfile", "is_file"})
ERROR_WORDS = frozenset({"error", "errors", "problems", "issues", "failures"})

Lines = Iterator[tuple[SourceFile, int]]


def validations(function: FunctionRef, call: ast.Call, context: list[FunctionRef]) -> Lines:
    """Yield tests of the address before the clone: a validating call, a test that refuses, or one
    in whose branch the clone stands."""
    for other in context:
        is_clone = other.key == function.key
        # The end of a context manager runs after the clone.
        if not is_clone and other.site.owner is not None and other.name == "__exit__":
            continue
        for node in walk(other.site.node):
            line = getattr(node, "lineno", 0)
            if is_clone and line > call.lineno:
                continue
            is_validating = isinstance(node, ast.Call) and is_validating_call(node)
            is_refusing_test = (
                isinstance(node, ast.If)
                and _leaves(node)
                and _tests_address(node.test)
                and not _takes_local_path(node)
            )
            if is_validating or is_refusing_test or (is_clone and _admits(node, call)):
                yield other.source, line


def refusals_of(function: FunctionRef, call: ast.Call) -> Lines:
    """Yield tests before the clone that raise on an address that is there, or return by a text in it."""
    for node in walk(function.site.node):
        if not isinstance(node, ast.If) or node.lineno > call.lineno:
            continue
        names = {inner.id for inner in walk(node.test) if isinstance(inner, ast.Name)}
        is_return = isinstance(node.body[-1], ast.Return)
        is_refusal = (isinstance(node.body[-1], ast.Raise) and any(map(names_url, names))) or (
            is_return and any(map(_text_in_address, walk(node.test)))
        )
        if is_refusal and not _asks_presence(node.test):
            yield function.source, node.lineno


def _asks_presence(test: ast.expr) -> bool:
    """Return true for `not url`, `url is None`, `not isinstance(url, str)`, and both together."""
    match test:
        case ast.BoolOp(values=parts):
            return all(map(_asks_presence, parts))
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"))):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_plain(operand)
        case ast.Compare(left=left, comparators=[ast.Constant(value=None | "" | 0)]):
            return _is_plain(left)
    return False


def _is_plain(value: ast.expr) -> bool:
    """Return true for a name, its length, and its text without spaces around."""
    match value:
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
            return _is_plain(inner)
        case ast.Call(func=ast.Name(id="len" | "str"), args=[inner]):
            return _is_plain(inner)
    return isinstance(value, ast.Name | ast.Attribute)


def recorded_errors(running: list[FunctionRef]) -> Lines:
    """Yield tests of the repository's address that record an error when it does not fit."""
    for function in running:
        for node in walk(function.site.node):
            if isinstance(node, ast.If) and _records_error(node) and _tests_address(node.test):
                yield function.source, node.lineno


def admissions(running: list[FunctionRef], clone: FunctionRef) -> Lines:
    """Yield tests of the repository's address that list it as there, where a route asks the list.

    A local path that the same test lets through must not come to the clone.
    """
    asked = {
        constant_text(node.left)
        for function in running
        for node in walk(function.site.node)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    }
    keeps_paths = any(_clones_elsewhere(function.site.node, clone) for function in running)
    for function in running:
        for node in walk(function.site.node):
            if (
                isinstance(node, ast.If)
                and _tests_repository(node.test)
                and _tests_address(node.test)
                and (keeps_paths or not _asks_for_path(node.test))
                and any(text in asked for text in _listed(node))
            ):
                yield function.source, node.lineno


def _listed(node: ast.If) -> Iterator[str]:
    """Yield the texts that the branch of a test adds to a list."""
    for inner in (inner for statement in node.body for inner in walk(statement)):
        if isinstance(inner, ast.Call) and called_name(inner) == "append":
            yield from filter(None, map(constant_text, inner.args))


def _clones_elsewhere(function: ast.AST, clone: FunctionRef) -> bool:
    """Return whether the call that clones stands where the address is no path that exists."""
    return any(
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Call)
        and _asks_for_path(node.test)
        and any(
            isinstance(inner, ast.Call) and called_name(inner) == clone.name
            for statement in node.orelse
            for inner in walk(statement)
        )
        for node in walk(function)
    )


def _asks_for_path(test: ast.expr) -> bool:
    return any(isinstance(n, ast.Call) and called_name(n) in PATH_TESTS for n in walk(test))


def _tests_repository(test: ast.expr) -> bool:
    tested_words = {word for inner in walk(test) for word in words_of(last_name(inner))}
    return bool(tested_words & REPOSITORY_WORDS)


def _records_error(node: ast.If) -> bool:
    """Return true when a test of a repository adds to a list of errors."""
    if not _tests_repository(node.test):
        return False
    for inner in (inner for statement in node.body for inner in walk(statement)):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        list_words = set(words_of(last_name(inner.func.value)))
        if inner.func.attr == "append" and list_words & ERROR_WORDS:
            return True

    return False


def is_validating_call(call: ast.Call) -> bool:
    """Return true for validate_repo_url(url) and is_valid_github_url(url)."""
    words = set(words_of(called_name(call)))
    takes_url = any(set(words_of(last_name(argument))) & URL_WORDS for argument in call.args)
    return takes_url and bool(
        words & SURE_VALIDATORS or (words & VALIDATORS and words & ADDRESS_WORDS)
    )


def _leaves(node: ast.If) -> bool:
    """Return true when one branch of the test ends in raise or return."""
    return any(
        branch and isinstance(branch[-1], ast.Raise | ast.Return)
        for branch in (node.body, node.orelse)
    )


def _admits(node: ast.AST, call: ast.Call) -> bool:
    """Return true for `if url.startswith("https://"):` around the clone."""
    return (
        isinstance(node, ast.If)
        and not isinstance(node.test, ast.UnaryOp)
        and any(inner is call for statement in node.body for inner in walk(statement))
        and _tests_address(node.test)
    )


def _takes_local_path(node: ast.If) -> bool:
    """Return true for a test that lets a local path pass the clone by: it refuses nothing."""
    test = node.test
    prefixes = [
        constant_text(part) or ""
        for part in (walk(test.args[0]) if isinstance(test, ast.Call) and test.args else ())
        if isinstance(part, ast.Constant)
    ]
    is_local = bool(prefixes) and all(text.startswith(LOCAL_PREFIXES) for text in prefixes)
    returned = [
        inner.value.elts[0]
        if isinstance(inner.value, ast.Tuple) and inner.value.elts
        else inner.value
        for statement in node.body
        for inner in walk(statement)
        if isinstance(inner, ast.Return)
    ]
    return is_local and any(isinstance(value, ast.Name) for value in returned)


def _tests_address(test: ast.expr) -> bool:
    """Return true for a test of an address's form: its beginning, parts, pattern or host."""
    return any(_is_address_test(node) for node in walk(test))


def _is_address_test(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        subject = last_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if called_name(node) == "startswith" and names_url(subject):
            return True
        return called_name(node) in PATTERN_CALLS and any(
            names_url(last_name(argument)) for argument in node.args
        )
    if isinstance(node, ast.Attribute):
        return node.attr in {"scheme", "netloc", "hostname"}
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        # "github.com" in url; a sign such as ";" or ".." is part of no scheme and no host.
        return bool(_FORM.search(_text_in_address(node)))
    return False


def _text_in_address(node: ast.AST) -> str:
    """Return the text that a comparison looks for in an address, else ""."""
    match node:
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[address]):
            return constant_text(left) or "" if names_url(last_name(address)) else ""
    return ""


def names_url(name: str) -> bool:
    return bool(set(words_of(name)) & URL_WORDS)


# What a docstring, a README or a Makefile says that the program takes beside https and git@.
_DOCUMENTED = {
    "ssh": re.compile(r"\bssh://|\bhttps? (?:or|and) ssh\b|\bssh (?:urls?|address)", re.IGNORECASE),
    "path": re.compile(
        r"\bpath[-_ ]or[-_ ](?:an?[-_ ])?url\b|\burl[-_ ]or[-_ ](?:an?[-_ ])?(?:local[-_ ])?path\b"
        r"|--repo(?:[-_]url)?[= ][\"']?\.{1,2}(?:/[\w./-]{0,80})?(?=[\s\"']|$)"
        r"|\baudits?(?:ing)? (?:an? |your |the )?local (?:repo|repository|repositories|checkout)\b"
        r"|\bREPO\s{0,4}\??=\s{0,4}\.(?=\s|$)",
        re.IGNORECASE | re.MULTILINE,
    ),
}


def documented_addresses(texts: Iterable[str]) -> list[str]:
    """Return the further forms of an address that the texts name: a refusal must not break them."""
    text = "\n".join(texts)
    return [form for form, pattern in _DOCUMENTED.items() if pattern.search(text)]
