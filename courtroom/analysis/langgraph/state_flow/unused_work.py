"""Work that has no effect: results that are dropped, prompts nobody sends, clones nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.text_overlap import plain_words
from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.mentions import (
    is_attribute_loaded,
    is_attribute_read,
    is_mentioned,
)
from courtroom.analysis.python.source_files import FunctionNode, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

CHECK_WORDS = frozenset(
    words_of("validate verify check sanitize sanitise is has ensure valid allowed safe")
)
# Builtins that read local names without naming them, and statements that share them.
FRAME_READERS = frozenset({"locals", "vars", "eval", "exec"})
SHARING = (ast.Global, ast.Nonlocal)
PROMPT_WORDS = frozenset(
    words_of("prompt prompts persona personas philosophy instruction instructions system")
)
# Characters of a text that is a prompt and no label.
MIN_PROMPT = 120
# Characters at its beginning that tell whom it addresses.
OPENING = 60
PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})
PERSONA_NAMES = frozenset({"persona", "personas", "judicial"})
CLONE_WORDS = frozenset(words_of("repo repository clone cloned target project root"))
PATH_WORDS = frozenset(words_of("path dir directory folder root"))
# Words in the paths of what an auditor reads for itself, or has written.
OWN_DATA = frozenset(
    words_of(
        "prompt prompts persona personas template templates rubric skill skills output outputs"
    )
)
CACHE_WORDS = frozenset(words_of("cache cached lru memoize memoized memo"))
# Calls that are followed to a cache.
MOST_CALLS = 2
# Subcommands of git that read commits.
HISTORY = frozenset({"log", "rev-list", "shortlog"})
# Calls that look at files below a path.
WORKING_DIRECTORY = frozenset({"os.getcwd", "pathlib.Path.cwd"})
LISTINGS = frozenset({"os.listdir", "os.walk", "os.scandir"})
FOLDER_METHODS = frozenset({"glob", "rglob", "iterdir"})
HERE = frozenset({"", ".", "./"})
LOOKS = frozenset({"os.path.exists", "os.path.isfile", "os.path.isdir"})


def dropped_results(symbols: SymbolTable, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield calls of checks whose result nobody looks at, in code that a run reaches."""
    for function in in_use:
        for statement in walk(function.site.node):
            if not isinstance(statement, ast.Expr):
                continue
            call = (
                statement.value.value if isinstance(statement.value, ast.Await) else statement.value
            )
            if not isinstance(call, ast.Call):
                continue
            check = _check_called(symbols, function.source, call)
            if check is not None:
                sentence = f"{function.shown_name}() calls {check.shown_name}() and does not use what it returns"
                place = check.source.path, check.site.node.lineno
                yield FlowFault("unused_result", sentence, function.source.path, call.lineno, place)


def _check_called(symbols: SymbolTable, source: SourceFile, call: ast.Call) -> FunctionRef | None:
    """Return the check of the repository that a call means, if its result is all that it does."""
    name = called_name(call)
    if not set(words_of(name)) & CHECK_WORDS:
        return None
    homes = symbols.functions_by_name.get(name, [])
    own = [entry for entry in homes if entry[0] is source] or homes
    if len(own) != 1:
        return None
    home, site = own[0]
    function = FunctionRef(home, site)
    return function if only_answers(symbols, function) else None


def only_answers(symbols: SymbolTable, function: FunctionRef) -> bool:
    """Return whether what a function returns is all that it does, now and for the next call."""
    node = function.site.node
    return _only_answers(node) and not _fills_cache(symbols, function.source, node)


def _only_answers(node: FunctionNode) -> bool:
    """Return true for a function that returns an answer, raises nothing and changes nothing."""
    returns = [n for n in walk(node) if isinstance(n, ast.Return)]
    values = [r.value for r in returns if r.value is not None and not _is_none(r.value)]
    if not values or node.decorator_list:
        return False
    parameters = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args)}
    for inner in walk(node):
        if isinstance(inner, ast.Raise | ast.Assert | ast.Yield | ast.YieldFrom | ast.Global):
            return False
        if isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store):
            return False
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
            # A list of its own may be filled.
            local = inner.value.func
            if not isinstance(local, ast.Attribute) or local.attr not in MUTATIONS:
                return False
        if isinstance(inner, ast.With | ast.AsyncWith):
            return False
        if isinstance(inner, ast.Call) and _changes(inner.func, parameters):
            return False
    return True


def _fills_cache(symbols: SymbolTable, source: SourceFile, node: FunctionNode) -> bool:
    """Return whether a function, or one that it calls, keeps what it made for the next call."""
    visited = {id(node)}
    waiting = [(source, node, 0)]
    for home, function, steps in waiting:  # the list grows while it is read
        if _keeps(symbols, home, function):
            return True
        calls = (inner for inner in walk(function) if isinstance(inner, ast.Call))
        for name in dict.fromkeys(map(called_name, calls)) if steps < MOST_CALLS else ():
            homes = symbols.functions_by_name.get(name, [])
            if len(homes) == 1 and id(homes[0][1].node) not in visited:
                visited.add(id(homes[0][1].node))
                waiting.append((homes[0][0], homes[0][1].node, steps + 1))
    return False


def _keeps(symbols: SymbolTable, source: SourceFile, node: FunctionNode) -> bool:
    """Return true under a decorator for a cache, and where a table of the file or object is filled."""
    decorators = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    if any(CACHE_WORDS.intersection(words_of(last_name(decorator))) for decorator in decorators):
        return True
    top = symbols.top_level_names(source)
    stores = (
        n for n in walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    )
    return any(isinstance(n.value, ast.Attribute) or last_name(n.value) in top for n in stores)


def _changes(method: ast.expr, names: set[str]) -> bool:
    if not isinstance(method, ast.Attribute) or method.attr not in MUTATIONS:
        return False
    return last_name(method.value) in names


MUTATIONS = frozenset({"append", "extend", "update", "add", "insert", "pop", "remove", "clear"})


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def unsent_prompts(symbols: SymbolTable, layers: Layers) -> Iterator[FlowFault]:
    """Yield texts for a model that no code mentions, or that a function makes and does not send.

    They are minor where they are for no judge.
    """
    reached = {function.key for function in layers.in_use}
    judging = {function.key for function in layers.judges}
    running = {function.name: function.source.path for function in layers.in_use}
    for source in symbols.codebase.production:
        for site in source.functions:
            function = FunctionRef(source, site)
            is_reached = function.key in reached
            namesake = "" if is_reached else running.get(function.name, "")
            is_judging = function.key in judging if is_reached else None
            yield from _unsent_locals(symbols, function, is_judging, namesake)
        for statement in source.tree.body:
            name = prompt_name(statement)
            if name and not is_mentioned(symbols, source, name):
                sentence = f"`{name}` is a text for a model, and no code uses it"
                place = source.path, statement.lineno
                is_minor = not _is_for_judge(source, (name,), prompt_text(statement))
                yield FlowFault("unused_prompt", sentence, *place, is_minor=is_minor)
        yield from _unsent_attributes(symbols, source)
        yield from _uncalled_makers(symbols, source, reached)


def _uncalled_makers(
    symbols: SymbolTable, source: SourceFile, reached: Collection[tuple[str, int]]
) -> Iterator[FlowFault]:
    """Yield functions, class by class, that return a text for a model and that nothing calls."""
    makers: dict[str, list[FunctionRef]] = {}
    for site in source.functions:
        function = FunctionRef(source, site)
        owner = site.owner.name if site.owner else ""
        words = set(words_of(f"{owner} {function.name}"))
        returns = (n.value for n in walk(site.node) if isinstance(n, ast.Return))
        if (
            words & PROMPT_WORDS
            and function.key not in reached
            # What another decorator takes up may be called from anywhere.
            and {last_name(d) for d in site.node.decorator_list} <= PLAIN_DECORATORS
            and any(len(written_text(value)) >= MIN_PROMPT for value in returns)
            and not is_attribute_loaded(symbols, function.name)
            and not is_mentioned(symbols, source, function.name)
        ):
            makers.setdefault(owner, []).append(function)
    for rows in makers.values():
        names = joined([f"{row.shown_name}()" for row in rows])
        them = "returns a text for a model, and nothing calls it"
        if len(rows) > 1:
            them = "return texts for a model, and nothing calls them"
        is_minor = not any(_is_for_judge(source, (row.name, owner), "") for row in rows)
        place = source.path, rows[0].site.node.lineno
        yield FlowFault("unused_prompt", f"{names} {them}", *place, is_minor=is_minor)


def _unsent_attributes(symbols: SymbolTable, source: SourceFile) -> Iterator[FlowFault]:
    """Yield texts for a model that classes hold under a name which no function reads."""
    texts: dict[str, list[tuple[ast.Assign, str, str]]] = {}
    for node in source.classes:
        for statement in node.body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            name, text = last_name(statement.targets[0]), constant_text(statement.value)
            if text and set(words_of(name)) & PROMPT_WORDS:
                texts.setdefault(name, []).append((statement, text, node.name))
    for name, rows in texts.items():
        is_prompt = sum(len(text) for _, text, _ in rows) >= MIN_PROMPT
        if is_prompt and not is_attribute_read(symbols, name):
            classes = "" if len(rows) == 1 else f" in {len(rows)} classes"
            sentence = f"`{name}` is a text for a model{classes}, and no code uses it"
            is_minor = not any(
                _is_for_judge(source, (name, owner), text) for _, text, owner in rows
            )
            place = source.path, rows[0][0].lineno
            yield FlowFault("unused_prompt", sentence, *place, is_minor=is_minor)


def _unsent_locals(
    symbols: SymbolTable, function: FunctionRef, is_judging: bool | None, namesake: str
) -> Iterator[FlowFault]:
    """Yield texts that a function makes; `is_judging` is None for one that no run reaches."""
    node, path = function.site.node, function.source.path
    prompts = [(inner, prompt_name(inner)) for inner in walk(node)]
    prompts = [(statement, name) for statement, name in prompts if name]
    if not prompts:
        return
    asked = {id(name) for name in _asked_for(node)}
    named = (n for n in walk(node) if isinstance(n, ast.Name) and id(n) not in asked)
    read = {n.id for n in named if isinstance(n.ctx, ast.Load)}
    is_open = bool(read & FRAME_READERS) or any(isinstance(n, SHARING) for n in walk(node))
    # What a decorator, a class or another file takes up may be called from anywhere.
    is_plain = not (node.decorator_list or function.site.owner or function.site.outer)
    is_called = (
        is_judging is not None
        or not is_plain
        or is_mentioned(symbols, function.source, function.name)
    )
    if not is_called:
        names = list(dict.fromkeys(f"`{name}`" for _, name in prompts))
        are, stand = ("is a text", "it stands") if len(names) == 1 else ("are texts", "they stand")
        sentence = f"{joined(names)} {are} for a model, and nothing calls {function.shown_name}()"
        first = getattr(prompts[0][0], "lineno", 1)
        end = f"; the function of this name that runs stands in {namesake}" if namesake else ""
        is_minor = not any(_is_made_for_judge(function, row, is_judging) for row in prompts)
        sentence = f"{sentence}, in which {stand}{end}"
        yield FlowFault("unused_prompt", sentence, path, first, is_minor=is_minor)
        return
    for statement, name in prompts:
        if name in read or is_open:
            continue
        sentence = f"`{name}` is a text for a model, and {function.shown_name}() does not use it"
        line = getattr(statement, "lineno", 1)
        is_minor = not _is_made_for_judge(function, (statement, name), is_judging)
        yield FlowFault("unused_prompt", sentence, path, line, is_minor=is_minor)


def _asked_for(function: ast.AST) -> Iterator[ast.expr]:
    """Yield the names in `text is None` and `not text`: to ask whether a text is there uses none."""
    for node in walk(function):
        match node:
            case ast.Compare(left=name, ops=[ast.Is() | ast.IsNot()], comparators=[other]):
                yield from [name] if _is_none(other) else []
            case ast.UnaryOp(op=ast.Not(), operand=name):
                yield name


def _is_made_for_judge(
    function: FunctionRef, prompt: tuple[ast.AST, str], is_judging: bool | None
) -> bool:
    if is_judging is not None:
        return is_judging
    statement, name = prompt
    return _is_for_judge(function.source, (name, function.shown_name), prompt_text(statement))


def _is_for_judge(source: SourceFile, names: tuple[str, ...], text: str) -> bool:
    """Return whether the first name with a role is a judge's, else the file's, else the text's.

    A name such as `evaluation_prompt` tells no role.
    """
    folders = reversed(source.path.removesuffix(".py").split("/"))
    opening = " ".join(plain_words(text[:OPENING]))
    for name in (*names, *folders, opening):
        if not PERSONA_NAMES.isdisjoint(words_of(name)):
            return True
        role = role_by_name(name)
        if role in {"judge", "justice", "detective"}:
            return role == "judge"
    return False


def prompt_name(statement: ast.AST) -> str:
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return ""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    is_prompt = isinstance(target, ast.Name) and len(prompt_text(statement)) >= MIN_PROMPT
    if not is_prompt or not set(words_of(last_name(target))) & PROMPT_WORDS:
        return ""
    return last_name(target)


def prompt_text(statement: ast.AST) -> str:
    """Return the fixed text that a statement gives to a single target; "" for all else."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if value is None or (isinstance(statement, ast.Assign) and len(statement.targets) != 1):
        return ""
    return written_text(value)


def written_text(value: ast.expr | None) -> str:
    """Return the fixed part of a text; "" for all else."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value  # """...""".strip()
    if isinstance(value, ast.JoinedStr):
        return "".join(constant_text(part) or "" for part in value.values)
    return constant_text(value) or ""


def foreign_directories(call_graph: CallGraph, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield functions that get the path of a clone, never use it, and look where they run."""
    for function in in_use:
        arguments = function.site.node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            words = set(words_of(argument.arg))
            is_clone = bool(words & CLONE_WORDS) and bool(words & PATH_WORDS)
            if not is_clone or _uses(function.site.node, argument.arg):
                continue
            place = _own_directory(call_graph.symbols, function)
            if place is not None:
                sentence = (
                    f"{function.shown_name}() never uses `{argument.arg}` and looks at the auditor's own"
                    " directory instead"
                )
                other = function.source.path, function.site.node.lineno
                yield FlowFault("own_directory", sentence, function.source.path, place, other)


def own_documents(call_graph: CallGraph, layers: Layers) -> Iterator[FlowFault]:
    """Yield where a detective reads a document or code by a path of its own, not of the clone."""
    starts = [node for name, node in layers.nodes.items() if layers.roles[name] == "detective"]
    for function in call_graph.reachable_from(starts):
        texts = _texts_of(function.site.node)
        for node in walk(function.site.node):
            if not isinstance(node, ast.Call):
                continue
            path = next(filter(_is_of_a_work, _read_paths(node, texts)), "")
            sought_paths = _sought_paths(call_graph.symbols, function, node, texts)
            sought = next(filter(_is_of_a_work, sought_paths), "")
            if path or sought:
                verb = "reads" if path else "looks for"
                sentence = (
                    f"{function.shown_name}() {verb} `{path or sought}` in the auditor's own directory,"
                    " not in the clone"
                )
                yield FlowFault("own_directory", sentence, function.source.path, node.lineno)
            elif _reads_own_history(call_graph.symbols, function.source, node):
                sentence = (
                    f"{function.shown_name}() reads the history of the auditor's own directory, not of"
                    " the clone"
                )
                yield FlowFault("own_directory", sentence, function.source.path, node.lineno)
            elif _lists_own_files(call_graph.symbols, function, node):
                sentence = (
                    f"{function.shown_name}() lists the files of the auditor's own directory, not of the"
                    " clone"
                )
                yield FlowFault("own_directory", sentence, function.source.path, node.lineno)


def _lists_own_files(symbols: SymbolTable, function: FunctionRef, call: ast.Call) -> bool:
    """Return true for `os.listdir(".")` and `Path(".").rglob("*.py")`, where nothing moves there.

    A function with a parameter that it never uses is another fault.
    """
    moves = (source for source in symbols.codebase.production if "chdir(" in source.text)
    names = {node.id for node in walk(function.site.node) if isinstance(node, ast.Name)} | {"self"}
    if not names.issuperset(parameter_names(function)) or any(True for _ in moves):
        return False
    if symbols.dotted_name(function.source, call.func) in LISTINGS:
        return not call.args or constant_text(call.args[0]) in HERE
    folder = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_constant = all(isinstance(argument, ast.Constant) for argument in call.args)
    if called_name(call) not in FOLDER_METHODS or not isinstance(folder, ast.Call):
        return False
    maker = symbols.dotted_name(function.source, folder.func)
    is_here = not folder.args or constant_text(folder.args[0]) in HERE
    return is_constant and (maker in WORKING_DIRECTORY or (maker == "pathlib.Path" and is_here))


def _reads_own_history(symbols: SymbolTable, source: SourceFile, call: ast.Call) -> bool:
    """Return true for `subprocess.run(["git", "log"], cwd=".")`."""
    words = call.args[0].elts if call.args and isinstance(call.args[0], ast.List) else []
    texts = [constant_text(word) for word in words]
    folder = next((keyword.value for keyword in call.keywords if keyword.arg == "cwd"), None)
    if texts[:1] != ["git"] or "-C" in texts or not HISTORY.intersection(texts) or folder is None:
        return False
    is_here = isinstance(folder, ast.Call) and (
        symbols.dotted_name(source, folder.func) in WORKING_DIRECTORY
    )
    return constant_text(folder) in HERE or is_here


def _texts_of(node: FunctionNode) -> dict[str, tuple[str, ...]]:
    """Return the texts of local names that are assigned once, and of a loop over such texts."""
    values: dict[str, list[ast.expr]] = {}
    for inner in walk(node):
        targets = inner.targets if isinstance(inner, ast.Assign) else []
        targets = [inner.target] if isinstance(inner, ast.For) else targets
        value = inner.value if isinstance(inner, ast.Assign) else getattr(inner, "iter", None)
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                values.setdefault(target.id, []).append(value)
    once = {name: rows[0] for name, rows in values.items() if len(rows) == 1}
    lists = {
        name: once.get(value.id, value)
        for name, value in once.items()
        if isinstance(value, ast.Name)
    }
    return {name: _texts_in(lists.get(name, value)) for name, value in once.items()}


def _texts_in(value: ast.expr) -> tuple[str, ...]:
    """Return the text that is written, that of a Path, or those of a list."""
    is_path = isinstance(value, ast.Call) and called_name(value) == "Path" and len(value.args) == 1
    values = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    values = value.args if is_path and isinstance(value, ast.Call) else values
    return tuple(filter(None, map(constant_text, values)))


def _sought_paths(
    symbols: SymbolTable,
    function: FunctionRef,
    call: ast.Call,
    texts: Mapping[str, tuple[str, ...]],
) -> tuple[str, ...]:
    """Return the written paths that `os.path.exists` and the like look for, where none is read."""
    if not call.args or symbols.dotted_name(function.source, call.func) not in LOOKS:
        return ()
    path = call.args[0]
    sought = texts.get(path.id, ()) if isinstance(path, ast.Name) else _texts_in(path)
    calls = (node for node in walk(function.site.node) if isinstance(node, ast.Call))
    read = {text for node in calls for text in _read_paths(node, texts)}
    return tuple(text for text in sought if text not in read)


def _read_paths(call: ast.Call, texts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the written paths of the file that the call opens to read; () for all else."""
    argument: ast.expr | None = None
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"read_text", "read_bytes"}:
        holder = call.func.value
        if isinstance(holder, ast.Call) and called_name(holder) == "Path" and len(holder.args) == 1:
            argument = holder.args[0]
        elif isinstance(holder, ast.Name):
            argument = holder
    elif isinstance(call.func, ast.Name) and call.func.id == "open" and call.args:
        mode = constant_text(call.args[1]) if len(call.args) > 1 else "r"
        argument = call.args[0] if mode in {"r", "rb"} else None
    if isinstance(argument, ast.Name):
        return texts.get(argument.id, ())
    return _texts_in(argument) if argument is not None else ()


def _is_of_a_work(path: str) -> bool:
    """Return true for a relative path of a document or of code that is no data of the auditor."""
    is_relative = not path.startswith(("/", "~", "\\")) and ".." not in path
    return path.endswith((".md", ".py")) and is_relative and OWN_DATA.isdisjoint(words_of(path))


def _uses(node: FunctionNode, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in walk(node))


def _own_directory(symbols: SymbolTable, function: FunctionRef) -> int | None:
    """Return the line where a function takes the directory it runs in."""
    for node in walk(function.site.node):
        if not isinstance(node, ast.Call):
            continue
        dotted = symbols.dotted_name(function.source, node.func)
        if dotted in WORKING_DIRECTORY:
            return node.lineno
        is_here = bool(node.args) and constant_text(node.args[0]) in {".", "./", "src", "./src"}
        if dotted in {"pathlib.Path", "os.walk", "os.listdir", "os.scandir"} and is_here:
            return node.lineno
        if dotted == "pathlib.Path" and node.args and last_name(node.args[0]) == "__file__":
            return node.lineno
    return None
