"""Judges and Chief Justice that no run reaches: named, or null with what may run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.survey import Survey
from tests.courtroom.analysis.test_survey import snapshot_of, survey
from tests.courtroom.sources import built

START = 'if __name__ == "__main__":\n    app.invoke({"url": "x"})\n'
GRAPH = built('g.add_edge(START, "repo_investigator")', nodes=["repo_investigator"])
STEP = "def step(state):\n    return {}\n\n\n" + GRAPH.replace(
    '"repo_investigator", lambda state: state', '"step", step'
).replace("repo_investigator", "step")
JUDGES = (
    "def prosecutor(model, evidence):\n    return model.invoke(f'Distrust {evidence}')\n\n\n"
    "def bench_node(state):\n    return {'opinions': [prosecutor(state['model'], state['e'])]}\n"
)
JUSTICE = (
    "class ChiefJustice:\n"
    "    def rule(self, opinions):\n"
    "        score = round(sum(opinion.score for opinion in opinions) / 3)\n"
    "        if any('security' in e.tags for e in opinions[0].evidence):\n"
    "            score = min(score, 3)\n"
    "        return score\n"
)
FILES: dict[str, str | bytes | None] = {
    "src/graph.py": GRAPH + START,
    "src/judges.py": JUDGES,
    "src/justice.py": JUSTICE,
}


def read(folder: Path, **files: str) -> Survey:
    return survey(snapshot_of({**FILES, **files}, folder))


def test_layers_that_no_run_reaches_are_named_with_the_functions_to_wire(tmp_path: Path) -> None:
    facts = read(tmp_path).facts
    assert facts["unreached_layers"] == [
        {
            "part": "judges",
            "name": "bench_node",
            "path": "src/judges.py",
            "line": 5,
            "is_node": True,
        },
        {
            "part": "justice",
            "name": "ChiefJustice.rule",
            "path": "src/justice.py",
            "line": 2,
            "is_node": False,
            "rules": ["security_override"],
        },
    ]
    assert facts["rules"]["security_override"] is False


IMPORTED = "from src.judges import bench_node, prosecutor\nfrom src.justice import ChiefJustice\n"


def test_layers_that_are_imported_and_not_used_are_unreached(tmp_path: Path) -> None:
    files = {"src/graph.py": IMPORTED + GRAPH + START, "src/__init__.py": "from .judges import *\n"}
    facts = read(tmp_path, **files).facts
    assert [row["part"] for row in facts["unreached_layers"]] == ["judges", "justice"]


@pytest.mark.parametrize(
    "use",
    [
        "TABLE = {'bench': bench_node, 'chief': ChiefJustice}\n",
        "class Court:\n    def sit(self):\n        return bench_node({}), ChiefJustice()\n\n\nCourt().sit()\n",
        "import web\n\n\n@web.get('/')\ndef page():\n    return prosecutor(None, 1), ChiefJustice().rule([])\n",
        "class Senior(ChiefJustice):\n    bench = staticmethod(bench_node)\n\n\nSenior().bench({})\n",
        "def prosecutor(state):\n    return judges.prosecutor(ChiefJustice(), state)\n\n\nprosecutor(1)\n",
    ],
    ids=["table", "class", "route", "subclass", "namesake"],
)
def test_layers_that_a_name_may_lead_to_are_not_unreached(use: str, tmp_path: Path) -> None:
    facts = read(tmp_path, **{"src/graph.py": IMPORTED + use + GRAPH + START}).facts
    assert facts["unreached_layers"] == []
    assert facts["rules"]["security_override"] is True


@pytest.mark.parametrize(
    "files",
    [
        {
            "run_it.py": "from src import judges, justice\n\njudges.prosecutor(justice.ChiefJustice(), 1)\n"
        },
        {"langgraph.json": '{"graphs": {"a": "./src/judges.py:a", "b": "./src/justice.py:b"}}'},
        {
            "page.py": "import streamlit as st\nfrom src import judges, justice\n\nst.title(judges.prosecutor(1, justice.ChiefJustice()))\n"
        },
        {
            "run.py": f"import runpy\n{START}    for m in ('src.judges', 'src.justice'): runpy.run_module(m)\n"
        },
    ],
    ids=["second_runner", "manifest", "page", "named_modules"],
)
def test_layers_that_an_entry_point_reaches_are_not_unreached(
    files: dict[str, str], tmp_path: Path
) -> None:
    result = read(tmp_path, **files)
    assert result.facts["unreached_layers"] in ([], None)
    assert "unreached_layers" in result.reasons or result.facts["rules"]["security_override"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"audit.ipynb": '{"cells": ["from src.judges import *"]}'},
            "audit.ipynb names code of the judges",
        ),
        (
            {
                "src/pick.py": "from src import judges\n\n\ndef pick(n):\n    return getattr(judges, n)\n"
            },
            "src/pick.py finds what it runs by names that are made at run time",
        ),
        ({"audit.sh": "python - <<E\nimport src.judges\nE\n"}, "audit.sh names code of the judges"),
        (
            {"README.md": "```python\nfrom judges import bench_node\n```\n"},
            "README.md names code of the judges",
        ),
        (
            {"src/graph.py": STEP + START},
            "what the node step does is not known",
        ),
        (
            {
                "src/graph.py": GRAPH
                + "from importlib import import_module\n\n\ndef load(name):\n"
                + "    return import_module(f'src.{name}')\n\n\n"
                + START
            },
            "src/graph.py:14 runs code that it finds by import_module",
        ),
    ],
    ids=["notebook", "lookup", "script", "readme", "unknown_node", "dynamic"],
)
def test_reach_that_is_not_established_is_null_with_what_may_run_the_layers(
    files: dict[str, str], reason: str, tmp_path: Path
) -> None:
    result = read(tmp_path, **files)
    assert (result.facts["unreached_layers"], result.reasons["unreached_layers"]) == (None, reason)
    assert result.facts["rules"]["security_override"] is True


def test_layers_that_are_nodes_leave_nothing_unreached(tmp_path: Path) -> None:
    wired = "from src.judges import bench_node\n" + GRAPH.replace(
        "app =",
        "g.add_node('prosecutor', bench_node)\ng.add_edge('repo_investigator', 'prosecutor')\napp =",
    )
    facts = read(tmp_path, **{"src/graph.py": wired + START}).facts
    assert [row["part"] for row in facts["unreached_layers"]] == ["justice"]
