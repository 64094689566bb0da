"""python -m courtroom resynthesise REPORT.json: the verdict anew without asking anyone, and what it changes.

Says what changed on stdout, one line each. Exit codes are those of an audit.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pydantic import ValidationError

from courtroom.errors import RubricRefused
from courtroom.justice.constitutions import PRESETS, preset
from courtroom.justice.guards import refuse_unsound
from courtroom.justice.rules import Constitution
from courtroom.report import render_markdown
from courtroom.resynthesis import changes_between, constitution_under, resynthesise, rubric_of
from courtroom.rubric_reading.reader import shipped_rubric
from courtroom.terminal import NEEDS_A_PERSON, VERDICT, OneLineParser, stored_report, write_json


def arguments(argv: list[str]) -> argparse.Namespace:
    cli = OneLineParser(prog="python -m courtroom resynthesise", description="Judge a stored report again.")
    cli.add_argument("report", metavar="REPORT.json", type=Path)
    cli.add_argument(
        "--constitution", metavar="NAME|FILE", help="a preset or a JSON file; default: the report's own"
    )
    cli.add_argument(
        "--rubric", metavar="FILE|NAME", help="the rubric it was judged under, if it is not shipped"
    )
    cli.add_argument("--json", type=Path, metavar="FILE", help="write the new report's JSON here")
    cli.add_argument("--markdown", type=Path, metavar="FILE", help="write the new report's Markdown here")
    return cli.parse_args(argv)


def command(argv: list[str]) -> int:
    options = arguments(argv)
    report = stored_report(options.report)
    rubric = shipped_rubric(options.rubric) if options.rubric else rubric_of(report)
    chosen = options.constitution
    constitution = constitution_named(chosen) if chosen else constitution_under(report, rubric)
    anew = resynthesise(report, rubric, constitution)
    if options.json:
        write_json(options.json, anew)
    if options.markdown:
        options.markdown.write_text(render_markdown(anew), "utf-8")
    changes = list(changes_between(report, anew)) or ["The verdict is the same."]
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
    refuse_unsound(own)
    return own
