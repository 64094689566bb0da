"""Two detectives and the node that joins them."""

from court.state import CourtState, Evidence
from court.tools import inspect_repository, words_of_report


def repo_detective(state: CourtState) -> dict:
    try:
        counts = inspect_repository(state["repo_url"])
    except ValueError as error:
        return {"evidences": [Evidence(source="repo", found=False, note=str(error))]}
    note = f"{counts['commits']} commits, {counts['python_files']} Python files"
    return {"evidences": [Evidence(source="repo", found=counts["commits"] > 3, note=note)]}


def doc_detective(state: CourtState) -> dict:
    text = words_of_report(state["pdf_path"])
    return {"evidences": [Evidence(source="report", found="fan-in" in text, note=f"{len(text)} characters")]}


def evidence_collector(state: CourtState) -> dict:
    """Joins the detectives. There is nothing to compute, the reducer has done it."""
    return {}
