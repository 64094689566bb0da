"""Hostile Python that is read by itself: what spends time and memory, and what hides code in other
letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from courtroom.models.case import Limits
from tests.hostile.python_files import KIB, TOO_DEEP

GRAPH = "from langgraph.graph import StateGraph\ng = StateGraph(dict)\n"
SKIPPED = "it is larger than 48 KB"


@dataclass(frozen=True)
class LonePython:
    """`reason`: why it was not read, as the report says it; `facts`: those of the report."""

    name: str
    source: str
    reason: str | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    cpu_seconds: int = Limits().child_cpu_seconds


def _nodes(expression: str) -> str:
    return f"{GRAPH}for name in {expression}:\n    g.add_node(name, f)\napp = g.compile()\n"


ALONE = (
    LonePython(
        "f_string_of_100000_parts", 'x = f"' + "{a}" * 100_000 + '"\n', SKIPPED, cpu_seconds=2
    ),
    LonePython("f_string_of_15000_parts", 'x = f"' + "{a}" * 15_000 + '"\n'),
    LonePython("list_of_250000", "x = [" + "1," * 250_000 + "]\n"),
    LonePython("call_of_100000", "f(" + "a," * 100_000 + ")\n"),
    LonePython("comparisons_40000", "x = 1" + "<1" * 40_000 + "\n"),
    LonePython("minus_of_500_kb", "x = " + "-" * 500 * KIB + "1\n", TOO_DEEP),
    LonePython("set_of_strings", "x = {" + "".join(f"'{n}'," for n in range(50_000)) + "}\n"),
    LonePython("graph_of_a_million_nodes", _nodes("range(10**6)")),
    LonePython("graph_of_numbers_without_end", _nodes("range(10**18)")),
    LonePython("graph_of_a_long_list", _nodes("['a'] * 10**10")),
    LonePython("graph_of_a_long_string", _nodes("['a' * 10**11]")),
    LonePython("graph_of_a_large_power", _nodes("[str(9**9**9)]")),
    LonePython("graph_of_a_wide_format", _nodes("[f'{1:>99999999999}', '%99999999999d' % 1]")),
    LonePython(
        "graph_of_a_deep_product",
        _nodes(
            "[a+b+c+d for a in range(999) for b in range(999) for c in range(999) for d in range(999)]"
        ),
    ),
    LonePython("graph_that_doubles", "s = 'a'\n" + "s = s + s\n" * 60 + _nodes("[s]")),
    LonePython("graph_that_doubles_a_list", "s = ['a']\n" + "s = s + s\n" * 60 + _nodes("s")),
    LonePython(
        "graph_that_replaces",
        "s = 'aaaaaaaaaa'\n" + "s = s.replace('a', 'aaaaaaaaaa')\n" * 15 + _nodes("[s]"),
    ),
    LonePython(
        "graph_without_end",
        f"{GRAPH}while True:\n    g.add_node('a', f)\n    g.add_edge('a', 'a')\n",
    ),
    LonePython(
        "graph_by_recursion",
        f"{GRAPH}def add(n):\n    g.add_node(str(n), f)\n    add(n + 1)\n    add(n + 2)\nadd(0)\n",
    ),
    LonePython(
        "graph_of_200_calls_each",
        GRAPH
        + "".join(f"def f{n}():\n    f{n + 1}()\n    f{n + 1}()\n" for n in range(200))
        + "def f200(): g.add_node('a', f)\nf0()\n",
    ),
    LonePython(
        "graph_of_20000_edges",
        GRAPH + "".join(f"g.add_edge('n{n}', 'n{n + 1}')\n" for n in range(10_000)),
    ),
    LonePython(
        "graph_of_all_pairs",
        GRAPH
        + "".join(f"g.add_node('n{n}', f)\n" for n in range(200))
        + "for a in range(200):\n    for b in range(200):\n        g.add_edge(f'n{a}', f'n{b}')\n",
    ),
    LonePython(
        "words_that_make_expressions_backtrack",
        f"x = '{'a' * 100_000}!'\ny = '{'https://' * 20_000}'\nz = '{'git clone ' * 20_000}'\n",
    ),
    LonePython(
        "blanks_that_make_expressions_backtrack",
        f"x = '''{' ' * 100_000}x{chr(10) * 100_000}'''\ny = '{'../' * 50_000}'\n",
    ),
    LonePython(
        "prompts_of_400_kb",
        "PROSECUTOR_PROMPT = '''"
        + "You are the prosecutor. " * 8000
        + "'''\nDEFENSE_PROMPT = '''"
        + "You are the defense. " * 8000
        + "'''\n",
    ),
    LonePython("wide_letters", "\uff45\uff56\uff41\uff4c('1')\n", facts={"eval_exec_calls": [1]}),
    LonePython(
        "mathematical_letters",
        "\U0001d41e\U0001d431\U0001d41e\U0001d41c('1')\n",
        facts={"eval_exec_calls": [1]},
    ),
    LonePython("letters_of_another_script", "\u0435val('1')\n", facts={"eval_exec_calls": []}),
    LonePython(
        "call_by_another_name",
        "import os as o\nfrom os import system as s\no.system('x')\ns('x')\n",
        facts={"os_system_calls": [3, 4]},
    ),
    LonePython(
        "call_in_a_string",
        "x = \"os.system('x')\"\n# os.system('x')\n",
        facts={"os_system_calls": []},
    ),
)
