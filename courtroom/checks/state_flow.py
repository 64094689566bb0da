"""The kind `state_flow`: does the data of a graph come where it is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.checks.from_facts import (
    files_of,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
    with_place,
)
from courtroom.checks.from_facts import searched as searched_for
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import by_kind, clauses, listed, place_of
from courtroom.checks.result import MOST_CLUES, SEARCHED, Clue, Finding, absent, could_not_look
from courtroom.checks.subjects import Subjects, unlocked_imports
from courtroom.models.check import CheckBase
from courtroom.models.state_flow_facts import FaultKind
from courtroom.models.statement import continued

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

BLINDING = "No judge sees any evidence."
LOOSE = "a rule that does more than it should"
# Such rules as are looked for: beside the cap for security, and with it.
UNCAPPED = (
    "a weight of the Tech Lead for every kind of criterion, or default for a missing value that sets"
    " off a rule,"
)
LOOSE_PARTS = UNCAPPED.replace(
    "a weight", "a cap for security that looks for none or can raise a score, weight", 1
)
# What is wrong with a cap for security: it is set off by words.
CAP = re.compile(r"\bfor security\b|the rule matches a word")
# Faults by kind, in words that follow "no" without their article.
WORDS: dict[str, str] = {
    "undeclared_write": "a key that a node returns and the state does not declare",
    "no_update": "a return of a detective, judge or Chief Justice that is lost as a whole",
    "undeclared_read": "a key that is read and that the state does not declare",
    "unwritten_read": "a key that is read and that nobody writes",
    "early_read": "a key that is read before it can be written",
    "unread_write": "a key that is written and that nobody reads",
    "other_key": "a lookup by a key in a mapping right under a key of the state that finds nothing, or"
    " one that the rubric spells otherwise",
    "empty_entry": "a part of the rubric that a judge asks for and that no entry has",
    "absent_key": "a lookup under a key that the function's result never has",
    "ignored_field": "a keyword that a model ignores",
    "unused_prompt": "a text for a model that no code uses",
    "unused_result": "a result outside the Chief Justice's code that is kept under a name of its own and"
    " never used",
    "unused_verdict": "a value inside the Chief Justice's code that is kept under a name of its own and"
    " never read",
    "unused_tool": "a class of tools that is imported and that no code uses",
    "own_directory": "a tool that looks at its own directory instead of the clone",
    "shallow_history": "a clone cut to a depth of at most 15 although its history is read",
    "deleted_clone": "a clone that a run deletes before it is read",
    "lost_clone": "a path handed on that leads into a deleted clone",
    "left_clone": "a clone that nothing removes",
    "doubled_clone": "a clone that is deleted unread and made again",
    "repeated_clone": "a clone that a run makes more than once",
    "cut_text": "a tool that reads only the beginning of a text",
    "dead_pattern": "a pattern in an f-string whose repeat is read as a value",
    "moved_directory": "a node that moves the working directory of nodes beside it",
    "named_folder": "a deleted folder whose name is the end of an address",
    "carried_state": "a run that begins with the state of an earlier audit",
    "word_scan": "a scan for unsafe calls that goes by words or passes over a file by its name",
    "dead_route": "a way of a router that its code or the keys it tests rule out",
    "needless_route": "a way of a router for want of what a node always writes",
    "input_route": "a router that tests the graph's inputs alone",
    "router_write": "a router that sets keys of the state",
    "idle_step": "a node that returns nothing on a way that leads to it",
    "endless_loop": "a loop that some run never leaves",
    "impossible_test": "a comparison in the Chief Justice's code of a field with a text that it cannot"
    " hold",
    "refused_value": "a value that a prompt fixes and that the schema or the rubric refuses",
    "moved_score": "code of a judge that changes the score of its model's answer",
    "twice_filled": "a filled text that LangChain fills once more",
    "guessed_criterion": "a criterion whose id the judges' model has to make up",
    "unshown_evidence": "a request to a judge's model that lacks evidence",
    "copied_evidence": "evidence under a second key that judges read beside the first",
    "unshown_rubric": "a request to a judge's model that lacks what the rubric says of the criterion",
    "left_out_criterion": "a criterion of the work's rubric that a judge's code leaves out",
    "loose_rule": LOOSE_PARTS,
    "broken_import": "an import that cannot resolve on the way from the graph's file",
    "undeclared_import": "an import, on the way from the graph's file, of a package that the list of"
    " dependencies lacks",
    "broken_command": "an import that cannot resolve on the way from a declared command",
    "failing_command": "a command of the README that fails as it stands",
    "absent_file": "a file that the README names and that the repository lacks",
    "stale_readme": "a line of the README that calls still to come what is there",
    "unnamed_key": "an API key that the code takes and no document names",
    "unused_key": "an API key that the documents name and no code takes",
}


# A fault that is there is none of several.
FAULT_WORDS: dict[str, str] = {
    "no_update": "a node whose whole return is lost",
    "other_key": "a lookup by a key that finds nothing in its mapping",
    "unused_result": "a result that is not used",
    "unused_verdict": "a value inside the Chief Justice's code that is never read",
    "dead_route": "a way of a router that no run takes",
    "left_clone": "a clone that is left behind",
    "refused_value": "a value that a prompt fixes and that is refused",
    "word_scan": "a scan for unsafe calls that does not look for calls alone",
    "loose_rule": LOOSE,
}
# Of sentences on a goal, which is no key.
BY_GOAL = re.compile(r"\blooks for evidence with\b.* goal\b")
# A text that is read, but for where a second one takes its place.
REPLACED = "a text of the Chief Justice that a second rule replaces unread"
# Faults that are said where those of another kind are asked for, and count for nothing there.
BESIDE = {
    "cut_text": "shallow_history",
    "repeated_clone": "shallow_history",
    "moved_directory": "shallow_history",
    "named_folder": "shallow_history",
    "carried_state": "undeclared_write",
    "broken_command": "broken_import",
    "failing_command": "broken_import",
    "absent_file": "broken_import",
    "stale_readme": "broken_import",
    "unnamed_key": "broken_import",
    "unused_key": "broken_import",
    "dead_pattern": "absent_key",
    "empty_entry": "other_key",
    "router_write": "dead_route",
    "unused_tool": "unused_result",
    "copied_evidence": "unshown_evidence",
    "moved_score": "refused_value",
    "twice_filled": "refused_value",
}
# What is said to a judge's model: nothing of it stands where the judges are plain code.
OF_MODEL = frozenset(
    {"unused_prompt", "refused_value", "guessed_criterion", "unshown_evidence", "unshown_rubric"}
)
# Faults that may be there in vain where no list of dependencies is known to hold all.
UNDENIED = frozenset({"undeclared_import"})
# What a run does with its clone: nothing of it is known where no run makes one.
OF_CLONE = frozenset(
    {"shallow_history", "deleted_clone", "lost_clone", "left_clone", "doubled_clone"}
)
# Faults of which each has its place among the evidence.
MOST_FAULTS = 8
# Of the sentence on a score on which the verdict does depend.
CUT = "keeps the whole part of a mean"
DECLARED = "Here the keys of the state are declared."
# The second place of a fault, by kind.
SECOND_PLACES: dict[str, str] = {
    "early_read": "Here the key is written.",
    "other_key": "Here it is stored.",
    "absent_key": "Here the result is made.",
    "ignored_field": "Here the fields of the model are declared.",
    "unused_result": "Here the result is made.",
    "unused_verdict": "Here the result is made.",
    "own_directory": "Here is the other line of this fault.",
    "shallow_history": "Here the history is read.",
    "deleted_clone": "Here the path is returned.",
    "lost_clone": "Here the path is returned.",
    "doubled_clone": "Here it is cloned again.",
    "needless_route": "Here the key is filled.",
    "input_route": "Here a node records a failure.",
    "idle_step": "Here the node waits for it.",
    "endless_loop": "Here the loop writes what its router tests.",
    "impossible_test": "Here is what the field can hold.",
    "refused_value": "Here the values of the field are declared.",
    "guessed_criterion": "Here opinions are joined by it.",
    "loose_rule": "Here a tool writes the word where it found nothing.",
    "broken_import": "Here is the module from which it is imported.",
    "broken_command": "Here is the module from which it is imported.",
}


class StateFlow(CheckBase):
    """None of these faults stands in the flow of data through the graph."""

    kind: Literal["state_flow"] = "state_flow"
    faults: tuple[FaultKind, ...] = Field(min_length=1)

    def concerns(self, fault: Mapping[str, Any]) -> bool:
        """Return whether the fault is of these kinds, or makes the absence of one untrue.

        A return that is lost as a whole is undeclared. Where lost keys are looked up under a key
        of the state, nothing is stored there. Where no judge sees evidence, no request holds any.
        """
        kind = fault["kind"]
        return (
            kind in self.faults
            or (kind == "no_update" and "undeclared_write" in self.faults)
            or (fault.get("channel") is not None and "other_key" in self.faults)
            or (bool(fault.get("is_blinding")) and "unshown_evidence" in self.faults)
        )


def flow(check: StateFlow, survey: Survey) -> Finding:
    """The faults of these kinds: each with its places, or none where everything was read."""
    fact = survey.facts.get("state_flow")
    if fact is None:
        return unknown("state_flow", survey)

    concerned = [fault for fault in fact["faults"] if check.concerns(fault)]
    faults = [fault for fault in concerned if not _is_minor(fault, survey)]
    minor = _minor([fault for fault in concerned if _is_minor(fault, survey)])
    # What blinds all judges comes first, then the kinds that the check names.
    faults.sort(key=lambda f: (not f.get("is_blinding"), f["kind"] not in check.faults))
    if faults:
        title = f"There is {clauses(dict.fromkeys(map(_words_of, faults)))}."
        if any(fault.get("is_blinding") for fault in faults):
            title = BLINDING
        beside = _not_counted(check, survey) if {*BESIDE.values()} & {*check.faults} else ""
        reason = f"{_reason(faults)}{minor}{beside}"
        finding = Finding(False, reason, _places(faults), fault=title)
        is_about_cap = any(CAP.search(fault["sentence"]) for fault in faults)
        return with_undercut_verdict(finding, survey) if is_about_cap else finding
    if survey.facts.get("plain_judges") and OF_MODEL.issuperset(check.faults):
        return nothing("No judge asks a model.", "requests of the judges' model", survey)
    function = survey.facts.get("clone_function")
    if function and function.get("is_uncalled") and OF_CLONE.issuperset(check.faults):
        return could_not_look(_no_clone(function))
    unread = {kind: fact["unread"][kind] for kind in check.faults if kind in fact["unread"]}
    # A few of many kinds are named as not followed; without a graph, all is open.
    if unread and (2 * len(unread) >= len(check.faults) or survey.facts.get("graph") is None):
        return could_not_look(f"Not everything was read: {next(iter(unread.values()))}.")
    unasked = OF_MODEL if survey.facts.get("plain_judges") else frozenset()
    names = [WORDS[k] for k in _absent(check, survey) if k not in unasked and k not in unread]
    if _has_loose_cap(survey):
        # What is wrong with the cap is said of the cap, and must not be denied here.
        names = [name.replace(LOOSE_PARTS, UNCAPPED) for name in names]
    beside = f"{_not_followed(unread)}{minor}{_not_counted(check, survey)}"
    reason = f"{_absences(names, files_of(survey))}{beside}".strip()
    wanted = names or [WORDS[kind] for kind in check.faults]
    # What the reason names must not be denied.
    result = "nothing was found" if names else "nothing that counts was found"
    caption = f"{SEARCHED}{beside}" if names else ""
    looked_for = searched_for("; ".join(wanted), survey, result)
    finding = absent(reason, looked_for, met=True, caption=caption)
    return replace(finding, has_reservation=bool(beside))


def _no_clone(function: Mapping[str, Any]) -> str:
    """Return why nothing is known of a clone, with what a call of the function would lose of it."""
    place = place_of(function["path"], function["line"])
    losses = "".join(f" Once it is called: {text}." for text in function.get("losses", ()))
    return f"Nothing that runs calls {function['name']} ({place}), so no run makes a clone.{losses}"


def _not_followed(unread: Mapping[FaultKind, str]) -> str:
    """Return a sentence on the kinds that were not looked for to the end; "" without any."""
    if not unread:
        return ""
    words = listed([FAULT_WORDS.get(kind, WORDS[kind]) for kind in unread])
    return f" The search for {words} did not see everything: {next(iter(unread.values()))}."


def _words_of(fault: Mapping[str, Any]) -> str:
    kind = fault["kind"]
    if kind == "other_key" and BY_GOAL.search(fault["sentence"]):
        return "a search for evidence by its goal that finds nothing"
    return REPLACED if is_replaced(fault) else FAULT_WORDS.get(kind, WORDS[kind])


def is_replaced(fault: Mapping[str, Any]) -> bool:
    """Return whether a value is lost only where another one takes its place."""
    return fault["kind"] == "unused_verdict" and "writes it anew" in fault["sentence"]


def _is_minor(fault: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether nothing hangs on a fault.

    What a Chief Justice returns that writes its report itself is lost to nobody who does not look
    for it.
    """
    nodes = fault.get("nodes") or ()
    is_delivered = (
        fault["kind"] == "no_update"
        and bool(nodes)
        and all(role_by_name(node) == "justice" for node in nodes)
        and survey.facts.get("markdown_report") is True
        and not (fault.get("callers") or fault.get("written") or fault.get("channel"))
    )
    return bool(fault.get("is_minor")) or is_delivered


def _minor(faults: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on faults that count for nothing, after a space; "" without any."""
    cut = [fault for fault in faults if CUT in fault["sentence"]]
    idle = [fault for fault in faults if fault not in cut]
    left_out = " Not counted, as neither a route nor the verdict makes use of it"
    return "".join(
        f"{words}: {continued(_reason(rows))}"
        for words, rows in ((left_out, idle), (" Not counted", cut))
        if rows
    )


def with_undercut_verdict(finding: Finding, survey: Survey) -> Finding:
    """The finding on a cap for security, with a committed audit in which it may be seen at work."""
    rows = survey.facts.get("undercut_verdicts") or ()
    if not rows:
        return finding
    text, place = rows[-1]["text"], rows[-1]["places"][0]
    clues = (*finding.clues, line_clue(place, text))
    return replace(finding, reason=f"{finding.reason} {text}", clues=clues)


def _absent(check: StateFlow, survey: Survey) -> list[str]:
    """Return the kinds of which there is none.

    A way that is closed by what a node always writes is ruled out by a key that its router tests,
    which another check says.
    """
    fact = survey.facts["state_flow"]
    kinds = {fault["kind"] for fault in fact["faults"]}
    minor = {fault["kind"] for fault in fact["faults"] if _is_minor(fault, survey)}
    is_said = "needless_route" in kinds and len(check.faults) > 1
    # A return that is lost as a whole is of undeclared keys.
    undeclared = {"undeclared_write"} if "no_update" in minor else set()
    left_out = minor | undeclared | UNDENIED | ({"dead_route"} if is_said else set())
    return [kind for kind in check.faults if kind not in left_out]


def _has_loose_cap(survey: Survey) -> bool:
    ground = survey.facts.get("security_ground")
    return bool(survey.facts.get("loose_caps")) or ground in {"either", "opinions"}


def _absences(names: Sequence[str], files: str) -> str:
    if not names:
        return ""
    if len(names) > 1:
        return f"Looked for such faults in {files}."
    if names[0] == WORDS["unused_result"]:
        return f"Looked for results that no code uses in {files}."
    return f"No {names[0].partition(' ')[2]} was recognised in {files}."


def _not_counted(check: StateFlow, survey: Survey) -> str:
    """Keys that nobody reads beside unused values in the code, the kinds of BESIDE, and imports that
    an install does not bring; "" where the check is on none of them.

    Such a key may be what the graph is run for. All count for nothing.
    """
    unlocked = unlocked_imports(survey.facts) if "broken_import" in check.faults else ""
    faults = [
        fault
        for fault in survey.facts["state_flow"]["faults"]
        if fault["kind"] not in check.faults and _beside(fault) in check.faults
    ]
    return f" Not counted: {continued(_reason(faults))}{unlocked}" if faults else unlocked


def _beside(fault: Mapping[str, Any]) -> str:
    """The kind beside which a fault is said that is not counted, "" for all others."""
    if fault["kind"] in BESIDE:
        return BESIDE[fault["kind"]]
    return _unused_kind(fault) if fault["kind"] == "unread_write" else ""


def _unused_kind(fault: Mapping[str, Any]) -> str:
    """The kind of a value inside the code that is not used, of the node that writes the key."""
    is_verdict = any(role_by_name(node) == "justice" for node in fault.get("nodes", ()))
    return "unused_verdict" if is_verdict else "unused_result"


def _reason(faults: Sequence[Mapping[str, Any]]) -> str:
    """The faults, each with its place; of the kinds after the first, the first and the number."""
    sentences = [
        (fault["kind"], with_place(fault_sentence(fault), fault["path"], fault["line"]))
        for fault in faults
    ]
    return by_kind(sentences)


def fault_sentence(fault: Mapping[str, Any]) -> str:
    """The fault as a sentence; the name of a function or node keeps its first letter."""
    words: str = fault["sentence"]
    return f"{words[0].upper() if words.startswith('the ') else words[0]}{words[1:]}."


def _places(faults: Sequence[Mapping[str, Any]]) -> tuple[Clue, ...]:
    """The place of each fault, which is to be mended by itself, then the second places.

    Of very many, those of every kind are among them.
    """
    kinds = [fault["kind"] for fault in faults]
    # A first fault of its kind goes before a further one of another.
    further = sorted(range(len(kinds)), key=lambda number: kinds[number] in kinds[:number])
    kept = {*further[:MOST_FAULTS]}
    order = sorted(range(len(kinds)), key=lambda number: number not in kept)
    rows = [list(_clues(faults[number])) for number in order]
    firsts = [clues[0] for clues in rows[:MOST_FAULTS]]
    others = [clue for clues in rows for clue in clues[1:]]
    return (*firsts, *others[: max(MOST_CLUES - len(firsts), 0)])


def _clues(fault: Mapping[str, Any]) -> Iterator[Clue]:
    yield line_clue(fault, fault_sentence(fault))
    if fault["other"] is not None:
        yield line_clue(fault["other"], SECOND_PLACES.get(fault["kind"], DECLARED))
    for read in fault.get("callers", ()):
        key = f"`{read['key']}`" if read.get("key") else "this key"
        yield line_clue(read, f"Here the graph's result is read under {key}.")
    for place in fault.get("places", ()):
        yield line_clue(place, fault_sentence(fault))


def _subjects(check: StateFlow) -> Subjects:
    return Subjects(("model",) if OF_MODEL.issuperset(check.faults) else ())


def _fault(check: StateFlow) -> str:
    if len(check.faults) > 1:
        return "The flow of data through the graph has a fault."
    kind = check.faults[0]
    return f"There is {FAULT_WORDS.get(kind, WORDS[kind])}."


KIND = CheckKind(
    model=StateFlow,
    detective="RepoInvestigator",
    detect=from_facts(flow),
    replay=from_stored_facts(flow),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Flow of data",
        about="None of these faults stands in the flow of data through the graph's state.",
        fields={"faults": "Faults to look for"},
        choices=WORDS,
    ),
    concern="function",
    order=85,
)
