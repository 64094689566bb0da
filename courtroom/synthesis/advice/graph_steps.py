"""Steps for what a run of the graph shows, and for the data of its state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.python.tree_walk import words_of
from courtroom.checks.phrases import listed, place_of, places_of
from courtroom.checks.state_flow import fault_sentence, is_replaced
from courtroom.synthesis.advice.work import Edge, Step, Work, arrows, code_list, code_name, placed


def at_graph(action: str, work: Work, snippet: str | None = None) -> Step:
    graph = work.graph
    return Step(action, graph.get("path"), graph.get("state_graph_line"), snippet)


def edge_words(edges: Sequence[Edge]) -> str:
    return f"the edge{'s' if len(edges) > 1 else ''} {arrows(edges)}"


# -- what a run of the graph shows ------------------------------------------------------------------


def run_steps(faults: Sequence[str], work: Work) -> Iterator[Step]:
    fact = work.facts.get("graph_run") or {"doubled": work.facts.get("doubled_alone")}
    for runs in (fact, *fact.get("inner", ())):
        for fault in faults:
            rows = runs.get(fault) or ()
            if fault == "doubled" and rows:
                yield _doubled(rows)
                continue
            if fault == "conflicts":
                yield from _conflicts(rows, work)
                continue
            for row in rows:
                yield _RUN[fault](row, work)


def _refused(reason: str, work: Work) -> Step:
    return at_graph(f"Mend what LangGraph refuses: {reason}.", work)


def _repeated(row: Mapping[str, Any], work: Work) -> Step:
    """Let the node run once; urgent where what it and its followers return is there twice."""
    return replace(_joined_branches(row, work), is_urgent=bool(row.get("added")))


def _joined_branches(row: Mapping[str, Any], work: Work) -> Step:
    node = row["node"]
    before = list(dict.fromkeys(name for names in row["starters"] for name in names))
    plain = {edge for edge, _, _ in work.edges}
    place = next(iter(row["places"]), None)
    # A join waits for all of its list: it would never run behind a route that is not taken.
    if row["choices"] or not all((name, node) in plain for name in before):
        return placed(
            f"Let {node} wait for all branches from {row['fork']}, so that it runs once: pass"
            " defer=True where add_node adds it (LangGraph since May 2025).",
            place,
        )
    edges = edge_words([(name, node) for name in before])
    # LangGraph takes no list with START.
    others = [name for name in before if name != "START"]
    if len(others) == 1:
        action = f"Remove the edge START → {node}: {others[0]} starts {node}."
        return placed(action + _beside(row, work), place)
    snippet = work.builder and f"{work.builder}.add_edge({code_list(others)}, {code_name(node)})"
    them = "them" if len(others) == len(before) else listed(others)
    return placed(
        f"Replace {edges} by one edge from the list of {them}: it waits for all.", place, snippet
    )


def _beside(row: Mapping[str, Any], work: Work) -> str:
    """Say which nodes then run in the same step, and may no longer find what the first run returned."""
    steps = (work.facts.get("graph_run") or {}).get("steps", {})
    last = max(row["steps"])
    again = {row["node"], *row.get("followers", ())}
    mates = [name for name in steps if name not in again and last in steps[name]]
    if not mates:
        return ""
    it = "it" if len(mates) == 1 else "them"
    return (
        f" {listed(mates)} then {'runs' if len(mates) == 1 else 'run'} beside {row['node']}: what"
        f" needs its result belongs into a node after {it}."
    )


# Words of keys that count the rounds of a loop.
COUNT_WORDS = frozenset(
    {
        "attempt",
        "attempts",
        "count",
        "counter",
        "idx",
        "index",
        "iteration",
        "iterations",
        "round",
        "rounds",
    }
)


def _idle(row: Mapping[str, Any], work: Work) -> Step:
    """Start the node where others of its role start."""
    node = row["node"]
    mates = [mate for mate in work.nodes(role_by_name(node)) if mate != node]
    rows = [row for row in work.edges if row[0][1] in mates and row[0][0] not in mates]
    if not rows:
        return placed(f"Add an edge that leads to {node}, or take the node out.", row["place"])
    (start, _), path, line = rows[0]
    snippet = work.builder and f"{work.builder}.add_edge({code_name(start)}, {code_name(node)})"
    return Step(f"Add the edge {start} → {node}: no route leads to it.", path, line, snippet)


def _endless(row: Mapping[str, Any], work: Work) -> Step:
    """Change one key that the router tests, in the node before it: no other runs beside that."""
    steps = (work.facts.get("graph_run") or {}).get("steps", {})
    is_chain = len({tuple(steps.get(node, [node])) for node in row["nodes"]}) == len(row["nodes"])
    loop = " → ".join(row["nodes"]) if is_chain else f"of {listed(row['nodes'])}"
    if not row.get("keys"):
        first = next(iter(row["places"]), None)
        return placed(f"Give the loop {loop} a route that leaves it.", first)
    counts = [key for key in row["keys"] if COUNT_WORDS & {*words_of(key)}]
    keys = counts if len(counts) == 1 else row["keys"]
    named = f"{'one of ' * (len(keys) > 1)}{listed(f'`{key}`' for key in keys)}"
    node = row["routers"][0]
    action = (
        f"Change {named} in {node}, such as by counting the rounds of the loop {loop}: the router"
        f" after {listed(row['routers'])} decides the same in each."
    )
    return placed(action, row["places"][-1])


def _conflicts(rows: Sequence[Mapping[str, Any]], work: Work) -> Iterator[Step]:
    """Yield what mends writes of one step; LangGraph stops at them, so they are urgent."""
    state = work.facts.get("state_class")
    of = f" of {state['name']}" if state else ""
    for row in (row for row in rows if not row.get("is_unchanged")):
        nodes = listed(row["nodes"])
        action = f"Give the key {row['key']}{of} a reducer: {nodes} write it in one step."
        step = placed(action, state or next(iter(row["places"]), None))
        yield replace(step, is_urgent=True)
    unchanged = [row for row in rows if row.get("is_unchanged")]
    for group in dict.fromkeys(tuple(row["nodes"]) for row in unchanged):
        same = [row for row in unchanged if tuple(row["nodes"]) == group]
        keys = listed(f"`{row['key']}`" for row in same)
        action = (
            f"Return only what they change from {listed(group)}: they return {keys} as they got"
            f" {'it' if len(same) == 1 else 'them'}, in one step."
        )
        yield replace(placed(action, next(iter(same[0]["places"]), None)), is_urgent=True)


def _doubled(rows: Sequence[Mapping[str, Any]]) -> Step:
    nodes = list(dict.fromkeys(node for row in rows for node in row["nodes"]))
    names = [name for row in rows for name in (row["key"], *row.get("also", ()))]
    keys = listed(f"`{name}`" for name in names)
    reducers = "the reducer adds" if len(names) == 1 else "their reducers add"
    # The node may return other keys, which are to stay.
    key = "the key" if len(names) == 1 else "these keys"
    place = next((place for row in rows for place in row["places"]), None)
    if all(row.get("adds_nothing") for row in rows):
        has = "it has" if len(nodes) == 1 else "they have"
        action = f"Return an empty dict from {listed(nodes)}: {has} nothing new, and {reducers} {keys} to"
        return placed(f"{action} what is there.", place)
    action = (
        f"Return only new entries of {keys} from {listed(nodes)}, and leave {key} out where there"
        f" are none: {reducers} them to those that are there."
    )
    if any(row.get("is_in_place") for row in rows):
        action += (
            " Gather them in new lists: what is appended to a list of the state itself is in it"
            " before the reducer adds it once more."
        )
    return placed(action, place)


_RUN: dict[str, Callable[[Any, Work], Step]] = {
    "refused": _refused,
    "repeated": _repeated,
    "idle": _idle,
    "endless": _endless,
}


# -- where the data of the state goes ---------------------------------------------------------------


def flow_steps(concerns: Callable[[Mapping[str, Any]], bool], work: Work) -> Iterator[Step]:
    """Yield what mends the faults that the check concerns."""
    rows = (work.facts.get("state_flow") or {}).get("faults", ())
    faults = [fault for fault in rows if concerns(fault) and not fault.get("is_minor")]
    misplaced = [fault for fault in faults if _is_misplaced(fault, work)]
    for channel in dict.fromkeys(fault["channel"] for fault in misplaced):
        yield _return_under(channel, [f for f in misplaced if f["channel"] == channel])
    routes = [fault for fault in faults if fault["kind"] == "needless_route"]
    yield from route_steps(routes)
    for fault in faults:
        if fault in misplaced or fault in routes:
            continue
        if fault["kind"] == "dead_route" and fault.get("keys"):
            continue  # mended with the keys that the state does not declare
        if fault.get("keys"):
            yield from (_undeclared(key, fault, work) for key in fault["keys"])
        elif fault["kind"] in FLOW:
            yield flow_step(fault)


def route_steps(faults: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    """Yield one step for all routes of a kind: one router function often serves several nodes."""
    for kind in dict.fromkeys(fault["kind"] for fault in faults):
        first, *rest = [fault for fault in faults if fault["kind"] == kind]
        step = flow_step(first)
        also = f" The same is so of the routes at {places_of(rest)}." if rest else ""
        yield replace(step, action=step.action + also)


def flow_step(fault: Mapping[str, Any]) -> Step:
    wanted = _wanted_name(fault)
    if wanted:
        action = f"Rename {fault['other']['path']} to {wanted}, as the imports of it are written."
        return replace(placed(action, fault["other"]), is_urgent=True)
    words = FLOW if fault["other"] else FLOW | ALONE
    action = words[fault["kind"]].format(other=_other(fault))
    if "looks for evidence with" in fault["sentence"]:
        goal = f"the goal at {_other(fault)}" if fault["other"] else "a goal that detectives write"
        action = BY_GOAL.format(goal=goal)
    if "passes this test" in fault["sentence"]:
        action = "Pick the evidence by what detectives write for the criterion, such as its id"
    if fault["kind"] == "dead_route" and fault.get("keys"):
        action = "Declare in the state what this router tests, or remove the branch"
    if fault["kind"] == "dead_route" and "only below" in fault["sentence"]:
        action = "Mend the line that fails first: a run may then take this branch"
    if fault["kind"] == "loose_rule":
        action = next((do for part, do in LOOSE if part in fault["sentence"]), action)
    if is_replaced(fault):
        action = "Keep both texts where both rules apply"
    if "sees none of it" in fault["sentence"] and "` and `" in fault["sentence"]:
        action = "Read what lies under each of these keys, and take what is about the criterion"
    if "drops what the detectives return" in fault["sentence"]:
        action = FLOW["no_update"]
    action = next((do for part, do in UNUSED if part in fault["sentence"]), action)
    also = f"; do the same at {places_of(fault['places'])}" if fault.get("places") else ""
    is_filled = fault["kind"] == "needless_route" and fault["other"]
    where = f" That is written at {_other(fault)}." if is_filled else ""
    step = placed(f"{action}{also}. {fault_sentence(fault)}{where}", fault)
    is_grave = any(fault.get(name) for name in ("is_constant", "is_blinding"))
    return replace(step, is_urgent=fault["kind"] in BREAKING or is_grave)


# What mends a result that is not used, by a part of its sentence.
UNUSED = (
    ("limits them by it", "End the loop in this router where the count is at its limit"),
    ("where an update is empty", "Keep what is there where an update is empty"),
    (
        "the function of this name that runs",
        "Import the one of these functions that is meant, and delete the other",
    ),
    ("its cap of the score", "Take this cap out for one that reads a detective's finding"),
    (
        "which no code but the judges' and no data",
        "Ask for what the detectives write, under the keys that they use",
    ),
)
# What mends a fault by kind; the sentence of the fault follows.
FLOW = {
    "no_update": "Return a dict with keys of the state here",
    "unwritten_read": "Write this key in an earlier node, or hand it to the graph with its input",
    "early_read": "Read this key in a node that runs after the one that writes it (at {other})",
    "unread_write": "Read this key where it is needed, or do not write it",
    "other_key": "Look it up by the key that {other} holds",
    "absent_key": "Make the key agree with the result that is made at {other}, and check all other"
    " keys that are asked of it",
    "ignored_field": "Declare what is passed here in the model at {other}, or do not pass it",
    "unused_prompt": "Hand this text to the model, or delete it",
    "unused_result": "Use or delete this result",
    "unused_tool": "Call these tools where they are needed, or delete them",
    "unused_verdict": "Use or delete this value",
    "own_directory": "Hand the path of the clone to this code, and look there",
    "shallow_history": "Clone without a depth; --filter=blob:none keeps such a clone small",
    "deleted_clone": "Clone into a folder of tempfile.mkdtemp() and delete it when all is read",
    "lost_clone": "Keep the folder until every node has read it, and delete it then",
    "left_clone": "Remove the folder of the clone when all is read",
    "cut_text": "Read the text to its end",
    "empty_entry": "Put this part into the rubric, or do not ask for it",
    "dead_pattern": "Double the braces of this repeat",
    "moved_directory": "Hand the directory to the call that needs it (cwd), in place of moving there",
    "named_folder": "Clone into a folder of tempfile.mkdtemp(), with nothing of the address in its path",
    "carried_state": "Give each audit a thread of its own, such as uuid.uuid4().hex, and name an old one only"
    " to resume it",
    "word_scan": "Look for the call in the syntax tree of every file",
    "doubled_clone": "Clone once, into the folder that is read",
    "repeated_clone": "Clone once, and hand the path on in the state",
    "dead_route": "Change what this router tests so that a run can take the branch, or remove it",
    "needless_route": "Let the node that fails return a value for its failure, and let this router test"
    " that value; or remove the branch",
    "input_route": "Let this router, or one after the detectives, test what {other} records of a failure",
    "router_write": "Return this from a node before the router",
    "endless_loop": "Count the rounds of this loop, and let its router lead out of it after a few",
    "idle_step": "Let the node do its work on this way too ({other}), or lead past it",
    "impossible_test": "Make this test agree with the values at {other}, or remove it with the code under"
    " it, which no run has reached: read that code first",
    "refused_value": "Ask for a value that the field at {other} allows",
    "twice_filled": "Hand these values to invoke(), and leave their names in braces in the text",
    "moved_score": "Keep the model's score, and say in the prompt by what it is to be lower or higher",
    "guessed_criterion": "Set `criterion_id` of the answer here to the id of the criterion that is judged",
    "copied_evidence": "Return here only what is new, or let the judges read this key alone",
    "unshown_evidence": "Put what the detectives found for the criterion into this request",
    "unshown_rubric": "Put the criterion's instruction and patterns into this request",
    "left_out_criterion": "Ask for an opinion on each criterion of the rubric here",
    "loose_rule": "Limit this rule to what it is for",
    "broken_import": "Import what is there, or commit what is missing",
    "undeclared_import": "Declare this package among the dependencies, and renew the lock file if one"
    " stands beside them",
    "broken_command": "Import what is there, or commit what is missing",
    "failing_command": "Write the command as the program takes it, or commit what it needs",
    "absent_file": "Commit this file, or take it out of the README",
    "stale_readme": "Describe in the README what is there",
    "unnamed_key": "Name this key in README and .env.example",
    "unused_key": "Take out of the documents the keys that no code takes",
}


BY_GOAL = (
    "Make the word that is looked for here agree with {goal}. Read first what this code"
    " does with the evidence that it then finds: so far it has found none"
)
# What limits a rule, by a part of the sentence on it.
LOOSE = (
    ("the highest score", "Take the lower of the limit and the score of the criterion"),
    ("a lower score is raised", "Take the lower of the limit and the score of the criterion"),
    ("weigh more in", "Give the Tech Lead this weight in the criteria on architecture alone"),
    ("where nothing is known", "Apply this rule only where the value is known"),
    ("by no weights", "Divide this sum by the weights of the opinions that are there"),
    ("gave no opinion", "Leave a judge who gave no opinion out of this rule"),
    (
        "as a part of any word",
        "Look for whole words, by a pattern with \\b at each end that is a letter",
    ),
    ("matches words", "Ask what a detective found, in place of words in an argument"),
    ("matches a word", "Ask a field of the evidence, in place of words in its text"),
    (
        "does not come to the rule of facts",
        "Apply this cap last, to the score that the other rules leave",
    ),
    (
        "lets facts decide on",
        "Apply the rule of facts last, to the score that the other rules leave",
    ),
    ("does not look for security", "Let this cap ask for a security flaw in the evidence"),
)
# The same where the fault has no second place.
ALONE = {
    "refused_value": "Put the id of the criterion that is judged into the prompt",
    "other_key": "Ask for a key that the rubric has, or put this one into each of its entries",
    "input_route": "Let this router, or one after the detectives, test what a node returns of its failure",
}
# What a key changes that a router has never got.
NEW_WAYS = (
    " Routes by it then lead where no run has gone: see that a run still comes to the verdict."
)
# The module in the sentence on a broken import.
IMPORTED = re.compile(r" from `([\w.]{1,200})`")
# Faults without whose repair no audit gets to its end, or no opinion into the verdict.
BREAKING = frozenset(
    {
        *("broken_import", "deleted_clone", "endless_loop", "refused_value", "undeclared_import"),
        "unshown_evidence",
    }
)


def _wanted_name(fault: Mapping[str, Any]) -> str:
    """Return the file of an imported module that stands there in other letters, else ""."""
    other = (fault["other"] or {}).get("path", "")
    module = IMPORTED.search(fault["sentence"]) if fault["kind"] == "broken_import" else None
    wanted = f"{module[1].replace('.', '/')}.py" if module else ""
    return wanted if other != wanted and other.lower() == wanted.lower() else ""


def _other(fault: Mapping[str, Any]) -> str:
    place = fault["other"] or fault
    return place_of(place["path"], place["line"])


def _is_misplaced(fault: Mapping[str, Any], work: Work) -> bool:
    """Return true for lost keys that belong under a declared one; a key that is read is declared."""
    keys = fault.get("keys", ()) if fault.get("channel") else ()
    return bool(keys) and not any(_users(key, work, _UNDECLARED[1]) for key in keys)


def _return_under(channel: str, faults: Sequence[Mapping[str, Any]]) -> Step:
    nodes = list(dict.fromkeys(node for fault in faults for node in fault["nodes"]))
    keys = list(dict.fromkeys(key for fault in faults for key in fault["keys"]))
    places = listed(dict.fromkeys(place_of(fault["path"], fault["line"]) for fault in faults))
    action = (
        f"Return {listed(f'`{key}`' for key in keys)} under `{channel}`, where nodes look for"
        f" {'it' if len(keys) == 1 else 'them'}: in {listed(nodes)} ({places})."
    )
    return placed(action, faults[0], f'return {{"{channel}": {{"{keys[0]}": ...}}}}')


def _undeclared(key: str, fault: Mapping[str, Any], work: Work) -> Step:
    """Declare the key, unless its reader runs before the key can arrive or nobody writes it."""
    writers, readers = (_users(key, work, kind) for kind in _UNDECLARED)
    state = work.names.get("state_class", "the state")
    if readers and not writers:
        return placed(_of_readers(key, fault, state, readers), fault)
    early = [reader for reader in readers if _is_too_early(reader, writers, work)]
    if early:
        return _read_later(key, early[0], writers[0], work)
    used = f"{listed(writers)} {'returns' if len(writers) == 1 else 'return'} it"
    together = _in_one_step(writers, work)
    if together:
        state += (
            " with a reducer, such as operator.or_ for a flag, operator.add for a list or a"
            " function that joins two texts"
        )
        in_step = "all" if len(together) == len(writers) > 2 else listed(together)
        used += f", {in_step} in one step"
    if readers:
        read = f"{listed(readers)} {'reads' if len(readers) == 1 else 'read'} it"
        used += f", and {read}" if together else f" and {read}"
    callers = [row for row in fault.get("callers", ()) if row.get("key") in (None, key)]
    if callers:
        places = listed(place_of(row["path"], row["line"]) for row in callers)
        used += f", and {places} {'looks' if len(callers) == 1 else 'look'} for it in the result"
    again = [node for node in readers if node in writers]
    if together and again:
        # A list that comes back whole is added to itself.
        used += f". Return only new entries from {listed(again)}"
    state += "" if readers or callers else ", or leave it out if nothing needs it"
    is_routed = any(reader.startswith("the router after ") for reader in readers)
    step = placed(
        f"Declare `{key}` in {state}: {used}.{NEW_WAYS * is_routed}", fault["other"] or fault
    )
    is_lost_report = bool(fault.get("written"))
    return replace(step, is_urgent=is_lost_report, is_exact=is_lost_report)


def _of_readers(key: str, fault: Mapping[str, Any], state: str, readers: Sequence[str]) -> str:
    """Return what mends a key that no node returns."""
    if fault.get("is_given"):
        verb = "reads" if len(readers) == 1 else "read"
        return f"Declare `{key}` in {state}: the graph's input holds it, and {listed(readers)} {verb} it."
    action = (
        f"Declare `{key}` in {state} and return it from a node that runs before {listed(readers)},"
        " or do not read it."
    )
    near, _, note = fault["sentence"].partition("(there is `")[2].partition("`")
    if not near:
        return action
    places = listed(place_of(row["path"], row["line"]) for row in fault.get("places", ()))
    also = f", here and at {places}," if places else ""
    kind = note.removeprefix(", one ").partition(")")[0]
    note_on_kind = f", which is one {kind} and no list" if kind else ""
    # The code may read the near key elsewhere, for another purpose.
    return (
        f"{action} {state} declares `{near}`{note_on_kind}: read that{also} only where it means the"
        " same."
    )


def _in_one_step(writers: Sequence[str], work: Work) -> list[str]:
    """Return the writers that run in one step: without a reducer LangGraph stops at the second.

    A node may run in several steps; of the steps of all runs the one with the most writers counts.
    """
    runs = (work.facts.get("graph_run") or {}).get("runs", ())
    steps = [[node for node in writers if node in step] for run in runs for step in run["steps"]]
    together = max(steps, key=len, default=[])
    return together if len(together) > 1 else []


_UNDECLARED = (("undeclared_write", "no_update"), ("undeclared_read",))


def _users(key: str, work: Work, kinds: Sequence[str]) -> list[str]:
    faults = work.facts["state_flow"]["faults"]
    names = (
        name
        for fault in faults
        if fault["kind"] in kinds and key in fault.get("keys", ())
        for name in fault.get("nodes", ())
    )
    return list(dict.fromkeys(names))


def _is_too_early(reader: str, writers: Sequence[str], work: Work) -> bool:
    """Return true where no writer runs before the reader; a router runs after its node."""
    node = reader.removeprefix("the router after ")
    last = work.first_step(node)
    first = [step for step in map(work.first_step, writers) if step]
    if last is None or len(first) < len(writers):
        return False
    return not any(step < last or (node != reader and step == last) for step in first)


def _read_later(key: str, reader: str, writer: str, work: Work) -> Step:
    """Read the key after it is written: declared alone, it is empty where it is read now."""
    node, state = (
        reader.removeprefix("the router after "),
        work.names.get("state_class", "the state"),
    )
    step = work.first_step(node)
    is_same = work.first_step(writer) == step
    order = (
        f"{node} and {writer} both run in step {step}"
        if is_same
        else f"{node} runs before {writer}"
    )
    why = f"and declare `{key}` in {state}. Declared alone it arrives too late: {order}."
    edges = [edge for edge, _, _ in work.edges]
    # A node in which both end needs no new edge, which could take a parallel branch away.
    after = next((end for start, end in edges if start == node and (writer, end) in edges), None)
    if after:
        faults = work.facts["state_flow"]["faults"]
        where = next(f for f in faults if reader in f.get("nodes", ()) and key in f.get("keys", ()))
        return placed(
            f"Read `{key}` in {after}, which runs after both, not in {node}, {why}", where
        )
    row = next((row for row in work.edges if row[0][1] == node), None)
    removed = f" in place of {arrows([row[0]])}" if row else ""
    place = {"path": row[1], "line": row[2]} if row else work.facts["state_class"]
    snippet = work.builder and f"{work.builder}.add_edge({code_name(writer)}, {code_name(node)})"
    return placed(f"Add the edge {writer} → {node}{removed}, {why}", place, snippet)
