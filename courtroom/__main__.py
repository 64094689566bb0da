"""python -m courtroom REPO [--pdf FILE] ...: the same audit as on the site, without the site.

Exit 0: a verdict. 3: degraded or needs review (the report is written all the same). 2: bad input, one line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from courtroom.bench_options import bench_of
from courtroom.case import Case, Known
from courtroom.errors import CourtroomError, InputRefused, RecordBroken
from courtroom.hearing import hold_audit
from courtroom.justice.constitutions import constitution_of, preset
from courtroom.record import AuditEvent, AuditReport
from courtroom.report import render_markdown
from courtroom.rubric_reading.reader import read_rubric, shipped_rubric

VERDICT, BAD_INPUT, NEEDS_A_PERSON, INTERRUPTED = 0, 2, 3, 130
JUDGE_STAGES = ("prosecutor", "defense", "tech_lead")


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"courtroom: {message} (see --help)\n")


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
    options = arguments(sys.argv[1:] if argv is None else argv)
    try:
        return asyncio.run(_audit(options))
    except (InputRefused, RecordBroken) as refused:
        return _complain(f"{refused.message} [{refused.code}]")
    except CourtroomError as failed:
        _complain(f"{failed.message} [{failed.code}]")
        return NEEDS_A_PERSON
    except OSError as broken:
        return _complain(f"{broken.filename or ''}: {broken.strerror or broken}".lstrip(": "))
    except KeyboardInterrupt:
        return INTERRUPTED


def _complain(message: str) -> int:
    sys.stderr.write(f"courtroom: {' '.join(message.split())}\n")
    return BAD_INPUT


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
    if options.known is None:
        return Known()
    try:
        return Known(report=AuditReport.model_validate_json(options.known.read_bytes()))
    except ValidationError as broken:
        first = broken.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RecordBroken(
            "record_unreadable", f"{options.known} is no report of ours: {place}: {first['msg']}"
        ) from broken


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
        options.json.write_text(json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    markdown = render_markdown(report)
    if options.markdown:
        options.markdown.write_text(markdown, "utf-8")
    else:
        sys.stdout.write(markdown)


if __name__ == "__main__":
    sys.exit(main())
