"""Keys of the state that nodes use and its class does not declare, and keys that nobody writes.

LangGraph makes a channel for each declared key. It drops every other key of an update, and hands no
other key to a node or router.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from courtroom.analysis.langgraph.graph_values import RUN_METHODS
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_access import KeyWrite, StateAccess, StateUse, Update
from courtroom.analysis.langgraph.state_flow.condition_values import key_of
from courtroom.analysis.langgraph.state_flow.fallback_reads import filled_keys, key_instead
from courtroom.analysis.langgraph.state_flow.flow_fault import (
    FlowFault,
    FlowReading,
    Place,
    joined,
    listed,
)
from courtroom.analysis.langgraph.state_flow.result_reads import (
    ResultRead,
    result_reads,
    writes_file,
)
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    Instance,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# Names as near as pdf_path and pdf_paths.
NEAR = 0.85
# Roles of nodes without whose work there is no audit.
AUDITING = frozenset({"detective", "judge", "justice"})
# Types of one value, and what may stand around them.
ONE_VALUE = frozenset({"str", "int", "float", "bool", "Path"})
AROUND_TYPES = frozenset({"Optional", "Annotated", "NotRequired", "Required", "None"})
# Words of a key that holds the report as a text.
REPORT_WORDS = frozenset({"report", "markdown", "md"})
# Calls that give what a file of data holds.
LOADERS = frozenset({"load", "loads", "safe_load"})


def undeclared_writes(
    access: StateAccess, symbols: SymbolTable, layers: Layers
) -> Iterator[FlowFault]:
    """Yield what nodes return and LangGraph drops; nodes with the same keys share a sentence.

    Code that runs the graph may write a lost report to a file, if the Chief Justice writes none.
    A return that is lost as a whole is a fault of its own for detectives, judges and Chief Justice;
    for other nodes, such as one for errors, it is a lost key.
    """
    if access.declared is None:
        return
    alike: dict[tuple[tuple[str, ...], bool], list[tuple[StateUse, KeyWrite]]] = {}
    for use in access.nodes.values():
        other_model = _other_model(use, access.declared)
        if other_model is not None:
            kind = _kind(access, [use.name], layers)
            yield _no_update(access, use, other_model, kind, symbols)
            continue
        dropped = _dropped(use, access.declared)
        if dropped:
            is_all = not use.writes_gap and len(dropped) == len(use.writes)
            keys = tuple(write.key for write in dropped)
            alike.setdefault((keys, is_all), []).append((use, dropped[0]))

    written = {write.key for use in access.nodes.values() for write in use.writes}
    arriving = written.intersection(access.declared or ())
    for (keys, is_all), places in alike.items():
        names = [use.name for use, _ in places]
        verb = "returns" if len(names) == 1 else "return"
        dropped_part = "all of it" if is_all else "it" if len(keys) == 1 else "them"
        channel = _channel(access, keys) or (
            _channel_of_type(access, places[0][0], symbols) if is_all else None
        )
        belongs = f"; what is lost belongs under `{channel}`" if channel else ""
        reads = result_reads(symbols, keys, arriving)
        in_vain = f", and {_in_vain(reads)}" if reads else ""
        sentence = (
            f"{joined(names)} {verb} {'only ' if is_all else ''}{listed(keys)}, which"
            f" {_name(access)} does not declare: LangGraph drops {dropped_part}{belongs}{in_vain}"
        )
        first = places[0][1]
        kind = _kind(access, names, layers) if is_all else "undeclared_write"
        place = _state_place(access)
        nodes = tuple(names)
        yield FlowFault(
            kind,
            sentence,
            first.path,
            first.line,
            place,
            keys,
            nodes,
            channel,
            callers=tuple(dict.fromkeys((read.key, read.place) for read in reads)),
            written=None
            if writes_file(layers.justice)
            else next(filter(None, map(_report, reads)), None),
        )


def _kind(access: StateAccess, names: Sequence[str], layers: Layers) -> str:
    """Return the kind of a return that is lost as a whole, by the roles of the nodes."""
    roles = {layers.roles.get(" / ".join([*access.at, name]), "") for name in names}
    return "no_update" if roles & AUDITING else "undeclared_write"


def _in_vain(reads: Sequence[ResultRead]) -> str:
    path, line = reads[0].place
    return f"{path}:{line} looks for `{reads[0].key}` in the graph's result in vain"


def _report(read: ResultRead) -> Place | None:
    """Return where the value is written to a file, if its key is that of a report."""
    return read.written if REPORT_WORDS & {*words_of(read.key)} else None


def _channel(access: StateAccess, keys: Sequence[str]) -> str | None:
    """Return the declared key under which nodes or routers look these keys up."""
    uses = (*access.nodes.values(), *access.routers)
    lookups = (lookup for use in uses for lookup in use.lookups if lookup.inner in keys)
    return next((row.key for row in lookups if row.key in (access.declared or ())), None)


def _channel_of_type(access: StateAccess, use: StateUse, symbols: SymbolTable) -> str | None:
    """Return the only key that is declared with the type of mapping that the node returns."""
    source = symbols.codebase.files.get(use.path)
    sites = (site.node for site in (source.functions if source else ()))
    returns = next((node.returns for node in sites if node.lineno == use.line), None)
    wanted = _mapping_type(returns)
    site = access.state.site
    fields = [
        field.target.id
        for field in (site.node.body if site else ())
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if wanted and _mapping_type(field.annotation) == wanted
    ]
    return fields[0] if len(fields) == 1 else None


def _mapping_type(annotation: ast.expr | None) -> str:
    """Return a mapping's type in lower case, "" for any other and where its values may be any."""
    is_annotated = (
        isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Annotated"
    )
    if isinstance(annotation, ast.Subscript) and is_annotated:
        parts = annotation.slice
        annotation = parts.elts[0] if isinstance(parts, ast.Tuple) and parts.elts else None
    text = ast.unparse(annotation).lower() if annotation else ""
    return text if text.startswith("dict[") and not re.search(r"\b(any|object)\b", text) else ""


def _other_model(use: StateUse, declared: frozenset[str]) -> Update | None:
    """Return an update that is an object of a model without any key of the state."""
    return next((u for u in use.updates if u.model and u.writes and not _keys(u) & declared), None)


def _no_update(
    access: StateAccess, use: StateUse, update: Update, kind: str, symbols: SymbolTable
) -> FlowFault:
    sentence = (
        f"{use.name} returns `{update.model}(...)`, not an update of the state: {_name(access)}"
        " declares none of its fields, so LangGraph drops all of it"
    )
    first_write = update.writes[0]
    line = _statement_line(symbols, first_write.path, first_write.line)
    return FlowFault(kind, sentence, first_write.path, line, _state_place(access))


def _statement_line(symbols: SymbolTable, path: str, line: int) -> int:
    """Return where the statement that holds the line begins, as the return of a long call does."""
    source = symbols.codebase.files.get(path)
    functions = (site.node for site in (source.functions if source else ()))
    starts = (
        node.lineno
        for function in functions
        for node in walk(function)
        if isinstance(node, ast.Return | ast.Assign)
        and node.lineno <= line <= (node.end_lineno or 0)
    )
    return max(starts, default=line)


def _dropped(use: StateUse, declared: frozenset[str]) -> list[KeyWrite]:
    return [
        write
        for write in use.writes
        if write.key not in declared and not write.key.startswith("__")
        if any(write in update.writes and not update.model for update in use.updates)
    ]


def _keys(update: Update) -> set[str]:
    return {write.key for write in update.writes}


def undeclared_reads(
    access: StateAccess, inputs: Sequence[Value], symbols: SymbolTable
) -> Iterator[FlowFault]:
    """Yield keys that nodes and routers read and that LangGraph never hands to them."""
    if access.declared is None:
        return
    readers: dict[str, list[tuple[StateUse, Place]]] = {}
    for use in (*access.nodes.values(), *access.routers):
        # What is set in the state itself can be read there; what is only returned cannot.
        kept = (update.writes for update in use.updates if update.is_whole_state)
        own = {write.key for writes in kept for write in writes} | use.default_keys
        for place in use.reads:
            is_passed = place.key in access.declared or place.key in own
            if not is_passed and not _may_be_sent(access, use.name, place.key):
                readers.setdefault(place.key, []).append((use, (place.path, place.line)))

    filled = filled_keys(inputs, access.declared)
    for key, uses in readers.items():
        names = list(dict.fromkeys(use.name for use, _ in uses))
        verb = "reads" if len(names) == 1 else "read"
        near_key = near_name(key, access.declared)
        count = _one_value(near_key, key, access, symbols) if near_key else ""
        beside = f" (there is `{near_key}`{count})" if near_key else ""
        (path, line), *further = dict.fromkeys(place for _, place in uses)
        instead = key_instead(symbols, key, [(path, line), *further], filled)
        end = f"; it is read only without `{instead}`, which every run is given" if instead else ""
        sentence = (
            f"{joined(names)} {verb} `{key}`, which {_name(access)} does"
            f" not declare: LangGraph never hands it on{beside}{end}"
        )
        yield FlowFault(
            "undeclared_read",
            sentence,
            path,
            line,
            _state_place(access),
            (key,),
            tuple(names),
            places=tuple(further),
            is_given=_is_given(key, inputs) or is_written_for_run(symbols, key, access.declared),
            is_minor=bool(instead),
        )


def _is_given(key: str, inputs: Sequence[Value]) -> bool:
    """Return whether an input that the graph is run with is known to hold the key."""
    values = [choice for value in inputs for choice in choices_of(value)]
    return any(isinstance(value, DictValue) and key in value.entries for value in values)


def is_written_for_run(symbols: SymbolTable, key: str, declared: AbstractSet[str]) -> bool:
    """Return whether code writes out a state with the key and hands it to a run, of whatever graph."""
    return any(
        {key} <= {*names} and declared & {*names}
        for source in symbols.codebase.production
        if key in source.text
        for site in source.functions
        for names in _written_inputs(site.node)
    )


def _written_inputs(function: ast.AST) -> Iterator[list[str | None]]:
    """Yield the keys of each dict that a function writes out and hands to a run of a graph."""
    nodes = list(walk(function))
    dicts = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and called_name(node) in RUN_METHODS and node.args:
            given = node.args[0]
            given = dicts.get(given.id, given) if isinstance(given, ast.Name) else given
            if isinstance(given, ast.Dict):
                yield [constant_text(name) for name in given.keys]


def _may_be_sent(access: StateAccess, node: str, key: str) -> bool:
    """Return true where Send may hand the key to the node."""
    uses = (*access.nodes.values(), *access.routers)
    payloads = [p for use in uses for p in use.payloads if p.node in {node, ""}]
    if node in access.sent and not payloads:
        return True
    return any(p.is_open or key in p.keys for p in payloads)


def unwritten_reads(
    access: StateAccess, symbols: SymbolTable, inputs: list[Value], reading: FlowReading
) -> None:
    """Add declared keys that nodes read and nobody writes, neither a node nor the caller."""
    if access.declared is None:
        return
    given = _given_keys(inputs)
    writers = [use for use in access.nodes.values() if use.writes_gap]
    if given is None or writers:
        reason = writers[0].writes_gap if writers else "the graph's input is not known before a run"
        reading.leave_open(["unwritten_read"], reason)
        return

    written = {
        write.key for use in access.nodes.values() for write in use.writes if not write.is_unchanged
    }
    written |= {place.key for use in access.nodes.values() for place in use.changes}
    missing = access.declared - written - given - _with_default(access)
    for use in (*access.nodes.values(), *access.routers):
        for place in use.reads:
            if place.key not in missing or _is_set_somewhere(symbols, place.key):
                continue
            missing -= {place.key}
            sentence = (
                f"{use.name} reads `{place.key}`, which no node writes and the graph's input does"
                f" not hold{_beside(place.key, written | given)}"
            )
            fault = FlowFault(
                "unwritten_read", sentence, place.path, place.line, _state_place(access)
            )
            reading.add([fault])


def _given_keys(inputs: list[Value]) -> frozenset[str] | None:
    """Return the keys of every input that the graph is run with; None where they are not known."""
    keys: set[str] = set()
    values = [choice for value in inputs for choice in choices_of(value)]
    for value in values:
        if isinstance(value, DictValue) and not value.is_open:
            keys |= {str(key) for key in value.entries}
        elif isinstance(value, Instance):
            keys |= {str(key) for key in value.attributes}
        else:
            return None
    return frozenset(keys) if values else None


def _with_default(access: StateAccess) -> set[str]:
    """Return the fields of the state's class that have a value of their own."""
    site = access.state.site
    return {
        field.target.id
        for field in (site.node.body if site else ())
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and field.value is not None
    }


def _is_set_somewhere(symbols: SymbolTable, key: str) -> bool:
    """Return true where any code makes a dict or an object with this key: it may be an input."""
    return any(
        _sets(node, key)
        for source in symbols.codebase
        if key in source.text
        for node in walk(source.tree)
    )


def _sets(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Dict):
        return any(constant_text(name) == key for name in node.keys)
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store) and constant_text(node.slice) == key
    return isinstance(node, ast.keyword) and node.arg == key


def unread_writes(access: StateAccess, symbols: SymbolTable, reading: FlowReading) -> None:
    """Add keys that a node writes and no node, router or caller reads."""
    uses = (*access.nodes.values(), *access.routers)
    gap = next((use.reads_gap for use in uses if use.reads_gap), "")
    if access.declared is None or gap:
        reading.leave_open(["unread_write"], gap or access.reason)
        return
    read = {place.key for use in uses for place in (*use.reads, *use.changes)}
    for use in access.nodes.values():
        for write in use.writes:
            is_dead = write.key in access.declared and write.key not in read
            written_at = write.path, write.line
            if is_dead and not write.is_unchanged and not is_used(symbols, write.key, written_at):
                read.add(write.key)
                sentence = f"{use.name} writes `{write.key}`, which no code reads"
                place = _state_place(access)
                nodes = (use.name,)
                reading.add(
                    [FlowFault("unread_write", sentence, write.path, write.line, place, (), nodes)]
                )


def is_used(symbols: SymbolTable, key: str, write: Place | None = None) -> bool:
    """Return true where code reads something by this name, of the state or of another object.

    What the function of the `write` takes from a file that it loads is what it writes.
    """
    taken = {id(node) for node in _taken_from_file(symbols, key, write)} if write else set()
    return any(
        _reads(node, key) and id(node) not in taken
        for source in symbols.codebase
        if key in source.text
        for node in walk(source.tree)
    )


def _taken_from_file(symbols: SymbolTable, key: str, write: Place) -> Iterator[ast.AST]:
    """Yield `rubric.get(key)` and `rubric[key]` of `rubric = json.load(file)` around the write."""
    source = symbols.codebase.files.get(write[0])
    for site in source.functions if source else ():
        if not site.node.lineno <= write[1] <= (site.node.end_lineno or 0):
            continue
        nodes = list(walk(site.node))
        loaded = {
            last_name(node.targets[0])
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if called_name(node.value) in LOADERS
        }
        for node in nodes:
            read = key_of(node) if isinstance(node, ast.expr) else None
            if read and read[0] == key and isinstance(read[1], ast.Name) and read[1].id in loaded:
                yield node


def _reads(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and constant_text(node.slice) == key
    if isinstance(node, ast.Call):
        return any(constant_text(argument) == key for argument in node.args)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return any(constant_text(member) == key for member in node.elts)
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr == key


def near_name(key: str, keys: frozenset[str] | set[str]) -> str:
    return next(iter(difflib.get_close_matches(key, sorted(keys - {key}), n=1, cutoff=NEAR)), "")


def _beside(key: str, keys: frozenset[str] | set[str]) -> str:
    near_key = near_name(key, keys)
    return f" (there is `{near_key}`)" if near_key else ""


def _one_value(near: str, key: str, access: StateAccess, symbols: SymbolTable) -> str:
    """Return the type of a declared key that holds one value, where the other is read as a list."""
    site = access.state.site
    types = (
        field.annotation
        for field in (site.node.body if site else ())
        if isinstance(field, ast.AnnAssign) and getattr(field.target, "id", "") == near
    )
    words = {last_name(part) for part in walk(next(types, ast.Pass()))} - {""}
    is_one = len(words & ONE_VALUE) == 1 and words <= ONE_VALUE | AROUND_TYPES
    return f", one {next(iter(words & ONE_VALUE))}" if is_one and _is_listed(key, symbols) else ""


def _is_listed(key: str, symbols: SymbolTable) -> bool:
    """Return whether code goes through what lies under a key, or expects a list there."""
    return any(
        constant_text(part) == key
        for source in symbols.codebase.production
        if key in source.text
        for node in walk(source.tree)
        for part in walk(_as_list(node))
    )


def _as_list(node: ast.AST) -> ast.AST:
    """Return what a node uses as a list."""
    match node:
        case ast.For(iter=rows) | ast.comprehension(iter=rows):
            return rows
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, ast.List()]):
            return key
    return ast.Pass()


def _name(access: StateAccess) -> str:
    fact: Mapping[str, object] = access.state.fact or {}
    return str(fact.get("name", "the state"))


def _state_place(access: StateAccess) -> Place | None:
    fact = access.state.fact
    return (str(fact["path"]), int(fact["line"])) if fact else None
