"""python -m courtroom REPO [--pdf FILE] ...: the same audit as on the site, without the site.

`resynthesise REPORT.json` judges a stored report again (resynthesis_command.py). The bench of
models is set by environment variables (bench_options.py).

Exit 0: a verdict. 3: degraded or needs review (the report is written all the same). 2: bad input,
one line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from courtroom.models.case import BenchSettings, Case, Known
from courtroom.models.errors import CourtroomError, InputRefused, RecordBroken, RubricRefused
from courtroom.models.record import AuditEvent, AuditReport
from courtroom.rendering.markdown_report import render_markdown
from courtroom.replay.resynthesis import (
    constitution_under,
    describe_changes,
    resynthesise,
    rubric_of,
)
from courtroom.rubric_import.read_rubric import read_rubric, shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import PRESETS, constitution_of, preset
from courtroom.synthesis.guards import refuse_invalid_guards
from courtroom.synthesis.rules import Constitution

JUDGE_STAGES = ("prosecutor", "defense", "tech_lead")
RESYNTHESISE = "resynthesise"


def arguments(argv: list[str]) -> argparse.Namespace:
    cli = OneLineParser(
        prog="python -m courtroom", description="Audit one repository and its PDF report."
    )
    cli.add_argument(
        "repo",
        metavar="REPO",
        help="https URL; with --allow-local also a path, file:// or loopback",
    )
    cli.add_argument("--pdf", type=Path, metavar="FILE")
    cli.add_argument("--ref", help="branch, tag or commit (default: the repository's HEAD)")
    cli.add_argument("--rubric", default="self_audit", metavar="FILE|NAME")
    cli.add_argument("--constitution", metavar="NAME", help="a preset; default: the rubric's own")
    cli.add_argument("--judges", choices=["heuristic", "llm"], default="heuristic")
    cli.add_argument("--json", type=Path, metavar="FILE", help="write the report's JSON here")
    cli.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the Markdown here, not on stdout"
    )
    cli.add_argument(
        "--known", type=Path, metavar="FILE", help="an earlier report's JSON: what holds is reused"
    )
    cli.add_argument("--allow-local", action="store_true")
    cli.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return cli.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else argv
    if given[:1] == [RESYNTHESISE]:
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
    rubric = (
        read_rubric(path.read_text("utf-8-sig")).rubric
        if is_file
        else shipped_rubric(options.rubric)
    )
    return Case(
        repo_url=options.repo,
        ref=options.ref,
        pdf=options.pdf,
        rubric=rubric,
        constitution=preset(options.constitution)
        if options.constitution
        else constitution_of(rubric),
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


VERDICT, BAD_INPUT, NEEDS_A_PERSON, INTERRUPTED = 0, 2, 3, 130


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"courtroom: {message} (see --help)\n")


def answering(command: Callable[[], int]) -> int:
    """The command's exit code, with every way to fail put in one line on stderr."""
    try:
        return command()
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


def stored_report(path: Path) -> AuditReport:
    """Raises RecordBroken: record_unreadable."""
    try:
        return AuditReport.model_validate_json(path.read_bytes())
    except ValidationError as broken:
        first = broken.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RecordBroken(
            "record_unreadable", f"{path} is no report of ours: {place}: {first['msg']}"
        ) from broken


def write_json(path: Path, report: AuditReport) -> None:
    path.write_text(json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")


MODEL_VARIABLES = {
    "Prosecutor": "PROSECUTOR_MODEL",
    "Defense": "DEFENSE_MODEL",
    "TechLead": "TECH_LEAD_MODEL",
}
# Each overrides one field of BenchSettings. A flag is true or false.
VARIABLES = {
    "vision_model": "VISION_MODEL",
    "api_key": "OPENAI_API_KEY",
    "base_url": "OPENAI_BASE_URL",
    "warm_up": "MODEL_CACHES_PREFIXES",
    "prices": "MODEL_PRICES",
    "concurrency": "JUDGES_CONCURRENCY",
    "deadline_seconds": "JUDGES_DEADLINE_SECONDS",
    "batch": "JUDGES_BATCH",
    "debate": "JUDGES_DEBATE",
    "budget_usd": "AUDIT_BUDGET_USD",
}


def bench_of(kind: str, environment: Mapping[str, str]) -> BenchSettings:
    """Raises InputRefused naming the variable that makes no sense."""
    chosen: dict[str, object] = {"kind": kind}
    if kind == "llm":
        chosen["models"] = {
            p: environment[v] for p, v in MODEL_VARIABLES.items() if environment.get(v)
        }
        chosen |= {field: environment[v] for field, v in VARIABLES.items() if environment.get(v)}
    if environment.get("EVIDENCE_SECRET"):
        chosen["fence_secret"] = environment["EVIDENCE_SECRET"]
    try:
        if "prices" in chosen:
            chosen["prices"] = json.loads(str(chosen["prices"]))
        return BenchSettings.model_validate(chosen)
    except json.JSONDecodeError as broken:
        raise InputRefused("bench_setting", f"MODEL_PRICES is not JSON: {broken}.") from broken
    except ValidationError as broken:
        first = broken.errors()[0]
        name = VARIABLES.get(str(first["loc"][0]), str(first["loc"][0]))
        raise InputRefused("bench_setting", f"{name}: {first['msg']}.") from broken


def resynthesis_arguments(argv: list[str]) -> argparse.Namespace:
    cli = OneLineParser(
        prog="python -m courtroom resynthesise", description="Judge a stored report again."
    )
    cli.add_argument("report", metavar="REPORT.json", type=Path)
    cli.add_argument(
        "--constitution",
        metavar="NAME|FILE",
        help="a preset or a JSON file; default: the report's own",
    )
    cli.add_argument(
        "--rubric", metavar="FILE|NAME", help="the rubric it was judged under, if it is not shipped"
    )
    cli.add_argument("--json", type=Path, metavar="FILE", help="write the new report's JSON here")
    cli.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the new report's Markdown here"
    )
    return cli.parse_args(argv)


def command(argv: list[str]) -> int:
    options = resynthesis_arguments(argv)
    report = stored_report(options.report)
    rubric = shipped_rubric(options.rubric) if options.rubric else rubric_of(report)
    chosen = options.constitution
    constitution = constitution_named(chosen) if chosen else constitution_under(report, rubric)
    anew = resynthesise(report, rubric, constitution)
    if options.json:
        write_json(options.json, anew)
    if options.markdown:
        options.markdown.write_text(render_markdown(anew), "utf-8")
    changes = list(describe_changes(report, anew)) or ["The verdict is the same."]
    sys.stdout.write("\n".join(changes) + "\n")
    return VERDICT if anew.status == "verdict" else NEEDS_A_PERSON


def constitution_named(name: str) -> Constitution:
    """A preset, or a constitution of one's own in a JSON file. Raises RubricRefused."""
    path = Path(name)
    if name in PRESETS or not (path.suffix == ".json" or path.is_file()):
        return preset(name)
    try:
        own = Constitution.model_validate_json(path.read_bytes())
    except ValidationError as broken:
        first = broken.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{name} is no constitution: {place}: {first['msg']}"
        raise RubricRefused("rubric_constitution_unreadable", message) from broken
    refuse_invalid_guards(own)
    return own
