"""Run an audit without the site: python -m courtroom REPO [--pdf FILE] ...

`resynthesise REPORT.json` judges a stored report again. The bench of models is set by environment
variables (MODEL_VARIABLES and VARIABLES).

Exit codes: 0 for a verdict; 3 for degraded or needs review (the report is written too); 4 for an
overall score below --fail-under; 2 for bad input, with one line of explanation. A repository or PDF
that is refused leaves a record of that in the files that were to be written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from pydantic import ValidationError

from courtroom.analysis import warm_readers
from courtroom.analysis.git.repository_addresses import with_scheme
from courtroom.models.audit_event import AuditEvent
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import BenchSettings, Case, Known
from courtroom.models.errors import CourtroomError, InputRefused, RecordBroken, RubricRefused
from courtroom.models.refused_audit import refused_audit
from courtroom.models.repository_access import HttpsToken, username_at
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rendering.verdict_explanation import explain
from courtroom.replay.resynthesis import (
    constitution_under,
    describe_changes,
    resynthesise,
    rubric_of,
)
from courtroom.report_files import add_file_options, write_files
from courtroom.rubric_import.read_rubric import read_rubric, shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import PRESETS, constitution_of, preset
from courtroom.synthesis.guards import refuse_invalid_guards
from courtroom.synthesis.rules import Constitution

JUDGE_STAGES = ("prosecutor", "defense", "tech_lead")
RESYNTHESISE = "resynthesise"
DEFAULT_REF = "HEAD"
EXPLAIN = "print how each score came about, rule by rule"


def arguments(argv: list[str], program: str) -> argparse.Namespace:
    cli = OneLineParser(prog=program, description="Audit one repository and its PDF report.")
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
    add_file_options(cli)
    cli.add_argument(
        "--fail-under", type=score, metavar="SCORE", help="exit with 4 below this overall score"
    )
    cli.add_argument(
        "--known", type=Path, metavar="FILE", help="an earlier report's JSON: what holds is reused"
    )
    cli.add_argument("--explain", action="store_true", help=EXPLAIN)
    cli.add_argument("--graph", action=GraphAction, help="print the graph of an audit, and exit")
    cli.add_argument("--allow-local", action="store_true")
    cli.add_argument(
        "--token-file", type=Path, metavar="FILE", help="a token that opens a private repository"
    )
    cli.add_argument("--token-user", metavar="NAME", help="the name that its host wants beside it")
    cli.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return cli.parse_args(argv)


def score(text: str) -> float:
    """Return an overall score, 1 to 5. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not LOWEST_SCORE <= value <= HIGHEST_SCORE:
        message = f"{text!r} is no score from {LOWEST_SCORE} to {HIGHEST_SCORE}"
        raise argparse.ArgumentTypeError(message)
    return value


def main(argv: list[str] | None = None, program: str = "python -m courtroom") -> int:
    """Run the command line and return its exit code. `program` is its name in messages of use."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == [RESYNTHESISE]:
        return exit_code_of(lambda: resynthesis_command(words[1:], program))
    options = arguments(words, program)
    return exit_code_of(lambda: asyncio.run(_audit(options)))


async def _audit(options: argparse.Namespace) -> int:
    report: AuditReport | None = None
    case, bench, earlier = (
        _case(options),
        bench_of(options.judges, os.environ),
        _earlier_results(options),
    )

    if earlier.report is None:
        # One start and one import for three readers, while the repository is cloned.
        warm_readers.prepare_readers()
    try:
        async for event in hold_audit(case, bench=bench, known=earlier):
            if not options.quiet:
                _print_progress(event)
            report = event.report or report
    except InputRefused as refused:
        ended_at = datetime.now(UTC).isoformat(timespec="seconds")
        write_files(options, refused_audit(options.repo, options.ref, refused, ended_at))
        raise
    finally:
        warm_readers.end_readers()

    if report is None:
        message = "the audit ended without a report"
        raise RuntimeError(message)

    write_files(options, report)
    if options.explain:
        sys.stdout.write(explain(report))
    elif not options.markdown:
        sys.stdout.write(render_markdown(report))
    return exit_code_for(report, options.fail_under)


def _case(options: argparse.Namespace) -> Case:
    path = Path(options.rubric)
    is_file = path.suffix == ".json" or path.is_file()
    rubric = (
        read_rubric(path.read_text("utf-8-sig")).rubric
        if is_file
        else shipped_rubric(options.rubric)
    )

    repo_url = with_scheme(options.repo, allow_local=options.allow_local)
    return Case(
        repo_url=repo_url,
        access=_access(options, repo_url),
        # Git's name of the default, which is no branch or tag, is the same as no name.
        ref=None if options.ref == DEFAULT_REF else options.ref,
        pdf=options.pdf,
        rubric=rubric,
        constitution=preset(options.constitution)
        if options.constitution
        else constitution_of(rubric),
        allow_local=options.allow_local,
    )


def _access(options: argparse.Namespace, repo_url: str) -> HttpsToken | None:
    """Return the token of a file: an argument or a variable could be read by other processes."""
    if options.token_file is None:
        return None
    host = urlsplit(repo_url).hostname or ""
    name = options.token_user or username_at(host)
    try:
        return HttpsToken(name, options.token_file.read_text("utf-8").strip())
    except ValueError as error:
        message = f"{options.token_file} does not hold one token on one line."
        raise InputRefused("url_token", message) from error


def _earlier_results(options: argparse.Namespace) -> Known:
    return Known(report=stored_report(options.known) if options.known else None)


def _print_progress(event: AuditEvent) -> None:
    """Print one line on stderr for each stage that begins and each judge that answers."""
    if event.kind == "stage" and not event.ended and event.stage not in JUDGE_STAGES:
        sys.stderr.write(f"{event.stage}\n")
    if event.opinion:
        opinion = event.opinion
        sys.stderr.write(f"  {opinion.judge} on {opinion.criterion_id}: {opinion.score}\n")
    if event.failure:
        failure = event.failure
        sys.stderr.write(
            f"  {failure.judge} on {failure.criterion_id}: no score ({failure.failure})\n"
        )


# Exit codes. A shell reports 130 for a program ended by Ctrl-C.
VERDICT, BAD_INPUT, NEEDS_REVIEW, BELOW, INTERRUPTED = 0, 2, 3, 4, 130
LOWEST_SCORE, HIGHEST_SCORE = 1, 5


class OneLineParser(argparse.ArgumentParser):
    """Parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"courtroom: {message} (see --help)\n")


class GraphAction(argparse.Action):
    """Print the graph of an audit as Mermaid, and exit, as --help does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002 -- argparse passes it by this name
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        # langgraph takes a second to import.
        from courtroom.graph.wiring import draw_graph

        sys.stdout.write(draw_graph())
        parser.exit(VERDICT)


def exit_code_for(report: AuditReport, fail_under: float | None = None) -> int:
    if report.status != "verdict":
        return NEEDS_REVIEW
    if fail_under is None:
        return VERDICT
    # Without a score nothing can be said of the threshold.
    score = report.overall_score
    if score is None:
        return NEEDS_REVIEW
    return BELOW if score < fail_under else VERDICT


def exit_code_of(command: Callable[[], int]) -> int:
    """Run the command and return its exit code; report every failure in one line on stderr."""
    try:
        return command()
    except (InputRefused, RecordBroken) as refused:
        return _print_error(f"{refused.message} [{refused.code}]")
    except CourtroomError as failed:
        _print_error(f"{failed.message} [{failed.code}]")
        return NEEDS_REVIEW
    except OSError as broken:
        return _print_error(f"{broken.filename or ''}: {broken.strerror or broken}".lstrip(": "))
    except KeyboardInterrupt:
        return INTERRUPTED


def _print_error(message: str) -> int:
    sys.stderr.write(f"courtroom: {' '.join(message.split())}\n")
    return BAD_INPUT


def stored_report(path: Path) -> AuditReport:
    """Read a stored report. Raises RecordBroken: record_unreadable."""
    try:
        return AuditReport.model_validate_json(path.read_bytes())
    except ValidationError as broken:
        first = broken.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RecordBroken(
            "record_unreadable", f"{path} is not one of our reports: {place}: {first['msg']}"
        ) from broken


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
    "exhibit_characters": "JUDGES_EXHIBIT_CHARACTERS",
    "may_ask": "JUDGES_MAY_ASK",
    "screen": "JUDGES_SCREEN",
    "screening_model": "SCREENING_MODEL",
}
TEMPERATURE_VARIABLES = {
    "Prosecutor": "PROSECUTOR_TEMPERATURE",
    "Defense": "DEFENSE_TEMPERATURE",
    "TechLead": "TECH_LEAD_TEMPERATURE",
}


def bench_of(kind: str, environment: Mapping[str, str]) -> BenchSettings:
    """Return the bench's settings. Raises InputRefused naming the variable that is invalid."""
    values: dict[str, object] = {"kind": kind}
    if kind == "llm":
        for field, variables in (
            ("models", MODEL_VARIABLES),
            ("temperatures", TEMPERATURE_VARIABLES),
        ):
            values[field] = {
                persona: environment[variable]
                for persona, variable in variables.items()
                if environment.get(variable)
            }
        values |= {
            field: environment[variable]
            for field, variable in VARIABLES.items()
            if environment.get(variable)
        }
    if environment.get("EVIDENCE_SECRET"):
        values["fence_secret"] = environment["EVIDENCE_SECRET"]

    try:
        if "prices" in values:
            values["prices"] = json.loads(str(values["prices"]))
        return BenchSettings.model_validate(values)
    except json.JSONDecodeError as broken:
        raise InputRefused("bench_setting", f"MODEL_PRICES is not JSON: {broken}.") from broken
    except ValidationError as broken:
        first = broken.errors()[0]
        name = _variable_of(first["loc"])
        raise InputRefused("bench_setting", f"{name}: {first['msg']}.") from broken


def _variable_of(place: tuple[int | str, ...]) -> str:
    """Return the environment variable of a field of BenchSettings."""
    field = str(place[0])
    if field == "temperatures":
        return TEMPERATURE_VARIABLES.get(str(place[1]), field)
    return VARIABLES.get(field, field)


def resynthesis_arguments(argv: list[str], program: str) -> argparse.Namespace:
    cli = OneLineParser(
        prog=f"{program} {RESYNTHESISE}", description="Judge a stored report again."
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
    add_file_options(cli)
    cli.add_argument("--explain", action="store_true", help=EXPLAIN)
    return cli.parse_args(argv)


def resynthesis_command(argv: list[str], program: str) -> int:
    options = resynthesis_arguments(argv, program)
    report = stored_report(options.report)
    rubric = shipped_rubric(options.rubric) if options.rubric else rubric_of(report)
    name = options.constitution
    constitution = constitution_named(name) if name else constitution_under(report, rubric)
    new_report = resynthesise(report, rubric, constitution)
    write_files(options, new_report)

    changes = list(describe_changes(report, new_report)) or ["The verdict is the same."]
    sys.stdout.write("\n".join(changes) + "\n")
    if options.explain:
        sys.stdout.write(f"\n{explain(new_report)}")
    return exit_code_for(new_report)


def constitution_named(name: str) -> Constitution:
    """Return a preset, or a constitution from a JSON file. Raises RubricRefused."""
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
