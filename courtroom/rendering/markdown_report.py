"""The audit report as Markdown (DESIGN section 10), without anything volatile.

The same report and date give the same bytes. `report_import` reads this text back, so the
shapes of scores, opinions and changes here have their counterpart there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from courtroom.checks.phrases import listed, number_of
from courtroom.checks.priority import URGENCY
from courtroom.checks.result import SEARCHED
from courtroom.models.audit_report import (
    AuditReport,
    CriterionCheck,
    CriterionResult,
    OpinionRow,
    Remediation,
    RuleStep,
    rule_words,
)
from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import AskedPlace
from courtroom.models.statement import (
    first_sentence,
    not_applying,
    not_checked,
    sentences_of,
    without_weaker,
)
from courtroom.rendering.markdown_appendix import judges_of, location_text, render_appendix
from courtroom.rendering.markdown_escaping import (
    code_block,
    code_span,
    escape_prose,
    escape_sentence,
)
from courtroom.synthesis.opinions import TITLES

# Rule of synthesis/sufficient_evidence.py.
INSUFFICIENT = "insufficient_evidence"
# It explains a score and decides none.
EXPLAINING = "dissent_requirement"
STATUSES = {
    "verdict": "Every criterion has a verdict.",
    "needs_review": "Some criteria need review: they have no score and don't count in the totals.",
    "degraded": "No verdict: nothing could be scored. Each criterion says why.",
}
NO_MODEL = (
    "No model was used: every opinion is computed from the checks and facts below, "
    "so the same submission always gets the same verdict."
)
NEEDS_REVIEW = (
    "**Needs review**: the submission contains text that seems to address the grader "
    "(see the appendix)."
)
HOW, HOW_OVERALL = "How the score came about", "How the criteria add up"
# A sentence that could not be checked says so by itself.
MARKS = {True: "met", False: "fault"}
WITH_RESERVATION = " with a reservation"
NO_MATCH, REMARK = "no match", "remark"
ABOUT_SEARCHES = (
    f"A check marked *{NO_MATCH}* searched for a fault and recognised none. A search knows the usual "
    "forms of a fault: the work may have it in another form. The rubric says what each looks for."
)
ABOVE = "What shows it stands above."
AS_THERE = "What is said there holds here too."
# A short caption is repeated where its place is.
MOST_REPEATED = 80
WITHHELD, NO_VALUE = "withheld", "—"
NEXT = "What to do next"
MOST_URGENT_CHANGES = 5
VAIN_SEARCHES = "Searches that recognised nothing."
SEARCHES = "The checks above say what was looked for, and what came of it."
# Words of any search, beside what it looks for.
SEARCH_WORDS = frozenset(
    re.findall(
        r"\w+",
        "looked read followed for of the and in on its it them each all nothing none that counts"
        " was is found there not absent named usual spellings code files nodes detectives",
    )
)
# A check may say these otherwise: a clone that is left behind is one that nothing removes.
MOST_OTHER_WORDS = 3
_EXTENT = re.compile(
    r"(?:in the \d{1,9} Python files? of the repository(?: that can be read)?|on \d{1,9} pages?)\b"
)
_WORD = re.compile(r"\w+")
# A place in words and the lines there.
Quote = tuple[str, str]


def render_markdown(report: AuditReport, *, date: str | None = None) -> str:
    """Return the report as Markdown; `date` is printed as given and left out when None."""
    blocks = (
        *_header(report, date),
        *_summary(report),
        *_breakdown(report),
        *_plan(report),
        *render_appendix(report),
    )
    return "\n\n".join(blocks) + "\n"


def _header(report: AuditReport, date: str | None) -> Iterator[str]:
    yield f"# Audit of {code_span(report.repo_url)}"
    if all(judge.kind == "heuristic" for judge in report.judges.values()):
        yield f"> **{NO_MODEL}**"

    # Empty values, such as a missing date, drop their line.
    bench = (f"{TITLES[name]} {escape_prose(judge.model)}" for name, judge in judges_of(report))
    pdf = f"SHA-256 {code_span(report.pdf_sha256)}" if report.pdf_sha256 else "not submitted"
    rubric = f"{escape_prose(report.rubric.id)}, version {escape_prose(report.rubric.version)}"
    fields = {
        "Repository": code_span(report.repo_url),
        "Commit": _commit(report),
        "PDF": pdf,
        "Date": escape_prose(date) if date else "",
        "Rubric": rubric,
        "Constitution": escape_prose(report.constitution.id),
        "Judges": "; ".join(bench),
    }
    yield "\n".join(f"- **{name}**: {value}" for name, value in fields.items() if value)


def _commit(report: AuditReport) -> str:
    commit = code_span(report.commit) if report.commit else "unknown"
    return f"{commit} (ref {code_span(report.ref)})" if report.ref else commit


def _summary(report: AuditReport) -> Iterator[str]:
    yield "## Executive Summary"

    # `report_import` reads the score out of this line.
    unscored = WITHHELD if any(map(_is_withheld, report.criteria)) else "none"
    overall = unscored if report.overall_score is None else f"{report.overall_score:.1f} of 5"
    points = f" ({_points(report.points.earned, report.points.possible)})" if report.points else ""
    failed = " See the errors in the appendix." if report.errors else ""
    status = STATUSES[report.status] + (failed if report.status == "degraded" else "")
    yield f"**Overall score: {overall}**{points}. {status}"
    if report.integrity.suspected:
        yield NEEDS_REVIEW

    yield _score_table(report.criteria)
    yield from _titled_list(HOW_OVERALL, _steps(report.steps))
    shortage = _shortage(report)
    if shortage:
        yield escape_sentence(shortage)
        return

    yield "### Key Findings"
    yield "\n".join(_key_findings(report)) or _none_urgent(report)
    yield from _titled_list(NEXT, (escape_sentence(step.sentence) for step in report.next_steps))


def _score_table(criteria: Sequence[CriterionResult]) -> str:
    """Return the table of scores, with levels and points where the rubric has them."""
    columns = {
        "Criterion": [escape_prose(criterion.name) for criterion in criteria],
        "Score": [_score(criterion) for criterion in criteria],
    }
    if any(criterion.level for criterion in criteria):
        columns["Level"] = [escape_prose(criterion.level or NO_VALUE) for criterion in criteria]
    if any(criterion.max_points is not None for criterion in criteria):
        columns["Points"] = [_points_of(criterion) for criterion in criteria]
    columns["Decided by"] = [_decided_by(criterion) for criterion in criteria]

    rows = [[*columns], ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _shortage(report: AuditReport) -> str:
    """Return what is missing where too little was found to judge any criterion; else ""."""
    reasons = {c.rationale for c in report.criteria if INSUFFICIENT in c.resolution}
    return next(iter(reasons), "")


def _points(earned: float, possible: float) -> str:
    return f"{earned:g} of {possible:g} points"


def _score(criterion: CriterionResult) -> str:
    if criterion.excluded:
        return "excluded"
    if _is_withheld(criterion):
        return WITHHELD
    return "needs review" if criterion.final_score is None else f"{criterion.final_score} of 5"


def _is_withheld(criterion: CriterionResult) -> bool:
    """Return true in a copy of the report without scores, for readers who may not see them yet.

    A full verdict always has a score, or needs review, or is excluded.
    """
    return criterion.final_score is None and not criterion.needs_review and not criterion.excluded


def _points_of(criterion: CriterionResult) -> str:
    if criterion.points is None or criterion.max_points is None:
        return NO_VALUE
    return f"{criterion.points:g} of {criterion.max_points:g}"


def _decided_by(criterion: CriterionResult) -> str:
    if _is_withheld(criterion):
        return WITHHELD
    deciding = [rule for rule in criterion.resolution if rule != EXPLAINING]
    return ", ".join(escape_prose(rule_words(rule)) for rule in deciding) or "unanimity"


def _key_findings(report: AuditReport) -> Iterator[str]:
    """Yield the caps on scores, then the most urgent change of each of the lowest criteria.

    That which is the first of the next steps comes first.
    """
    for criterion in report.criteria:
        caps = [rule for rule in criterion.rules if rule.rule == "security_override"]
        yield from (
            f"- **{escape_prose(criterion.name)}**: {escape_sentence(rule.why)}" for rule in caps
        )

    first = report.next_steps[0].criterion_id if report.next_steps else ""
    lowest = sorted(report.criteria, key=lambda row: (row.id != first, row.final_score or 0))
    urgent = [
        (criterion, criterion.remediation[0])
        for criterion in lowest
        if criterion.remediation and criterion.remediation[0].priority == "high"
    ]
    # A change that several criteria ask for is one finding.
    alike: dict[tuple[str, str], list[tuple[CriterionResult, Remediation]]] = {}
    for criterion, change in urgent[:MOST_URGENT_CHANGES]:
        alike.setdefault((change.action, _changelocation_text(change)), []).append(
            (criterion, change)
        )
    for (_, place), rows in alike.items():
        names = listed(escape_prose(criterion.name) for criterion, _ in rows)
        yield f"- **{names}**{place}: {escape_sentence(_fault_and_change(*rows[0]))}"


def _none_urgent(report: AuditReport) -> str:
    """Say that no change is of high priority, and how many others the plan has."""
    count = len(_each_once(report.criteria))
    plan = f" The remediation plan has {number_of(count, 'change')} of medium and low priority."
    return f"No urgent findings.{plan if count else ''}"


def _fault_and_change(criterion: CriterionResult, change: Remediation) -> str:
    """Return what is wrong by the check that asks for the change, its first fact, the change."""
    rows = (row for row in criterion.checks if row.met is False)
    faults = (row.statement for row in rows if set(row.evidence) & set(change.evidence))
    fault = next(faults, None)
    # Where a rubric has no advice, the action is the fault itself.
    if fault is None or str(fault).casefold() in change.action.casefold():
        return change.action
    opening = _fact_at(change, fault.fact)
    # An action may hold the fact that the fault has given: as its end, or as sentences.
    order, _, fact = change.action.partition(": ")
    is_given = bool(fact) and fact.rstrip(".") in fault.fact
    action = f"{order}." if is_given else change.action
    new = [part for part in sentences_of(action) if part.rstrip(".") not in opening]
    return " ".join(filter(None, [fault.sentence, opening, *new]))


def _fact_at(change: Remediation, fact: str) -> str:
    """Return the sentence of a fact that names the place of the change, or its first one."""
    place = f"{change.path}:{change.line}"
    names_it = (s for s in sentences_of(fact) if re.search(rf"{re.escape(place)}(?!\d)", s))
    return next(names_it, first_sentence(fact))


def _changelocation_text(change: Remediation) -> str:
    if change.path is None:
        return ""
    path = change.path if change.line is None else f"{change.path}:{change.line}"
    return f" at {code_span(path)}"


def _breakdown(report: AuditReport) -> Iterator[str]:
    yield "## Criterion Breakdown"
    # Shared by all criteria: evidence that two of them cite is quoted once.
    evidence = {piece.id: piece for piece in report.evidence}
    if any(_is_vain_search(row, evidence) for c in report.criteria for row in c.checks):
        yield ABOUT_SEARCHES
    quoted: dict[Quote, Evidence] = {}
    searches: dict[str, frozenset[str]] = {}
    undecided: dict[str, int] = {}

    for number, criterion in enumerate(report.criteria, start=1):
        yield f"### {number}. {escape_prose(criterion.name)}: {_score(criterion)}"
        yield escape_sentence(_rationale(criterion, number, undecided))
        yield from _titled_list("Checks", map(escape_sentence, _checks(criterion, evidence)))
        yield from _titled_list("Opinions", map(_opinion, criterion.opinions))
        yield from _titled_list("Places that judges asked to read", _requests(criterion))
        yield from _titled_list(HOW, _steps(criterion.steps, criterion.rationale))
        if criterion.dissent:
            yield f"**Dissent.** {escape_sentence(criterion.dissent)}"
        yield from _evidence(criterion, evidence, quoted, searches)


def _rationale(criterion: CriterionResult, number: int, undecided: dict[str, int]) -> str:
    """Return why the score is as it is; a reason why there is none is printed in full once."""
    if not criterion.needs_review:
        return criterion.rationale
    first = undecided.setdefault(criterion.rationale, number)
    if first == number:
        return criterion.rationale
    return f"{first_sentence(criterion.rationale)} The reason is that of criterion {first}."


def _checks(criterion: CriterionResult, evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """Yield the root causes with the checks that hang on them, then each other check.

    A reason why several could not be checked is printed once, or not at all where it is the
    rationale; a fact that shows several sentences to be right, or several faults, is printed once,
    after the sentence with the strictest limit.
    """
    hanging: dict[str, list[str]] = {}
    unchecked: dict[str, list[str]] = {}
    for row in criterion.checks:
        if row.not_applicable:
            hanging.setdefault(row.not_applicable.sentence, []).append(row.goal)
        elif row.met is None:
            unchecked.setdefault(row.statement.fact, []).append(row.goal)
    for cause, goals in hanging.items():
        yield f"{MARKS[False]}: {cause} {not_applying(goals)}"
    for reason, goals in unchecked.items():
        yield not_checked(goals) + (f" {reason}" if reason not in criterion.rationale else "")
    searches = [row for row in criterion.checks if _is_vain_search(row, evidence)]
    alike: dict[tuple[str, str], list[str]] = {}
    for row in criterion.checks:
        # One that states a root cause is printed with it.
        is_apart = row in searches or (not row.met and row.reason in hanging)
        if row.met is not None and not is_apart:
            statement = row.statement
            # A sentence without a fact stands for itself.
            shown_by = statement.fact or statement.sentence
            mark = MARKS[row.met] + (WITH_RESERVATION if row.met and row.has_reservation else "")
            alike.setdefault((mark, shown_by), []).append(statement.sentence)
    reasons: set[str] = set()
    for (mark, shown_by), sentences in alike.items():
        # What one limit allows another one may not, for the same reason.
        is_above = shown_by in reasons and shown_by not in sentences
        reason = ABOVE if is_above else shown_by
        reasons.add(shown_by)
        yield f"{mark}: {' '.join(dict.fromkeys([*without_weaker(sentences), reason]))}"
    yield from _vain_searches(searches)


def _vain_searches(rows: Sequence[CriterionCheck]) -> Iterator[str]:
    """Yield the names of the searches, then what each saw beside its fault.

    A sentence that denies the fault would say more than a search can.
    """
    if rows:
        yield f"{NO_MATCH}: {listed(code_span(row.check) for row in rows)}."
    remarks = dict.fromkeys(row.search_statement.fact for row in rows)
    yield from (f"{REMARK}: {remark}" for remark in remarks if remark)


def _is_vain_search(row: CriterionCheck, evidence: Mapping[str, Evidence]) -> bool:
    """Return whether the check is met as a search for a fault, with no place, recognised none."""
    pieces = [evidence[identity] for identity in row.evidence if identity in evidence]
    return bool(row.met and pieces) and all(piece.is_vain_search for piece in pieces)


def _titled_list(title: str, items: Iterator[str]) -> Iterator[str]:
    lines = "\n".join(f"- {item}" for item in items)
    if lines:
        yield f"**{title}**"
        yield lines


def _opinion(row: OpinionRow) -> str:
    judge = f"**{TITLES[row.judge]}**" + (f", hearing {row.round}" if row.round > 1 else "")
    if row.failure:
        failure = escape_prose(row.failure.replace("_", " "))
        return f"{judge}: no score ({failure}). {escape_sentence(row.argument)}"

    cited = ", ".join(map(escape_prose, row.cited_evidence)) or "none"
    return f"{judge}: {row.score} of 5. {escape_sentence(row.argument)} Evidence: {cited}."


def _requests(criterion: CriterionResult) -> Iterator[str]:
    # Our words come first: `report_import` takes a line that begins with a judge for an opinion.
    for row in criterion.opinions:
        for request in row.asked:
            place, judge = code_span(request.place), TITLES[row.judge]
            yield f"Asked to read {place} ({judge}): {_reply(request)}"


def _reply(request: AskedPlace) -> str:
    """Return `shown`, with the lines unless the judge named just these, or why not."""
    places = [location_text(row.model_copy(update={"commit": None})) for row in request.locations]
    reply = "shown" if places else "not shown"
    if places and places != [code_span(request.place)]:
        reply += f" as {', '.join(places)}"
    return f"{reply}. {escape_sentence(request.refusal)}".rstrip()


def _steps(steps: Sequence[RuleStep], rationale: str = "") -> Iterator[str]:
    """Yield the steps that did something, then the names of the others.

    A step whose input is the rationale is printed without it. `--explain` and the page say of each
    why it did nothing.
    """
    for step in steps:
        if step.fired and step.input == rationale.rstrip("."):
            yield escape_sentence(f"{rule_words(step.rule)}: {step.output}.")
        elif step.fired:
            yield escape_sentence(step.sentence)
    idle = ", ".join(escape_prose(rule_words(step.rule)) for step in steps if not step.fired)
    if idle:
        yield f"Not triggered: {idle}."


def _evidence(
    criterion: CriterionResult,
    evidence: Mapping[str, Evidence],
    quoted: dict[Quote, Evidence],
    searches: dict[str, frozenset[str]],
) -> Iterator[str]:
    """Yield each place with what it shows, once; its lines are quoted the first time only.

    What was looked for everywhere goes on its line, or by its id alone where a check says it.
    """
    pieces = [evidence[identity] for identity in criterion.evidence if identity in evidence]
    if pieces:
        yield "**Evidence**"

    alike: dict[tuple[Quote, str, float], list[Evidence]] = {}
    for piece in pieces:
        alike.setdefault((_quote(piece), piece.rationale, piece.confidence), []).append(piece)
    checks = [*_checks(criterion, evidence)]
    # By what is said of them and their confidence.
    repeated_pieces: dict[tuple[str, float], list[Evidence]] = {}
    vain = {key for c in criterion.checks if _is_vain_search(c, evidence) for key in c.evidence}
    for (quote, _, confidence), group in alike.items():
        if all(piece.id in vain for piece in group):
            repeated_pieces.setdefault((VAIN_SEARCHES, confidence), []).extend(group)
        elif _is_search(group[0]):
            words = _words_of(group[0])
            missing_words = _beside_checks(words, checks)
            alike_ids = (name for name, row in searches.items() if missing_words <= row)
            if not missing_words:
                repeated_pieces.setdefault((SEARCHES, confidence), []).extend(group)
            elif alike_id := next(alike_ids, ""):
                yield _line_of(
                    group,
                    f"Looked for the same as at {escape_prose(alike_id)}, where the check says it.",
                )
            else:
                yield _evidence_line(group, None)
                searches[group[0].id] = words
        else:
            first_piece = quoted.get(quote) if quote[1] else None
            yield _evidence_line(group, first_piece)
            if quote[1] and not first_piece:
                yield code_block(quote[1], _suffix(group[0].location.path))
            quoted.setdefault(quote, group[0])
    yield from (_line_of(group, words) for (words, _), group in repeated_pieces.items())


def _words_of(piece: Evidence) -> frozenset[str]:
    """Return the words of what was looked for, without those of any search."""
    words = _WORD.findall(_EXTENT.sub("", _with_search(piece)).casefold())
    return frozenset(words) - SEARCH_WORDS


def _beside_checks(words: frozenset[str], checks: Sequence[str]) -> frozenset[str]:
    """Return those that the line of the nearest check lacks; none where they are few."""
    gaps = (words - {*_WORD.findall(line.casefold())} for line in checks)
    missing_words = min(gaps, key=len, default=words)
    count = len(missing_words)
    is_little = count <= MOST_OTHER_WORDS and 2 * count < len(words)
    return frozenset() if is_little else missing_words


def _quote(piece: Evidence) -> Quote:
    return location_text(piece.location), piece.content or ""


def _evidence_line(pieces: Sequence[Evidence], first_piece: Evidence | None) -> str:
    """Return the line of pieces that differ in their ids alone; `first_piece` has the same quote."""
    piece = pieces[0]
    place = location_text(piece.location)
    if first_piece is None:
        return _line_of(pieces, escape_sentence(_with_search(piece)), place)
    quote_place = "above" if first_piece.id == piece.id else f"at {escape_prose(first_piece.id)}"
    is_repeat = len(piece.rationale) > MOST_REPEATED and first_piece.rationale == piece.rationale
    words = AS_THERE if is_repeat else escape_sentence(piece.rationale)
    return _line_of(pieces, words, place, f"quoted {quote_place}")


def _line_of(pieces: Sequence[Evidence], words: str, place: str = "", where: str = "") -> str:
    names = ", ".join(escape_prose(piece.id) for piece in pieces)
    confidence = pieces[0].confidence
    facts = (place, f"confidence {confidence:g}" if confidence < 1 else "", where)
    details = ", ".join(filter(None, facts))
    return f"**{names}**{f' ({details})' if details else ''}: {words}"


def _with_search(piece: Evidence) -> str:
    """Return the rationale, and what was looked for in the place of a caption that says no more."""
    if not _is_search(piece) or piece.content == piece.rationale:
        return piece.rationale
    if piece.rationale.startswith(SEARCHED):
        return f"{piece.content}{piece.rationale.removeprefix(SEARCHED)}"
    return f"{piece.rationale} {piece.content}"


def _is_search(piece: Evidence) -> bool:
    """Return whether the content says what was looked for in all of the submission."""
    content = piece.content or ""
    return bool(content) and not piece.location.words and "\n" not in content


def _suffix(path: str | None) -> str:
    return path.rpartition(".")[2] if path and "." in path else ""


def _plan(report: AuditReport) -> Iterator[str]:
    """Yield the changes by file, the file with the most urgent change first.

    Changes that belong to no file come last.
    """
    yield "## Remediation Plan"
    names = {criterion.id: criterion.name for criterion in report.criteria}
    changes = _each_once(report.criteria)
    if not changes:
        yield "No checks failed, so there is nothing to change."

    paths = {change.path for change in changes}
    for path in sorted(paths, key=lambda path: _urgency(path, changes)):
        yield f"### {code_span(path) if path else 'Whole project'}"
        of_file = [change for change in changes if change.path == path]
        for change in sorted(of_file, key=lambda change: URGENCY.index(change.priority)):
            yield _change(change, names[change.criterion_id])
            if change.snippet:
                yield code_block(change.snippet, _suffix(change.path))


def _each_once(criteria: Iterable[CriterionResult]) -> list[Remediation]:
    """Return the changes; one that several criteria ask for stands with the first of them."""
    changes = [change for criterion in criteria for change in criterion.remediation]
    once = {(change.action, change.path, change.line): change for change in reversed(changes)}
    return list(once.values())[::-1]


def _change(change: Remediation, criterion: str) -> str:
    # `PlanParser` knows this line by its shape (plan_parser.py): change both or neither.
    line = f", line {change.line}" if change.line else ""
    cited = (
        f" Evidence: {', '.join(map(escape_prose, change.evidence))}." if change.evidence else ""
    )
    return (
        f"**{change.priority}**{line} ({escape_prose(criterion)}): "
        f"{escape_sentence(change.action)}{cited}"
    )


def _urgency(path: str | None, changes: list[Remediation]) -> tuple[bool, int, str]:
    most_urgent = min(URGENCY.index(change.priority) for change in changes if change.path == path)
    return path is None, most_urgent, path or ""
