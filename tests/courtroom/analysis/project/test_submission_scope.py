"""Code of the submission: what is set apart, and what entry points bring back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from courtroom.analysis.project.aside_kinds import aside_paths, is_named_by
from courtroom.analysis.project.submission_scope import Scope, imported_vendored, read_scope
from courtroom.models.project_facts import SubmissionScope
from tests.courtroom.sources import symbols_of

MAIN = "if __name__ == '__main__':\n    run()\n"
DANGER = "import os\nos.system('ls')\n"
PACKAGE = {"court/__init__.py": "", "court/app.py": "def run():\n    return 1\n"}


def scope_of(files: Mapping[str, str]) -> Scope:
    sources = {path: text for path, text in files.items() if path.endswith(".py")}
    return read_scope(symbols_of(sources), list(files), files)


def product_of(files: Mapping[str, str]) -> set[str]:
    return set(files) - set(scope_of(files).aside)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/test_app.py", "test"),
        ("court/test_app.py", "test"),
        ("integration_tests/run.py", "test"),
        ("tests/fixtures/repo/main.py", "test"),
        ("fixtures/repo/main.py", "fixture"),
        ("demo/repositories/auditor/src/graph.py", "example"),
        ("benchmarks/load.py", "benchmark"),
        ("old/graph.py", "archive"),
        ("src_backup/graph.py", "archive"),
        ("src/graph_old.py", "archive"),
        ("src/graph copy.py", "archive"),
        ("src/state_pb2.py", "generated"),
        ("src/__pycache__/state.cpython-311.pyc", "generated"),
        ("node_modules/x/index.js", "vendored"),
        ("third_party/lib.py", "vendored"),
    ],
)
def test_usual_places_are_set_apart(path: str, kind: str) -> None:
    assert aside_paths([path])[path].kind == kind


@pytest.mark.parametrize(
    "path", ["src/graph.py", "src/demonstration.py", "gold/threshold.py", "latest/contest.py"]
)
def test_other_places_are_the_product(path: str) -> None:
    assert aside_paths([path]) == {}


def test_backup_is_set_apart_beside_the_file_that_it_keeps() -> None:
    kept = aside_paths(["src/graph.py", "src/graph_backup.py", "src/backup_graph.py"])
    assert sorted(kept) == ["src/backup_graph.py", "src/graph_backup.py"]
    assert aside_paths(["deploy/site-backup.service", "src/backup_files.py"]) == {}


def test_former_version_stands_beside_the_newer_one() -> None:
    aside = aside_paths(["v1/main.py", "v2/main.py", "api/v1/routes.py"])
    assert {path: entry.reason for path, entry in aside.items()} == {
        "v1/main.py": "v2 stands beside it"
    }


def test_git_attributes_set_apart_and_the_last_rule_holds() -> None:
    text = "lib/** linguist-vendored\nlib/own/** -linguist-vendored\n*.gen.py linguist-generated\n"
    aside = aside_paths(["lib/a.py", "lib/own/b.py", "src/c.gen.py", "src/d.py"], text)
    assert {path: entry.kind for path, entry in aside.items()} == {
        "lib/a.py": "vendored",
        "src/c.gen.py": "generated",
    }


def test_example_that_uses_the_product_is_no_product() -> None:
    example = {"examples/quick.py": f"from court.app import run\n{DANGER}{MAIN}"}
    files = PACKAGE | {"main.py": f"from court.app import run\n{MAIN}"} | example
    assert "examples/quick.py" not in product_of(files)
    assert "examples/quick.py" not in product_of(files | {"README.md": "python examples/quick.py"})


@pytest.mark.parametrize(
    "declared",
    [
        {"pyproject.toml": "[project.scripts]\ncourt = 'examples.app:run'\n"},
        {"langgraph.json": '{"graphs": {"court": "./examples/app.py:graph"}}'},
        {"Dockerfile": 'CMD ["python", "-m", "examples.app"]\n'},
        {"Makefile": "run:\n\t$(PYTHON) examples/app.py\n"},
        {"README.md": "Run `uv run python examples/app.py`.\n"},
        {"main.py": f"from examples.app import run\n{MAIN}"},
        {"main.py": "import importlib\nimportlib.import_module('examples.app')\n"},
        {"main.py": "import runpy\nrunpy.run_path('examples/app.py')\n"},
    ],
)
def test_product_in_the_examples_is_the_product(declared: dict[str, str]) -> None:
    files = {
        "src/notes.py": "TITLE = 'an auditor'\n",
        "examples/app.py": f"from examples.tool import call\n{MAIN}",
        "examples/tool.py": f"def call():\n    pass\n{DANGER}",
        "examples/unused.py": "",
    }
    product = product_of(files | declared)
    assert {"examples/app.py", "examples/tool.py"} <= product
    assert "examples/unused.py" not in product


def test_decoy_beside_a_larger_demo_does_not_hide_it() -> None:
    demo = "\n".join(["from main import hello", *["x = 1"] * 40, DANGER, MAIN])
    files = {"main.py": f"def hello():\n    pass\n{MAIN}", "demo/app.py": demo}
    assert "demo/app.py" in product_of(files)


def test_one_folder_that_is_all_code_is_the_product_without_its_tests() -> None:
    files = {"demo/app.py": "", "demo/tests/test_app.py": "", "demo/rubric.json": "{}"}
    assert product_of(files) == {"demo/app.py", "demo/rubric.json"}


def test_attributes_on_all_code_hide_nothing() -> None:
    files = {".gitattributes": "src/** linguist-vendored\n", "src/app.py": MAIN}
    assert "src/app.py" in product_of(files)


def test_runner_of_the_tests_does_not_make_them_the_product() -> None:
    files = PACKAGE | {
        "run_tests.py": f"import tests.test_app\n{MAIN}",
        "tests/__init__.py": "",
        "tests/test_app.py": DANGER,
    }
    assert product_of(files) == {*PACKAGE, "run_tests.py"}


def test_test_module_that_the_program_imports_is_the_product() -> None:
    files = {"main.py": f"from tests.tool import call\n{MAIN}", "tests/tool.py": DANGER}
    assert product_of(files) == {"main.py", "tests/tool.py"}


def test_name_of_a_library_does_not_bring_an_example() -> None:
    files = PACKAGE | {"main.py": f"import queue, openai\n{MAIN}"}
    files |= {"examples/queue.py": "", "examples/openai.py": ""}
    assert {"examples/queue.py", "examples/openai.py"}.isdisjoint(product_of(files))


def test_data_beside_reached_modules_belongs_to_the_product() -> None:
    files = {"main.py": "import demo.app\n", "demo/app.py": "", "demo/data.json": "{}"}
    files |= {"demo/fixtures/other/main.py": ""}
    assert set(scope_of(files).aside) == {"demo/fixtures/other/main.py"}


def test_manifest_is_surer_than_a_command_and_a_script() -> None:
    files = PACKAGE | {
        "pyproject.toml": "[project]\nname = 'court'\n[project.scripts]\ncourt = 'court.app:run'\n",
        "README.md": "Start:\n\n    python main.py\n",
        "main.py": f"from court.app import run\n{MAIN}",
    }
    scope = scope_of(files)
    assert scope.main is not None
    assert (scope.main.target, scope.main.path, scope.main.line) == (
        "court/app.py",
        "pyproject.toml",
        4,
    )
    assert scope.reason == (
        "It is a file that a script of the package starts, the surest sign among 2 candidates."
    )
    assert [(e.target, e.declared_by, e.line) for e in scope.entries] == [
        ("court/app.py", "pyproject", 4),
        ("main.py", "readme", 3),
        ("main.py", "main_block", 2),
    ]


@pytest.mark.parametrize(("name", "main"), [("run", "court/cli.py"), ("run_all", "main.py")])
def test_entry_point_that_cannot_be_imported_gives_way_to_one_that_can(
    name: str, main: str
) -> None:
    files = PACKAGE | {
        "pyproject.toml": '[project.scripts]\ncourt = "court.cli:main"\n',
        "court/cli.py": f"from court.app import {name}\n\ndef main():\n    {name}()\n",
        "main.py": f"from court.app import run\n{MAIN}",
    }
    scope = scope_of(files)
    assert scope.main is not None
    assert scope.main.target == main
    is_broken = main == "main.py"
    assert ("court/cli.py cannot be imported" in scope.reason) == is_broken
    assert scope.reason.startswith("It is the only entry point that can be imp") == is_broken


def test_of_equal_candidates_the_one_that_reaches_most_is_chosen() -> None:
    files = PACKAGE | {
        "check.py": MAIN,
        "start.py": f"from court.app import run\n{MAIN}",
    }
    scope = scope_of(files)
    assert scope.main is not None
    assert scope.main.target == "start.py"
    assert scope.reason == (
        "It is one of 2 files of the product with a block for __main__; with what it imports it has the most Python files (3 of 4)."
    )


def test_commands_of_several_kinds_are_each_named() -> None:
    files = PACKAGE | {
        "Dockerfile": 'ENTRYPOINT ["python", "start.py"]\n',
        "Makefile": "pdf:\n\tpython check.py\n",
        "check.py": MAIN,
        "start.py": f"from court.app import run\n{MAIN}",
        "README.md": "python start.py\n",
    }
    assert scope_of(files).reason == (
        "It is one of 2 files of the product that a container's command starts or that a Makefile or a shell script"
        " starts; with what it imports it has the most Python files (3 of 4)."
    )


def test_candidates_that_reach_as_many_files_are_said_to() -> None:
    start = f"from court.app import run\n{MAIN}"
    scope = scope_of(PACKAGE | {"first.py": start, "second.py": start})
    assert scope.reason == (
        "It is one of 2 files of the product with a block for __main__; no other one has more"
        " Python files with what it imports (3 of 4)."
    )


RUNS_GRAPH = {
    "court/__init__.py": "",
    "court/graph.py": "from langgraph.graph import StateGraph\n\ndef run():\n    return StateGraph(dict).compile().invoke({})\n",
    "court/demo.py": "import court.graph\n\ndef sample():\n    return {}\n",
}


@pytest.mark.parametrize(
    ("candidates", "reason"),
    [
        ((), "it alone calls the graph."),
        (
            ("web",),
            "2 of them call the graph, and no other one has more Python files with what it imports (3 of 6).",
        ),
    ],
)
def test_of_equal_candidates_one_that_calls_the_graph_is_chosen(candidates, reason) -> None:
    files = RUNS_GRAPH | {
        f"{name}.py": f"from court.graph import run\n\ndef main():\n    run()\n\n{MAIN}"
        for name in ("cli", *candidates)
    }
    wrapper = f"from court.demo import sample\n\ndef main():\n    sample()\n\n{MAIN}"
    scope = scope_of(files | {"show.py": wrapper})
    assert scope.main is not None
    assert scope.main.target == "cli.py"
    assert scope.reason == (
        f"It is one of {2 + len(candidates)} files of the product with a block for __main__; {reason}"
    )


def test_command_in_a_comment_declares_nothing() -> None:
    compose = "services:\n  web:\n    # command: python start.py\n    image: x\n"
    scope = scope_of(PACKAGE | {"start.py": "", "docker-compose.yml": compose})
    assert scope.entries == []


def test_command_that_gives_a_path_for_a_module_starts_no_package() -> None:
    files = PACKAGE | {"court/start.py": MAIN, "README.md": "python -m court/start.py\n"}
    scope = scope_of(files)
    assert [(entry.target, entry.declared_by) for entry in scope.entries] == [
        ("court/start.py", "main_block")
    ]


def test_without_an_entry_point_all_other_code_is_the_product() -> None:
    scope = scope_of(PACKAGE | {"tests/test_app.py": ""})
    assert scope.main is None
    assert set(scope.aside) == {"tests/test_app.py"}


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("import argparse\ndef main():\n    pass\nmain()\n", ["go.py"]),
        (
            "import argparse, sys\ndef main():\n    pass\nif sys.flags:\n    sys.exit(main())\n",
            ["go.py"],
        ),
        ("def main():\n    pass\nmain()\n", []),
        ("import argparse\ndef main():\n    pass\ndef other():\n    main()\n", []),
    ],
)
def test_file_that_reads_its_arguments_and_calls_main_is_an_entry_point(text, targets) -> None:
    assert [entry.target for entry in scope_of(PACKAGE | {"go.py": text}).entries] == targets


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("import streamlit as st\nst.title('Court')\n", [("page.py", "streamlit", 2)]),
        (
            "import streamlit\nwith streamlit.sidebar:\n    ask()\n",
            [("page.py", "streamlit", 2)],
        ),
        (
            "import streamlit as st\nst.title('Court')\nif __name__ == '__main__':\n    run()\n",
            [("page.py", "main_block", 3)],
        ),
        ("import streamlit as st\ndef show():\n    st.title('Court')\n", []),
        ("import streamlit as st\n@st.cache_data\ndef rows():\n    return []\n", []),
        ("st = object()\nst.title('Court')\n", []),
    ],
    ids=["page", "block", "main", "function", "cache", "other"],
)
def test_page_of_streamlit_is_an_entry_point_without_a_main_block(text, declared) -> None:
    entries = scope_of(PACKAGE | {"page.py": text}).entries
    assert [(entry.target, entry.declared_by, entry.line) for entry in entries] == declared


def test_broken_manifests_name_no_entry_point() -> None:
    files = PACKAGE | {"pyproject.toml": "[project", "langgraph.json": '{"graphs": [1]}'}
    assert scope_of(files).entries == []


@pytest.mark.parametrize(
    ("glob", "is_named"),
    [
        ("**/node_modules/**", True),
        ("**/__pycache__/**", True),
        ("third_party/**", True),
        ("**/.env", False),
        ("**/*.py", False),
    ],
)
def test_pattern_names_vendored_files_by_their_folder(glob: str, is_named: bool) -> None:
    assert is_named_by(glob, "vendored") is is_named


def test_pattern_names_compiled_files_by_their_folder() -> None:
    assert is_named_by("**/__pycache__/**", "generated")
    assert not is_named_by("src/**", "generated")


def test_vendored_module_that_is_imported_is_the_product_without_a_licence() -> None:
    files = {"main.py": f"from vendor.tool import call\n{MAIN}", "vendor/tool.py": DANGER}
    assert "vendor/tool.py" in product_of(files)
    assert "vendor/tool.py" not in product_of(files | {"vendor/LICENSE": "MIT"})


def test_folder_of_installed_code_is_read_where_it_is_imported() -> None:
    paths = ["main.py", "build/app.py", "build/lib/node_modules/x.py", "dist/app.py"]
    contents = {"main.py": b"from build.app import run\n"}
    assert imported_vendored(paths, contents) == ["build/app.py"]


def test_groups_of_the_fact_tell_the_product() -> None:
    files = PACKAGE | {"main.py": "import demo.app\n", "demo/app.py": "", "demo/other.py": ""}
    fact = SubmissionScope.model_validate(scope_of(files).as_fact)
    assert [path for path in files if not fact.holds(path)] == ["demo/other.py"]


SCRIPTS = {
    "pyproject.toml": "[project.scripts]\ncourt = 'examples.app:run'\n",
    "sub/pyproject.toml": "[tool.poetry.scripts]\ncourt = 'examples.app:run'\n",
    "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    court = examples.app:run\n",
    "setup.py": (
        "setup(name='court', entry_points={'console_scripts': ['court = examples.app:run']})\n"
    ),
}


@pytest.mark.parametrize("path", SCRIPTS)
def test_console_script_brings_its_file_back(path: str) -> None:
    files = PACKAGE | {"examples/app.py": f"{DANGER}run = call\n", path: SCRIPTS[path]}
    scope = scope_of(files)

    assert "examples/app.py" not in scope.aside
    assert [(e.target, e.declared_by, e.path) for e in scope.entries] == [
        ("examples/app.py", "pyproject", path)
    ]


def test_script_of_a_function_that_its_module_lacks_starts_nothing() -> None:
    files = PACKAGE | {
        "pyproject.toml": "[project.scripts]\ncourt = 'court.graph:main'\n",
        "court/graph.py": "domain = 1\n",
        "README.md": "Start:\n\n    uv run main.py\n",
        "main.py": f"from court.graph import domain\n{MAIN}",
    }
    scope = scope_of(files)

    assert scope.main is not None
    assert scope.main.target == "main.py"
    assert [entry.declared_by for entry in scope.entries] == ["readme", "main_block"]


@pytest.mark.parametrize(
    "command",
    [
        "uvicorn court.web:app --reload",
        "uvicorn --reload --port 80 court.web:app",
        "gunicorn -w 4 --bind 0.0.0.0:8000 -k uvicorn.workers.UvicornWorker court.web:app",
        "python -m uvicorn court.web:app",
        "fastapi run court/web.py",
        'CMD ["uvicorn", "court.web:app", "--host", "0.0.0.0"]',
    ],
)
def test_web_application_is_the_entry_point_of_its_server(command: str) -> None:
    files = PACKAGE | {"court/web.py": "app = FastAPI()\n", "Dockerfile": f"{command}\n"}

    assert [entry.target for entry in scope_of(files).entries] == ["court/web.py"]


def test_application_that_django_installs_is_the_product() -> None:
    files = {
        "site/__init__.py": "",
        "site/settings.py": "INSTALLED_APPS = ['django.contrib.admin', 'demo', 'samples']\n",
        "demo/__init__.py": "",
        "demo/models.py": "from demo import rows\n",
        "demo/rows.py": "",
        "demo/seed.py": "",
        "examples/models.py": "",
    }

    assert product_of(files) == set(files) - {"demo/seed.py", "examples/models.py"}


@pytest.mark.parametrize(
    ("main", "entry"),
    [
        ("print('hello')\n", None),
        ("from court.app import run\nrun()\n", "main.py"),
        ("import subprocess\nsubprocess.run(['make'])\n", "main.py"),
        ("import click\nclick.echo('hello')\n", "main.py"),
        ("print('hello')\n" * 9, "main.py"),
    ],
)
def test_script_that_reaches_nothing_of_the_product_is_no_entry_point(main, entry) -> None:
    scope = scope_of({**PACKAGE, "court/more.py": "x = 1\n" * 8, "main.py": f"{main}{MAIN}"})
    assert (scope.main.target if scope.main else None) == entry
    assert entry or (scope.entries, scope.unreached) == ([], ())
    assert entry or scope.reason == (
        "No entry point was recognised: what is run as a script reaches no other file."
    )


def test_files_of_the_product_to_which_no_entry_point_leads_are_named() -> None:
    files = {
        **PACKAGE,
        "court/second_judge.py": "from court.bench import sit\n",
        "court/bench.py": "def sit(): ...\n",
        "court/first_judge.py": "",
        "setup.py": "",
        "main.py": f"from court.app import run\nimport court.first_judge\n{MAIN}",
        "web.py": f"from court.bench import sit as run\n{MAIN}",
    }
    scope = scope_of(files)
    assert scope.unreached == ("court/second_judge.py",)
    assert SubmissionScope.model_validate(scope.as_fact).unreached == scope.unreached
    without = {path: text for path, text in files.items() if path not in ("main.py", "web.py")}
    assert scope_of(without).unreached == ()
