"""python -m courtroom REPO [--pdf FILE] ...: the same audit as on the site, without the site.

`resynthesise REPORT.json` judges a stored report again (resynthesis_command.py). The bench of models is set
by environment variables (bench_options.py).

Exit 0: a verdict. 3: degraded or needs review (the report is written all the same). 2: bad input, one line.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from courtroom.bench_options import bench_of
from courtroom.case import Case, Known
from courtroom.hearing import hold_audit
from courtroom.justice.constitutions import constitution_of, preset
from courtroom.record import AuditEvent, AuditReport
from courtroom.report import render_markdown
from courtroom.rubric_reading.reader import read_rubric, shipped_rubric
from courtroom.terminal import NEEDS_A_PERSON, VERDICT, OneLineParser, answering, stored_report, write_json

JUDGE_STAGES = ("prosecutor", "defense", "tech_lead")
RESYNTHESISE = "resynthesise"


def arguments(argv: list[str]) -> argparse.Namespace:
    cli = OneLineParser(prog="python -m courtroom", description="Audit one repository and its PDF report.")
    cli.add_argument(
        "repo", metavar="REPO", help="https URL; with --allow-local also a path, file:// or loopback"
    )
    cli.add_argument("--pdf", type=Path, metavar="FILE")
    cli.add_argument("--ref", help="branch, tag or commit (default: the repository's HEAD)")
    cli.add_argument("--rubric", default="self_audit", metavar="FILE|NAME")
    cli.add_argument("--constitution", metavar="NAME", help="a preset; default: the rubric's own")
    cli.add_argument("--judges", choices=["heuristic", "llm"], default="heuristic")
    cli.add_argument("--json", type=Path, metavar="FILE", help="write the report's JSON here")
    cli.add_argument("--markdown", type=Path, metavar="FILE", help="write the Markdown here, not on stdout")
    cli.add_argument(
        "--known", type=Path, metavar="FILE", help="an earlier report's JSON: what holds is reused"
    )
    cli.add_argument("--allow-local", action="store_true")
    cli.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return cli.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else argv
    if given[:1] == [RESYNTHESISE]:
        from courtroom.resynthesis_command import command

        return answering(lambda: command(given[1:]))
    options = arguments(given)
    return answering(lambda: asyncio.run(_audit(options)))


async def _audit(options: argparse.Namespace) -> int:
    report: AuditReport | None = None
    case, bench, known = _case(options), bench_of(options.judges, os.environ), _known(options)
    async for event in hold_audit(case, bench=bench, known=known):
        if not options.quiet:
            _tell(event)
        report = event.report or report
    if report is None:
        message = "the court closed without a report"
        raise RuntimeError(message)
    _write(options, report)
    return VERDICT if report.status == "verdict" else NEEDS_A_PERSON


def _case(options: argparse.Namespace) -> Case:
    path = Path(options.rubric)
    is_file = path.suffix == ".json" or path.is_file()
    rubric = read_rubric(path.read_text("utf-8-sig")).rubric if is_file else shipped_rubric(options.rubric)
    return Case(
        repo_url=options.repo,
        ref=options.ref,
        pdf=options.pdf,
        rubric=rubric,
        constitution=preset(options.constitution) if options.constitution else constitution_of(rubric),
        allow_local=options.allow_local,
    )


def _known(options: argparse.Namespace) -> Known:
    return Known(report=stored_report(options.known) if options.known else None)


def _tell(event: AuditEvent) -> None:
    """One line of progress on stderr for each stage that begins and each judge that answers."""
    if event.kind == "stage" and not event.ended and event.stage not in JUDGE_STAGES:
        sys.stderr.write(f"{event.stage}\n")
    if event.opinion:
        o = event.opinion
        sys.stderr.write(f"  {o.judge} on {o.criterion_id}: {o.score}\n")
    if event.failure:
        f = event.failure
        sys.stderr.write(f"  {f.judge} on {f.criterion_id}: no score ({f.failure})\n")


def _write(options: argparse.Namespace, report: AuditReport) -> None:
    if options.json:
        write_json(options.json, report)
    markdown = render_markdown(report)
    if options.markdown:
        options.markdown.write_text(markdown, "utf-8")
    else:
        sys.stdout.write(markdown)


if __name__ == "__main__":
    sys.exit(main())
