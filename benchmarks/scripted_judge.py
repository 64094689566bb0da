"""Measure how near verdicts come to careful readers' scores when judges know only what is shown.

`python -m benchmarks.scripted_judge --repos DIR --labels DIR`: folders as for benchmarks.cohort.

The scripted judge knows, for each labelled criterion, the reader's score and the lines that decided
it (`scores.*.why`). It reads the messages that a model would get. A deciding line stands there when
at least half of its words stand in its row of an exhibit, or in the quote of an item that begins
above it. Its score lies between the heuristic Tech Lead's, who knows the outcomes of the checks
alone, and the reader's: as far along as the share of deciding lines that stand there. It cites
them. The three personas are the same judge, which asks for nothing. So the figures tell what can be
known from the messages, not how well a model reads them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from benchmarks.agreement import agreement_of
from benchmarks.labelled_work import LabelledWork, labelled_work
from benchmarks.shown_lines import RUBRIC, Line, named_lines
from courtroom.analysis.git.snapshot import Snapshot, list_tree, read_files
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.detectives.detective_result import Dossier
from courtroom.graph.exhibit_selection import materials_on
from courtroom.graph.nodes import AuditNodes
from courtroom.graph.state import AgentState
from courtroom.graph.wiring import RECURSION_LIMIT, build_graph
from courtroom.inputs import AuditInputs
from courtroom.judges.citations import resolve
from courtroom.judges.heuristic import answer_now
from courtroom.judges.opinion import (
    Answer,
    Question,
    ReadPlaces,
    make_failure,
    make_opinion,
    read_nothing,
)
from courtroom.judges.prompts import messages
from courtroom.judges.submitted_text import aliases_of
from courtroom.models.audit_report import AuditReport, JudgeReference
from courtroom.models.case import BenchSettings, Case, Limits
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, Persona, Score
from courtroom.replay.report_reuse import dossier_of
from courtroom.rubric_import.shipped_rubrics import load_shipped
from courtroom.synthesis.constitutions import constitution_of

MODEL = "scripted"
# Before there were exhibits a docket of 4,600 characters for all criteria was read: it had room for
# so many quotes of a criterion, and for so many characters of each.
DOCKET_QUOTES, QUOTE_CHARACTERS = 2, 42
CITED_RUNS = 12

_HEAD = re.compile(r"## (\S+):\d+-\d+ ")
_ROW = re.compile(r"(\d+) (.*)")
_QUOTE = re.compile(r"\b(f\d+):(\d+) “([^”]*)”")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A careful reader's score of one criterion, and the text of the lines that decided it."""

    score: int | None
    deciding: Mapping[Line, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Scores of one criterion by reader and court; its deciding lines, and those that are shown."""

    reader: int | None
    court: int | None
    deciding: int
    shown: int


@dataclass
class ScriptedBench:
    """Three judges who know what decides each criterion, by its id, once they are shown it.

    `shown` counts the deciding lines that were shown in the first round, by criterion. `is_docket`:
    of the quotes it reads as much as the old docket had.
    """

    readings: Mapping[str, Reading]
    is_docket: bool = False
    shown: dict[str, int] = field(default_factory=dict)

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        reference = JudgeReference(kind="llm", model=MODEL, prompt_digest="")
        return dict.fromkeys(PERSONAS, reference)

    @property
    def asks_all_at_once(self) -> bool:
        return False

    def key(self, question: Question) -> str:
        return question.digest(MODEL)

    async def answer(
        self,
        questions: Sequence[Question],
        read: ReadPlaces = read_nothing,  # noqa: ARG002 -- the Bench protocol
    ) -> list[Answer]:
        return [self._answer(question) for question in questions]

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _answer(self, question: Question) -> Answer:
        key = self.key(question)
        as_lead = question.model_copy(update={"persona": "TechLead", "round": 1})
        by_outcomes = answer_now(as_lead, key).opinion
        if isinstance(by_outcomes, JudgeFailure):
            reason = by_outcomes.message
            failure = make_failure(question, kind="abstained", message=reason, model=MODEL, key=key)
            return Answer(opinion=failure)

        reading = self.readings.get(question.criterion.id, Reading(None, {}))
        shown = frozenset(shown_lines(question, reading.deciding, is_docket=self.is_docket))
        share = len(shown) / len(reading.deciding) if reading.deciding else 0.0
        if question.round == 1:
            self.shown[question.criterion.id] = len(shown)
        reader = by_outcomes.score if reading.score is None else reading.score
        score = floor(by_outcomes.score + share * (reader - by_outcomes.score) + 0.5)
        citations = resolve(_runs(shown, question), question)
        return Answer(
            opinion=make_opinion(
                question,
                score=cast("Score", score),
                argument=f"{share:.0%} of the lines that decide are shown.",
                cited=[*by_outcomes.cited_evidence, *citations.ids],
                cited_lines=citations.lines,
                model=MODEL,
                key=key,
            )
        )


class NodesWithoutExhibits(AuditNodes):
    """Nodes of an audit whose judges read outcomes and quotes alone, as where exhibits fail."""

    async def select_exhibits(self, state: AgentState) -> dict[str, Any]:
        dossier = Dossier.model_validate(state["dossier"])
        materials = materials_on(self.case.rubric.criteria, dossier, self.settings)
        return {"materials": {id_: row.model_dump(mode="json") for id_, row in materials.items()}}


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.scripted_judge", description=__doc__)
    cli.add_argument("--repos", type=Path, required=True)
    cli.add_argument("--labels", type=Path, required=True)
    cli.add_argument("--reports", type=Path, help="keep reports here, and use those that are there")
    options = cli.parse_args()

    with tempfile.TemporaryDirectory(prefix="scripted-judge-") as folder:
        reports = options.reports or Path(folder)
        works = [
            labelled_work(path, options.repos, reports)
            for path in sorted(options.labels.glob("*.json"))
        ]
        by_bench: dict[str, list[Verdict]] = {}
        for work in works:
            for bench, verdicts in verdicts_on(work).items():
                by_bench.setdefault(bench, []).extend(verdicts)

    for bench, verdicts in by_bench.items():
        _print_agreement(bench, verdicts)


def verdicts_on(work: LabelledWork) -> dict[str, list[Verdict]]:
    """Return the verdicts of the heuristic bench, and of the scripted one by what it is shown."""
    report, readings = work.report(), readings_of(work)
    pdf, limits = work.pdf(), Limits()
    rubric = load_shipped(RUBRIC)
    case = Case(
        repo_url=str(work.git_dir),
        ref=work.label["head"],
        pdf=pdf,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )
    reading = read_pdf(pdf, limits) if pdf else None
    inputs = AuditInputs(work.snapshot, dossier_of(report), reading, report.pdf_sha256, {})

    verdicts = {"heuristic bench": list(_verdicts(report, readings, {}))}
    for name, kind, is_docket in (
        ("scripted judge, old docket", NodesWithoutExhibits, True),
        ("scripted judge, outcomes and quotes", NodesWithoutExhibits, False),
        ("scripted judge, exhibits", AuditNodes, False),
    ):
        bench = ScriptedBench(readings, is_docket)
        again = asyncio.run(_audit(kind, case, inputs, bench))
        verdicts[name] = list(_verdicts(again, readings, bench.shown))
    return verdicts


async def _audit(
    kind: type[AuditNodes], case: Case, inputs: AuditInputs, bench: ScriptedBench
) -> AuditReport:
    nodes = kind(case, inputs, bench, asyncio.Semaphore(30), BenchSettings(may_ask=False))
    state = await build_graph(nodes).ainvoke({}, {"recursion_limit": RECURSION_LIMIT})
    return AuditReport.model_validate(state["report"])


def readings_of(work: LabelledWork) -> dict[str, Reading]:
    """Return what the reader wrote on each criterion, with the text of the lines it names."""
    scores = work.label["scores"]
    paths = [entry.path for entry in list_tree(work.snapshot, Limits())]
    named = {id_: list(named_lines(row["why"], paths)) for id_, row in scores.items()}
    texts = _texts(work.snapshot, {line for lines in named.values() for line in lines})
    return {
        id_: Reading(row["score"], {line: texts[line] for line in named[id_] if line in texts})
        for id_, row in scores.items()
    }


def _texts(snapshot: Snapshot, lines: set[Line]) -> dict[Line, str]:
    """Return the text of the lines; one without a word decides nothing and is left out."""
    files = read_files(snapshot, sorted({path for path, _ in lines}))
    return {
        (path, number): files[path][number - 1]
        for path, number in lines
        if path in files and number <= len(files[path]) and _WORD.search(files[path][number - 1])
    }


def shown_lines(
    question: Question, deciding: Mapping[Line, str], *, is_docket: bool = False
) -> Iterator[Line]:
    """Yield the deciding lines that stand in the messages, by path, number and words."""
    text = "\n".join(str(content) for _, content in messages([question]))
    paths = {alias: path for path, alias in aliases_of(question.material.files).items()}
    shown: dict[Line, list[str]] = {}
    for (alias, number), words in _rows(text):
        shown.setdefault((paths.get(alias, ""), number), []).append(words)
    for line, words in deciding.items():
        if any(_stands_in(row, words) for row in shown.get(line, ())):
            yield line
    quotes = _QUOTE.findall(text)
    for alias, first, quote in quotes[:DOCKET_QUOTES] if is_docket else quotes:
        words = quote[:QUOTE_CHARACTERS] if is_docket else quote
        yield from _quoted(words, (paths.get(alias, ""), int(first)), deciding)


def _rows(text: str) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the numbered rows of the exhibits, each under the name of its exhibit."""
    name = ""
    for line in text.split("\n"):
        head, row = _HEAD.match(line), _ROW.fullmatch(line)
        if head:
            name = head[1]
        elif row:
            yield (name, int(row[1])), row[2]
        else:
            name = ""


def _stands_in(shown: str, line: str) -> bool:
    """Return whether at least half of a line's words are shown: long strings are folded away."""
    words, rest = _WORD.findall(line), set(_WORD.findall(shown))
    return 2 * sum(word in rest for word in words) >= len(words)


def _quoted(quote: str, place: Line, deciding: Mapping[Line, str]) -> Iterator[Line]:
    """Yield the deciding lines that a quote shows, which begins at this place."""
    (path, number), left = place, _WORD.findall(quote)
    while left and (words := _WORD.findall(deciding.get((path, number), ""))):
        shown = len(os.path.commonprefix([left, words]))  # noqa: RUF071 -- no paths
        if 2 * shown >= len(words):
            yield path, number
        left = left[shown:] if shown == len(words) else []
        number += 1


def _runs(lines: frozenset[Line], question: Question) -> list[str]:
    """Return citations of the runs of these lines, the longest first."""
    aliases = aliases_of(question.material.files)
    runs: list[tuple[str, int, int]] = []
    for path, number in sorted(lines):
        if runs and runs[-1][0] == path and runs[-1][2] == number - 1:
            runs[-1] = (path, runs[-1][1], number)
        else:
            runs.append((path, number, number))
    runs.sort(key=lambda run: run[1] - run[2])
    return [f"{aliases[path]}:{first}-{last}" for path, first, last in runs[:CITED_RUNS]]


def _verdicts(
    report: AuditReport, readings: Mapping[str, Reading], shown: Mapping[str, int]
) -> Iterator[Verdict]:
    scores = {criterion.id: criterion.final_score for criterion in report.criteria}
    for id_, reading in readings.items():
        yield Verdict(reading.score, scores.get(id_), len(reading.deciding), shown.get(id_, 0))


def _print_agreement(bench: str, verdicts: Sequence[Verdict]) -> None:
    deciding = [row for row in verdicts if row.deciding]
    lines, shown = (sum(getattr(row, name) for row in deciding) for name in ("deciding", "shown"))
    mean = fmean(row.shown / row.deciding for row in deciding) if deciding else 0
    print(
        f"\n{bench}: {shown / lines if lines else 0:.3f} of {lines} deciding lines are shown,"
        f" mean of criteria {mean:.3f}"
    )
    for title, rows in (("criteria with deciding lines", deciding), ("all criteria", verdicts)):
        pairs = [
            (row.reader, row.court)
            for row in rows
            if row.reader is not None and row.court is not None
        ]
        one_sided = sum((row.reader is None) != (row.court is None) for row in rows)
        print(f"{title:30} {agreement_of(pairs)} scored by one side only {one_sided}")


if __name__ == "__main__":
    main()
