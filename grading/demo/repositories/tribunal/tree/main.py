"""python main.py REPO --pdf FILE: prints the verdict and writes it to verdict.md."""

import argparse

from tribunal.graph import build_graph
from tribunal.state import Criterion

CRITERIA = [
    Criterion(id="history", name="History", question="Did the work grow in steps that can be followed?"),
    Criterion(id="graph", name="Orchestration", question="Do detectives and judges run in parallel, with joins?", is_architecture=True),
    Criterion(id="safety", name="Safe tools", question="Can a hostile address or repository do harm?"),
    Criterion(id="depth", name="Depth of the report", question="Are the ideas explained by the parts that carry them out?"),
]


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("repo_url")
    cli.add_argument("--pdf", default="report.pdf")
    options = cli.parse_args()
    result = build_graph().invoke({"repo_url": options.repo_url, "pdf_path": options.pdf, "criteria": CRITERIA})
    print(result["report"])


if __name__ == "__main__":
    main()
