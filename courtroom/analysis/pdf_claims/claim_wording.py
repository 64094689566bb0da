"""Claims that a fact alone does not decide: what the words of their sentences ask of the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.claim_extent import is_as_wide
from courtroom.analysis.pdf_claims.claim_patterns import TESTED_SHARE, CodeFacts
from courtroom.analysis.pdf_claims.model_names import is_same_model, model_names
from courtroom.analysis.pdf_claims.source_words import MODELS

# The fact as it stands, and null where it says less than the sentence, or something else.
Reading = Callable[[str, CodeFacts, bool | None], bool | None]

# "All three detectives": a whole layer, or as many of its nodes as the sentence says.
_WHOLE_LAYER = (
    r"\b(?:all|both|each|every|two|three|four|[234]) (?:\w+ ){0,3}(?:%s|nodes?|agents?)\b"
)
_WHOLE_LAYERS = {
    "detectives_parallel": re.compile(_WHOLE_LAYER % "detectives?"),
    "judges_parallel": re.compile(_WHOLE_LAYER % "judges?"),
}
_NUMBERS = {"both": 2, "two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
_WAITS = re.compile(r"\bwait|\bbarrier|\bsynchroni[sz]|\bbefore\b")
# What a sentence says of a rule beyond its name in a list: "Variance re-evaluation: when ...".
_EXPLAINS_SPREAD = re.compile(
    r"re-?evaluation(?: rule)?(?:\*\*)? ?(?::|[-\u2013\u2014]{1,2}) |\b(?:when|where|if|exceed\w*|trigger\w*)\b"
)
_ASKS_AGAIN = re.compile(
    r"\b(?:judges?|prosecutor|personas?|models?|opinions?)\b[^.;]{0,60}"
    r"\b(?:again|anew|re-?(?:run|quer|hear|invok|prompt)\w*|second (?:round|time|hearing))"
    r"|\btrigger\w* a (?:second|new|further|another) (?:pass|round|hearing|look)\b"
    r"|\bre-?(?:read|examin|inspect)\w* (?:\w+ ){0,3}evidence\b"
    # What is done, not the name of the rule.
    r"|\b(?:appl|trigger|perform|start|forc|caus|invok)\w* (?:an? |the )?(?:\w+ )?re-?evaluat(?!\w* rule)"
    r"|\bre-?evaluat(?:es|ed)\b"
)
_OF_LISTS = re.compile(r"\blists? reducer|\bappend|\bconcatenat")
_OF_DICTS = re.compile(r"\bdict\w* (?:\w+ )?(?:reducer|merge|union)|\bmerg\w+ (?:\w+ )?dict")
_REDUCERS = {"add": _OF_LISTS, "ior": _OF_DICTS}
# "operator.ior (dict merge) for the evidence", "operator.add for opinions".
_FIELD_OF_REDUCER = re.compile(
    r"\boperator\. ?(add|ior)[`'\u2019\" ]{1,3}(?:\([^()]{0,40}\) )?for (?:the )?(evidence|opinion)"
)
# "Conditional routing to the judges, or to END if nothing was collected".
_CHOICE = (
    r"\b(?:if|when|where|whether|unless|otherwise|versus|vs|based on|errors?|missing|insufficient"
    r"|fail\w*|decid\w+|abort\w*)\b"
)
_CHOOSES = re.compile(rf"conditional.{{0,60}}{_CHOICE}|{_CHOICE}.{{0,60}}conditional")
_FROM_DETECTIVES = re.compile(
    r"\bfrom (?:all|each|every)(?: of)?(?: the)?(?: three)? detectives?\b"
)
_BOUND_SCHEMA = re.compile(r"\bwith_structured_output\( ?(\w{1,60}) ?\)")
_BINDS = re.compile(r"\bwith_structured_output\b|\bbind_tools\b|\bbound\b")
# What sets a cap for security off, beside its name: "security cap if a flaw is confirmed".
_SETS_OFF = re.compile(
    r"(?:security (?:override|cap)|rule of security)(?:(?!\),|[.;])[^\n]){0,80}?"
    r"\b(?:if|when\w*|confirm\w*|vulnerab\w*|flaws?|issues?|violations?|detect\w*|markers?|found"
    r"|evidence|unsafe|injection|exposure|capp\w*|caps|overrid\w*|trigger\w*|finding)\b"
)
# A report that is kept, not only made.
_KEPT = re.compile(
    r"\b(?:writ\w+|sav\w+|export\w*|stor\w+|persist\w*|output\w*|print\w*|deliver\w*|files?|disk)\b|\.md\b"
)
# A prompt with fewer words of its own differs from the others by a sentence.
_OWN_WORDS = 40


def _layer(fact: str, role: str) -> Reading:
    def read(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
        """Return false where the sentence counts in a node that runs apart from the others, or never.

        One node that runs the layer's functions side by side is no parallel graph, and no lie.
        """
        if value is False and code.get("runs_side_by_side"):
            return None
        order = (code.get("partly_parallel") or {}).get(fact)
        run = code.get("graph_run") or {}
        idle = [row["node"] for row in run.get("idle") or () if role_by_name(row["node"]) == role]
        if not (value and (order or idle)):
            return value
        steps = (run.get("steps") or {}).items()
        running = [node for node, at in steps if at and role_by_name(node) == role]
        rows = order or {"together": running, "before": (), "after": ()}
        text = _folded(sentence)
        nodes = (*rows["before"], *rows["after"], *idle)
        apart = (_folded(node).removesuffix("node") for node in nodes)
        whole = _WHOLE_LAYERS[fact].search(sentence)
        numbers = [_NUMBERS[word] for word in whole[0].split() if word in _NUMBERS] if whole else []
        is_other = whole and numbers != [len(rows["together"])]
        if is_other or any(node in text for node in apart):
            return False
        return True if whole or not order else None

    return read


def _model(family: str) -> Reading:
    def read(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
        """A model of the family bears out no other one that the sentence names."""
        names = code.get("model_names")
        if not value or names is None:
            return value
        stated = {name for name in model_names(sentence) if name.startswith(family)} - {family}
        is_there = all(any(is_same_model(name, other) for other in names) for name in stated)
        return value if is_there else None

    return read


def _side_by_side(_: str, code: CodeFacts, value: bool | None) -> bool | None:
    """Functions that run side by side outside of LangGraph's graph are parallel to their author."""
    return None if value is False and code.get("runs_side_by_side") else value


def _join(role: str) -> Reading:
    def read(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
        """A join that runs several times on every route waits for none of its branches.

        One node that runs a layer's functions side by side joins them itself.
        """
        if value is False and code.get("runs_side_by_side"):
            return None
        joins = (code.get("graph_shape") or {}).get("joins", ())
        rows = (code.get("graph_run") or {}).get("repeated") or ()
        always = (row for row in rows if not row["choices"])
        again = {
            node
            for row in always
            for node in (row["node"], *row["followers"])
            if node not in row.get("routed", ())
        }
        if not (value and any(role_by_name(node) == role for node in again.intersection(joins))):
            return value
        return False if _WAITS.search(sentence) else None

    return read


def _conditional_edges(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """Edges of which every run takes the same way bear out no choice, and none is a lie by itself."""
    if not (value and code.get("has_dead_routes")):
        return value
    return False if _CHOOSES.search(sentence) else None


def _error_route(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """A handler that the sentence names is a node of the graph, or another way is meant.

    Where each detective is said to have a way to it, some detective's edge has two targets.
    """
    graph = code.get("graph") or {}
    nodes = graph.get("nodes", ())
    detectives = {node for node in nodes if role_by_name(node) == "detective"}
    forks = {row["from"] for row in graph.get("conditional", ()) if len(row["to"]) > 1}
    if detectives and _FROM_DETECTIVES.search(sentence) and not detectives & forks:
        return False
    is_named = re.search(r"\berror[_ -]?handler", sentence) is not None
    has_handler = any("errorhandler" in _folded(node) for node in nodes)
    return None if value and is_named and not has_handler else value


def _reducers(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """Kind of a reducer, where the sentence names it and one field, or says which is for which."""
    rows = code.get("reducers") or ()
    is_settled = bool(code.get("own_runner")) or code.get("detectives_parallel") is False
    # No graph of LangGraph applies what the state is annotated with.
    if value and code.get("graph") is None and is_settled:
        return None
    pairs = _FIELD_OF_REDUCER.findall(sentence)
    if any(_kinds(rows, field) == {*_REDUCERS} - {kind} for kind, field in pairs):
        return False
    kinds = [name for name, words in _REDUCERS.items() if words.search(sentence)]
    if not value or len(kinds) != 1:
        return value
    named = {row["reducer"].rsplit(".", 1)[-1] for row in rows if _is_named(row["field"], sentence)}
    if len(named) == 1 and named <= _REDUCERS.keys():
        return named == {*kinds}
    # A node's name, as EvidenceAggregator, may mean a field: no proof of another kind of reducer.
    meant = named or _kinds_meant(rows, sentence)
    return None if meant <= _REDUCERS.keys() and meant.isdisjoint(kinds) else value


def _kinds_meant(rows: Iterable[Mapping[str, str]], sentence: str) -> set[str]:
    """Return the names of the reducers of fields that a name holds, else of all fields."""
    reducers = [(row["field"].lower(), row["reducer"].rsplit(".", 1)[-1]) for row in rows]
    held = {reducer for field, reducer in reducers if field.rstrip("s") in sentence}
    return held or {reducer for _, reducer in reducers}


def _kinds(rows: Iterable[Mapping[str, str]], field: str) -> frozenset[str]:
    """Return the names of the reducers of the fields whose name begins with this word."""
    return frozenset(
        row["reducer"].rsplit(".", 1)[-1] for row in rows if row["field"].startswith(field)
    )


def _is_named(field: str, sentence: str) -> bool:
    """Return whether the sentence has the field as a word, not as a part of a node's name."""
    return re.search(rf"\b{re.escape(field.lower().rstrip('s'))}s?\b", sentence) is not None


def _bound_schema(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """The class that the sentence hands to the call is one that a call binds.

    A list of that class is another answer: all opinions come from one request. Answers that are
    parsed and held to a model are structured outputs to some.
    """
    if value is False and code.get("validates_answers") and not _BINDS.search(sentence):
        return None
    named = set(_BOUND_SCHEMA.findall(sentence))
    rows = code.get("structured_output_calls") or ()
    models = {name.lower() for name in code.get("pydantic_models") or ()}
    schemas = {row["schema"].lower() for row in rows if row.get("schema")}
    # A variable may stand for any class.
    if not (value and named and schemas) or not schemas <= models:
        return value
    return named <= schemas


def _spread(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """A rule that the sentence explains, without a second look, is no proof against its name.

    One that takes the median is as explained where the code takes it beside a spread.
    """
    is_other = _EXPLAINS_SPREAD.search(sentence) and not _ASKS_AGAIN.search(sentence)
    if value is not False or not is_other:
        return value
    return True if "median" in sentence and code.get("takes_median_by_spread") else None


def _tested_share(sentence: str, code: CodeFacts, _: bool | None) -> bool | None:
    """The bound that the sentence gives is one that a test asserts; null where none is recognised."""
    shares, match = code.get("asserted_shares"), re.search(TESTED_SHARE, sentence)
    return int(match[1]) in shares if shares and match else None


def _personas(_: str, code: CodeFacts, value: bool | None) -> bool | None:
    """Prompts that share much and have much of their own are distinct to some."""
    prompts = code.get("persona_prompts") or ()
    is_own = len(prompts) > 1 and all((row["own_words"] or 0) >= _OWN_WORDS for row in prompts)
    return None if value is False and is_own else value


def _markdown(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """A report that a run makes and writes nowhere bears out that it is made, not that it is kept."""
    is_made = value is False and bool(code.get("unwritten_reports"))
    return True if is_made and not _KEPT.search(sentence) else value


def _security(sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """A cap that looks for no security, or that a later line lifts, bears out no claim of one.

    One that words of a judge set off does so where the sentence says as much, or no more than its
    name.
    """
    is_of_words = code.get("security_ground") in {"either", "opinions"}
    is_unsaid = is_of_words and _SETS_OFF.search(sentence) and "prosecutor" not in sentence
    return None if code.get("loose_caps") or (value and is_unsaid) else value


_READINGS: Mapping[str, Reading] = {
    "detectives_parallel": _layer("detectives_parallel", "detective"),
    "judges_parallel": _layer("judges_parallel", "judge"),
    "parallel_graph": _side_by_side,
    "evidence_join": _join("join"),
    "opinion_join": _join("justice"),
    "conditional_edges": _conditional_edges,
    "error_route": _error_route,
    "reducers": _reducers,
    "structured_output": _bound_schema,
    "distinct_personas": _personas,
    "tested_share": _tested_share,
    "markdown_report": _markdown,
    "security_override": _security,
    "variance_re_evaluation": _spread,
    **{f"uses_{family}": _model(family) for family in MODELS},
}


def as_claimed(feature: str, sentence: str, code: CodeFacts, value: bool | None) -> bool | None:
    """Return whether the claim holds as its sentence words it, given the fact of its feature."""
    read = _READINGS.get(feature)
    lowered = with_plain_hyphens(sentence).lower()
    standing = read(lowered, code, value) if read else value
    return None if standing and not is_as_wide(feature, lowered, code) else standing


def _folded(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
