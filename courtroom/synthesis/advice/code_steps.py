"""Steps for the code beside the graph: the clone, the judges, dangers and lines that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.langgraph.judging.absent_opinions import LAST
from courtroom.analysis.langgraph.judging.bound_fields import BY_FIELD
from courtroom.analysis.langgraph.judging.persona_names import PERSONAS
from courtroom.analysis.project.recorded_scores import SINCE
from courtroom.analysis.project.score_claims import gives
from courtroom.checks.failing_code import most_reached
from courtroom.checks.from_facts import with_place
from courtroom.checks.phrases import listed, places_of
from courtroom.checks.sandboxed_clone import FACTS as FACTS_OF_CLONE
from courtroom.checks.state_flow import fault_sentence
from courtroom.checks.subjects import is_name_in_template
from courtroom.checks.unsafe_call import FACTS
from courtroom.models.evidence import Evidence
from courtroom.models.statement import continued
from courtroom.synthesis.advice.audit_causes import FAILED, steps_on_audits
from courtroom.synthesis.advice.graph_steps import flow_step
from courtroom.synthesis.advice.work import Step, Work, placed

# Words of its own that let a prompt lead its judge.
ENOUGH_WORDS = 60
CLONE = {
    "in_tempdir": "Clone into a folder of tempfile.TemporaryDirectory in {name}, which is removed"
    " whatever happens.",
    "errors_handled": "Catch the error of the clone in {name}, and hand its message on to the report.",
    "timeout": "Give the clone in {name} a deadline: pass timeout=120 to this call, and see that"
    " subprocess.TimeoutExpired is handled.",
    "url_validated": "Refuse in {name}, directly before this call, every address that does not begin"
    " with {forms}: {reason}.",
}
MEND_FIRST = "Mend it first, so that the detectives can read its clone: "
REPORTED = (
    " Report it in the way in which {name} reports a failing clone: an exception from here ends the"
    " run."
)
OF_RUNNER = (
    "Give the processes of {name} a deadline: pass timeout=120 to this call, and see that"
    " subprocess.TimeoutExpired is handled."
)
# GitPython's clone_from has no deadline that ends it.
NO_DEADLINE = (
    "Run git clone by subprocess.run with timeout=120 in {name}, with -- before the address:"
    " clone_from has no deadline of its own."
)
# GitPython and a -- before the address keep git from reading it as an option.
LOCAL_ADDRESS = "a path may lead to any repository on the machine that runs the audit"
# What the work says that it takes stays possible for the person who starts the run.
LOCAL_ON_REQUEST = (
    " Let a local path, which the work documents, pass by an option of the command alone."
)
DASH_ADDRESS = "one that begins with a dash is an option to git"
NO_MADE_UP_SCORE = (
    "Record here that the judge failed, in place of this score, and leave the judge out of the"
    " verdict."
)
NO_SCORE_AT_ONCE = (
    "Request the answer again in place of this score; if the last attempt fails too, record that the"
    " judge failed."
)
NO_DEFAULT = (
    "Take the default out of this field: an answer without a score then does not fit the schema."
)
NO_UNASKED_SCORE = (
    "Record here, in place of this score, that no judge's opinion stands here, and leave it out of"
    " the verdict."
)
GO_ON = (
    "Let this loop go on also where the answer does not fit {schema}; after its last attempt record"
    " that the judge failed, and no score{then}."
)
NO_SCORE_UNHEARD = "Compute the verdict from the opinions that are there, without this score."
FAILURES = ("made_up_scores", "uncaught_answers", "unasked_scores")
# Beginning of what is said of nodes that write scores and ask no model.
OF_NODE = "The node "
CATCH = "Catch the failure of this call, and record in the state that the judge failed."
BOUND_ALWAYS = (
    "Check that the answer of this call has a score and a reason before the code makes {schema} of it,"
    " and fill in no score that it lacks."
)
OTHER_CALL = re.compile(r"\.(?:create|generate_content|chat|complete|completion|post)\(")
OTHER_CLIENT = (
    "Hand the JSON Schema of {schema}, or of a list of it where one call judges several criteria,"
    " to the judges' model with this call, or ask a LangChain model that with_structured_output"
    " binds to it{also}."
)
SAME_PASSAGES = (
    "Move the passages that several prompts have in the same words into one text beside the"
    " criterion, and leave in each prompt what is this judge's own"
)
# A fault of a text that is formatted, and what mends it.
BRACES = "Double the braces that stand for themselves"
DANGERS = {
    "os_system": "Run the program by subprocess.run with a list of arguments.",
    "shell_true": "Pass the command as a list of arguments, without a shell.",
    "eval_exec": "Parse the text, for example by json.loads or ast.literal_eval, and do not run it.",
    "committed_secret": "Revoke this secret, and read the new one from the environment.",
    "unsafe_deserialisation": "Load this data in a form that holds no code, such as JSON.",
    "sql_from_strings": "Pass the value as a parameter of the query, not as a part of its text.",
    "path_traversal": "Refuse a path that leads out of the folder that it belongs to.",
    "tls_unverified": "Leave the check of certificates on.",
}
# Loaders by a part of their name that have a safe form of their own.
SAFE_LOADS = {"yaml": "Use yaml.safe_load.", "torch": "Pass weights_only=True."}


def clone_steps(aspect: str, pieces: Sequence[Evidence], work: Work) -> Iterator[Step]:
    function = work.facts.get("clone_function")
    if function is None or aspect not in CLONE:
        return
    if function.get("is_uncalled") and work.facts.get(FACTS_OF_CLONE[aspect]) is not False:
        action = f"Call {function['name']} from a detective: nothing that runs does."
        losses = "; ".join(function.get("losses", ()))
        first = f" {MEND_FIRST}{losses}."
        yield placed(f"{action}{first if losses else ''}", function)
        return
    escaping = function.get("escaping", ()) if aspect == "errors_handled" else ()
    if escaping:
        names, nodes = (
            listed(dict.fromkeys(error[part] for error in escaping)) for part in ("name", "node")
        )
        action = f"Catch {names} in {nodes}, and hand the message on to the report."
        yield placed(action, escaping[0])
        return
    runner = function.get("runner")
    if aspect == "timeout" and runner:
        yield placed(OF_RUNNER.format(name=runner["name"]), runner)
        return
    text, snippet = CLONE[aspect], None
    quoted = "\n".join(piece.content or "" for piece in pieces)
    if aspect == "timeout" and "clone_from" in quoted:
        text = NO_DEADLINE
    address = function.get("address")
    refusal = function.get("refusal", "ValueError")
    documented = function.get("documented", ())
    forms = ["https:", *(["ssh:"] if "ssh" in documented else []), "git@"]
    if aspect == "url_validated" and not refusal:
        text += REPORTED
    elif aspect == "url_validated" and address and "path" not in documented:
        starts = ", ".join(f'"{form}"' for form in forms)
        snippet = (
            f"if not {address}.startswith(({starts})):\n"
            f'    raise {refusal}(f"Not an https or git address: {{{address}}}")'
        )
    if aspect == "url_validated" and "path" in documented:
        text += LOCAL_ON_REQUEST
    is_option = '"clone"' in quoted.replace("'", '"') and not re.search(r"""["']--["']""", quoted)
    reason = DASH_ADDRESS if is_option else LOCAL_ADDRESS
    words = listed(forms, "or")
    yield Step(text.format(name=function["name"], reason=reason, forms=words), snippet=snippet)


def answer_steps(aspect: str, pieces: Sequence[Evidence], work: Work) -> Iterator[Step]:
    """Let plain judges ask a model before it is bound; repeat a call that misfits; invent no score."""
    judges = work.facts.get("plain_judges") or ()
    schema = work.opinion_schema or "a Pydantic model of an opinion"
    if aspect == "called" and judges:
        action = (
            f"Let the judges ask a model, bound by with_structured_output to {schema}:"
            f" {judges[0]['name']} computes its opinion without one."
        )
        yield replace(placed(action, judges[0]), is_exact=True)
    elif aspect in {"called", "schema"} and any(map(_is_of_other_client, pieces[:1])):
        also = _at_other_calls([*filter(_is_of_other_client, pieces)], work)
        yield Step(OTHER_CLIENT.format(schema=schema, also=also), is_exact=True)
    unbound = [
        place
        for call in work.facts.get("structured_output_calls") or ()
        for place in call.get("unbound", ())
    ]
    if aspect == "schema" and unbound:
        yield replace(placed(BOUND_ALWAYS.format(schema=schema), unbound[0]), is_exact=True)
    then = _defaults_behind(work)
    if aspect in {"retry", "at_once"}:
        yield from _repeated_calls(aspect, pieces, work, then)
    if aspect == "handled":
        yield from _instead_of_score(NO_MADE_UP_SCORE, work.facts.get("made_up_scores"), then)
        for place in (work.facts.get("uncaught_answers") or ())[:1]:
            yield placed(f"{CATCH.removesuffix('.')}{then}.", place)
        yield from _instead_of_score(NO_UNASKED_SCORE, work.facts.get("unasked_scores"), then)
        absent = work.facts.get("absent_opinion_scores")
        if not any(work.facts.get(name) for name in FAILURES):
            yield from _instead_of_score(NO_SCORE_UNHEARD, absent)


def _repeated_calls(
    aspect: str, pieces: Sequence[Evidence], work: Work, then: str
) -> Iterator[Step]:
    """Yield what makes a judge ask again before it fails."""
    if aspect == "at_once" and work.facts.get("structured_output_retry"):
        made_up, at_once = work.facts.get("made_up_scores"), work.facts.get("scores_at_once")
        is_of_other_step = all(row in _places_of(made_up) for row in _places_of(at_once))
        # A judge that asks once gets steps to repeat its call and to record its failure.
        if work.facts.get("judges_asking_once") and is_of_other_step:
            yield from _instead_of_score(NO_MADE_UP_SCORE, made_up, then)
        else:
            yield from _instead_of_score(NO_SCORE_AT_ONCE, at_once)
        return
    schema = work.answer_schema or "the schema"
    loops = work.facts.get("blind_retries") or ()
    if loops:
        yield replace(placed(GO_ON.format(schema=schema, then=then), loops[0]), is_exact=True)
        return
    yield Step(
        f"Repeat this call, two or three times, when the answer does not fit {schema}; then"
        f" record that the judge failed, and no score{_at_other_calls(pieces, work)}{then}."
    )


def _at_other_calls(pieces: Sequence[Evidence], work: Work) -> str:
    """Return words on the calls of the judges beside the first that the evidence shows.

    Where none is bound, they are those that the evidence shows for the same reason.
    """
    first = next((p.location for p in pieces if p.location.path), None)
    calls = work.facts.get("judges_asking_once") or [
        call
        for call in work.facts.get("structured_output_calls") or ()
        if call.get("by_judge") and not call.get("is_idle") and not call.get("of_tools")
    ]
    calls = calls or [
        {"path": p.location.path, "line": p.location.line_start}
        for p in pieces
        if p.location.path and p.rationale == pieces[0].rationale
    ]
    others = [
        c for c in calls if first and (c["path"], c["line"]) != (first.path, first.line_start)
    ]
    # A call that is none of these has its reasons.
    return f"; do the same at {places_of(others)}" if 0 < len(others) < len(calls) else ""


def _places_of(rows: Sequence[Mapping[str, Any]] | None) -> list[Mapping[str, Any]]:
    return [row["places"][0] for row in rows or ()]


def _instead_of_score(
    action: str, scores: Sequence[Mapping[str, Any]] | None, then: str = ""
) -> Iterator[Step]:
    by_field = [row for row in scores or () if row["text"].endswith(BY_FIELD)]
    others = [row for row in scores or () if row not in by_field]
    for words, rows in ((NO_DEFAULT, by_field), (action, others)):
        places = _places_of(rows)
        also = f"; do the same at {places_of(places[1:])}" if places[1:] else ""
        for place in places[:1]:
            text = f"{words.removesuffix('.')}{also}{then}."
            yield replace(placed(text, place), is_exact=True)


def _defaults_behind(work: Work) -> str:
    """Return a sentence on what would write a score for the judge that is left out, or ""."""
    nodes = [
        row["text"].removeprefix(OF_NODE).partition(" ")[0]
        for row in work.facts.get("unasked_scores") or ()
        if row["text"].startswith(OF_NODE)
    ]
    rows = work.facts.get("absent_opinion_scores") or ()
    absent = [place for row in rows for place in row["places"]]
    by_place = [p for row in rows if row["text"].endswith(f"{LAST}.") for p in row["places"]]
    parts = [places_of(absent)] if absent else []
    parts += [f"in the node{'s' * (len(nodes) > 1)} {listed(nodes)}"] if nodes else []
    where = "; ".join(parts)
    drop = f". Drop the score that is then written for an absent opinion ({where})"
    taken = f". Take each score by its judge, not by its place in a list ({places_of(by_place)})"
    return f"{drop * bool(parts)}{taken * bool(by_place)}{shorter_panels(work)}"


def shorter_panels(work: Work) -> str:
    """Return a sentence on the models that refuse a verdict without one of the opinions, or ""."""
    return "".join(
        f". Change this before: {row['text'].removesuffix('.')} ({places_of(row['places'])})"
        for row in work.facts.get("full_panels") or ()
    )


def _is_of_other_client(piece: Evidence) -> bool:
    """Return whether the quoted call is none of LangChain's, whose models alone can be bound."""
    return OTHER_CALL.search(piece.content or "") is not None


def prompt_steps(aspect: str, words: int, work: Work) -> Iterator[Step]:
    """Lengthen the prompts that say too little of their own; the shortest is the place.

    It is one step for all checks on prompts: three with little of their own are alike for that.
    """
    # One length for all checks of a rubric.
    words = max(words, ENOUGH_WORDS)
    prompts = work.facts.get("persona_prompts") or ()
    rows = [r for r in prompts if (r["own_words"] or 0) < words]
    is_alike = work.facts.get("persona_prompts_distinct") is False
    if aspect == "distinct" and is_alike and not rows and prompts:
        action = f"{SAME_PASSAGES} ({places_of(prompts)})."
        yield replace(placed(action, prompts[0]), is_exact=True)
    if not rows or (aspect != "told" and len(rows) < len(PERSONAS)):
        return
    shortest = min(rows, key=lambda row: row["own_words"] or 0)
    counted = [row for row in rows if not is_name_in_template(row)]
    counts = [f"{row['own_words'] or 0} for {row['persona']}" for row in counted]
    basis = ", as counted in code and prompt files" if counts else ""
    # The name in a text that all share is filled in by a run.
    if names := [row["persona"] for row in rows if is_name_in_template(row)]:
        counts.append(f"little more than the name for {listed(names)}")
    say = (
        "say in each judge's prompt what this judge alone looks for and how it reads the scale, in"
        f" at least {words} words that no other prompt has; now it is {listed(counts)}{basis}."
    )
    action = f"Keep what all judges need in one short common text, and {say}"
    step = placed(action if is_alike else f"S{say[1:]}", shortest)
    yield replace(step, is_exact=aspect != "told")


def class_steps(example: str, pieces: Sequence[Evidence]) -> Iterator[Step]:
    """Name the fields that the nearest class lacks, with their lines of the rubric's example."""
    for piece in pieces[:1]:
        defined, _, lacking = piece.rationale.partition(" without the field")
        if lacking:
            name = defined.rpartition(" class ")[2].partition("(")[0]
            fields = lacking.removeprefix("s").strip(" .")
            names = re.split(r", | and ", fields)
            lines = [line for line in example.splitlines() if line.partition(":")[0] in names]
            field = "field" if len(names) == 1 else "fields"
            action = (
                f"Give {name} the {field} {fields}, and pass {'it' if len(names) == 1 else 'them'}"
                f" wherever the code builds {name}: a call without a required field raises an"
                " error."
            )
            yield Step(action, snippet="\n".join(lines) or None, is_exact=True)


def danger_steps(dangers: Sequence[str], work: Work) -> Iterator[Step]:
    for danger in dangers:
        for row in work.facts.get(FACTS.get(danger, "unsafe_calls")) or ():
            if danger in FACTS or row["kind"] == danger:
                yield placed(_danger_words(danger, row), row)


def _danger_words(danger: str, row: Mapping[str, Any]) -> str:
    if danger == "unsafe_deserialisation":
        safe = (text for name, text in SAFE_LOADS.items() if name in row["call"])
        return next(safe, DANGERS[danger])
    return DANGERS[danger]


def failing_steps(part: str, work: Work) -> Iterator[Step]:
    """Name each definition that is missing once, and what else fails in a function once.

    No run gets past it. What the check tells first comes first.
    """
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    rows = (work.facts.get("failing_code") or {}).get("lines", ())
    for row in most_reached([row for row in rows if row["part"] == part], work.facts):
        what = row.get("name") or f"{row['function']} {row['why']}"
        alike.setdefault((row["path"], what), []).append(row)
    for (_, what), rows in alike.items():
        lookup = _failing_lookup(rows[0], work)
        step = _definition(rows) if rows[0].get("name") else lookup or _mended(what, rows)
        # Few runs, if any, come where the state lacks what its nodes write.
        is_rare = all(row.get("where_empty") for row in rows)
        yield replace(step, is_urgent=not is_rare, is_minor=is_rare)


def _beyond(row: Mapping[str, Any]) -> str:
    """Sentence, with a space before it, on runs that the step does not change or that come further."""
    if returns := row.get("returns_before"):
        ways = f"the return{'s' * (len(returns) > 1)} at {places_of(returns)}"
        return f" Look at {ways} too: a run that ends there never comes to this line."
    if row.get("caught_at"):
        return (
            " Then look at what follows in its `try`, which this line kept from running: the"
            f" handler in line {row['caught_at']} hides what fails there too."
        )
    return ""


def _failing_lookup(row: Mapping[str, Any], work: Work) -> Step | None:
    """Return what mends the fault in the flow of data that is the lookup of this line."""
    faults = (work.facts.get("state_flow") or {}).get("faults", ())
    place = row["path"], row["line"]
    alike = (f for f in faults if (f["path"], f["line"], f["kind"]) == (*place, "other_key"))
    return next((flow_step(f) for f in alike if row["why"] in f["sentence"]), None)


def _definition(rows: Sequence[Mapping[str, Any]]) -> Step:
    """Return the step that defines the name: by what its function has at hand, as another function
    does for itself, or anew.
    """
    first = rows[0]
    name, line = first["name"], first.get("set_at")
    uses = f"{listed(dict.fromkeys(r['function'] for r in rows))} (line{_lines(rows)})"
    use = "uses" if len({row["function"] for row in rows}) == 1 else "use"
    where = first["why"].rpartition(" inside ")[2]
    if first.get("at_hand"):
        action = f"Take `{first['at_hand']}` for {name}, which {uses} {use} and nothing sets there."
    elif line is None:
        action = f"Define or import {name}, which {uses} {use} and nothing defines."
    elif first["is_constant"]:
        action = f"Move {name} out of {where}, where alone it exists: {uses} {use} it too."
        first = {**first, "line": line}
    else:
        action = f"Set {name} in {uses} too: it exists only inside {where}, which sets it in line {line}."
    return placed(f"{action}{_beyond(rows[0])}", first)


def _mended(what: str, rows: Sequence[Mapping[str, Any]]) -> Step:
    also = f" (also in line{_lines(rows[1:])})" if len(rows) > 1 else ""
    if rows[0].get("file"):
        other = f"or open a file that is there: no run gets past this line{also}."
        return placed(f"Commit {rows[0]['file']}, {other}", rows[0])
    mend = BRACES if "braces" in what else "Mend this line"
    key = rows[0].get("where_empty")
    where = f" It runs only where `{key}` is empty." if key else ""
    return placed(f"{mend}: {what}{also}.{where}", rows[0])


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the lines, after the word line: " 3", "s 3 and 5"."""
    numbers = list(dict.fromkeys(str(row["line"]) for row in rows))
    return f"{'s' * (len(numbers) > 1)} {listed(numbers)}"


def _output(path: str) -> PurePosixPath:
    """Return the path of an audit as its Markdown and its JSON share it."""
    return PurePosixPath(path).with_suffix("")


def _parts_of(rationale: str) -> tuple[str, str]:
    """Return what is said of an audit, and what is said of the judges' code after it."""
    text, _, since = rationale.partition(SINCE)
    return text, since


def _flow_fault(kind: str, work: Work) -> Mapping[str, Any] | None:
    faults = (work.facts.get("state_flow") or {}).get("faults") or ()
    return next((fault for fault in faults if fault["kind"] == kind), None)


def _mended_first(fault: Mapping[str, Any]) -> str:
    return (
        f"Mend first what leaves criteria out: {continued(fault_sentence(fault))} Then run the"
        " auditor again, and commit an audit of all criteria."
    )


def _earlier_audit(claims: Sequence[Mapping[str, Any]], work: Work) -> str:
    """Return the beginning of a step that says first which audit gave all the claimed scores."""
    rows = work.facts.get("earlier_audits") or ()
    row = next((r for r in rows[::-1] if all(gives(r, claim) for claim in claims)), None)
    if row is None:
        return ""
    version = f"{row['path']}, which gave it until commit {row['next_commit'][:8]}"
    return f"Say that the score is that of {version}, or give"


def output_steps(aspect: str, pieces: Sequence[Evidence], work: Work) -> Iterator[Step]:
    """Name the score that a committed audit gives, where another one is claimed, and say why an
    audit holds no judgement.
    """
    if aspect == "judged":
        rows = work.facts.get("audits_without_judgement") or ()
        stated = {text: since for piece in pieces for text, since in [_parts_of(piece.rationale)]}
        audits = work.facts.get("own_audits") or ()
        empty_audits = [
            {**row, "has_changed": bool(stated[row["text"]])}
            for row in rows
            if row["text"] in stated
        ]
        is_asking = bool(work.facts.get("structured_output_calls"))
        cause = _flow_fault("twice_filled", work)
        known_cause = (
            with_place(fault_sentence(cause), cause["path"], cause["line"]) if cause else ""
        )
        ranges = [
            place
            for row in work.facts.get("separate_score_ranges") or ()
            for place in row["places"]
        ]
        yield from steps_on_audits(
            empty_audits,
            audits,
            is_asking=is_asking,
            known_cause=known_cause,
            ranges=ranges,
            has_plain_judges=bool(work.facts.get("plain_judges")),
        )
    # What no audit judges is one thing to find out, whatever the audits are.
    for row in (work.facts.get("unjudged_criteria") or ())[:1] if aspect == "covered" else ():
        cause = _flow_fault("left_out_criterion", work)
        if cause:
            yield replace(placed(_mended_first(cause), cause), is_exact=True)
        else:
            yield placed("", row["places"][0])
    if aspect != "claimed":
        return
    claims = [row for row in work.facts.get("claimed_scores") or () if row["agrees"] is False]
    if not claims:
        return
    scores = dict.fromkeys(f"{claim['score']:g}" for claim in claims)
    claimed = listed(scores)
    # A report may name others in words that were not recognised.
    replaced = listed([*scores, "any other overall score"])
    scored = [row for row in work.facts.get("own_audits") or () if row["score"] is not None]
    # What the code could not have written is no score of the work's.
    own = [row for row in scored if row["about"] == "self" and not row.get("unlike_code")]
    where = "" if any(piece.location.path for piece in pieces) else " in the report"
    # The step stands at the document.
    if not where and any(claim.get("page") for claim in claims):
        where = " here and in the report"
    unjudged = work.facts.get("audits_without_judgement") or ()
    reasons = {_output(row["places"][0]["path"]): row["text"] for row in unjudged}
    if own and _output(own[-1]["path"]) in reasons:
        path = own[-1]["path"]
        reason = reasons[_output(path)]
        has_failures = FAILED in reason
        first = f"Mend what fails in {path}, run" if has_failures else "Run"
        end = "." if has_failures else f": {reason}"
        yield Step(
            f"{first} the auditor again, and name the score that it gives in place of"
            f" {replaced}{where}{end}"
        )
    elif own:
        given = f"{own[-1]['score']:g}, as {own[-1]['path']} does"
        before = _earlier_audit(claims, work)
        yield Step(
            f"{before or 'Give'} the score as {given}, in place of {replaced}{where}, and any scores per"
            " criterion as they stand there."
        )
    else:
        yield Step(f"Commit the audit that gives {claimed}, or take this score out{where}.")
