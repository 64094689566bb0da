"""LangGraph's own answer: what each construct of the corpus really builds.

Runs in a child, one forked process per construct and environment, so that no construct sees the
modules of another. Only code of our own is run: the corpus.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import runpy
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TERMINALS = {"__start__": "START", "__end__": "END"}
# Commands of IPython and of the shell, which plain Python does not take.
MAGICS = ("%", "!", "?")


def main() -> None:
    """Read one construct per line, as JSON, and answer each with a line of JSON."""
    import langgraph.graph
    import langgraph.prebuilt

    assert langgraph.graph
    assert langgraph.prebuilt
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        construct = json.loads(line)
        answers = [_in_fork(construct, environment) for environment in construct["environments"]]
        print(json.dumps(answers), flush=True)


def _in_fork(construct: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w") as pipe, _silence():
            json.dump(_answer(construct, environment), pipe)
            pipe.flush()
        os._exit(0)

    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer: dict[str, Any] = json.loads(pipe.read())
    os.waitpid(child, 0)
    return answer


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with (
        Path(os.devnull).open("w") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        yield


def _answer(construct: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    os.environ.update(environment)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(construct["root"], folder, dirs_exist_ok=True)
        script = Path(folder, construct["run"])
        os.chdir(script.parent)
        sys.path[:0] = [str(script.parent), *(str(Path(folder, p)) for p in construct["path"])]
        try:
            app = _run(script)["app"]
        except Exception as error:  # noqa: BLE001 -- LangGraph's refusal is the answer
            return {"refused": f"{type(error).__name__}: {error}"}
        return _graph(app, construct["inputs"])


def _run(script: Path) -> dict[str, Any]:
    if script.suffix == ".ipynb":
        return _run_notebook(script)
    return runpy.run_path(str(script), run_name="__main__")


def _run_notebook(script: Path) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads(script.read_text())["cells"]:
        lines = "".join(cell["source"]).splitlines()
        is_shell = lines[:1] and lines[0].startswith("%%") and lines[0] != "%%time"
        if cell["cell_type"] != "code" or is_shell:
            continue
        plain = [
            line
            for line in lines
            if not line.startswith(MAGICS) and not line.endswith("?") and "= !" not in line
        ]
        # A cell that fails leaves what the cells before it made.
        with contextlib.suppress(SyntaxError):
            exec(compile("\n".join(plain), script.name, "exec"), names)  # noqa: S102 -- our own
    return names


def _graph(app: Any, inputs: list[Any]) -> dict[str, Any]:
    builder: Any = getattr(app, "builder", None)
    if type(app).__name__ != "CompiledStateGraph" or type(builder).__name__ == "type":
        return {"other": type(app).__name__}
    if app.nodes.keys() == {"__start__"}:
        return {"other": type(app).__name__}

    waiting = [[start, end] for starts, end in builder.waiting_edges for start in starts]
    edges = {(_name(start), _name(end)) for start, end in [*builder.edges, *waiting]}
    return {
        "nodes": sorted(name for name in app.nodes if name != "__start__"),
        "edges": sorted(map(list, edges)),
        "conditional": {
            start: sorted(targets) for start, targets in _routes(builder, inputs).items() if targets
        },
        "inside": {
            name: _graph(spec.runnable, inputs)
            for name, spec in builder.nodes.items()
            if type(spec.runnable).__name__ == "CompiledStateGraph"
        },
    }


def _routes(builder: Any, inputs: list[Any]) -> dict[str, set[str]]:
    routes: dict[str, set[str]] = {}
    for start, branches in builder.branches.items():
        targets = routes.setdefault(_name(start), set())
        for branch in branches.values():
            targets |= {_name(end) for end in (branch.ends or {}).values()}
            targets |= _chosen(branch.path, branch.ends, inputs)
    for name, spec in builder.nodes.items():
        gone = _commands(spec.runnable, inputs) or {_name(end) for end in spec.ends}
        routes.setdefault(name, set()).update(gone)
    return routes


def _chosen(path: Any, ends: Mapping[Any, str] | None, inputs: list[Any]) -> set[str]:
    """Return the nodes that a router chooses for the construct's inputs."""
    names: set[str] = set()
    for state in inputs:
        result = asyncio.run(path.ainvoke(dict(state)))
        for target in result if isinstance(result, list | tuple) else [result]:
            if hasattr(target, "node"):
                names.add(target.node)
            else:
                names.add(_name(ends[target] if ends else target))
    return names


def _commands(runnable: Any, inputs: list[Any]) -> set[str]:
    names: set[str] = set()
    for state in inputs:
        try:
            result: Any = runnable.invoke(dict(state))
        except Exception:  # noqa: BLE001,S112 -- a node that fails alone leads nowhere here
            continue
        goto: Any = getattr(result, "goto", None) or ()
        for target in goto if isinstance(goto, list | tuple) else [goto]:
            names.add(_name(target.node if hasattr(target, "node") else target))
    return names


def _name(node: str) -> str:
    return TERMINALS.get(node, str(node))


if __name__ == "__main__":
    main()
