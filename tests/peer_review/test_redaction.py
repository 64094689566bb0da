"""People taken out of values: however they are written, and nobody else with them."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from grading.peer_review.redaction import WITHHELD, Identity, Person, redacted

ANA = Person(
    names=("Ana-María Lovelace Ørsted",),
    addresses=("ana.ml@uni.example", "Lovelace99@mail.example"),
    handles=("N-10417", "zebracoder"),
    things=("week2-zebra-auditor", "AML_final.pdf", "Team Quokka"),
    owner_group="zebra",
)
BO = Person(
    names=("Bo Li", "王伟", "王 伟"),
    addresses=("bli@uni.example",),
    handles=("20417",),
    owner_group="bo",
)
MULLER = Person(names=("Jürgen Müßner",), addresses=("student12@uni.example",), owner_group="jm")
WILL = Person(names=("Will Grace",), addresses=("will@uni.example",), owner_group="will")
EVERYBODY = Identity((ANA, BO, MULLER, WILL))


# What may be left between two words that were withheld; %20 and the like are signs too.
SIGNS = re.compile(r"<(?:%[0-9A-F]{2}|[\W_])*>")


def left(text: str) -> str:
    redacted_text = redacted(text, EVERYBODY)
    assert isinstance(redacted_text, str)
    return redacted_text


@pytest.mark.parametrize(
    "written",
    [
        "Ana-María Lovelace Ørsted",
        "ANA-MARIA LOVELACE ORSTED",
        "lovelace orsted, ana-maria",
        "Lovelace",
        "lovelace",
        "ana_maria",
        "AnaMaria",
        "anamaria",
        "Maria",
        "L.o.v.e.l.a.c.e",
        "l o v e l a c e",
        "Love-\nlace",
        "Müß-\n  ner",
        "Ana%2DMar%C3%ADa%20Lovelace",
        "Mar\\u00eda",
        "Mar&iacute;a",
        "Ma\u0301ria",
        "\uff2c\uff2f\uff36\uff25lace",
        "ana.ml@uni.example",
        "ana.ml%40uni.example",
        "ana.ml (at) uni (dot) example",
        "ANA.ML\uff20uni.example",
        "lovelace99",
        "N-10417",
        "n10417",
        "zebracoder",
        "ZebraCoder",
        "zebra-coder",
        "week2-zebra-auditor",
        "week2_zebra_auditor",
        "AML_final.pdf",
        "aml-final.pdf",
        "Team Quokka",
        "team-quokka",
        "Bo Li",
        "Li, Bo",
        "boli",
        "bo_li",
        "bli",
        "20417",
        "王伟",
        "Jürgen",
        "JUERGEN",
        "Muessner",
        "müssner",
        "Mussner",
    ],
)
def test_each_way_of_writing_somebody_is_withheld(written: str) -> None:
    assert SIGNS.fullmatch(left(f"<{written}>").replace(WITHHELD, ""))


@pytest.mark.parametrize(
    ("text", "redacted_text"),
    [
        ("audit/report_byana_lovelace/audit.md", "audit/report_byana_[withheld]/audit.md"),
        ("src/AnaMariaState.py", "src/[withheld]State.py"),
        ("mylovelacestuff", "my[withheld]stuff"),
        ("lovelaceAudit.zebracoder.md", "[withheld]Audit.[withheld].md"),
        ("这是王伟的报告", "这是[withheld]的报告"),
        ("王 says: 伟, 国王 and 伟大", "[withheld] says: [withheld], 国王 and 伟大"),
        ("def lovelace_node(state):", "def [withheld]_node(state):"),
        ("HTTPLovelace", "HTTP[withheld]"),
        (
            "an end of love\nlace begins, and love-lace",
            "an end of love\nlace begins, and love-lace",
        ),
        ("100%dlovelace", "100%d[withheld]"),
    ],
)
def test_what_stands_around_somebody_stays(text: str, redacted_text: str) -> None:
    assert left(text) == redacted_text


@pytest.mark.parametrize(
    "text",
    [
        "It will be done by the analyst in banana mode, with grace.",
        "state.messages = operator.add; lines 10417 to 20418",
        "The boolean limit: bolt, light, liability.",
        "Students hand in a report; see student 13.",
        "class AgentState(TypedDict): evidences: Annotated[dict, operator.ior]",
        "E-40a80435 cites 3 of 5 at src/graph.py:41",
        "@dataclass(frozen=True)\n@app.get",
    ],
)
def test_words_that_are_nobody_stay(text: str) -> None:
    assert left(text) == text


def test_a_name_that_is_a_word_is_withheld_where_it_is_written_as_a_name() -> None:
    redacted_text = "[withheld] says: will this grace it? [withheld]."
    assert left("Grace says: will this grace it? Will Grace.") == redacted_text


@pytest.mark.parametrize(
    "link",
    [
        "https://github.com/someone/else",
        "http:\\/\\/example.org\\/x",
        "git@github.com:someone/else.git",
        "ssh://git@host/x",
        "www.example.org/me",
        "github.com/someone",
        "someone.github.io",
        "mailto:x@example.org",
        "https%3A%2F%2Fgithub.com%2Fsomeone",
        "nobody+tag@some.example.org",
        "linkedin.com/in/someone",
        "https://t.me/x",
    ],
)
def test_whatever_leads_out_is_withheld(link: str) -> None:
    assert left(f"see {link} there") == f"see {WITHHELD} there"


@pytest.mark.parametrize(
    ("line", "redacted_text"),
    [
        ("/home/nickname/code/app.py", "/home/[withheld]/code/app.py"),
        (r"C:\Users\nickname\work", r"C:\Users\[withheld]\work"),
        ("Merge pull request #6 from nickname/fix", "Merge pull request #6 from [withheld]"),
        ("Co-authored-by: Nick Name <x@y.org>", "Co-authored-by: [withheld]"),
        ("**Auditor:** Nick", "**Auditor:** [withheld]"),
        ("| Student name | Nick |", "| Student name | [withheld]"),
        ('__author__ = "Nick"', '__author__ = "[withheld]'),
        ("# Copyright (c) 2026 Nick Name", "# Copyright (c) 2026 [withheld]"),
        ("authors = [Nick Name]", "authors = [[withheld]"),
    ],
)
def test_signatures_are_withheld_whoever_signs(line: str, redacted_text: str) -> None:
    assert left(f"before\n{line}\nafter") == f"before\n{redacted_text}\nafter"


def test_json_keeps_its_shape_and_loses_people_in_keys_values_and_named_fields() -> None:
    document: dict[str, Any] = {
        "author": "Nick",
        "peer_name": ["Nick"],
        "name": "Prosecutor",
        "count": 3,
        "met": None,
        "ok": True,
        "lovelace": {"path": ["src/zebracoder/x.py", 7]},
        "Lovelace": "b",
    }
    assert redacted(document, EVERYBODY) == {
        "author": WITHHELD,
        "peer_name": [WITHHELD],
        "name": "Prosecutor",
        "count": 3,
        "met": None,
        "ok": True,
        WITHHELD: {"path": [f"src/{WITHHELD}/x.py", 7]},
        f"{WITHHELD} 2": "b",
    }


def test_everybody_is_withheld_alike_so_that_no_gap_tells_who_is_meant() -> None:
    assert left("With Lovelace, Bo Li, Jürgen") == f"With {WITHHELD}, {WITHHELD}, {WITHHELD}"


def test_what_several_bands_have_is_nobodys() -> None:
    shared = [
        Person(handles=(f"n{n}x", "the-academy"), things=("automaton-auditor",), owner_group=str(n))
        for n in range(3)
    ]
    text = "the-academy/automaton-auditor"
    assert redacted(text, Identity(tuple(shared))) == text
    team = [Person(handles=("kea",), things=("kea-auditor",), owner_group="team") for _ in range(4)]
    assert redacted("kea/kea-auditor", Identity(tuple(team))) == f"{WITHHELD}/{WITHHELD}"


def test_nothing_is_lost_twice() -> None:
    once = left("Ana Lovelace wrote https://x.example/a to ana.ml@uni.example")
    assert redacted(once, EVERYBODY) == once


@pytest.mark.hostile
@pytest.mark.parametrize(
    "unit",
    [
        "a-",
        "a.",
        "a@",
        "lovelace",
        "%41",
        "&",
        "\\u00e",
        "é",
        "A a ",
        "a.a@",
        "Author ",
        "Copyright ",
    ],
)
def test_long_text_takes_no_more_than_its_length(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    before = time.process_time()
    redacted(text, EVERYBODY)
    assert time.process_time() - before < 2.0
