"""Commands of a README against the tree, and against the program's parser."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.project.command_faults import (
    broken_starts,
    command_faults,
    missing_scripts,
)
from tests.courtroom.sources import symbols_of

PARSER = """
import argparse

def main():
    parser = argparse.ArgumentParser(description="court")
    parser.add_argument("--repo", required=True)
    parser.add_argument("pdf", nargs="?")
    parser.add_argument("--mode", choices=["self", "peer"], default="self")
    parser.add_argument("--quiet", "-q", action="store_true")
    parser.add_argument("--about", action="help")
    {more}
    args = parser.parse_args()
    return args.repo

if __name__ == "__main__":
    main()
"""
TREE = {"main.py": PARSER.format(more="pass"), "src/graph.py": "", "requirements.txt": ""}


def faults_of(commands: str, files: Mapping[str, str] | None = None) -> list[str]:
    """Return the sentences, behind the command, on a README that has these commands in a fence."""
    tree = dict(TREE if files is None else files)
    readme = f"# Court\n\n```bash\n{commands}\n```\n"
    code = {path: text for path, text in tree.items() if path.endswith(".py")}
    symbols = symbols_of(code)
    symbols.codebase.paths = frozenset(tree) | {"README.md"}
    faults = command_faults(symbols, {**tree, "README.md": readme})
    assert {fault.kind for fault in faults} <= {"failing_command"}
    return [fault.sentence.rpartition("` ")[2] for fault in faults]


def refused(message: str, line: int = 5) -> list[str]:
    return [f"is refused by the parser of main.py:{line} with “{message}”"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("python main.py --repo u report.pdf -q", ""),
        ("$ uv run python main.py --repo <a repo> <its report> --mode peer", ""),
        ("python main.py --rep u", ""),
        ("python main.py --repo=u --mode <mode>", ""),
        ("python main.py --repo u --mode {self,peer}", ""),
        ("python main.py --repo u [--pdf report.pdf]", ""),
        ("python main.py --help", ""),
        ("python main.py --about", ""),
        ("python main.py ...", ""),
        ("python main.py --repo u \\\n  --quiet  # no words", ""),
        ("python main.py https://github.com/a/b", "the following arguments are required: --repo"),
        ("python main.py --repo u --pdf r.pdf", "unrecognized arguments: --pdf"),
        ("python3 -m main --repo u a.pdf b.pdf", "unrecognized arguments: b.pdf"),
        ("python main.py -- --repo u", "the following arguments are required: --repo"),
        (
            "cd court && python main.py --repo u --mode other",
            "argument --mode: invalid choice: 'other' (choose from 'self', 'peer')",
        ),
    ],
)
def test_arguments_are_held_against_the_parser(command: str, message: str):
    assert faults_of(command) == (refused(message) if message else [])


@pytest.mark.parametrize(
    "more",
    [
        "add_more(parser)",
        "parser.add_argument(NAME)",
        "[parser.add_argument(name) for name in NAMES]",
        "if DEBUG:\n        parser.add_argument('--pdf')",
        "parser.add_argument('--level', nargs=COUNT)",
        "parser.add_argument('--level', action=Level)",
        "parser.add_argument('--level', **SETTINGS)",
        "parser.parse_known_args()",
        "parser.add_argument('level', dest=5)",
        "levels = parser.add_subparsers(dest=5, required=True)",
        "levels = parser.add_subparsers()\n    levels.add_argument('--level')",
        "levels = parser.add_subparsers()\n    more = levels.add_argument_group()",
        "parser.add_argument('--quiet')",
    ],
)
def test_parser_that_is_not_made_of_constants_is_not_read(more: str):
    tree = {"main.py": PARSER.format(more=more)}
    assert faults_of("python main.py --pdf r.pdf", tree) == []


def test_parser_of_a_function_elsewhere_and_its_parts_are_read():
    cli = """
    import argparse

    def parser_of():
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="command", required=True)
        audit = commands.add_parser("audit", help="audits")
        audit.add_argument("--repo", required=True)
        inputs = audit.add_mutually_exclusive_group()
        inputs.add_argument("--pdf")
        inputs.add_argument("--text")
        return parser

    def main():
        return parser_of().parse_args()
    """
    tree = {"main.py": "from src.cli import main\nmain()\n", "src/cli.py": cli}
    commands = "python main.py audit --repo u --pdf r\npython main.py review --repo u"
    (fault,) = faults_of(commands, tree)
    assert "src/cli.py:5" in fault
    assert "invalid choice: 'review' (choose from 'audit')" in fault
    (fault,) = faults_of("python main.py audit --repo u --pdf r --text t", tree)
    assert fault.endswith("“argument --text: not allowed with argument --pdf”")


def test_words_are_in_vain_only_where_no_code_can_read_them():
    tree = {"main.py": "import src.court\nsrc.court.run(input())\n", "src/court.py": "import sys\n"}
    assert faults_of("python main.py --repo u", tree) == ["has arguments, and main.py reads none"]
    assert faults_of("python main.py", tree) == []
    reading = tree | {"src/court.py": "import sys\ndef run(_):\n    return sys.argv\n"}
    assert faults_of("python main.py --repo u", reading) == []


@pytest.mark.parametrize(
    ("command", "lacking"),
    [
        ("pip install -r requirements.txt", ""),
        ("uv pip install -r requirements-dev.txt", "requirements-dev.txt"),
        ("pip freeze > dev.txt\npip install -r dev.txt", ""),
        ("cp .env.example .env", ".env.example"),
        ("cp audit/last.md audit/first.md", ""),
        ("cp <your>.env.example .env", ""),
        ("pytest tests/test_court.py::test_all -q", "tests/test_court.py"),
        ("docker compose up -d", "docker-compose.yml"),
        ("docker-compose -f other.yml up", ""),
        ("./run.sh", "run.sh"),
        ("uv run streamlit run app.py", "app.py"),
        ("python MAIN.py --repo u", ""),
        ("python ../tools/run.py", ""),
        ("cd src\npython graph.py", ""),
        ("cd src && python main.py", ""),
        ("cd src && python run.py", "src/run.py"),
        ("bash graph.py/run.sh", "graph.py/run.sh"),
        (".venv\\Scripts\\python scripts\\run.py", "scripts/run.py"),
        ("python -m src.graph", ""),
        ("python -m venv .venv", ""),
        ("echo 'no command", ""),
        ("python -m src.courts", "a module src.courts"),
        ("python -m src/courts.py <repo>", "a module src/courts.py"),
    ],
)
def test_what_a_command_needs_is_in_the_tree(command: str, lacking: str):
    why = f"needs {lacking}, which the repository does not have"
    assert faults_of(command) == ([why] if lacking else [])


def test_file_after_m_is_told_with_its_module():
    why = "names a file after -m, where Python takes a module: write `python -m src.graph`"
    assert faults_of("python -m src/graph.py <repo>") == [why]
    assert faults_of("python -m src.graph.py") == [why]


@pytest.mark.parametrize(
    ("files", "fails"),
    [
        ({}, True),
        ({"pyproject.toml": "[project]\nname = 'court'\n"}, True),
        ({"pyproject.toml": "[build-system]\n"}, False),
        ({"Dockerfile": "ENV PYTHONPATH=/app\n"}, False),
        ({"src/src/state.py": ""}, False),
        ({"src/graph.py": "import sys\nsys.path.append('.')\nfrom src.state import S\n"}, False),
        ({"src/graph.py": "from .state import S\n"}, True),
    ],
)
def test_file_of_a_package_is_started_beside_its_modules(files: dict[str, str], fails: bool):
    tree = {"src/graph.py": "from src.state import S\n", "src/state.py": "S = 1\n", **files}
    why = (
        "fails at the import in src/graph.py:1: Python looks for modules beside this file, not at"
        " the root"
    )
    assert faults_of("python src/graph.py", tree) == [why] * fails
    assert faults_of("python -m src.graph", tree) == []
    assert faults_of("PYTHONPATH=. python src/graph.py", tree) == []


def test_commands_that_fail_alike_are_one_fault_and_prose_is_none():
    symbols = symbols_of({"main.py": PARSER.format(more="pass")})
    readme = "python no.py\n\n```\npython main.py a `b`\n```\n\n    \n```\npython main.py c\n```\n"
    (fault,) = command_faults(symbols, {"README.md": readme, "docs/README.md": "```\nsh x.sh\n```"})
    assert (fault.path, fault.line, fault.places) == ("README.md", 4, (("README.md", 9),))
    assert fault.sentence.startswith("the README's command `python main.py a 'b'` is refused by")
    assert command_faults(symbols, {"docs/README.md": readme}) == []


def test_file_that_the_readme_starts_and_that_cannot_be_imported_is_named():
    files = {
        "test_run.py": "from src.graph import build\nbuild()\n",
        "src/graph.py": "def create():\n    return 1\n",
    }
    symbols = symbols_of(files)
    symbols.codebase.paths = frozenset(files) | {"README.md"}
    texts = {"README.md": "```bash\npython test_run.py\npython src/graph.py\n```\n"}
    (fault,) = broken_starts(symbols, texts, ())
    assert (fault.path, fault.line, fault.places) == ("README.md", 2, (("test_run.py", 1),))
    assert fault.sentence == (
        "the README's command `python test_run.py` fails: test_run.py imports `build` from"
        " src/graph.py, which does not define it: test_run.py cannot be imported at this commit"
    )
    earlier = FlowFault("broken_import", "it fails", "test_run.py", 1)
    assert [*broken_starts(symbols, texts, [earlier])] == []


SCRIPT = '[project]\nname = "court"\n[project.scripts]\ncourt = "court.cli:main"\n'


@pytest.mark.parametrize(
    ("files", "manifest", "is_missing"),
    [
        (["src/graph.py"], SCRIPT, True),
        (["src/court/cli.py"], SCRIPT, False),
        (["src/cli.py"], f'{SCRIPT}[tool.setuptools]\npackage-dir = {{"court" = "src"}}\n', False),
        (["src/graph.py"], SCRIPT.replace("name =", 'dependencies = ["court>=1"]\nname ='), False),
        (["src/graph.py"], "no manifest = [", False),
    ],
)
def test_declared_command_whose_module_is_not_there_is_named(files, manifest, is_missing):
    symbols = symbols_of(dict.fromkeys(files, ""))
    symbols.codebase.paths = frozenset(files)
    faults = [*missing_scripts(symbols, {"pyproject.toml": manifest})]
    assert [(fault.kind, fault.line, fault.sentence) for fault in faults] == [
        (
            "broken_command",
            4,
            (
                "pyproject.toml declares a command by `court.cli:main`, and the repository has no"
                " module `court.cli`"
            ),
        )
    ] * is_missing
