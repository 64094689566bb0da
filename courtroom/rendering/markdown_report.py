"""AuditReport -> Markdown (DESIGN 10). The same report and date give the same text; nothing volatile is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from courtroom.models.record import (
    PERSONAS,
    AuditReport,
    CriterionResult,
    Evidence,
    JudgeReference,
    OpinionRow,
    Persona,
    Remediation,
    RuleFired,
)
from courtroom.rendering.markdown_escaping import code, fenced, prose
from courtroom.rendering.mermaid_graph import chart_of
from courtroom.synthesis.opinions import TITLES
from courtroom.synthesis.remediation import URGENCY

STATUSES = {
    "verdict": "A verdict on every criterion.",
    "needs_review": "Some criteria need a person: they have no score and are not in the sums.",
    "degraded": "No verdict: nothing could be scored. The errors in the appendix say why.",
}
NO_MODEL = (
    "No model was used: every opinion is a fixed function of the checks and facts below, "
    "and the same hand-in always gives the same verdict."
)
MALFORMED = (
    "git's own check (fsck) refused the form of some objects in this repository, so it was read without that check: "
    "dates, names or paths in its history may not be what they seem."
)
MARKS = {True: "met", False: "not met", None: "not established"}
WITHHELD = "withheld"
KEY_FINDINGS = 5


def render_markdown(report: AuditReport, *, date: str | None = None) -> str:
    """The report for a reader; `date` is printed as given and left out when None."""
    blocks = (
        *_header(report, date),
        *_summary(report),
        *_breakdown(report),
        *_plan(report),
        *_appendix(report),
    )
    return "\n\n".join(blocks) + "\n"


def _header(report: AuditReport, date: str | None) -> Iterator[str]:
    yield f"# Audit of {code(report.repo_url)}"
    if all(judge.kind == "heuristic" for judge in report.judges.values()):
        yield f"> **{NO_MODEL}**"
    bench = "; ".join(f"{TITLES[name]} {prose(judge.model)}" for name, judge in _judges(report))
    lines = {
        "Repository": code(report.repo_url),
        "Commit": (code(report.commit) if report.commit else "unknown")
        + (f" (ref {code(report.ref)})" if report.ref else ""),
        "PDF": f"SHA-256 {code(report.pdf_sha256)}" if report.pdf_sha256 else "none was handed in",
        "Date": prose(date) if date else "",
        "Rubric": f"{prose(report.rubric.id)}, version {prose(report.rubric.version)}",
        "Constitution": prose(report.constitution.id),
        "Judges": bench,
    }
    yield "\n".join(f"- **{name}**: {value}" for name, value in lines.items() if value)


def _judges(report: AuditReport) -> list[tuple[Persona, JudgeReference]]:
    return [(persona, report.judges[persona]) for persona in PERSONAS if persona in report.judges]


def _summary(report: AuditReport) -> Iterator[str]:
    yield "## Executive Summary"
    unscored = WITHHELD if any(map(_is_withheld, report.criteria)) else "none"
    overall = unscored if report.overall_score is None else f"{report.overall_score:.1f} of 5"
    points = f" ({_points(report.points.earned, report.points.possible)})" if report.points else ""
    yield f"**Overall score: {overall}**{points}. {STATUSES[report.status]}"
    if report.integrity.suspected:
        yield "**A person should look**: the hand-in holds text that seems meant for a grader (see the appendix)."
    rows = [
        f"| {prose(c.name)} | {_score(c)} | {prose(_worth(c))} | {_decided_by(c)} |"
        for c in report.criteria
    ]
    yield "\n".join(
        ["| Criterion | Score | Worth | Decided by |", "| --- | --- | --- | --- |", *rows]
    )
    yield "### Key Findings"
    yield "\n".join(_key_findings(report)) or "Nothing urgent was found."


def _points(earned: float, possible: float) -> str:
    return f"{earned:g} of {possible:g} points"


def _score(criterion: CriterionResult) -> str:
    if criterion.excluded:
        return "excluded"
    if _is_withheld(criterion):
        return WITHHELD
    return "needs review" if criterion.final_score is None else f"{criterion.final_score} of 5"


def _is_withheld(criterion: CriterionResult) -> bool:
    """In an edition for somebody who may not see scores yet: a verdict has a score, or needs review, or is excluded."""
    return criterion.final_score is None and not criterion.needs_review and not criterion.excluded


def _worth(criterion: CriterionResult) -> str:
    parts = [criterion.level or ""]
    if criterion.points is not None and criterion.max_points is not None:
        parts.append(_points(criterion.points, criterion.max_points))
    return ", ".join(part for part in parts if part) or "—"


def _decided_by(criterion: CriterionResult) -> str:
    if _is_withheld(criterion):
        return WITHHELD
    return ", ".join(prose(rule) for rule in criterion.resolution) or "unanimity"


def _key_findings(report: AuditReport) -> Iterator[str]:
    """What capped a score, then the most urgent change of each of the lowest criteria."""
    for criterion in report.criteria:
        caps = [rule for rule in criterion.rules if rule.rule == "security_override"]
        yield from (f"- **{prose(criterion.name)}**: {prose(rule.why)}" for rule in caps)
    lowest = sorted(report.criteria, key=lambda c: c.final_score or 0)
    urgent = [
        (c, c.remediation[0])
        for c in lowest
        if c.remediation and c.remediation[0].priority == "high"
    ]
    for criterion, change in urgent[:KEY_FINDINGS]:
        yield f"- **{prose(criterion.name)}**{_at(change)}: {prose(change.action)}"


def _at(change: Remediation) -> str:
    if change.path is None:
        return ""
    return f" at {code(change.path if change.line is None else f'{change.path}:{change.line}')}"


def _breakdown(report: AuditReport) -> Iterator[str]:
    yield "## Criterion Breakdown"
    evidence, quoted = {piece.id: piece for piece in report.evidence}, set[str]()
    for number, criterion in enumerate(report.criteria, start=1):
        yield f"### {number}. {prose(criterion.name)}: {_score(criterion)}"
        yield prose(criterion.rationale)
        yield from _listed(
            "Checks", (_check(row.met, row.goal, row.reason) for row in criterion.checks)
        )
        yield from _listed("Opinions", map(_opinion, criterion.opinions))
        yield from _listed("Rules that fired", map(_rule, criterion.rules))
        if criterion.dissent:
            yield f"**Dissent.** {prose(criterion.dissent)}"
        yield from _evidence(criterion, evidence, quoted)


def _listed(title: str, items: Iterator[str]) -> Iterator[str]:
    lines = "\n".join(f"- {item}" for item in items)
    if lines:
        yield f"**{title}**"
        yield lines


def _check(met: bool | None, goal: str, reason: str) -> str:
    return f"{MARKS[met]}: {prose(goal)}" + (f" ({prose(reason)})" if reason else "")


def _opinion(row: OpinionRow) -> str:
    who = f"**{TITLES[row.judge]}**" + (f", hearing {row.round}" if row.round > 1 else "")
    if row.failure:
        return f"{who}: no score ({prose(row.failure)}). {prose(row.argument)}"
    cited = ", ".join(map(prose, row.cited_evidence)) or "none"
    return f"{who}: {row.score} of 5. {prose(row.argument)} Evidence: {cited}."


def _rule(rule: RuleFired) -> str:
    before, after = (
        "none" if value is None else f"{value:g}" for value in (rule.before, rule.after)
    )
    return f"{prose(rule.rule)} ({before} → {after}): {prose(rule.why)}"


def _evidence(
    criterion: CriterionResult, evidence: Mapping[str, Evidence], quoted: set[str]
) -> Iterator[str]:
    """Each piece with its place; its lines are quoted where it is first named."""
    pieces = [evidence[i] for i in criterion.evidence if i in evidence]
    if pieces:
        yield "**Evidence**"
    for piece in pieces:
        known = "; quoted above" if piece.id in quoted else ""
        found = "found" if piece.found else "not found"
        where = f", {place}" if (place := _place(piece)) else ""
        sure = f", confidence {piece.confidence:g}" if piece.confidence < 1 else ""
        yield f"**{prose(piece.id)}** ({found}{where}{sure}{known}): {prose(piece.rationale)}"
        if piece.content and not known:
            yield fenced(piece.content, _suffix(piece.location.path))
        quoted.add(piece.id)


def _place(piece: Evidence) -> str:
    place = piece.location
    lines = ""
    if place.line_start:
        lines = f":{place.line_start}"
        lines += (
            f"-{place.line_end}" if place.line_end and place.line_end != place.line_start else ""
        )
    named = (
        code(f"{place.path}{lines}") if place.path else "",
        f"page {place.page}" if place.page else "",
        f"commit {code(place.commit[:8])}" if place.commit else "",
    )
    return ", ".join(part for part in named if part)


def _suffix(path: str | None) -> str:
    return path.rpartition(".")[2] if path and "." in path else ""


def _plan(report: AuditReport) -> Iterator[str]:
    """By file, the file with the most urgent change first; what belongs to no file comes last."""
    yield "## Remediation Plan"
    names = {criterion.id: criterion.name for criterion in report.criteria}
    changes = [change for criterion in report.criteria for change in criterion.remediation]
    if not changes:
        yield "No check failed, so there is nothing to change."
    for path in sorted(
        {change.path for change in changes}, key=lambda path: _urgency(path, changes)
    ):
        yield f"### {code(path) if path else 'The whole submission'}"
        for change in sorted(
            (c for c in changes if c.path == path), key=lambda c: URGENCY.index(c.priority)
        ):
            line = f", line {change.line}" if change.line else ""
            cited = (
                f" Evidence: {', '.join(map(prose, change.evidence))}." if change.evidence else ""
            )
            yield f"**{change.priority}**{line} ({prose(names[change.criterion_id])}): {prose(change.action)}{cited}"
            if change.snippet:
                yield fenced(change.snippet, _suffix(change.path))


def _urgency(path: str | None, changes: list[Remediation]) -> tuple[bool, int, str]:
    return (
        path is None,
        min(URGENCY.index(c.priority) for c in changes if c.path == path),
        path or "",
    )


def _appendix(report: AuditReport) -> Iterator[str]:
    yield "## Appendix"
    yield "### Errors"
    errors = [f"- {prose(e.stage)}, {prose(e.code)}: {prose(e.message)}" for e in report.errors]
    yield "\n".join(errors) or "None."
    if report.facts.malformed_objects:
        yield MALFORMED
    if report.integrity.suspected:
        yield "### Text Meant For A Grader"
        yield "\n".join(f"- “{prose(span)}”" for span in report.integrity.spans)
    chart = chart_of(report.facts.graph) if report.facts.graph else None
    if chart is not None:
        yield "### The Graph As It Is Built"
        yield fenced(chart, "mermaid")
    yield "### Metadata"
    yield "\n".join(
        [
            f"- Schema {prose(report.schema_)}, engine {prose(report.engine)}",
            f"- Report digest {code(report.digest)}",
            f"- Rubric digest {code(report.rubric.digest)}",
            f"- Constitution digest {code(report.constitution.digest)}",
            *(
                f"- {TITLES[name]}: {judge.kind}, {prose(judge.model)}, prompt digest {code(judge.prompt_digest)}"
                for name, judge in _judges(report)
            ),
        ]
    )
    yield "### Usage"
    yield _usage(report)


def _usage(report: AuditReport) -> str:
    usage = report.usage
    if not usage.calls:
        return f"No call to a model; {usage.reused} opinions reused."
    cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    return (
        f"{usage.calls} calls to a model, {usage.reused} opinions reused; {usage.prompt_tokens} prompt tokens "
        f"({usage.cached_tokens} cached), {usage.completion_tokens} completion tokens; cost {cost}."
    )
