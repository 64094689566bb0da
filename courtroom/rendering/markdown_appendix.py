"""Appendix of the Markdown report: errors, suspicious passages, product, graph, metadata, usage."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.audit_report import AuditReport, JudgeReference, Screening, Usage
from courtroom.models.evidence import ASIDE_TAG, INTEGRITY_TAG, Evidence, Location
from courtroom.models.judge_answer import PERSONAS, Persona
from courtroom.models.project_facts import SubmissionScope
from courtroom.rendering.error_groups import ErrorGroup, group_errors
from courtroom.rendering.markdown_escaping import (
    code_block,
    code_span,
    escape_prose,
    escape_sentence,
)
from courtroom.rendering.mermaid_graph import mermaid_chart
from courtroom.synthesis.opinions import TITLES

MALFORMED = (
    "git's own check (fsck) rejected some objects in this repository, so it was read without "
    "that check. Dates, names or paths in its history may be wrong."
)
STEPS = (
    "In each step LangGraph runs all nodes that are ready. Where a node has several steps, “and” says that"
    " it runs in each, “or” that the route decides for one of them, “or both” and “or several” that the route"
    " may lead to more than one; “…” stands for more steps, as in a loop. Dashed arrows are conditional,"
    " and “never” stands on those that are known to be taken in no run."
)
MOST_PATHS_SHOWN = 12


def render_appendix(report: AuditReport) -> Iterator[str]:
    yield "## Appendix"
    yield "### Errors"
    yield "\n".join(map(_error, group_errors(report.errors))) or "None."
    if report.facts.malformed_objects:
        yield MALFORMED

    if report.integrity.suspected:
        yield "### Possible Prompt Injection"
        yield "\n".join(_suspicions(report))

    if passages := [item for item in report.evidence if ASIDE_TAG in item.tags]:
        yield "### Attacks in Tests and Examples"
        yield "\n".join(map(_passage, passages))

    if report.facts.scope:
        yield "### Product"
        yield "\n".join(_scope(report.facts.scope))

    facts = report.facts
    chart = mermaid_chart(facts.graph, facts.graph_run) if facts.graph else None
    if chart is not None:
        yield "### Graph"
        yield STEPS
        yield code_block(chart, "mermaid")

    yield "### Metadata"
    yield "\n".join(_metadata(report))
    yield "### Usage"
    yield _usage(report)


def _suspicions(report: AuditReport) -> list[str]:
    """Return the possible prompt injections with place and text; in old reports the text alone."""
    tagged = [
        item
        for item in report.evidence
        if INTEGRITY_TAG in item.tags and ASIDE_TAG not in item.tags
    ]
    flags = [item for item in tagged if item.check == INTEGRITY_TAG] or tagged
    rows = [_passage(item) for item in flags]
    return rows or [f"- “{escape_prose(span)}”" for span in report.integrity.spans]


def _passage(item: Evidence) -> str:
    place = location_text(item.location)
    return f"- {f'{place}: ' if place else ''}{escape_sentence(item.rationale)}"


def _scope(scope: SubmissionScope) -> Iterator[str]:
    """The chosen entry point, and what is set apart from the product."""
    start = f"It starts at {code_span(scope.main)}. " if scope.main else ""
    yield f"- {start}{escape_prose(scope.reason)} The product has {scope.product_files} Python files."
    if scope.reached:
        paths = ", ".join(map(code_span, scope.reached[:MOST_PATHS_SHOWN]))
        yield f"- The product runs these files of folders that usually do not belong to it: {paths}"
    if scope.unreached:
        paths = ", ".join(map(code_span, scope.unreached[:MOST_PATHS_SHOWN]))
        more = len(scope.unreached) - MOST_PATHS_SHOWN
        yield f"- No import leads from an entry point to {paths}{f' and {more} more' * (more > 0)}"
    if scope.idle_nodes:
        rows = scope.idle_nodes[:MOST_PATHS_SHOWN]
        names = ", ".join(f"{code_span(n.name)} ({code_span(f'{n.path}:{n.line}')})" for n in rows)
        more = len(scope.idle_nodes) - len(rows)
        yield f"- Named as nodes, and used by no code: {names}{f' and {more} more' * (more > 0)}"
    if scope.unlocked:
        names = ", ".join(
            f"{code_span(row.name)} ({code_span(f'{row.path}:{row.line}')})"
            for row in scope.unlocked
        )
        number = len(scope.unlocked)
        fail = "1 import fails" if number == 1 else f"{number} imports fail"
        lock = code_span(scope.lock or "")
        yield f"- As far as recognised, at least {fail} in an install by {lock}: {names}"
    for group in scope.aside:
        count = f"{group.files} file{'s' if group.files > 1 else ''}"
        reason = escape_prose(group.reason)
        yield f"- Not the product: {code_span(group.path)}, {count} ({group.kind}: {reason})"


def _error(group: ErrorGroup) -> str:
    stages = ", ".join(map(escape_prose, group.stages))
    extent = f" ({escape_prose(group.extent)})" if group.extent else ""
    return f"- {stages}, {escape_prose(group.code)}{extent}: {escape_prose(group.message)}"


def _metadata(report: AuditReport) -> Iterator[str]:
    yield f"- Schema {escape_prose(report.schema_)}, engine {escape_prose(report.engine)}"
    yield f"- Report digest {code_span(report.digest)}"
    yield f"- Rubric digest {code_span(report.rubric.digest)}"
    yield f"- Constitution digest {code_span(report.constitution.digest)}"
    for name, judge in judges_of(report):
        digest = code_span(judge.prompt_digest)
        yield f"- {TITLES[name]}: {judge.kind}, {escape_prose(judge.model)}, prompt digest {digest}"
    if report.screening:
        yield _screening(report.screening)


def _screening(screening: Screening) -> str:
    result = (
        f"failed ({screening.failure})"
        if screening.failure
        else f"{len(screening.places)} places withheld and flagged, {screening.dropped} dropped"
    )
    return (
        f"- Prose screened by {escape_prose(screening.model)}: {screening.characters} characters,"
        f" {screening.named} places named, {result}"
    )


def _usage(report: AuditReport) -> str:
    usage = report.usage
    if not usage.calls:
        return f"No model calls; {usage.reused} opinions reused."

    # A null cost is an unknown price, never a call for nothing.
    cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    return (
        f"{usage.calls} model calls, {usage.reused} opinions reused; "
        f"{usage.prompt_tokens} prompt tokens ({usage.cached_tokens} cached), "
        f"{usage.completion_tokens} completion tokens; cost {cost}."
        f"{_answer_forms(usage)}{_refused(usage)}"
    )


def _answer_forms(usage: Usage) -> str:
    forms = (f"{escape_prose(model)}, {form}" for model, form in usage.answer_forms.items())
    return f" Answers were asked for as: {'; '.join(forms)}." if usage.answer_forms else ""


def _refused(usage: Usage) -> str:
    parts = (f"{escape_prose(model)}, {', '.join(names)}" for model, names in usage.refused.items())
    return f" Endpoints refused: {'; '.join(parts)}." if usage.refused else ""


def judges_of(report: AuditReport) -> list[tuple[Persona, JudgeReference]]:
    return [(persona, report.judges[persona]) for persona in PERSONAS if persona in report.judges]


def location_text(location: Location) -> str:
    """Return a place as Markdown: path and lines, page, commit."""
    lines = ""
    if location.line_start:
        lines = f":{location.line_start}"
        if location.line_end and location.line_end != location.line_start:
            lines += f"-{location.line_end}"

    parts = (
        code_span(f"{location.path}{lines}") if location.path else "",
        f"page {location.page}" if location.page else "",
        f"commit {code_span(location.commit[:8])}" if location.commit else "",
    )
    return ", ".join(part for part in parts if part)
