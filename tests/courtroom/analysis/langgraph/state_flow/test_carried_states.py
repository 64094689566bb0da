"""Runs that begin with the state of an earlier audit."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import NODES, flow_of, sentences

RUN = """
import argparse
from langgraph.checkpoint.sqlite import SqliteSaver
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--thread-id", default="audit")
    args = parser.parse_args()
    with SqliteSaver.from_conn_string("states.db") as saver:
        app = g.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": args.thread_id}}
        start = {"repo_url": "a", "pdf_path": "b", "evidences": {}, "opinions": []}
        app.invoke(start, config=config)
if __name__ == "__main__":
    main()
"""
CARRIED = (
    "main() runs the graph under the thread “audit”, which SqliteSaver stores from run to run: what"
    " one audit puts into `evidences` and `opinions` is still there in the next one, since an empty"
    " input takes nothing away"
)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        RUN.replace("args.thread_id", '"audit"'),
        RUN.replace("start, config=config", "start, config"),
        RUN.replace('"evidences": {}, "opinions": []', ""),
    ],
    ids=["option", "constant", "by place", "left out"],
)
def test_stored_thread_of_one_name_carries_the_state_on(run: str):
    assert sentences(flow_of(NODES, run=run), "carried_state") == [CARRIED]


@pytest.mark.parametrize(
    "run",
    [
        RUN.replace("args.thread_id", "str(uuid.uuid4())"),
        RUN.replace('default="audit"', "default=None"),
        RUN.replace('"states.db"', '":memory:"'),
        RUN.replace("checkpoint.sqlite import SqliteSaver", "checkpoint.memory import SqliteSaver"),
        RUN.replace("app.invoke(start", "app.invoke(None"),
        RUN.replace(
            "        app.invoke", '        saver.delete_thread("audit")\n        app.invoke'
        ),
    ],
    ids=["its own", "no default", "memory", "memory saver", "resumed", "deleted"],
)
def test_thread_of_its_own_or_one_that_is_not_stored_does_not(run: str):
    assert sentences(flow_of(NODES, run=run), "carried_state") == []


def test_key_that_the_input_fills_is_not_named():
    run = RUN.replace('"opinions": []', '"opinions": [1]')
    (sentence,) = sentences(flow_of(NODES, run=run), "carried_state")
    assert "puts into `evidences` is still there" in sentence
